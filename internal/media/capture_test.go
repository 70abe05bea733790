package media_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	_ "image/png"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	_ "golang.org/x/image/webp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// bench is a connection to the shared browser and pages to take pictures of.
type bench struct {
	ctx     context.Context
	browser *supervisor.Browser
	camera  *media.Camera
	site    string
}

// bands is how many stripes of 1000 pixels /bands has; stripe n is of bandColour(n).
const bands = 40

func bandColour(n int) color.RGBA {
	return color.RGBA{uint8(n * 6), uint8(255 - n*6), 0, 255}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/bands", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Bands</title><body style="margin:0">`)
		for n := range bands {
			c := bandColour(n)
			fmt.Fprintf(w, `<div style="height:1000px;background:rgb(%d,%d,%d)"></div>`, c.R, c.G, c.B)
		}
	})
	mux.HandleFunc("/square", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Square</title><body style="margin:0;background:#fff">
			<div style="position:absolute;left:100px;top:50px;width:60px;height:40px;background:rgb(200,30,90)"></div>`)
	})
	mux.HandleFunc("/print", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Print</title><style>@page{size:A5}</style><h1>One</h1><h1 style="break-before:page">Two</h1><h1 style="break-before:page">Three</h1>`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	conn := cdptest.Shared(t).Dial(t)
	b := &bench{browser: supervisor.New(conn, supervisor.Options{}), camera: media.NewCamera(), site: server.URL}
	t.Cleanup(func() { b.browser.Close() })
	// Not t.Context: that ends before pages are closed.
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	b.ctx = ctx
	return b
}

