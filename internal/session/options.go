package session

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// option is one option of a session: a global flag of package verb, which has its kind, its default and when a change takes effect
// (its scope), and what the session does with the value. The scope decides which of the functions a row has:
//
//	AtLaunch     launch: a change needs another browser
//	PerSession   keep: read with each command
//	PerContext   page, dialogs or context: a change is brought to pages that live;
//	             command: it is of one command;
//	             create: it is read when the browser context is made
type option struct {
	name string

	// launch puts the value into what a browser is started with.
	launch func(*launchOptions, setting)
	// keep puts the value into how the session is kept.
	keep func(*sessionOptions, setting)

	// page is the command that gives a page the value; with an empty one, that takes it back.
	page func(value string) model.InitCommand
	// dialogs puts the value into the dialog policy.
	dialogs func(*model.Policy, setting) error
	// context changes the value for a browser context. Called the other way round it takes that back.
	context func(ctx context.Context, h *host, c model.ContextID, old, now string) error
	// command prepares a command that has the option.
	command func(*Session, Command)
	// create puts the value into what a browser context is made with.
	create func(*contextParameters, setting)
	// mergedInto is the option that package config makes of it.
	mergedInto string

	// value is the value of a page, dialogs or context row, for comparison; nil for the words of the setting. Where it is not empty
	// the option counts as given.
	value func(*config.Settings) string
}

// options is the table of a session's options. Changes are brought to pages and to the browser in this order.
var options = sync.OnceValue(func() []option {
	return []option{
		{name: "headed", launch: func(o *launchOptions, v setting) { o.browser.Headed = v.bool() }},
		{name: "executable-path", launch: func(o *launchOptions, v setting) { o.browser.Executable = v.str() }},
		{name: "args", launch: func(o *launchOptions, v setting) { o.browser.Args = v.list() }},
		{name: "proxy", launch: func(o *launchOptions, v setting) { o.browser.Proxy = proxyServer(v.str()) }},
		{name: "proxy-bypass", launch: func(o *launchOptions, v setting) { o.browser.ProxyBypass = v.str() }},
		{name: "allow-file-access", launch: func(o *launchOptions, v setting) { o.browser.AllowFileAccess = v.bool() }},
		{name: "hide-scrollbars", launch: func(o *launchOptions, v setting) { o.browser.HideScrollbars = v.bool() }},
		{name: "cdp", launch: func(o *launchOptions, v setting) { o.browser.CDP = v.str() }},
		{name: "cdp-port", launch: func(o *launchOptions, v setting) { o.browser.DebugPort = v.str() }},
		{name: "auto-connect", launch: func(o *launchOptions, v setting) { o.browser.AutoConnect = v.bool() }},
		{name: "profile", launch: func(o *launchOptions, v setting) { o.browser.ProfileDir = v.str() }},
		{name: "record", launch: func(o *launchOptions, v setting) { o.record = v.str() }},
		{name: "stealth", launch: func(o *launchOptions, v setting) { o.stealth = v.bool() }},
		{name: "isolate", launch: func(o *launchOptions, v setting) { o.isolate = v.bool() }},

		{name: "user-agent", page: userAgentCommand},
		{name: "color-scheme", page: colorSchemeCommand},
		{name: "viewport", page: viewportCommand},
		{name: "ignore-https-errors", page: certificateErrorsCommand},
		{name: "dialog-policy", dialogs: setDialogMode},
		{name: "dialog-timeout", dialogs: func(p *model.Policy, v setting) error { p.Timeout = v.duration(); return nil }},
		{name: "dialog-rules", dialogs: setStandingRules},
		{name: "no-auto-dialog", mergedInto: "dialog-policy"},
		{name: "permissions", context: setPermissions},
		{name: "dialog-bridge", context: setDialogBridge},
		{name: "credentials", context: setCredentials, value: func(set *config.Settings) string { return joinKey(logins(set)...) }},
		{name: "headers", command: (*Session).applyHeaders},
		{name: "download-path", create: func(p *contextParameters, v setting) { p.downloadPath = v.str() }},

		{name: "session", keep: func(o *sessionOptions, v setting) { o.name = v.str() }},
		{name: "namespace", keep: func(o *sessionOptions, v setting) { o.namespace = v.str() }},
		{name: "share", keep: func(o *sessionOptions, v setting) { o.share = max(1, v.int()) }},
		{name: "auto-recover", keep: func(o *sessionOptions, v setting) { o.autoRecover = v.bool() }},
		{name: "idle-timeout", keep: func(o *sessionOptions, v setting) { o.idleTimeout, o.idleTimeoutGiven = v.duration(), v.given() }},
	}
})

// setting is the value of one option in the settings of a command.
type setting struct {
	set  *config.Settings
	name string
}

func (o *option) in(set *config.Settings) setting { return setting{set, o.name} }

func (v setting) str() string             { return v.set.Str(v.name) }
func (v setting) list() []string          { return v.set.List(v.name) }
func (v setting) bool() bool              { return v.set.Bool(v.name) }
func (v setting) int() int                { return v.set.Int(v.name) }
func (v setting) duration() time.Duration { return v.set.Dur(v.name) }
func (v setting) given() bool             { return v.set.Given(v.name) }
func (v setting) asFlag() bool            { return v.set.From(v.name) == config.Flags }

