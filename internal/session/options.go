package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/command/run"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func launchOptionsOf(set *config.Settings) launchOptions {
	o := launchOptions{
		chrome: chrome.Options{
			Executable: set.Str("executable-path"), Headed: set.Bool("headed"), ProfileDir: set.Str("profile"),
			Args: set.List("args"), Proxy: proxyServer(set.Str("proxy")), ProxyBypass: set.Str("proxy-bypass"),
			AllowFileAccess: set.Bool("allow-file-access"), HideScrollbars: set.Bool("hide-scrollbars"), DebugPort: set.Str("cdp-port"),
		},
		cdp: set.Str("cdp"), autoConnect: set.Bool("auto-connect"), isolate: set.Bool("isolate"), stealth: set.Bool("stealth"),
		share: max(1, set.Int("share")), record: set.Str("record"),
	}
	o.isolate = o.isolate || o.chrome.WantsPort() // other sessions' pages could be read through it
	return o
}

// attaches reports whether the settings name a browser that runs already.
func attaches(set *config.Settings) bool { return set.Str("cdp") != "" || set.Bool("auto-connect") }

// launchWords are the launch options in force, by name, for comparison.
func launchWords(set *config.Settings) map[string]string {
	words := map[string]string{}
	for _, v := range set.InScope(verb.AtLaunch) {
		words[v.Name] = strings.Join(v.Words, "\n")
	}
	return words
}

// displayOf is the display of the caller for a browser with windows: the daemon may have been started where there is another
// one, or none. It is nil for a browser without windows.
func displayOf(cmd Command) []string {
	if !cmd.Settings.Bool("headed") {
		return nil
	}
	display := []string{}
	for _, name := range chrome.DisplayVariables() {
		if value, ok := cmd.Env(name); ok && value != "" {
			display = append(display, name+"="+value)
		}
	}
	return display
}

// launchKey returns a key that is equal for sessions that may share a browser. Display is the result of displayOf.
func launchKey(set *config.Settings, display []string) string {
	words := launchWords(set)
	names := slices.Sorted(maps.Keys(words))
	parts := make([]string, 0, len(names)+len(display))
	for _, n := range names {
		parts = append(parts, n+"="+words[n])
	}
	return joinKey(append(parts, display...)...)
}

// checkLaunch compares the launch options of a command with those the browser runs with. A missing option means "keep".
// A flag with another value is an error, because only another browser could apply it; an environment variable or a
// configuration file is not specific to this command, so the browser is kept and the caller gets a warning.
func (s *Session) checkLaunch(set *config.Settings) (warning string, err error) {
	s.mu.Lock()
	launched := s.launched
	s.mu.Unlock()
	for _, v := range set.InScope(verb.AtLaunch) {
		want := strings.Join(v.Words, "\n")
		have, given := launched[v.Name]
		if given && have == want || !given && want == builtIn(v.Name) {
			continue
		}
		if v.From == config.Flags {
			return "", api.Errorf(api.LaunchConflict, "--%s %s needs another browser than that of session %s (%s)",
				v.Name, strings.Join(v.Words, " "), s.name, describe(v.Name, have, given)).
				WithHint("Omit the flag to keep the page; or `close` first (the page is lost); or use another --session.")
		}
		warning = api.JoinWarnings(warning, "session "+s.name+" keeps its browser: "+v.Where+" asks for another --"+v.Name+" ("+describe(v.Name, have, given)+" is in force)")
	}
	return warning, nil
}

// builtIn returns the default of a launch option.
func builtIn(name string) string {
	for _, f := range verb.GlobalFlags() {
		if f.Name == name && f.Default != "" {
			return f.Default
		}
		if f.Name == name && f.Kind == verb.Bool {
			return "false"
		}
	}
	return ""
}

func describe(name, have string, given bool) string {
	if !given {
		if b := builtIn(name); b != "" {
			return name + " " + b
		}
		return "no " + name
	}
	return name + " " + have
}

// contextOptions are the options that can change while a page lives.
type contextOptions struct {
	userAgent, colorScheme, viewport, dialogPolicy, dialogBridge string
	dialogTimeout                                                time.Duration
	dialogRules                                                  string // joined
	permissions                                                  string
	credentials                                                  string // joined; never shown
	ignoreHTTPS                                                  bool
}

func contextOptionsOf(set *config.Settings) contextOptions {
	return contextOptions{
		userAgent: set.Str("user-agent"), colorScheme: set.Str("color-scheme"), viewport: set.Str("viewport"),
		dialogPolicy: set.Str("dialog-policy"), dialogBridge: set.Str("dialog-bridge"), dialogTimeout: set.Dur("dialog-timeout"),
		dialogRules: joinKey(set.List("dialog-rules")...), permissions: joinKey(set.List("permissions")...), credentials: joinKey(logins(set)...), ignoreHTTPS: set.Bool("ignore-https-errors"),
	}
}

// merge takes over what is given in set.
func (o contextOptions) merge(set *config.Settings) contextOptions {
	given := contextOptionsOf(set)
	if set.Given("user-agent") {
		o.userAgent = given.userAgent
	}
	if set.Given("color-scheme") {
		o.colorScheme = given.colorScheme
	}
	if set.Given("viewport") {
		o.viewport = given.viewport
	}
	if set.Given("dialog-policy") {
		o.dialogPolicy = given.dialogPolicy
	}
	if set.Given("dialog-bridge") {
		o.dialogBridge = given.dialogBridge
	}
	if set.Given("dialog-timeout") {
		o.dialogTimeout = given.dialogTimeout
	}
	if set.Given("dialog-rules") {
		o.dialogRules = given.dialogRules
	}
	if set.Given("permissions") {
		o.permissions = given.permissions
	}
	if set.Given("credentials") || len(logins(set)) > 0 {
		o.credentials = given.credentials
	}
	if set.Given("ignore-https-errors") {
		o.ignoreHTTPS = given.ignoreHTTPS
	}
	return o
}

