package capture_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	_ "golang.org/x/image/webp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func picture(t *testing.T, s *commandtest.Session, name, format string) image.Image {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	img, got, err := image.Decode(bytes.NewReader(b))
	if err != nil || got != format {
		t.Fatalf("%s is %s (%v), want %s", name, got, err, format)
	}
	return img
}

func serve(t *testing.T, html string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>"+html)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func is(c color.Color, r, g, b uint8) bool {
	x, y, z, _ := c.RGBA()
	return uint8(x>>8) == r && uint8(y>>8) == g && uint8(z>>8) == b
}

const coloured = `<title>Colours</title><body style="margin:0"><div id="red" style="width:80px;height:30px;background:#f00"></div>
<div style="height:1500px"></div><div id="blue" style="margin-left:10px;width:50px;height:1200px;background:#00f"></div><div id="none"></div>`

func TestScreenshotOfWindowPageAndElement(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, coloured))
	res := s.Run(t, "screenshot", "w.png")
	if want := filepath.Join(s.Dir, "w.png"); res.Text != "✓ Screenshot saved to "+want || commandtest.Data[map[string]any](t, res)["path"] != want {
		t.Errorf("the result is %q %v", res.Text, res.Data)
	}
	if img := picture(t, s, "w.png", "png"); !is(img.At(5, 5), 255, 0, 0) || !is(img.At(85, 5), 255, 255, 255) || img.Bounds().Dy() > 1000 {
		t.Errorf("the window shows %v %v, %v", img.At(5, 5), img.At(85, 5), img.Bounds())
	}
	s.Run(t, "screenshot", "--full", "f.jpeg")
	if img := picture(t, s, "f.jpeg", "jpeg"); img.Bounds().Dy() != 2730 {
		t.Errorf("the page is %v", img.Bounds())
	}
	s.Run(t, "screenshot", "#red", "e.png")
	if img := picture(t, s, "e.png", "png"); img.Bounds().Size() != image.Pt(80, 30) || !is(img.At(79, 29), 255, 0, 0) {
		t.Errorf("the element is %v", img.Bounds())
	}
	// Taller than the window, and out of view.
	s.Run(t, "screenshot", "#blue", "b.png")
	img := picture(t, s, "b.png", "png")
	if img.Bounds().Size() != image.Pt(50, 1200) || !is(img.At(0, 0), 0, 0, 255) || !is(img.At(49, 1199), 0, 0, 255) {
		t.Errorf("the tall element is %v with corners %v %v", img.Bounds(), img.At(0, 0), img.At(49, 1199))
	}
	if _, err := s.Try(t, "screenshot", "#none", "n.png", "--timeout", "500ms"); api.CodeOf(err) != api.ElementNotVisible {
		t.Errorf("an element without area: %v", err)
	}
	if _, err := s.Try(t, "screenshot", "#gone", "n.png", "--timeout", "300ms"); api.CodeOf(err) != api.ElementNotFound {
		t.Errorf("an element that is not there: %v", err)
	}
	if got := s.Names(t); got != "b.png e.png f.jpeg w.png" {
		t.Errorf("the directory holds %s", got)
	}
}

func TestScreenshotPlaceAndFormat(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, coloured))
	s.Settings.ScreenshotFormat = "webp"
	named := regexp.MustCompile(`/artifacts/screenshots/screenshot-\d{8}-\d{6}-127\.0\.0\.1( \(1\))?\.webp$`)
	for range 2 {
		path := commandtest.Data[map[string]any](t, s.Run(t, "screenshot"))["path"].(string)
		if !named.MatchString(path) {
			t.Errorf("without a path it is saved to %s", path)
		}
	}
	s.Run(t, "screenshot", "telling.png")
	picture(t, s, "telling.png", "png")
	if res := s.Run(t, "screenshot", "./odd.gif"); !strings.Contains(res.Warning, "webp") {
		t.Errorf("the warning about .gif is %q", res.Warning)
	}
	picture(t, s, "odd.gif", "webp")
	s.Settings.ScreenshotDir = "shots"
	s.Run(t, "screenshot")
	if found, _ := filepath.Glob(filepath.Join(s.Dir, "shots", "*.webp")); len(found) != 1 {
		t.Errorf("--screenshot-dir holds %v", found)
	}
	s.Run(t, "screenshot", "shots/")
	if found, _ := filepath.Glob(filepath.Join(s.Dir, "shots", "*.webp")); len(found) != 2 {
		t.Errorf("a directory as path holds %v", found)
	}
	for _, words := range [][]string{{"screenshot", "none/a.png"}, {"pdf", "none/a.pdf"}, {"download", "#red", "none/a"}} {
		_, err := s.Try(t, words...)
		if api.CodeOf(err) != api.FileWriteFailed || !strings.Contains(err.Error(), filepath.Join(s.Dir, "none")+" does not exist") {
			t.Errorf("%v: %v", words, err)
		}
	}
}

