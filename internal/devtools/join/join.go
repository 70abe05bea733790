// Package join lets CDP clients from outside, such as Playwright and Puppeteer, join a session of usher: each gets a CDP session of
// the browser itself ([supervisor.Outside]), in which it sees and controls the session's browser context as if it were the whole
// browser, while usher goes on observing it.
//
// Messages pass as they are. Only commands and events about targets, browser contexts and the browser are examined:
//
//   - Targets of other browser contexts and usher's own pages do not exist for the client. If Chromium attaches the client to one of
//     them (Target.setAutoAttach), it is let go at once.
//   - The session's browser context is the client's default one: where a command names none, it is added.
//   - Browser contexts that the client creates are its own, and end with its connection.
//   - What would affect other sessions of the same browser is refused, with a reason.
package join

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Browser is a session's browser context as CDP clients see it. It implements [endpoint.Browser].
type Browser struct {
	browser *supervisor.Browser
	context model.ContextID
	options Options
	clients atomic.Int64 // that are connected
	// attached are the targets that clients are attached to.
	attached attachments
}

// Options are what a Browser needs to know of its session.
type Options struct {
	// Downloads returns the directory in which the browser saves the session's downloads, as this machine names it; "" if it has none.
	Downloads func() string
	// QueueLimit is the largest size, in bytes, of what waits for a client; one that reads more slowly is disconnected. A single message may be
	// larger. 0 is 128 MiB.
	QueueLimit int
}

// New returns the browser context of a session for CDP clients.
func New(b *supervisor.Browser, c model.ContextID, o Options) *Browser {
	o.QueueLimit = cmp.Or(o.QueueLimit, 128<<20)
	return &Browser{browser: b, context: c, options: o}
}

// Version returns the product and the user agent of the browser.
func (b *Browser) Version(ctx context.Context) (endpoint.Version, error) {
	v, err := cdp.Do(ctx, b.browser.Session(""), browser.GetVersion, protocol.Empty{})
	if err != nil {
		return endpoint.Version{}, err
	}
	return endpoint.Version{Browser: v.Product, Protocol: v.ProtocolVersion, UserAgent: v.UserAgent, V8: v.JsVersion}, nil
}

// titlesLimit bounds a question that only the browser process has to answer.
const titlesLimit = time.Second

// Targets returns the tabs of the browser context. Their titles are the browser's own: no event tells of a document that changes its title.
func (b *Browser) Targets(ctx context.Context) ([]endpoint.Target, error) {
	ctx, cancel := context.WithTimeout(ctx, titlesLimit)
	defer cancel()
	titles := map[target.ID]string{}
	if got, err := cdp.Do(ctx, b.browser.Session(""), target.GetTargets, target.GetTargetsParams{}); err == nil {
		for _, t := range got.TargetInfos {
			titles[t.TargetID] = t.Title
		}
	}
	var list []endpoint.Target
	for _, t := range b.browser.State().ContextTabs(b.context) {
		title, known := titles[target.ID(t.ID)]
		if !known {
			title = t.Title
		}
		list = append(list, endpoint.Target{ID: string(t.ID), Type: "page", Title: title, URL: t.URL})
	}
	return list, nil
}

// Connect returns the connection of a new client. It is at the level of the browser.
func (b *Browser) Connect(ctx context.Context) (wire.Conn, error) {
	c := newClient(b)
	out, err := b.browser.Outside(ctx, b.context, c)
	if err != nil {
		return nil, err
	}
	b.clients.Add(1)
	c.begin(out)
	return c, nil
}