type params = map[string]any

// init lists the commands for a new page.
func (o contextOptions) init() []model.InitCommand {
	// A page in a background tab or window should behave as if it had the focus:
	// several agents work in one browser.
	cmds := []model.InitCommand{{Method: "Emulation.setFocusEmulationEnabled", Params: params{"enabled": true}}}
	return append(cmds, o.change(contextOptions{})...)
}

// change lists the commands that turn the options old into o.
func (o contextOptions) change(old contextOptions) []model.InitCommand {
	var cmds []model.InitCommand
	if o.userAgent != old.userAgent {
		cmds = append(cmds, model.InitCommand{Method: "Emulation.setUserAgentOverride", Params: params{"userAgent": o.userAgent}, Frames: true})
	}
	if o.colorScheme != old.colorScheme {
		cmds = append(cmds, model.InitCommand{Method: "Emulation.setEmulatedMedia", Frames: true,
			Params: params{"features": []params{{"name": "prefers-color-scheme", "value": strings.Replace(o.colorScheme, "no-preference", "", 1)}}}})
	}
	if o.viewport != old.viewport {
		cmds = append(cmds, o.viewportCommand())
	}
	if o.ignoreHTTPS != old.ignoreHTTPS {
		cmds = append(cmds, model.InitCommand{Method: "Security.setIgnoreCertificateErrors", Params: params{"ignore": o.ignoreHTTPS}})
	}
	return cmds
}

func (o contextOptions) viewportCommand() model.InitCommand {
	if o.viewport == "" {
		return model.InitCommand{Method: "Emulation.clearDeviceMetricsOverride"}
	}
	v, err := verb.ParseViewport(o.viewport)
	if err != nil { // checked when the command was parsed, or when the configuration was read
		panic("session: viewport was not checked: " + err.Error())
	}
	return model.InitCommand{Method: "Emulation.setDeviceMetricsOverride", Params: params{
		"width": v.Width, "height": v.Height, "deviceScaleFactor": v.Scale, "mobile": false,
	}}
}

// logins are the credentials that answer HTTP and proxy logins.
func (o contextOptions) logins() []policy.Credential {
	var list []policy.Credential
	for text := range strings.SplitSeq(o.credentials, joinKey("", "")) {
		if text == "" {
			continue
		}
		c, err := policy.ParseCredential(text)
		if err != nil { // checked when the command was parsed, or when the configuration was read
			panic("session: credentials were not checked: " + err.Error())
		}
		list = append(list, c)
	}
	return list
}

// bridge returns how dialogs are delivered: as requested, or by the bridge once that is needed.
func (o contextOptions) bridge() model.BridgeMode {
	if o.dialogBridge == "" {
		return model.BridgeAuto
	}
	return model.BridgeMode(o.dialogBridge)
}

// bridgeNotice reports once that another program answers the session's dialogs, and how usher reacted.
func (s *Session) bridgeNotice(work *run.BrowserContext) string {
	b, on := work.Browser.State().Bridges[work.Context]
	s.mu.Lock()
	defer s.mu.Unlock()
	if !on || b.Stolen == nil || s.bridged.Equal(b.Since) {
		return ""
	}
	s.bridged = b.Since
	return fmt.Sprintf("another program answered dialog %s (%s %q) first; the dialog bridge now intercepts dialogs of this session (--dialog-bridge off disables it)",
		b.Stolen.ID, b.Stolen.Type, b.Stolen.Message)
}

// headersOf reads --headers, checked when it was parsed.
func headersOf(set *config.Settings) map[string]string {
	var out map[string]string
	if text := set.Str("headers"); text != "" {
		if err := jsonv2.Unmarshal([]byte(text), &out); err != nil {
			panic("session: headers were not checked: " + err.Error())
		}
	}
	return out
}

// applyHeaders sets the headers of a command for the origin it opens, from now on. It runs before the navigation.
func (s *Session) applyHeaders(cmd Command) {
	headers := headersOf(cmd.Settings)
	if len(headers) == 0 || cmd.Call.Verb.Name != "open" || !cmd.Call.Has("url") {
		return
	}
	h, work := s.browserContext()
	h.sup.SetHeaders(work.Context, cmd.Call.Str("url"), headers)
}

// limitOf returns how long a command may take: the requested time, or its verb's default.
func limitOf(set *config.Settings, v *verb.Verb) (limit time.Duration, given bool) {
	if set.Given("timeout") {
		return set.Dur("timeout"), true
	}
	switch v.Category {
	case verb.CatClick, verb.CatFill, verb.CatInteract, verb.CatScroll, verb.CatUpload, verb.CatGet:
		return ActionLimit, false
	}
	return DefaultLimit, false
}

// The default limits of commands.
const (
	// DefaultLimit is for navigation, waiting and scripts (agent-browser's).
	DefaultLimit = 25 * time.Second
	// ActionLimit is for an action, including the wait until its element is actionable.
	ActionLimit = 5 * time.Second
)