// TestAnnotateLeavesThePageAlone compares the annotations with the page's own boxes, and the page with its state before.
func TestAnnotateLeavesThePageAlone(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Settings.Annotate = true
	s.Run(t, "open", site.URL("/mutations"))
	was := s.Eval(t, "document.documentElement.outerHTML")
	plain, err := s.Try(t, "screenshot", "plain.png")
	if err != nil {
		t.Fatal(err)
	}
	marks := marksOf(t, plain)
	if touched := s.Eval(t, "touched"); touched != "[]" {
		t.Errorf("the page noticed %s", touched)
	}
	if names := s.Eval(t, "newNames()"); names != "[]" {
		t.Errorf("the page has new names %s", names)
	}
	if now := s.Eval(t, "document.documentElement.outerHTML"); now != was {
		t.Error("the document is not what it was")
	}
	var button *mark
	for i := range marks {
		if marks[i].Name == "Watched button" {
			button = &marks[i]
		}
	}
	if button == nil {
		t.Fatalf("no mark for the button: %+v", marks)
	}
	var box [4]float64
	if err := json.Unmarshal([]byte(s.Eval(t, "(r => [r.x, r.y, r.width, r.height])(b.getBoundingClientRect())")), &box); err != nil {
		t.Fatal(err)
	}
	for i, v := range []float64{button.Box.X, button.Box.Y, button.Box.Width, button.Box.Height} {
		if v-box[i] > 0.1 || box[i]-v > 0.1 {
			t.Errorf("the mark is at %+v, the button at %v", button.Box, box)
		}
	}
	line := fmt.Sprintf("   [%d] @e%d button \"Watched button\"", button.Number, button.Number)
	if button.Ref != fmt.Sprintf("e%d", button.Number) || !strings.Contains(plain.Text, "\n"+line) {
		t.Errorf("the legend lacks %q: %s", line, plain.Text)
	}
	img := picture(t, s, "plain.png", "png")
	corner := img.At(int(box[0]), int(box[1]))
	if edge := img.At(int(box[0]+box[2]/2), int(box[1])); corner != edge || is(corner, 255, 255, 255) {
		t.Errorf("no frame around the button: %v %v", corner, edge)
	}
	// The ref works.
	if res := s.Run(t, "get", "text", "@"+button.Ref); !strings.Contains(res.Text, "Watched button") {
		t.Errorf("the ref of the mark means %q", res.Text)
	}
	s.Run(t, "screenshot", "a.webp")
	picture(t, s, "a.webp", "webp")
	s.Run(t, "screenshot", "a.jpg", "--full")
	picture(t, s, "a.jpg", "jpeg")
}

type mark struct {
	Ref, Role, Name string
	Number          int
	Box             struct{ X, Y, Width, Height float64 }
}

