package supervisor

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/go-json-experiment/json/jsontext"

	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// OwnPage is a page that usher opened for itself, to reach the storage of origins that no tab has open. It is no tab,
// and sends nothing to the network: whatever it requests is answered with an empty page. Close it when done.
type OwnPage struct {
	// Session is its CDP session. Scripts run in it among nothing but what usher evaluates.
	Session *cdp.Session

	browser *Browser
	target  model.TargetID
}

// OwnPage opens a page of usher's own in a browser context, in the background of its window.
func (b *Browser) OwnPage(ctx context.Context, c model.ContextID) (*OwnPage, error) {
	select { // one at a time: the model expects one
	case b.attaching <- struct{}{}:
		defer func() { <-b.attaching }()
	case <-ctx.Done():
		return nil, fmt.Errorf("open a page of usher's own: %w", context.Cause(ctx))
	}
	address := model.OwnPagePrefix + strings.ToLower(rand.Text()) // where an extension opens it, Chrome makes about: addresses lower case
	b.input(&targets.OwnPage{URL: address})
	defer b.input(&targets.OwnPage{})
	made, err := cdp.Do(ctx, b.Session(""), target.CreateTarget, target.CreateTargetParams{
		URL: address, BrowserContextID: protocol.BrowserContextID(c), Background: new(true),
	})
	if err != nil {
		return nil, fmt.Errorf("open a page of usher's own: %w", err)
	}
	p := &OwnPage{browser: b, target: model.TargetID(made.TargetID)}
	b.ownPages.add(string(p.target))
	id := b.findSideSession(core.KindOwn, p.target) // the events that announce it come before the reply
	if id == "" {
		p.Close()
		return nil, fmt.Errorf("open a page of usher's own: the browser did not attach to it")
	}
	p.Session = b.Session(id)
	return p, nil
}

// Open makes the page an empty one of an origin.
func (p *OwnPage) Open(ctx context.Context, origin string) error {
	got, err := cdp.Do(ctx, p.Session, page.Navigate, page.NavigateParams{URL: origin + "/"})
	switch {
	case err != nil:
		return fmt.Errorf("open an empty page of %s: %w", origin, err)
	case got.ErrorText != "":
		return fmt.Errorf("open an empty page of %s: %s", origin, got.ErrorText)
	}
	return nil
}

// Close closes the page.
func (p *OwnPage) Close() {
	p.browser.Session("").Post("Target.closeTarget", map[string]any{"targetId": string(p.target)}, func(jsontext.Value, error) { p.browser.ownPages.remove(string(p.target)) })
}
