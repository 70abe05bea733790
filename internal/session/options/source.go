package options

import (
	"runtime"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/plugin"
	"github.com/usher-browser/usher/internal/provider"
	"github.com/usher-browser/usher/internal/verb"
)

// Sources returns the names of the options that choose where the browser comes from.
func Sources() []string { return []string{"cdp", "auto-connect", "provider", "engine", "browser"} }

// sources returns those of Sources with which the settings choose another browser than a Chromium of this machine: of the
// last layer that has any, because a flag replaces what the environment says, and that what files say.
func sources(set *config.Settings) []string {
	var found []string
	from := config.Default
	for _, name := range Sources() {
		v := set.Value(name)
		word := strings.Join(v.Words, "")
		if word == "" || word == verb.GlobalFlag(name).BuiltIn() || v.From < from {
			continue
		}
		if v.From > from {
			found, from = nil, v.From
		}
		found = append(found, name)
	}
	return found
}

// choose leaves only the source of the browser that the settings choose.
func (o *Launch) choose(set *config.Settings) {
	found := sources(set)
	has := func(name string) bool { return slices.Contains(found, name) }
	if !has("provider") {
		o.Browser.Provider.Name = ""
	}
	if name := o.Browser.Provider.Name; name != "" && !known(name) { // a plugin's, or nobody's: see CheckSource
		o.Browser.Broker, o.Browser.Provider.Name = &browserhost.Broker{Name: name}, ""
	}
	if !has("engine") {
		o.Browser.Engine = "chrome"
	}
	if o.Browser.Engine == browserhost.Lightpanda {
		o.Isolate = true // it has one browser context
		if v := set.Value("executable-path"); v.From < set.From("engine") || v.Where == config.BrowserVariable {
			o.Browser.Executable = "" // that of Chromium
		}
	}
	o.Browser.Mine, o.Browser.Try = o.Browser.Mine && has("browser"), o.Browser.Try && has("browser")
	if len(found) > 0 && !has("cdp") {
		o.Browser.CDP = ""
	}
	if len(found) > 0 && !has("auto-connect") {
		o.Browser.AutoConnect = false
	}
	if o.Browser.Provider.Name != "" && !systemProxy(set) && slices.Contains(provider.Passes(o.Browser.Provider.Name), "proxy") {
		o.Browser.Provider.Proxy = set.Str("proxy")
	}
}

// known reports whether a provider is a service that usher knows, or one whose refusal it explains.
func known(name string) bool {
	return name == "ios" || name == "safari" || slices.Contains(provider.Names(), name)
}

// providerName returns the name of a provider in package provider, "" for none. Names of plugins stay as they are.
func providerName(name string) string {
	lower := strings.ToLower(name)
	if known(lower) {
		return lower
	}
	switch lower {
	case "local":
		return ""
	case "browser-use":
		return "browseruse"
	}
	return name
}

// systemProxy reports whether the proxy is that of this machine, which is for its own programs.
func systemProxy(set *config.Settings) bool {
	where := set.Value("proxy").Where
	return strings.HasSuffix(strings.ToLower(where), "_proxy") && !strings.HasPrefix(where, "USHER_") && !strings.HasPrefix(where, "AGENT_BROWSER_")
}