func marksOf(t *testing.T, res run.Result) []mark {
	t.Helper()
	b, err := json.Marshal(commandtest.Data[map[string]any](t, res)["annotations"])
	if err != nil {
		t.Fatal(err)
	}
	var list []mark
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// TestAnnotateShowsOnlyWhatShows has buttons that are covered, clipped, hidden, outside of the viewport, and in a frame.
func TestAnnotateShowsOnlyWhatShows(t *testing.T) {
	s := commandtest.New(t)
	s.Settings.Annotate = true
	s.Run(t, "open", serve(t, `<title>Shown</title><body style="margin:0">
		<button style="position:absolute;left:10px;top:10px;width:80px;height:20px">Plain</button>
		<button style="position:absolute;left:110px;top:10px;width:90px;height:20px">Covered</button><div style="position:absolute;left:100px;top:0;width:150px;height:60px;background:#eee"></div>
		<div style="position:absolute;left:300px;top:0;width:50px;height:50px;overflow:hidden"><button style="position:absolute;top:70px">Clipped</button>
			<button style="position:absolute;left:20px;top:5px;width:100px;height:20px">Half</button></div>
		<h2 style="position:absolute;left:400px;top:5px;width:90px;height:20px;margin:0">Heading</h2>
		<h2 onclick="void 0" style="position:absolute;left:500px;top:5px;width:90px;height:20px;margin:0;cursor:pointer">Folds</h2>
		<button style="visibility:hidden">Hidden</button><button style="opacity:0">Clear</button>
		<iframe style="position:absolute;left:20px;top:100px;width:200px;height:60px;border:5px solid #000" srcdoc="<body style='margin:0'><button style='position:absolute;left:8px;top:6px;width:70px;height:20px'>Framed</button><button style='position:absolute;top:500px'>Below</button>"></iframe>
		<button style="position:absolute;left:10px;top:3000px;width:60px;height:20px">Far</button>`))
	find := func(res run.Result) map[string]mark {
		all := map[string]mark{}
		for _, m := range marksOf(t, res) {
			all[m.Name] = m
		}
		return all
	}
	check := func(what string, got map[string]mark, want map[string][4]float64) {
		t.Helper()
		for name, m := range got {
			if box := [4]float64{m.Box.X, m.Box.Y, m.Box.Width, m.Box.Height}; want[name] != box {
				t.Errorf("%s: %s is marked at %v, want %v", what, name, box, want[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d marks, want %d: %v", what, len(got), len(want), got)
		}
	}
	window := map[string][4]float64{"Plain": {10, 10, 80, 20}, "Half": {320, 5, 30, 20}, "Folds": {500, 5, 90, 20}, "Framed": {33, 111, 70, 20}}
	check("window", find(s.Run(t, "screenshot", "w.png")), window)
	window["Far"] = [4]float64{10, 3000, 60, 20}
	check("page", find(s.Run(t, "screenshot", "f.png", "--full")), window)
	// Scrolled: the boxes of a full-page screenshot are relative to the document. The page does not report what covers an
	// element outside of the viewport, so that element counts as visible.
	s.Eval(t, "scrollTo(0, 900)")
	window["Covered"] = [4]float64{110, 10, 90, 20}
	check("page, scrolled", find(s.Run(t, "screenshot", "f.png", "--full")), window)
	check("window, scrolled", find(s.Run(t, "screenshot", "w.png")), map[string][4]float64{})
	check("frame", find(s.Run(t, "screenshot", "iframe", "i.png")), map[string][4]float64{"Framed": {13, 11, 70, 20}})
}

func TestScreenshotNamesTheDialogThatHoldsThePage(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, "<title>Ask</title><script>setTimeout(() => alert('Hold on'), 300)</script>"))
	tab, _ := s.Context.Active()
	err := s.Context.Browser.Wait(t.Context(), func(st *model.State) (bool, error) { return st.Dialog(tab) != nil, st.Closed })
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range [][]string{{"screenshot", "a.png"}, {"screenshot", "--full", "a.png"}, {"screenshot", "body", "a.png"}, {"pdf", "a.pdf"}} {
		if _, err := s.Try(t, words...); api.CodeOf(err) != api.DialogOpen || !strings.Contains(err.Error(), "Hold on") {
			t.Errorf("%v: %v", words, err)
		}
	}
	if got := s.Names(t); got != "" {
		t.Errorf("something was left: %s", got)
	}
	s.Run(t, "dialog", "accept")
	s.Run(t, "screenshot", "a.png")
}

// Chromium mixes up concurrent full-page screenshots, even if the caller of the first has left: afterwards clicks in an
// out-of-process frame miss by the page's scroll offset, permanently.
func TestPicturesOfOnePageDoNotDisturbClicks(t *testing.T) {
	s := commandtest.New(t)
	site := cdptest.NewSite(t)
	s.Run(t, "open", site.URL("/ledger?frames"))
	var both sync.WaitGroup
	for _, name := range []string{"a.png", "b.png"} {
		both.Go(func() {
			if _, err := s.Try(t, "screenshot", "--full", name); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	for _, ms := range []string{"5", "20", "40", "60"} {
		if _, err := s.Try(t, "screenshot", "--full", "--timeout", ms+"ms", "a.png"); err != nil && api.CodeOf(err) != api.Timeout {
			t.Error(err)
		}
	}
	s.Run(t, "screenshot", "--full", "a.png")

	s.Run(t, "open", site.URL("/ledger?frames"))
	_, row, found := strings.Cut(s.Run(t, "snapshot", "-i").Text, `button "Row cross `)
	name, rest, _ := strings.Cut(row, `"`)
	for !strings.HasSuffix(name, "-4") && found { // the fourth is visible after scrolling by 17 pixels
		_, row, found = strings.Cut(rest, `button "Row cross `)
		name, rest, _ = strings.Cut(row, `"`)
	}
	ref := regexp.MustCompile(`ref=(e\d+)`).FindStringSubmatch(rest)
	if ref == nil {
		t.Fatal("the fourth row of the frame is not there")
	}
	s.Run(t, "click", "@"+ref[1], "--timeout", "3s")
	if scrolled := s.Eval(t, "scrollY"); scrolled == "0" {
		t.Error("the page was not scrolled, so this says nothing")
	}
}

func TestPDFFile(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, coloured))
	res := s.Run(t, "pdf", "page.pdf")
	b, err := os.ReadFile(filepath.Join(s.Dir, "page.pdf"))
	if err != nil || !bytes.HasPrefix(b, []byte("%PDF-")) || res.Text != "✓ PDF saved to "+filepath.Join(s.Dir, "page.pdf") {
		t.Errorf("%q: %.10q %v", res.Text, b, err)
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b[^s]`).FindAll(b, -1)); n < 2 {
		t.Errorf("the PDF of a page 2730 pixels tall has %d pages", n)
	}
}
