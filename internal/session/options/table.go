// Package options applies the options of a session: to a browser that starts (Launch), to the session itself (Session),
// and to pages while they are open (Live).
package options

import (
	"context"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// option is a row of the table of session options: the name of a global flag, and how a session applies it. Package verb
// has the rest of the flag: kind, default, documentation, and scope, which is when a change takes effect. A row sets the
// functions of its scope:
//
//	AtLaunch     launch: a change needs a new browser
//	PerSession   keep: read with each command
//	PerContext   page, dialogs or context: a change is applied to pages that are open, or to what follows in the session
//	             command: applied to the command that has the flag
//	             mergedInto: package config makes another option of it
type option struct {
	name string

	// launch sets the field of the launch options.
	launch func(*Launch, setting)
	// keep sets the field of the session options.
	keep func(*Session, setting)

	// page returns the CDP commands that set the value in a page, or reset it if the value is empty. A command that several
	// options have sets the values of all of them.
	page func(Pages) []model.InitCommand
	// dialogs sets the value in the dialog policy.
	dialogs func(*model.Policy, setting) error
	// context changes the value of a browser context from old to now.
	context func(ctx context.Context, to Target, old, now string) error
	// command applies the value to one command, before its navigation.
	command func(*run.BrowserContext, *verb.Call, *config.Settings)
	// mergedInto is the name of another option.
	mergedInto string

	// value returns the value of a page, dialogs or context option, for comparison; nil for the words of the setting. The option
	// counts as given if the value is not empty.
	value func(*config.Settings) string
}

// table returns the rows. Changes are applied in its order.
var table = sync.OnceValue(func() []option {
	return []option{
		{name: "headed", launch: func(o *Launch, v setting) { o.Browser.Headed = v.bool() }},
		{name: "executable-path", launch: func(o *Launch, v setting) { o.Browser.Executable = v.str() }},
		{name: "args", launch: func(o *Launch, v setting) { o.Browser.Args = v.list() }},
		{name: "extension", launch: func(o *Launch, v setting) { o.Browser.Extensions = v.list() }},
		{name: "proxy", launch: func(o *Launch, v setting) { o.Browser.Proxy = proxyServer(v.str()) }},
		{name: "proxy-bypass", launch: func(o *Launch, v setting) { o.Browser.ProxyBypass = v.str() }},
		{name: "ca-cert", launch: func(o *Launch, v setting) { o.Browser.Authorities = v.str() }},
		{name: "allow-file-access", launch: func(o *Launch, v setting) { o.Browser.AllowFileAccess = v.bool() }},
		{name: "webgpu", launch: func(o *Launch, v setting) { o.Browser.WebGPU = v.bool() }},
		{name: "hide-scrollbars", launch: func(o *Launch, v setting) { o.Browser.HideScrollbars = v.bool() }},
		{name: "no-webmcp", launch: func(o *Launch, v setting) { o.Browser.NoWebMCP = o.Browser.NoWebMCP || v.bool() }},
		{name: "browser", launch: func(o *Launch, v setting) { o.Browser.Mine, o.Browser.Try = v.str() == "mine", v.str() == "try" }},
		{name: "relay-port", launch: func(o *Launch, v setting) { o.Browser.RelayPort = v.int() }},
		{name: "cdp", launch: func(o *Launch, v setting) { o.Browser.CDP = v.str() }},
		{name: "cdp-headers", launch: func(o *Launch, v setting) { o.Browser.Access.Header = requestHeaders(v.str()) }},
		{name: "provider", launch: func(o *Launch, v setting) { o.Browser.Provider.Name = providerName(v.str()) }},
		{name: "engine", launch: func(o *Launch, v setting) { o.Browser.Engine = v.str() }},
		{name: "cdp-port", launch: func(o *Launch, v setting) { o.Browser.DebugPort = v.str() }},
		{name: "auto-connect", launch: func(o *Launch, v setting) { o.Browser.AutoConnect = v.bool() }},
		{name: "profile", launch: func(o *Launch, v setting) { o.setProfile(v.str()) }},
		{name: "state", launch: func(o *Launch, v setting) { o.Stored.State = v.str() }},
		{name: "restore", launch: func(o *Launch, v setting) { o.Stored.restore, o.Stored.given = v.str(), v.given() }},
		{name: "session-name", launch: func(o *Launch, v setting) { o.Stored.name = v.str() }},
		{name: "restore-save", launch: func(o *Launch, v setting) { o.Stored.Policy = v.str() }},
		{name: "restore-check-url", launch: func(o *Launch, v setting) { o.Stored.Checks.URL = v.str() }},
		{name: "restore-check-text", launch: func(o *Launch, v setting) { o.Stored.Checks.Text = v.str() }},
		{name: "restore-check-fn", launch: func(o *Launch, v setting) { o.Stored.Checks.Fn = v.str() }},
		{name: "record", launch: func(o *Launch, v setting) { o.Record = v.str() }},
		{name: "stealth", launch: func(o *Launch, v setting) {
			o.Stealth = v.bool()
			o.Browser.NoWebMCP = o.Browser.NoWebMCP || o.Stealth // a page can see it
			o.Browser.NoUTC = o.Stealth
		}},
		{name: "isolate", launch: func(o *Launch, v setting) { o.Isolate = v.bool() }},

		{name: "device", mergedInto: "viewport"},
		{name: "viewport", page: metricsCommand},
		{name: "screen", page: metricsCommand},
		{name: "mobile", page: metricsCommand},
		{name: "touch", page: touchCommand},
		{name: "user-agent", page: userAgentCommand},
		{name: "locale", page: localeCommand},
		{name: "timezone", page: timezoneCommand},
		{name: "color-scheme", page: mediaCommand},
		{name: "reduced-motion", page: mediaCommand},
		{name: "forced-colors", page: mediaCommand},
		{name: "contrast", page: mediaCommand},
		{name: "media", page: mediaCommand},
		{name: "geolocation", page: geolocationCommand},
		{name: "ignore-https-errors", page: certificateErrorsCommand},
		{name: "dialog-policy", dialogs: setDialogMode},
		{name: "dialog-timeout", dialogs: func(p *model.Policy, v setting) error { p.Timeout = v.duration(); return nil }},
		{name: "dialog-rules", dialogs: setStandingRules},
		{name: "no-auto-dialog", mergedInto: "dialog-policy"},
		{name: "permissions", context: setPermissions},
		{name: "dialog-bridge", context: setDialogBridge},
		{name: "allowed-domains", context: setDomains},
		{name: "credentials", context: setCredentials, value: func(set *config.Settings) string { return joinKey(logins(set)...) }},
		{name: "extra-headers", context: setExtraHeaders},
		{name: "init-script", context: setInitScripts, value: initScripts},
		{name: "enable", context: setFeatures},
		{name: "headers", command: setHeaders},
		{name: "pin-tab", command: pinTab},
		{name: "no-pin-tab", command: pinTab},
		{name: "input-mode", context: setInputMode},
		{name: "download-path", context: setDownloadPath},

		{name: "session", keep: func(o *Session, v setting) { o.Name = v.str() }},
		{name: "namespace", keep: func(o *Session, v setting) { o.Namespace = v.str() }},
		{name: "share", keep: func(o *Session, v setting) { o.Share = max(1, v.int()) }},
		{name: "auto-recover", keep: func(o *Session, v setting) { o.AutoRecover = v.bool() }},
		{name: "autosave-interval", keep: func(o *Session, v setting) { o.Autosave, o.AutosaveGiven = v.duration(), v.given() }},
		{name: "idle-timeout", keep: func(o *Session, v setting) { o.IdleTimeout, o.IdleTimeoutGiven = v.duration(), v.given() }},
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

// Session are the options of scope PerSession.
type Session struct {
	Namespace, Name  string
	Share            int // how many sessions may live in one browser
	AutoRecover      bool
	IdleTimeout      time.Duration
	IdleTimeoutGiven bool
	Autosave         time.Duration // how long after a command the state is saved; 0 for only at the end
	AutosaveGiven    bool
}

// SessionOf returns the options of a session in the settings.
func SessionOf(set *config.Settings) Session {
	var o Session
	for _, row := range table() {
		if row.keep != nil {
			row.keep(&o, row.in(set))
		}
	}
	return o
}

// ApplyToCommand applies the options that are for one command. It runs before its tab is chosen.
func ApplyToCommand(work *run.BrowserContext, call *verb.Call, set *config.Settings) {
	for _, row := range table() {
		if row.command != nil && row.in(set).given() {
			row.command(work, call, set)
		}
	}
}

// pinTab pins the session to its active tab, or releases it. That holds until another command says otherwise.
func pinTab(work *run.BrowserContext, _ *verb.Call, set *config.Settings) {
	work.Pin(set.Bool("pin-tab") && !set.Bool("no-pin-tab"))
}
