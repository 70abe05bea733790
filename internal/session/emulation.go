package session

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

type params = map[string]any

// pageOptions are the options from which the commands for a page are made.
type pageOptions struct {
	contextOptions
	engine string // the browser's version as its User-Agent has it, such as 156.0.0.0
}

// init lists the commands for a new page.
func (o pageOptions) init() []model.InitCommand {
	// A page in a background tab or window should behave as if it had the focus:
	// several agents work in one browser.
	cmds := []model.InitCommand{{Method: "Emulation.setFocusEmulationEnabled", Params: params{"enabled": true}}}
	return append(cmds, o.change(nil)...)
}

// change lists the commands that turn the options old into o, each once.
func (o pageOptions) change(old contextOptions) []model.InitCommand {
	var cmds []model.InitCommand
	sent := map[string]bool{}
	for _, row := range options() {
		if row.page == nil || o.contextOptions[row.name] == old[row.name] {
			continue
		}
		for _, cmd := range row.page(o) {
			if !sent[cmd.Method] {
				cmds = append(cmds, cmd)
			}
			sent[cmd.Method] = true
		}
	}
	return cmds
}

// ofPage adds to options what the commands for a page need of the browser.
func (h *host) ofPage(o contextOptions) pageOptions {
	h.mu.Lock()
	defer h.mu.Unlock()
	return pageOptions{o, h.engine}
}

// askVersion asks the browser for its version once.
func (h *host) askVersion(ctx context.Context) error {
	h.mu.Lock()
	known := h.engine != ""
	h.mu.Unlock()
	if known {
		return nil
	}
	got, err := cdp.Do(ctx, h.sup.Session(""), browser.GetVersion, protocol.Empty{})
	if err != nil {
		return api.Errorf(api.LaunchFailed, "ask the browser for its version: %w", err)
	}
	_, version, _ := strings.Cut(got.Product, "/")
	major, _, _ := strings.Cut(version, ".")
	h.mu.Lock()
	defer h.mu.Unlock()
	h.engine = major + ".0.0.0" // User-Agent reduction: https://www.chromium.org/updates/ua-reduction
	return nil
}

// metricsCommand sets the size and layout of the page.
func metricsCommand(o pageOptions) []model.InitCommand {
	mobile := o.contextOptions["mobile"] != ""
	if o.contextOptions["viewport"] == "" && !mobile { // without a size there is no screen that it is on
		return []model.InitCommand{{Method: "Emulation.clearDeviceMetricsOverride"}}
	}
	size := viewportOf(o.contextOptions["viewport"]) // zero keeps the browser's own
	p := params{"width": size.Width, "height": size.Height, "deviceScaleFactor": size.Scale, "mobile": mobile}
	if screen := viewportOf(o.contextOptions["screen"]); size.Width > 0 && screen.Width >= size.Width && screen.Height >= size.Height {
		p["screenWidth"], p["screenHeight"] = screen.Width, screen.Height
	}
	if mobile && size.Width > 0 {
		turned := params{"angle": 0, "type": "portraitPrimary"}
		if size.Width > size.Height {
			turned = params{"angle": 90, "type": "landscapePrimary"}
		}
		p["screenOrientation"] = turned
	}
	return []model.InitCommand{{Method: "Emulation.setDeviceMetricsOverride", Params: p}}
}

func viewportOf(value string) verb.Viewport {
	if value == "" {
		return verb.Viewport{}
	}
	v, err := verb.ParseViewport(value)
	if err != nil { // checked when the command was parsed, or when the configuration was read
		panic("session: viewport was not checked: " + err.Error())
	}
	return v
}

func touchCommand(o pageOptions) []model.InitCommand {
	p := params{"enabled": o.contextOptions["touch"] != ""}
	if p["enabled"] == true {
		p["maxTouchPoints"] = 5 // as phones have
	}
	return []model.InitCommand{{Method: "Emulation.setTouchEmulationEnabled", Frames: true, Process: true, Params: p}}
}

// userAgentCommand sets the User-Agent and the languages: Chromium has one command for both.
func userAgentCommand(o pageOptions) []model.InitCommand {
	agent := strings.ReplaceAll(o.contextOptions["user-agent"], device.Version, o.engine)
	p := params{"userAgent": agent}
	if locale := o.contextOptions["locale"]; locale != "" {
		p["acceptLanguage"] = locale
		if language, _, regional := strings.Cut(locale, "-"); regional {
			p["acceptLanguage"] = locale + "," + language // as browsers of that region ask
		}
	}
	if platform, metadata := clientHints(agent); metadata != nil {
		p["platform"], p["userAgentMetadata"] = platform, metadata
	}
	return []model.InitCommand{{Method: "Emulation.setUserAgentOverride", Params: p, Frames: true, Workers: true}}
}

