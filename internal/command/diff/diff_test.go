package diff_test

import (
	"fmt"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/diff"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func serve(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if _, ok := pages[r.URL.Path]; !ok {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<!doctype html><h1>Not found</h1>")
		}
		fmt.Fprint(w, "<!doctype html>"+pages[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

const shop = `<h1>Shop</h1><p>All we have</p><button>Buy</button><ul><li>Tea<li>Salt</ul>`

func TestDiffSnapshot(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, map[string]string{"/": shop})
	s.Run(t, "open", site)
	first := s.Run(t, "diff", "snapshot")
	if got := commandtest.Data[diff.Snapshot](t, first); got.Additions == 0 || got.Removals+got.Unchanged != 0 || !strings.Contains(first.Warning, "no earlier snapshot") {
		t.Errorf("without a snapshot: %+v, %q", got, first.Warning)
	}
	shown := s.Run(t, "snapshot", "-i").Text
	s.Eval(t, "document.querySelector('button').textContent = 'Sold'")
	// With the options of the last snapshot; what is compared does not replace it.
	for range 2 {
		got := commandtest.Data[diff.Snapshot](t, s.Run(t, "diff", "snapshot"))
		if got.Additions != 1 || got.Removals != 1 || !strings.Contains(got.Diff, "\n-- button \"Buy\"") || !strings.Contains(got.Diff, "\n+- button \"Sold\"") {
			t.Errorf("%+v", got)
		}
	}
	if got := commandtest.Data[map[string]any](t, s.Run(t, "snapshot", "-i", "--delta")); got["delta"] != true {
		t.Errorf("the baseline of deltas: %v", got)
	}
	// The same page again, with other refs, from a file.
	if err := os.WriteFile(filepath.Join(s.Dir, "before.txt"), []byte(shown+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "reload")
	if text := s.Run(t, "diff", "snapshot", "-i", "--baseline", "before.txt").Text; !strings.HasPrefix(text, "No changes") {
		t.Errorf("after a reload: %s", text)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "other.txt"), []byte("a secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Try(t, "diff", "snapshot", "-b", "other.txt"); api.CodeOf(err) != api.InvalidArgument || strings.Contains(err.Error(), "secret") {
		t.Errorf("a file of something else: %v", err)
	}
	if _, err := s.Try(t, "diff", "snapshot", "-b", "none.txt"); api.CodeOf(err) != api.FileNotFound {
		t.Errorf("no file: %v", err)
	}
}

func TestDiffScreenshot(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", serve(t, map[string]string{"/": `<body style="margin:0"><div id=box style="width:100px;height:50px;background:#fff">`}))
	s.Run(t, "screenshot", "before.png")
	got := commandtest.Data[diff.Screenshot](t, s.Run(t, "diff", "screenshot", "--baseline", "before.png"))
	if !got.Match || got.DifferentPixels != 0 || got.MismatchPercentage != 0 || got.DiffPath != nil || got.DimensionMismatch != nil {
		t.Errorf("the same page: %+v", got)
	}
	s.Eval(t, "box.style.background = '#00f'")
	got = commandtest.Data[diff.Screenshot](t, s.Run(t, "diff", "screenshot", "-b", "before.png", "-o", "diff.png"))
	if got.Match || got.DifferentPixels != 5000 || got.DiffPath == nil || got.MismatchPercentage != 100*5000/float64(got.TotalPixels) {
		t.Errorf("another colour: %+v", got)
	}
	f, err := os.Open(filepath.Join(s.Dir, "diff.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil || color.NRGBAModel.Convert(img.At(99, 49)) != (color.NRGBA{255, 0, 0, 255}) || color.NRGBAModel.Convert(img.At(100, 49)) != (color.NRGBA{255, 255, 255, 255}) {
		t.Errorf("the picture of the differences: %v %v", img.At(99, 49), err)
	}
	s.Eval(t, "box.style.background = '#fafafa'")
	if got := commandtest.Data[diff.Screenshot](t, s.Run(t, "diff", "screenshot", "-b", "before.png")); !got.Match {
		t.Errorf("almost the same colour: %+v", got)
	}
	if got := commandtest.Data[diff.Screenshot](t, s.Run(t, "diff", "screenshot", "-b", "before.png", "-t", "0")); got.DifferentPixels != 5000 {
		t.Errorf("exactly: %+v", got)
	}
	got = commandtest.Data[diff.Screenshot](t, s.Run(t, "diff", "screenshot", "-b", "before.png", "-s", "#box"))
	if got.Match || got.DimensionMismatch == nil || got.DimensionMismatch.Actual != (diff.Pixels{Height: 50, Width: 100}) {
		t.Errorf("another size: %+v", got)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "text.png"), []byte("no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Try(t, "diff", "screenshot", "-b", "text.png"); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("no picture: %v", err)
	}
}

func TestDiffURL(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, map[string]string{"/": "<h1>Stays</h1>", "/a": shop, "/b": strings.Replace(shop, "Salt", "Sugar", 1)})
	s.Run(t, "open", site)
	s.Eval(t, "window.stays = 1")
	got := commandtest.Data[diff.URLs](t, s.Run(t, "diff", "url", site+"/a", site+"/b", "--screenshot"))
	if got.Diff.Additions != 1 || got.Diff.Removals != 1 || got.Diff.Deletions != 1 || got.Diff.Identical || !strings.Contains(got.Diff.Unified, "Sugar") {
		t.Errorf("%+v", got.Diff)
	}
	if got.Screenshot == nil || got.Screenshot.Match || got.Screenshot.DifferentPixels == 0 || got.Screenshot.DifferentPixels > 2000 {
		t.Errorf("%+v", got.Screenshot)
	}
	if !strings.Contains(got.Snapshot1, "Salt") || !strings.Contains(got.Snapshot2, "Sugar") || got.URL2 != site+"/b" {
		t.Errorf("%+v", got)
	}
	got = commandtest.Data[diff.URLs](t, s.Run(t, "diff", "url", site+"/a", site+"/a", "--screenshot", "--full"))
	if !got.Diff.Identical || got.Diff.Changed || !got.Screenshot.Match {
		t.Errorf("the same page: %+v %+v", got.Diff, got.Screenshot)
	}
	if _, err := s.Try(t, "diff", "url", site, "http://127.0.0.1:9/"); api.CodeOf(err) != api.NavigationFailed {
		t.Errorf("an address that does not answer: %v", err)
	}
	if s.Eval(t, "window.stays") != "1" {
		t.Error("the active tab was left")
	}
	if n := len(s.Context.Tabs()); n != 1 {
		t.Errorf("%d tabs are left", n)
	}
}

// Each of both pages is read once it is ready, not when its document has loaded.
func TestDiffURLWaitsForBothPages(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, map[string]string{
		"/":     "<h1>Stays</h1>",
		"/late": "<div id=at aria-busy=true>Loading</div><script>setTimeout(() => { at.ariaBusy = 'false'; at.innerHTML = '<button>Pay</button>' }, 400)</script>",
	})
	s.Run(t, "open", site)
	got := commandtest.Data[diff.URLs](t, s.Run(t, "diff", "url", site+"/late", site+"/late"))
	if !got.Diff.Identical || !strings.Contains(got.Snapshot2, "Pay") {
		t.Errorf("the same page twice:\n%s\n%s", got.Snapshot1, got.Snapshot2)
	}
}

// A page that takes the place of the one that was asked for is told.
func TestDiffURLTellsOfALogin(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, map[string]string{"/": "<h1>Stays</h1>", "/login": "<title>Sign in</title><h1>Sign in</h1>", "/account": `<meta http-equiv=refresh content="0;url=/login">`})
	s.Run(t, "open", site)
	if got := s.Run(t, "diff", "url", site+"/", site+"/account"); !strings.Contains(got.Warning, site+"/account: The site redirected to a login page") {
		t.Errorf("warning %q", got.Warning)
	}
}

