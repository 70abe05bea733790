package session

import (
	"context"
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/verb"
)

// pluginUses returns the uses of plugins that a command makes: those that it names, and those that change the options of the
// browser that it would launch.
func (s *Session) pluginUses(cmd Command) []verb.Act {
	host := plugins(cmd)
	uses := plugin.Uses(cmd.Call, host.Plugins)
	o, starts := s.wouldStart(cmd)
	if starts && o.Browser.Broker != nil {
		return append(uses, plugin.Act(o.Browser.Broker.Name, verb.BrowserProvider))
	}
	if !starts || !o.Launches() {
		return uses
	}
	for _, p := range host.With(verb.LaunchMutate) {
		uses = append(uses, plugin.Act(p.Name, verb.LaunchMutate))
	}
	return uses
}

// plugins returns what starts the plugins of the configuration for a command.
func plugins(cmd Command) *plugin.Host {
	return &plugin.Host{Plugins: cmd.Settings.Plugins(), Env: cmd.Env}
}

// wouldStart reports whether a command would start a browser, and returns the options of that.
func (s *Session) wouldStart(cmd Command) (options.Launch, bool) {
	if len(cmd.Settings.List("plugins")) == 0 {
		return options.Launch{}, false
	}
	h, _ := s.browserContext()
	if h != nil && !h.dead() || !cmd.Call.Verb.Is(verb.Starts) && !cmd.Call.Verb.Is(verb.NeedsBrowser) {
		return options.Launch{}, false
	}
	return options.LaunchOf(cmd.Settings), true
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
func (s *Session) mutate(ctx context.Context, cmd Command, o *options.Launch) error {
	host := plugins(cmd)
	for _, p := range host.With(verb.LaunchMutate) {
		set := cmd.Settings
		r := launchRequest{Session: s.name, LaunchOptions: launchOptions{
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
		o.Mutate(reply.Launch.Args, reply.Launch.Extensions, reply.Launch.InitScripts, reply.Launch.UserAgent)
	}
	return nil
}

// prepareLaunch completes the options of a browser that is to be launched: with a copy of a profile of the user's, and with
// what plugins add. The warning names what a browser that usher does not launch cannot have.
func (s *Session) prepareLaunch(ctx context.Context, cmd Command, o *options.Launch) (warning string, err error) {
	if o.Browser.Broker != nil {
		s.broker(cmd, o)
	}
	if !o.Launches() {
		if len(o.Browser.Extensions) > 0 {
			warning = "extensions are not loaded into a browser that usher did not launch"
		}
		return warning, nil
	}
	if o.Profile != "" {
		if o.Browser.Copy, err = browserhost.FindProfile(ctx, cmd.Env, o.Profile, o.Browser.Executable); err != nil {
			return "", err
		}
	}
	return "", s.mutate(ctx, cmd, o)
}
