package doctor

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/wire"
)

// trialPage has a background of one colour and text in another.
const trialPage = `data:text/html,<title>trial</title><body style="margin:0;background:%2300aa77;color:%23000;font:48px sans-serif">usher</body>`

// trialLoaded gives the page's title when it has loaded.
const trialLoaded = `new Promise(done => document.readyState === "complete" ? done() : addEventListener("load", done)).then(() => document.title)`

// drawn is what a screenshot of the trial page shows.
type drawn struct {
	text bool
}

// draw opens the trial page and examines a screenshot of it. It ends the connection, and with it the browser.
func draw(ctx context.Context, process *chrome.Process) (seen drawn, err error) {
	r, w := process.Conn()
	conn := cdp.New(wire.Pipe(r, w), silent{})
	defer func() {
		if closing := conn.Close(); closing != nil && err == nil {
			err = fmt.Errorf("close the connection to the browser: %w", closing)
		}
	}()
	made, err := cdp.Do(ctx, conn.Browser(), target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	if err != nil {
		return seen, fmt.Errorf("open a tab: %w", err)
	}
	attached, err := cdp.Do(ctx, conn.Browser(), target.AttachToTarget, target.AttachToTargetParams{TargetID: made.TargetID, Flatten: new(true)})
	if err != nil {
		return seen, fmt.Errorf("attach to the tab: %w", err)
	}
	tab := conn.Session(string(attached.SessionID))
	// The reply comes when the page has replaced the blank one.
	gone, err := cdp.Do(ctx, tab, page.Navigate, page.NavigateParams{URL: trialPage})
	if err != nil {
		return seen, fmt.Errorf("open a page: %w", err)
	}
	if gone.ErrorText != "" {
		return seen, fmt.Errorf("open a page: %s", gone.ErrorText)
	}
	reply, err := cdp.Do(ctx, tab, runtime.Evaluate, runtime.EvaluateParams{Expression: trialLoaded, AwaitPromise: new(true), ReturnByValue: new(true)})
	if err != nil {
		return seen, fmt.Errorf("run a script in the page: %w", err)
	}
	if reply.Result == nil || string(reply.Result.Value) != `"trial"` {
		return seen, fmt.Errorf("run a script in the page: it returned %v instead of the page's title", reply.Result)
	}
	shot, err := cdp.Do(ctx, tab, page.CaptureScreenshot, page.CaptureScreenshotParams{Clip: &page.Viewport{Width: 200, Height: 80, Scale: 1}})
	if err != nil {
		return seen, fmt.Errorf("take a screenshot of the page: %w", err)
	}
	picture, err := png.Decode(bytes.NewReader(shot.Data))
	if err != nil {
		return seen, fmt.Errorf("read the screenshot of the page: %w", err)
	}
	return judge(picture)
}

// judge looks for the background and the text of the trial page.
func judge(picture image.Image) (drawn, error) {
	background, dark := 0, 0
	b := picture.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			red, green, blue, _ := picture.At(x, y).RGBA()
			switch {
			case red < 0x2000 && green > 0x9000 && blue > 0x6000 && blue < 0x9000:
				background++
			case red < 0x3000 && green < 0x3000 && blue < 0x3000:
				dark++
			}
		}
	}
	// The text covers about a twentieth of the picture.
	if total := b.Dx() * b.Dy(); background < total/2 {
		return drawn{}, fmt.Errorf("render a page: only %d of %d pixels of its screenshot have the page's colour", background, total)
	}
	return drawn{text: dark > 20}, nil
}

// silent passes over events: the trial waits for replies only.
type silent struct{}

func (silent) Event(cdp.Event) {}
func (silent) Flush()          {}
func (silent) Overflow(string) {}
func (silent) Closed(error)    {}
