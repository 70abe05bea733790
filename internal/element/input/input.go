// Package input sends input events to a tab through CDP, and keeps the state of the tab's mouse and keyboard.
package input

import (
	"context"
	"sync/atomic"
	"time"

	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Devices are the mouse, the keyboard and the touch screen of a tab: where the mouse is, and which buttons and keys are
// down. Points are those of the tab's viewport. One goroutine at a time may use them.
type Devices struct {
	browser *supervisor.Browser
	tab     model.TargetID

	at         geometry.Point // of the mouse
	held       int64          // buttons that are down, as MouseEvent.buttons
	pressedIn  string         // the loader of the document in which the first of them was pressed
	down       []key.Key      // in the order they went down
	typed      bool           // text was entered since the mouse moved
	entered    bool           // text was entered since a button was pressed
	reportedAt time.Time      // when the page was last reported alive

	pointer atomic.Pointer[Pointer] // of at and held, for other goroutines
}

// New returns the devices of a tab.
func New(b *supervisor.Browser, tab model.TargetID) *Devices { return &Devices{browser: b, tab: tab} }

// Event is an input event on its way.
type Event = cdp.Pending[protocol.Empty]

// Sent is input on its way.
type Sent []*Event

// Wait returns when the page has handled all of it.
func (s Sent) Wait(ctx context.Context) error {
	for _, p := range s {
		if _, err := p.Wait(ctx); err != nil {
			return err
		}
	}
	return nil
}

// reportInterval is how often a page that handles much input is reported as responsive.
const reportInterval = 100 * time.Millisecond

// handled waits until the page has handled one of many events sent ahead.
func (d *Devices) handled(ctx context.Context, p *Event) error {
	_, err := p.Wait(ctx)
	if err == nil && time.Since(d.reportedAt) >= reportInterval {
		d.browser.InputHandled(d.tab)
		d.reportedAt = time.Now()
	}
	return err
}

// Sleep waits, or returns the cause of ctx's end.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