func (b *bench) open(t *testing.T, path string) *cdp.Session {
	t.Helper()
	url := b.site + path
	made, err := cdp.Do(b.ctx, b.browser.Session(""), target.CreateTarget, target.CreateTargetParams{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	id := model.TargetID(made.TargetID)
	t.Cleanup(func() {
		if _, err := cdp.Do(b.ctx, b.browser.Session(""), target.CloseTarget, target.CloseTargetParams(made)); err != nil {
			t.Error(err)
		}
	})
	err = b.browser.Wait(b.ctx, func(s *model.State) (bool, error) {
		tab := s.Tabs[id]
		return tab != nil && tab.Ready && tab.MainFrame().Loaded && tab.URL == url, s.Closed
	})
	if err != nil {
		t.Fatal(err)
	}
	session := b.browser.Session(b.browser.State().Tabs[id].Session)
	// Drawn once, as the tabs of sessions are: one that goes behind another before that is white at first.
	if _, err := cdp.Do(b.ctx, session, runtime.Evaluate, runtime.EvaluateParams{AwaitPromise: new(true),
		Expression: "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"}); err != nil {
		t.Fatal(err)
	}
	return session
}

func (b *bench) measure(t *testing.T, s *cdp.Session) media.Page {
	t.Helper()
	for _, tab := range b.browser.State().Tabs {
		if tab.Session == s.ID() {
			p, err := media.Measure(b.ctx, world.New(b.browser), tab)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
	}
	t.Fatal("the page is gone")
	return media.Page{}
}

func (b *bench) capture(t *testing.T, s *cdp.Session, shot media.Shot) (image.Image, media.Picture) {
	t.Helper()
	pic, err := b.camera.Capture(b.ctx, s, shot)
	if err != nil {
		t.Fatal(err)
	}
	img, format, err := image.Decode(bytes.NewReader(pic.Data))
	if err != nil || format != string(shot.Format) || pic.Format != shot.Format {
		t.Fatalf("the picture is %s (%v), want %s", format, err, shot.Format)
	}
	return img, pic
}

// rgb returns a colour as a viewer of the file sees it: the WebP decoder hands out
// values of the narrow range (16 to 235) that the format has as they are.
func rgb(c color.Color, f media.Format) color.Color {
	y, ok := c.(color.YCbCr)
	if !ok || f != media.WebP {
		return c
	}
	wide := func(v, low uint8, span int) uint8 { return uint8(max(0, min(255, (int(v)-int(low))*255/span))) }
	y.Y = wide(y.Y, 16, 219)
	y.Cb = uint8(max(0, min(255, 128+(int(y.Cb)-128)*255/224)))
	y.Cr = uint8(max(0, min(255, 128+(int(y.Cr)-128)*255/224)))
	return y
}

// similarColour reports whether two colours are alike, but for what lossy formats change.
func similarColour(a color.Color, b color.RGBA) bool {
	r, g, bl, _ := a.RGBA()
	d := func(x uint32, y uint8) int { return max(int(x>>8)-int(y), int(y)-int(x>>8)) }
	return d(r, b.R) <= 6 && d(g, b.G) <= 6 && d(bl, b.B) <= 6
}

func TestFormatsOfTheWindow(t *testing.T) {
	b := newBench(t)
	s := b.open(t, "/square")
	square, white := color.RGBA{200, 30, 90, 255}, color.RGBA{255, 255, 255, 255}
	sizes := map[media.Format]int{}
	for _, f := range []media.Format{media.PNG, media.JPEG, media.WebP} {
		img, pic := b.capture(t, s, media.Shot{Format: f, Quality: 90})
		sizes[f] = len(pic.Data)
		for p, want := range map[image.Point]color.RGBA{{130, 70}: square, {104, 54}: square, {155, 85}: square, {90, 70}: white, {170, 70}: white, {130, 100}: white} {
			if got := rgb(img.At(p.X, p.Y), f); !similarColour(got, want) {
				t.Errorf("%s: %v is %v, want %v", f, p, got, want)
			}
		}
	}
	for _, f := range []media.Format{media.JPEG, media.WebP} {
		if _, pic := b.capture(t, s, media.Shot{Format: f, Quality: 5}); len(pic.Data) >= sizes[f] {
			t.Errorf("%s of quality 5 takes %d bytes, of quality 90 %d", f, len(pic.Data), sizes[f])
		}
	}
	img, _ := b.capture(t, s, media.Shot{Format: media.PNG, Area: &media.Rect{X: 100, Y: 50, Width: 60, Height: 40}})
	if img.Bounds().Size() != image.Pt(60, 40) || !similarColour(img.At(0, 0), square) || !similarColour(img.At(59, 39), square) {
		t.Errorf("the square alone is %v with corners %v %v", img.Bounds(), img.At(0, 0), img.At(59, 39))
	}
}

// TestPageTallerThanATexture looks at every stripe, and closely at the seams of
// the parts.
func TestPageTallerThanATexture(t *testing.T) {
	b := newBench(t)
	s := b.open(t, "/bands")
	p := b.measure(t, s)
	if p.Height != bands*1000 || p.Scale != 1 || p.Window.X != 0 || p.Window.Y != 0 {
		t.Errorf("the page measures %+v", p)
	}
	whole := media.Rect{Width: 200, Height: p.Height}
	for _, f := range []media.Format{media.PNG, media.JPEG} {
		img, pic := b.capture(t, s, media.Shot{Format: f, Area: &whole, Beyond: true, Scale: 1})
		if img.Bounds().Size() != image.Pt(200, bands*1000) || pic.Cut.Height != 0 {
			t.Fatalf("%s is %v, %v cut", f, img.Bounds(), pic.Cut)
		}
		stripes(t, img, 1)
		for _, y := range []int{16383, 16384, 32767, 32768} {
			if got := img.At(20, y); !similarColour(got, bandColour(y/1000)) {
				t.Errorf("%s: at the seam %d there is %v", f, y, got)
			}
		}
	}
	// WebP cannot be so tall; what does not fit is told.
	img, pic := b.capture(t, s, media.Shot{Format: media.WebP, Area: &whole, Beyond: true, Scale: 1})
	if img.Bounds().Dy() != 16383 || pic.Cut.Height != bands*1000-16383 || pic.Cut.Width != 0 {
		t.Errorf("webp is %v, %v cut", img.Bounds(), pic.Cut)
	}

	_, err := cdp.Do(b.ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 400, Height: 300, DeviceScaleFactor: 2})
	if err != nil {
		t.Fatal(err)
	}
	if p = b.measure(t, s); p.Scale != 2 {
		t.Fatalf("the page measures %+v", p)
	}
	img, _ = b.capture(t, s, media.Shot{Format: media.PNG, Area: &media.Rect{Width: 100, Height: 12_000}, Beyond: true, Scale: 2})
	if img.Bounds().Size() != image.Pt(200, 24_000) {
		t.Errorf("at scale 2 the picture is %v", img.Bounds())
	}
	stripes(t, img, 2)
}

func stripes(t *testing.T, img image.Image, scale int) {
	t.Helper()
	for n := range img.Bounds().Dy() / 1000 / scale {
		if got := img.At(10, (n*1000+500)*scale); !similarColour(got, bandColour(n)) {
			t.Errorf("stripe %d is %v, want %v", n, got, bandColour(n))
		}
	}
}

// TestTabBehindAnother takes pictures of a tab for which Chromium draws no frames.
func TestTabBehindAnother(t *testing.T) {
	b := newBench(t)
	first := b.open(t, "/square")
	second := b.open(t, "/bands")
	for range 3 {
		for _, area := range []*media.Rect{nil, {Width: 150, Height: 150}} {
			img, _ := b.capture(t, first, media.Shot{Format: media.PNG, Area: area})
			if !similarColour(img.At(130, 70), color.RGBA{200, 30, 90, 255}) {
				t.Errorf("the first tab shows %v", img.At(130, 70))
			}
			img, _ = b.capture(t, second, media.Shot{Format: media.PNG, Area: area})
			if !similarColour(img.At(130, 70), bandColour(0)) {
				t.Errorf("the second tab shows %v", img.At(130, 70))
			}
		}
	}
}

func TestPDF(t *testing.T) {
	b := newBench(t)
	s := b.open(t, "/print")
	var out bytes.Buffer
	if err := media.PDF(b.ctx, s, &out); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(out.Bytes(), []byte("%PDF-")) || !bytes.HasSuffix(bytes.TrimSpace(out.Bytes()), []byte("%%EOF")) {
		t.Errorf("no PDF: %.20q … %d bytes", out.Bytes(), out.Len())
	}
	if n := len(regexp.MustCompile(`/Type\s*/Page\b[^s]`).FindAll(out.Bytes(), -1)); n != 3 {
		t.Errorf("the PDF has %d pages, want 3", n)
	}
	// A5 in points: 148 mm x 210 mm.
	if !regexp.MustCompile(`/MediaBox\s*\[0 0 4(19|20)\S* 59[45]\S*\]`).Match(out.Bytes()) {
		t.Errorf("the paper is not what the style sheet asks for: %s", regexp.MustCompile(`/MediaBox[^]]*\]`).Find(out.Bytes()))
	}
}