// sessionOptions are how a session is kept: its name, its place, its lifetime.
type sessionOptions struct {
	namespace, name  string
	share            int // how many sessions may live in one browser
	autoRecover      bool
	idleTimeout      time.Duration
	idleTimeoutGiven bool
}

func sessionOptionsOf(set *config.Settings) sessionOptions {
	var o sessionOptions
	for _, row := range options() {
		if row.keep != nil {
			row.keep(&o, row.in(set))
		}
	}
	return o
}

// contextParameters are what a browser context is made with.
type contextParameters struct {
	downloadPath string // empty for a directory of the session
}

func contextParametersOf(set *config.Settings) contextParameters {
	var p contextParameters
	for _, row := range options() {
		if row.create != nil {
			row.create(&p, row.in(set))
		}
	}
	return p
}

// prepare applies the options that are of one command. It comes before the navigation.
func (s *Session) prepare(cmd Command) {
	for _, row := range options() {
		if row.command != nil && row.in(cmd.Settings).given() {
			row.command(s, cmd)
		}
	}
}

// contextOptions are the values of the options that can change while a page lives, by name; those that are not set are left
// out. They are not changed in place.
type contextOptions map[string]string

// live reports whether a changed value is brought to pages that live.
func (o *option) live() bool { return o.page != nil || o.dialogs != nil || o.context != nil }

// of is the value of a live option, equal for settings that mean the same.
func (o *option) of(set *config.Settings) string {
	if o.value != nil {
		return o.value(set)
	}
	v := o.in(set)
	switch verb.GlobalFlag(o.name).Kind {
	case verb.Bool:
		if !v.bool() {
			return ""
		}
	case verb.Duration:
		if v.duration() == 0 {
			return ""
		}
		return v.duration().String()
	}
	return joinKey(v.list()...)
}

func contextOptionsOf(set *config.Settings) contextOptions {
	return contextOptions{}.with(set, func(*option) bool { return true })
}

// merge takes over what is given in set.
func (o contextOptions) merge(set *config.Settings) contextOptions {
	return o.with(set, func(row *option) bool { return row.in(set).given() || row.value != nil && row.value(set) != "" })
}

// with takes over some of the options.
func (o contextOptions) with(set *config.Settings, which func(*option) bool) contextOptions {
	out := contextOptions{}
	for _, row := range options() {
		value := o[row.name]
		if row.live() && which(&row) {
			value = row.of(set)
		}
		if value != "" {
			out[row.name] = value
		}
	}
	return out
}

type params = map[string]any

// init lists the commands for a new page.
func (o contextOptions) init() []model.InitCommand {
	// A page in a background tab or window should behave as if it had the focus:
	// several agents work in one browser.
	cmds := []model.InitCommand{{Method: "Emulation.setFocusEmulationEnabled", Params: params{"enabled": true}}}
	return append(cmds, o.change(nil)...)
}

// change lists the commands that turn the options old into o.
func (o contextOptions) change(old contextOptions) []model.InitCommand {
	var cmds []model.InitCommand
	for _, row := range options() {
		if row.page != nil && o[row.name] != old[row.name] {
			cmds = append(cmds, row.page(o[row.name]))
		}
	}
	return cmds
}

func userAgentCommand(value string) model.InitCommand {
	return model.InitCommand{Method: "Emulation.setUserAgentOverride", Params: params{"userAgent": value}, Frames: true}
}

func colorSchemeCommand(value string) model.InitCommand {
	return model.InitCommand{Method: "Emulation.setEmulatedMedia", Frames: true,
		Params: params{"features": []params{{"name": "prefers-color-scheme", "value": strings.Replace(value, "no-preference", "", 1)}}}}
}

func certificateErrorsCommand(value string) model.InitCommand {
	return model.InitCommand{Method: "Security.setIgnoreCertificateErrors", Params: params{"ignore": value != ""}}
}

func viewportCommand(value string) model.InitCommand {
	if value == "" {
		return model.InitCommand{Method: "Emulation.clearDeviceMetricsOverride"}
	}
	v, err := verb.ParseViewport(value)
	if err != nil { // checked when the command was parsed, or when the configuration was read
		panic("session: viewport was not checked: " + err.Error())
	}
	return model.InitCommand{Method: "Emulation.setDeviceMetricsOverride", Params: params{
		"width": v.Width, "height": v.Height, "deviceScaleFactor": v.Scale, "mobile": false,
	}}
}

// setDialogBridge sets how dialogs come: as asked for, or by the bridge once that is needed.
func setDialogBridge(_ context.Context, h *host, c model.ContextID, _, now string) error {
	h.sup.SetBridge(c, cmp.Or(model.BridgeMode(now), model.BridgeAuto))
	return nil
}

// setCredentials sets what answers HTTP and proxy logins.
func setCredentials(_ context.Context, h *host, c model.ContextID, _, now string) error {
	var list []policy.Credential
	for _, text := range splitKey(now) {
		credential, err := policy.ParseCredential(text)
		if err != nil { // checked when the command was parsed, or when the configuration was read
			panic("session: credentials were not checked: " + err.Error())
		}
		list = append(list, credential)
	}
	h.sup.SetCredentials(c, list)
	return nil
}
