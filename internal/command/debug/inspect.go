package debug

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Inspected is the result of `inspect`.
type Inspected struct {
	// Opened reports whether DevTools is open in a window of the browser. Otherwise open the address.
	Opened bool `json:"opened"`
	// URL is the address of DevTools for the tab. Whoever knows one that begins with http controls the session's tabs.
	URL string `json:"url,omitzero"`
	// ListURL is the address of the list of all tabs, WebSocketDebuggerURL of CDP with the tab; empty if Opened.
	ListURL              string `json:"listUrl,omitzero"`
	WebSocketDebuggerURL string `json:"webSocketDebuggerUrl,omitzero"`
	// Stopped reports whether `inspect --stop` ended the server; false if there was none.
	Stopped *bool `json:"stopped,omitzero"`
}

func inspect(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Inspected], error) {
	if c.Bool("stop") {
		stopped := e.Background.StopDevTools()
		text := "✓ No longer serving DevTools"
		if !stopped {
			text = "✓ DevTools was not being served"
		}
		return run.Reply[*Inspected]{Data: &Inspected{Stopped: &stopped}, Text: text}, nil
	}
	if e.Sites != nil {
		return run.Reply[*Inspected]{}, api.Errorf(api.GuardRefused, "inspect: DevTools bypasses the site guard, and is not served under it").
			WithHint("The person you work for can run `inspect` in their own shell, without --site-guard.")
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Inspected]{}, err
	}
	if !c.Bool("serve") {
		opened, err := openWindow(ctx, e)
		if opened != nil || err != nil {
			return run.Reply[*Inspected]{Data: opened, Text: "✓ Opened DevTools in a window of the browser"}, e.Explain(err, "inspect")
		}
	}
	server, err := e.Background.ServeDevTools()
	if err != nil {
		return run.Reply[*Inspected]{}, api.Errorf(api.Internal, "inspect: %w", err)
	}
	address, warning := server.FrontEnd(tab.ID), ""
	if err := server.Check(ctx); err != nil {
		address, warning = server.Bundled(tab.ID), "this browser does not give out its DevTools ("+err.Error()+"); the address works only when typed into the address bar of Chromium or Chrome"
	}
	res := &Inspected{URL: address, ListURL: server.Address(), WebSocketDebuggerURL: server.WebSocket(tab.ID)}
	return run.Reply[*Inspected]{Data: res, Warning: warning, Text: "✓ DevTools is served until `inspect --stop`, or the end of the session. Open it in Chromium or Chrome on this machine:\n  " +
		address + "\n  Whoever knows this address controls the session's tabs."}, nil
}

// openWindow opens DevTools in a window of the browser, if a person can see that: it returns nil in headless browsers, in
// those that usher only attached to, and in those without the method (before Chromium 141).
func openWindow(ctx context.Context, e *run.Env) (*Inspected, error) {
	if !e.Headed {
		return nil, nil
	}
	root := e.Browser.Session("")
	made, err := cdp.Do(ctx, root, target.OpenDevTools, target.OpenDevToolsParams{TargetID: target.ID(e.Tab)})
	if refused := (*cdp.Error)(nil); errors.As(err, &refused) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := cdp.Do(ctx, root, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: made.TargetID})
	if err != nil {
		return nil, err
	}
	return &Inspected{Opened: true, URL: info.TargetInfo.URL}, nil
}
