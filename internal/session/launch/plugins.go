package launch

import (
	"context"
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// PluginUses returns the uses of plugins that a command makes: those that it names, and those that change the options of the
// browser that it would launch. running reports whether the session has a browser.
func (c Caller) PluginUses(call *verb.Call, running bool) []verb.Act {
	host := c.plugins()
	uses := plugin.Uses(call, host.Plugins)
	if len(c.Settings.List("plugins")) == 0 || running || !call.Verb.Is(verb.Starts) && !call.Verb.Is(verb.NeedsBrowser) {
		return uses
	}
	o := options.LaunchOf(c.Settings)
	if o.Browser.Broker != nil {
		return append(uses, plugin.Act(o.Browser.Broker.Name, verb.BrowserProvider))
	}
	if !o.Launches() {
		return uses
	}
	for _, p := range host.With(verb.LaunchMutate) {
		uses = append(uses, plugin.Act(p.Name, verb.LaunchMutate))
	}
	return uses
}

// plugins returns what starts the plugins of the configuration.
func (c Caller) plugins() *plugin.Host {
	return &plugin.Host{Plugins: c.Settings.Plugins(), Env: c.Env}
}

// given returns the value of a setting; nil if it has none.
func given(set *config.Settings, name string) *string {
	if v := set.Str(name); v != "" {
		return &v
	}
	return nil
}

// chromium is agent-browser's name of the engine.
const chromium = "chrome"

// launchOptions are what a plugin learns of the browser that is to be launched, in agent-browser's words.
type launchOptions struct {
	AllowFileAccess bool     `json:"allowFileAccess"`
	Args            []string `json:"args"`
	ColorScheme     *string  `json:"colorScheme"`
	DownloadPath    *string  `json:"downloadPath"`
	Engine          string   `json:"engine"`
	Extensions      []string `json:"extensions"`
	Headless        bool     `json:"headless"`
	HideScrollbars  bool     `json:"hideScrollbars"`
	UserAgent       *string  `json:"userAgent"`
}

// launchRequest is the request launch.mutate.
type launchRequest struct {
	LaunchOptions launchOptions `json:"launchOptions"`
	Session       string        `json:"session"`
}

// launchReply is the reply.
type launchReply struct {
	Launch struct {
		Args        []string `json:"args"`
		Extensions  []string `json:"extensions"`
		InitScripts []string `json:"initScripts"`
		UserAgent   string   `json:"userAgent"`
	} `json:"launch"`
}

// mutate asks the plugins with the capability launch.mutate, in the order of the configuration, what to add to the options
// of a browser that is launched. Each is told what those before it added.
func (c Caller) mutate(ctx context.Context, o *options.Launch) error {
	host := c.plugins()
	for _, p := range host.With(verb.LaunchMutate) {
		set := c.Settings
		r := launchRequest{Session: c.Session, LaunchOptions: launchOptions{
			AllowFileAccess: o.Browser.AllowFileAccess, Args: o.Browser.Args, ColorScheme: given(set, "color-scheme"), DownloadPath: given(set, "download-path"),
			Engine: chromium, Extensions: o.Browser.Extensions, Headless: !o.Browser.Headed, HideScrollbars: o.Browser.HideScrollbars, UserAgent: given(set, "user-agent"),
		}}
		if r.LaunchOptions.UserAgent == nil && o.Mutated.UserAgent != "" {
			r.LaunchOptions.UserAgent = &o.Mutated.UserAgent
		}
		var reply launchReply
		if _, err := host.Call(ctx, p, plugin.Request{Type: plugin.LaunchMutate, Capability: verb.LaunchMutate, Request: r}, &reply); err != nil {
			known := *api.AsError(err)
			known.Message += "; no browser was launched"
			return &known
		}
		home, _ := os.UserHomeDir()
		for i, path := range reply.Launch.Extensions {
			if !filepath.IsAbs(path) {
				reply.Launch.Extensions[i] = filepath.Join(home, path)
			}
		}
		o.Mutate(p.Name, reply.Launch.Args, reply.Launch.Extensions, reply.Launch.InitScripts, reply.Launch.UserAgent)
	}
	return nil
}