// agentSystems are the systems that a Chromium's User-Agent names, with navigator.platform and the name and version in
// the client hints (https://wicg.github.io/ua-client-hints).
var agentSystems = []struct {
	in             string // of the User-Agent; its groups are the version and the model
	platform, name string
}{
	{`Android ([\d.]+)(?:; ([^;)]+))?`, "Linux armv81", "Android"},
	{`Windows NT ([\d.]+)`, "Win32", "Windows"},
	{`CrOS \S+ ([\d.]+)`, "Linux x86_64", "Chrome OS"},
	{`Mac OS X ([\d_.]+)`, "MacIntel", "macOS"},
	{`Linux()`, "Linux x86_64", "Linux"},
}

// clientHints returns navigator.platform and the client hints that go with the User-Agent of a Chromium; nil for one of
// another browser, which has none. Chromium adds its brands and versions if they are left out.
func clientHints(agent string) (platform string, metadata params) {
	if !strings.Contains(agent, "Chrome/") {
		return "", nil
	}
	for _, s := range agentSystems {
		found := regexp.MustCompile(s.in).FindStringSubmatch(agent)
		if found == nil {
			continue
		}
		hints := params{
			"platform": s.name, "platformVersion": strings.ReplaceAll(found[1], "_", "."), "architecture": "x86", "model": "",
			"mobile": strings.Contains(agent, "Mobile"),
		}
		if s.name == "Android" {
			hints["architecture"] = ""
			hints["model"], _, _ = strings.Cut(found[2], " Build/")
		}
		return s.platform, hints
	}
	return "", nil
}

// localeCommand sets the formats of numbers and dates, and the languages.
func localeCommand(o pageOptions) []model.InitCommand {
	p := params{}
	if locale := o.contextOptions["locale"]; locale != "" {
		p["locale"] = locale
	}
	return append(userAgentCommand(o), model.InitCommand{Method: "Emulation.setLocaleOverride", Params: p, Frames: true, Process: true})
}

func timezoneCommand(o pageOptions) []model.InitCommand {
	return []model.InitCommand{{Method: "Emulation.setTimezoneOverride", Frames: true, Process: true,
		Params: params{"timezoneId": o.contextOptions["timezone"]}}}
}

// inEffect reports whether the browser refuses a command because another page of the process has sent it.
func inEffect(err error) bool {
	var no *cdp.Error
	return errors.As(err, &no) && strings.Contains(no.Message, "already in effect")
}

// mediaCommand sets the media type and the media features of pages. Those without a value are the browser's own.
func mediaCommand(o pageOptions) []model.InitCommand {
	features := []params{}
	for option, feature := range map[string]string{
		"color-scheme": "prefers-color-scheme", "reduced-motion": "prefers-reduced-motion", "forced-colors": "forced-colors", "contrast": "prefers-contrast",
	} {
		value := o.contextOptions[option]
		if option == "color-scheme" && value == "no-preference" {
			value = "" // no browser has it any more
		}
		features = append(features, params{"name": feature, "value": value})
	}
	return []model.InitCommand{{Method: "Emulation.setEmulatedMedia", Frames: true,
		Params: params{"media": o.contextOptions["media"], "features": features}}}
}

func geolocationCommand(o pageOptions) []model.InitCommand {
	value := o.contextOptions["geolocation"]
	if value == "" {
		return []model.InitCommand{{Method: "Emulation.clearGeolocationOverride"}}
	}
	at, err := verb.ParseGeolocation(value)
	if err != nil { // checked when the command was parsed, or when the configuration was read
		panic("session: geolocation was not checked: " + err.Error())
	}
	return []model.InitCommand{{Method: "Emulation.setGeolocationOverride",
		Params: params{"latitude": at.Latitude, "longitude": at.Longitude, "accuracy": at.Accuracy}}}
}

func certificateErrorsCommand(o pageOptions) []model.InitCommand {
	return []model.InitCommand{{Method: "Security.setIgnoreCertificateErrors", Params: params{"ignore": o.contextOptions["ignore-https-errors"] != ""}}}
}