// CheckSource checks, before a browser starts, that usher can have it from where the settings say, and with the launch
// options that they have. A flag that cannot be applied is an error; the warning names what other settings cannot be.
func CheckSource(set *config.Settings) (warning string, err error) {
	found := sources(set)
	if len(found) > 1 && (slices.Contains(found, "provider") || slices.Contains(found, "engine") || slices.Contains(found, "browser")) {
		return "", api.Errorf(api.InvalidArgument, "%s and %s cannot be used together: each chooses the browser; nothing was started",
			set.Value(found[0]).Where, set.Value(found[1]).Where)
	}
	o := LaunchOf(set)
	if b := o.Browser.Broker; b != nil {
		if err := findBroker(set, b.Name); err != nil {
			return "", err
		}
		return launchless(set, "a browser of plugin "+b.Name, []string{"headed"})
	}
	if err := Simulator(set); err != nil {
		return "", err
	}
	if name := o.Browser.Provider.Name; name != "" {
		return launchless(set, "a browser at "+name, append([]string{"ca-cert"}, provider.Passes(name)...))
	}
	if o.Browser.Try { // launched as any
		return "", nil
	}
	if o.Browser.Mine {
		return launchless(set, "your own Chrome", []string{"headed"})
	}
	if o.Attached() {
		return launchless(set, "a running browser", []string{"headed", "ca-cert", "extension"}) // there is a warning of its own about extensions
	}
	if unset := set.Value("ca-cert"); o.Browser.Authorities != "" && o.Browser.Engine == "chrome" && (runtime.GOOS != "linux" || o.Browser.ProfileDir != "") {
		why := "a browser on " + runtime.GOOS + " trusts what the system trusts: add the authority there"
		if runtime.GOOS == "linux" {
			why = "a profile of yours keeps its own list of authorities"
		}
		if unset.From == config.Flags {
			return "", api.Errorf(api.Unsupported, "the browser cannot get the authorities of --ca-cert: %s; nothing was started", why).WithHint("Omit --ca-cert, or add --no-ca-cert.")
		}
		warning = "the browser does not get the authorities of " + unset.Where + ": " + why
	}
	switch o.Browser.Engine {
	case "obscura":
		return "", api.Errorf(api.Unsupported, "--engine obscura is not supported: its CDP lacks what usher is built on, and is not tested with it; nothing was started").
			WithHint("Omit --engine, for Chromium.")
	case browserhost.Lightpanda:
		return launchless(set, "Lightpanda", []string{"executable-path"})
	}
	return warning, nil
}

// findBroker returns an error for a provider that is neither a service that usher knows nor a plugin.
func findBroker(set *config.Settings, name string) error {
	host := plugin.Host{Plugins: set.Plugins()}
	if _, err := host.Find(name, verb.BrowserProvider); err != nil {
		return api.Errorf(api.InvalidArgument, "Unknown provider '%s'. Supported: %s, or a configured plugin with browser.provider (%w); nothing was started",
			name, strings.Join(provider.Names(), ", "), err).WithHint("`plugin list` shows the plugins; `plugin add` adds one.")
	}
	return nil
}

// Simulator returns the error for a browser of macOS and its simulators that the settings choose, nil for any other.
func Simulator(set *config.Settings) error {
	name := LaunchOf(set).Browser.Provider.Name
	driver := map[string]string{"ios": "Appium", "safari": "safaridriver"}[name]
	if driver == "" {
		return nil
	}
	return api.Errorf(api.Unsupported, "--provider %s is not supported: it needs macOS with Xcode and %s, which usher does not drive; nothing was started", name, driver).
		WithHint("Imitate the device in Chromium: --device \"iPhone 15\" (see `set devices`).")
}

// launchless checks the options for launching Chromium, of which a browser supports only some.
func launchless(set *config.Settings, browser string, supported []string) (warning string, err error) {
	var ignored []string
	o := LaunchOf(set)
	attaches := o.Attached()
	for _, name := range []string{"args", "proxy", "proxy-bypass", "profile", "headed", "extension", "executable-path", "allow-file-access", "cdp-port", "webgpu", "ca-cert"} {
		v := set.Value(name)
		if slices.Contains(supported, name) || v.From == config.Default || strings.Join(v.Words, "\n") == verb.GlobalFlag(name).BuiltIn() {
			continue
		}
		if v.From == config.Flags && (set.Mode != verb.AgentBrowser || !attaches) { // that tool accepts and ignores them
			err := api.Errorf(api.InvalidArgument, "--%s is for a Chromium that usher launches, not for %s; nothing was started", name, browser)
			return "", err.WithHint("Omit --%s.", name)
		}
		if (v.From == config.Flags || name != "executable-path") && (name != "proxy" || !systemProxy(set)) {
			ignored = append(ignored, v.Where)
		}
	}
	if len(ignored) > 0 {
		warning = "not applied to " + browser + ": " + strings.Join(ignored, ", ")
	}
	return warning, nil
}