// An address that the server does not have is told: what is compared is the page that says so.
func TestDiffURLTellsOfAnErrorPage(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, map[string]string{"/": "<h1>Stays</h1>"})
	s.Run(t, "open", site)
	got := s.Run(t, "diff", "url", site+"/", site+"/none")
	if want := site + "/none: the server answered with HTTP 404"; !strings.Contains(got.Warning, want) || strings.Count(got.Warning, "HTTP") != 1 {
		t.Errorf("warning %q, want %q", got.Warning, want)
	}
}

// The tab of `diff url` is kept for the next one, which finds nothing of the last in it, and closed before any other command.
func TestDiffURLKeepsItsTab(t *testing.T) {
	s := commandtest.New(t)
	s.Context.Logins = true // as in a browser that usher launched
	site := serve(t, map[string]string{
		"/": "<h1>Stays</h1>", "/b": shop, "/hang": "<h1>Hangs</h1><script>onload = () => setTimeout(() => { alert(1) })</script>",
		"/a":     "<h1>Visit</h1><p id=n></p><script>sessionStorage.n = n.textContent = +(sessionStorage.n ?? 0) + 1</script>",
		"/frame": "<iframe src=/a></iframe>",
	})
	s.Run(t, "open", site)
	own := s.Context.Tabs()[0].ID
	spare := func() (ids []model.TargetID) {
		for _, tab := range s.Context.Tabs() {
			if tab.ID != own {
				ids = append(ids, tab.ID)
			}
		}
		return ids
	}
	var first []model.TargetID
	for i, against := range []string{"/b", "/a", "/b"} {
		got := commandtest.Data[diff.URLs](t, s.Run(t, "diff", "url", site+"/a", site+against))
		if !strings.Contains(got.Snapshot1, `"1"`) || against == "/a" && !strings.Contains(got.Snapshot2, `"1"`) {
			t.Errorf("visit %d has something of an earlier one:\n%s\n%s", i, got.Snapshot1, got.Snapshot2)
		}
		if i == 0 {
			first = spare()
		}
		if now := spare(); len(now) != 1 || now[0] != first[0] {
			t.Errorf("visit %d: tabs %v, then %v", i, first, now)
		}
	}
	if id, _ := s.Context.Active(); id != own {
		t.Errorf("tab %s is active", id)
	}
	s.Run(t, "diff", "url", site+"/a", site+"/b", "--screenshot")
	if now := spare(); len(now) != 1 || now[0] == first[0] {
		t.Errorf("a tab without a window was used for pictures: %v", now)
	}
	if s.Run(t, "tab", "list"); len(spare()) != 0 {
		t.Errorf("another command ran beside %v", spare())
	}
	if s.Run(t, "diff", "url", site+"/b", site+"/frame"); len(spare()) != 0 {
		t.Errorf("a tab was kept that has the storage of a frame: %v", spare())
	}
	s.Run(t, "diff", "url", site+"/b", site+"/b")
	crashed := spare()[0]
	s.Context.Browser.Session(s.Context.Browser.State().Tabs[crashed].Session).Post("Page.crash", nil, nil)
	if err := s.Context.Browser.Wait(t.Context(), func(s *model.State) (bool, error) { return s.Tabs[crashed] == nil || s.Tabs[crashed].Crash != nil, nil }); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "diff", "url", site+"/b", site+"/b")
	if now := spare(); len(now) != 1 || now[0] == crashed {
		t.Errorf("after a crash of %s: %v", crashed, now)
	}
	// The dialog opens before, while, or after the page is read.
	if _, err := s.Try(t, "diff", "url", site+"/b", site+"/hang"); err != nil && api.CodeOf(err) != api.DialogOpen {
		t.Error(err)
	}
	s.Run(t, "diff", "url", site+"/a", site+"/b")
	s.Run(t, "get", "url")
	if len(spare()) != 0 {
		t.Errorf("tabs are left: %v", spare())
	}
}

// A tab that is kept for the next `diff url` is no other tab of the session: it does not become active when the page closes itself.
func TestDiffURLKeptTabIsNeverActive(t *testing.T) {
	s := commandtest.New(t)
	s.Context.Logins = true
	site := serve(t, map[string]string{"/": "<h1>Stays</h1>"})
	s.Run(t, "open", site)
	own := s.Context.Tabs()[0].ID
	s.Run(t, "diff", "url", site, site)
	s.Context.Browser.Session("").Post("Target.closeTarget", map[string]any{"targetId": own}, nil)
	if err := s.Context.Browser.Wait(t.Context(), func(s *model.State) (bool, error) { return s.Tabs[own] == nil, nil }); err != nil {
		t.Fatal(err)
	}
	if id, ok := s.Context.Active(); ok {
		t.Errorf("tab %s is active", id)
	}
}
