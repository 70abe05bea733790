package session

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// option is a row of the table of session options: the name of a global flag, and how a session applies it. Package verb
// has the rest of the flag: kind, default, documentation, and scope, which is when a change takes effect. A row sets the
// functions of its scope:
//
//	AtLaunch     launch: a change needs a new browser
//	PerSession   keep: read with each command
//	PerContext   page, dialogs or context: a change is applied to pages that are open
//	             command: applied to the command that has the flag
//	             browserContext: a change is applied to what follows in the session
//	             mergedInto: package config makes another option of it
type option struct {
	name string

	// launch sets the field of the launch options.
	launch func(*launchOptions, setting)
	// keep sets the field of the session options.
	keep func(*sessionOptions, setting)

	// page returns the CDP commands that set the value in a page, or reset it if the value is empty. A command that several
	// options have sets the values of all of them.
	page func(pageOptions) []model.InitCommand
	// dialogs sets the value in the dialog policy.
	dialogs func(*model.Policy, setting) error
	// context changes the value of a browser context from old to now.
	context func(ctx context.Context, h *host, c model.ContextID, old, now string) error
	// command applies the value to one command, before its navigation.
	command func(*Session, Command)
	// browserContext changes the value of the session's share of a browser.
	browserContext func(ctx context.Context, s *Session, work *run.BrowserContext, now string) error
	// mergedInto is the name of another option.
	mergedInto string

	// value returns the value of a page, dialogs, context or browserContext option, for comparison; nil for the words of the setting. The
	// option counts as given if the value is not empty.
	value func(*config.Settings) string
}

// options returns the table. Changes are applied in its order.
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
		{name: "state", launch: func(o *launchOptions, v setting) { o.stored.state = v.str() }},
		{name: "restore", launch: func(o *launchOptions, v setting) { o.stored.restore, o.stored.given = v.str(), v.given() }},
		{name: "session-name", launch: func(o *launchOptions, v setting) { o.stored.name = v.str() }},
		{name: "restore-save", launch: func(o *launchOptions, v setting) { o.stored.policy = v.str() }},
		{name: "restore-check-url", launch: func(o *launchOptions, v setting) { o.stored.checks.URL = v.str() }},
		{name: "restore-check-text", launch: func(o *launchOptions, v setting) { o.stored.checks.Text = v.str() }},
		{name: "restore-check-fn", launch: func(o *launchOptions, v setting) { o.stored.checks.Fn = v.str() }},
		{name: "record", launch: func(o *launchOptions, v setting) { o.record = v.str() }},
		{name: "stealth", launch: func(o *launchOptions, v setting) { o.stealth = v.bool() }},
		{name: "isolate", launch: func(o *launchOptions, v setting) { o.isolate = v.bool() }},

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
		{name: "headers", command: (*Session).applyHeaders},
		{name: "pin-tab", command: (*Session).pinTab},
		{name: "no-pin-tab", command: (*Session).pinTab},
		{name: "download-path", browserContext: setDownloadPath},

		{name: "session", keep: func(o *sessionOptions, v setting) { o.name = v.str() }},
		{name: "namespace", keep: func(o *sessionOptions, v setting) { o.namespace = v.str() }},
		{name: "share", keep: func(o *sessionOptions, v setting) { o.share = max(1, v.int()) }},
		{name: "auto-recover", keep: func(o *sessionOptions, v setting) { o.autoRecover = v.bool() }},
		{name: "autosave-interval", keep: func(o *sessionOptions, v setting) { o.autosave = v.duration() }},
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

// sessionOptions are the options of scope PerSession.
type sessionOptions struct {
	namespace, name  string
	share            int // how many sessions may live in one browser
	autoRecover      bool
	idleTimeout      time.Duration
	idleTimeoutGiven bool
	autosave         time.Duration // how long after a command the state is saved; 0 for only at the end
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

// applyCommandOptions applies the options that are for one command. It runs before its tab is chosen.
func (s *Session) applyCommandOptions(cmd Command) {
	for _, row := range options() {
		if row.command != nil && row.in(cmd.Settings).given() {
			row.command(s, cmd)
		}
	}
}

// contextOptions are the values of the options that can change while a page is open, by name; options without a value are
// absent. The map is never modified.
type contextOptions map[string]string

// live reports whether a change is applied while pages are open.
func (o *option) live() bool {
	return o.page != nil || o.dialogs != nil || o.context != nil || o.browserContext != nil
}

// of returns the value of a live option. Equivalent settings have equal values.
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
	if o.page != nil && v.str() == verb.Unemulated {
		return ""
	}
	return joinKey(v.list()...)
}

func contextOptionsOf(set *config.Settings) contextOptions {
	return contextOptions{}.with(set, func(*option) bool { return true })
}

// givenIn reports whether the settings have a value of a live option.
func (o *option) givenIn(set *config.Settings) bool {
	return o.in(set).given() || o.value != nil && o.value(set) != ""
}

// merge returns o with the values that are given in set. Those of files and of the environment are part of every
// command: they count when they differ from the standing ones, which they were before, so a flag or a command holds
// against them.
func (o contextOptions) merge(set *config.Settings, standing contextOptions) contextOptions {
	return o.with(set, func(row *option) bool {
		return row.givenIn(set) && (row.in(set).asFlag() || row.of(set) != standing[row.name])
	})
}

// stand returns the standing options o with the values that files and the environment give in set.
func (o contextOptions) stand(set *config.Settings) contextOptions {
	return o.with(set, func(row *option) bool { return row.givenIn(set) && !row.in(set).asFlag() })
}

// with returns o with the values of set for some of the options.
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

// pagesDiffer reports whether pages have to be told of the change from old to o.
func (o contextOptions) pagesDiffer(old contextOptions) bool {
	return slices.ContainsFunc(options(), func(row option) bool { return row.page != nil && o[row.name] != old[row.name] })
}

// effective returns the value of an option with what others imply: a position is for pages to read.
func (o contextOptions) effective(name string) string {
	if name != "permissions" || o["geolocation"] == "" {
		return o[name]
	}
	return joinKey(append([]string{"geolocation=allow"}, splitKey(o[name])...)...)
}

// setDialogBridge sets how dialogs are delivered: as requested, or by the bridge once that is needed.
func setDialogBridge(_ context.Context, h *host, c model.ContextID, _, now string) error {
	h.sup.SetBridge(c, cmp.Or(model.BridgeMode(now), model.BridgeAuto))
	return nil
}

// setCredentials sets the credentials that answer HTTP and proxy authentication.
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

// setDownloadPath sets where later downloads of the session are saved; empty is a directory of its own.
func setDownloadPath(ctx context.Context, s *Session, work *run.BrowserContext, now string) error {
	dir, err := s.downloadDir(now)
	if err != nil {
		return err
	}
	return work.SetDownloadDir(ctx, dir)
}
