package media

import (
	"context"
	"fmt"
	"sync"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
)

// Camera takes the screenshots of a browser's pages, of each page one at a time. Chromium enlarges a page for a
// screenshot of all of it and restores it afterwards; of two such screenshots at once, the second restores the enlarged
// size. The page's sizes look right then, yet a click on a frame of another process goes to its position before the
// page was scrolled, for as long as the tab lives (measured on Chromium 156). A screenshot whose caller has left
// continues in the browser: the next waits for it.
type Camera struct {
	waiting sync.WaitGroup // for screenshots whose caller has left

	mu   sync.Mutex
	last map[string]chan struct{} // guarded by mu: by CDP session, closed when the last requested screenshot is done
}

// NewCamera returns the camera of one browser.
func NewCamera() *Camera { return &Camera{last: map[string]chan struct{}{}} }

// Close waits for the screenshots whose callers have left. The connection has to have ended, which ends them.
func (c *Camera) Close() { c.waiting.Wait() }

// Capture takes a screenshot of a page. The caller guards ctx against a blocked tab.
func (c *Camera) Capture(ctx context.Context, s *cdp.Session, shot Shot) (Picture, error) {
	if shot.Area == nil || !shot.Beyond {
		data, err := c.take(ctx, s, shot)
		return Picture{Data: data, Format: shot.Format}, err
	}
	return c.stitch(ctx, s, shot)
}

// take sends one screenshot request, when those before it are done.
func (c *Camera) take(ctx context.Context, s *cdp.Session, shot Shot) ([]byte, error) {
	before, done := c.enqueue(s.ID())
	if err := await(ctx, s, before); err != nil {
		c.waiting.Go(fault.Guarded(ctx, func() {
			<-before
			done()
		}))
		return nil, fmt.Errorf("wait for the previous screenshot: %w", err)
	}
	pending := cdp.Start(s, page.CaptureScreenshot, shot.params())
	if err := await(ctx, s, pending.Done()); err != nil {
		c.waiting.Go(fault.Guarded(ctx, func() {
			defer done()
			// Its result is not used any more, only its end.
			_, _ = pending.Wait(context.WithoutCancel(ctx))
		}))
		return nil, fmt.Errorf("take the screenshot: %s: %w", page.CaptureScreenshot.Method, err)
	}
	res, err := pending.Wait(ctx)
	done()
	if err != nil {
		return nil, fmt.Errorf("take the screenshot: %w", err)
	}
	if len(res.Data) == 0 {
		return nil, fmt.Errorf("take the screenshot: %w", errEmpty)
	}
	return res.Data, nil
}

// enqueue stands in line for a picture of a page. before is closed when it is its turn; done lets the next one have it.
func (c *Camera) enqueue(session string) (before <-chan struct{}, done func()) {
	mine := make(chan struct{})
	c.mu.Lock()
	defer c.mu.Unlock()
	ahead := c.last[session]
	if ahead == nil {
		ahead = make(chan struct{})
		close(ahead)
	}
	c.last[session] = mine
	return ahead, func() {
		close(mine)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.last[session] == mine {
			delete(c.last, session)
		}
	}
}

// Chromium draws no frames for a tab that lies behind another one in its window, and a screenshot then waits for one:
// measured on Chromium 156, every second screenshot of such a tab never came, and came within 20 ms of bringing it to
// the front. A screenshot of a tab in front takes 15 to 50 ms, so a tab that takes longer is brought to the front.
// Pages do not notice, because focus is emulated in every page.
const (
	frontAfter = 150 * time.Millisecond
	frontAgain = 500 * time.Millisecond // another picture may have taken the front from us
)

// await waits for a picture to be done, with its tab in front if that takes long. The error is the cause of ctx's end.
func await(ctx context.Context, s *cdp.Session, done <-chan struct{}) error {
	timer := time.NewTimer(frontAfter)
	defer timer.Stop()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
			// Without a wait: its failure, if any, is that of the capture too.
			cdp.Start(s, page.BringToFront, protocol.Empty{})
			timer.Reset(frontAgain)
		}
	}
}
