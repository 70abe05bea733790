package launch

import (
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// browserRequest is the request browser.launch, in agent-browser's words.
type browserRequest struct {
	LaunchOptions struct {
		ColorScheme *string `json:"colorScheme"`
		Engine      string  `json:"engine"`
		Headed      bool    `json:"headed"`
		UserAgent   *string `json:"userAgent"`
	} `json:"launchOptions"`
	Provider string `json:"provider"`
	Session  string `json:"session"`
}

// browserReply is the reply. Cleanup, if there is one, is sent back when the browser is to end.
type browserReply struct {
	Browser *struct {
		CDPURL     string         `json:"cdpUrl"`
		CDPURL2    string         `json:"cdp_url"`
		ConnectURL string         `json:"connectUrl"`
		WSURL      string         `json:"wsUrl"`
		Cleanup    jsontext.Value `json:"cleanup"`
	} `json:"browser"`
}

// stopLimit is how long a plugin may take to end a browser that it returned without an address.
const stopLimit = 6 * time.Second

// broker completes the launch options of a browser that a plugin provides (--provider).
func (c Caller) broker(o *options.Launch) {
	host, set, name := c.plugins(), c.Settings, o.Browser.Broker.Name
	r := browserRequest{Provider: name, Session: c.Session}
	r.LaunchOptions.Engine, r.LaunchOptions.Headed = chromium, o.Browser.Headed
	r.LaunchOptions.ColorScheme, r.LaunchOptions.UserAgent = given(set, "color-scheme"), given(set, "user-agent")
	o.Browser.Broker.Rent = func(ctx context.Context) (string, func(context.Context) error, error) {
		p, err := host.Find(name, verb.BrowserProvider)
		if err != nil {
			return "", nil, err
		}
		var reply browserReply
		if _, err := host.Call(ctx, p, plugin.Request{Type: plugin.BrowserLaunch, Capability: verb.BrowserProvider, Request: r}, &reply); err != nil {
			return "", nil, err
		}
		b := reply.Browser
		if b == nil {
			return "", nil, api.Errorf(api.PluginFailed, "Browser provider plugin '%s' returned no browser", name).With("plugin", name)
		}
		var stop func(context.Context) error
		if k := b.Cleanup.Kind(); k != 'n' && k != 0 {
			stop = func(ctx context.Context) error {
				_, err := host.Call(ctx, p, plugin.Request{Type: plugin.BrowserClose, Capability: verb.BrowserProvider, Request: b.Cleanup}, nil)
				return err
			}
		}
		for _, address := range []string{b.CDPURL, b.CDPURL2, b.ConnectURL, b.WSURL} {
			if address != "" {
				return address, stop, nil
			}
		}
		err = api.Errorf(api.PluginFailed, "Browser provider plugin '%s' returned a browser without cdpUrl", name).With("plugin", name)
		if stop != nil {
			cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
			defer cancel()
			_ = stop(cctx) // the first error is the one to mend
		}
		return "", nil, err
	}
}
