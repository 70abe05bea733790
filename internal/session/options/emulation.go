package options

import (
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

type params = map[string]any

// Pages are the options from which the commands for a page are made.
type Pages struct {
	Live
	// Engine is the browser's version as its User-Agent has it, such as 156.0.0.0.
	Engine string
	// Own is what a browser in stealth was launched as; nil if it is left as it is.
	Own *device.Chrome
}

// Init lists the commands for a new page.
func (o Pages) Init() []model.InitCommand {
	// A page in a background tab or window should behave as if it had the focus:
	// several agents work in one browser. The renderer takes 10 to 20 ms for that, in which a new tab can ask for its page.
	cmds := []model.InitCommand{{Method: "Emulation.setFocusEmulationEnabled", Params: params{"enabled": true}, Behind: true}}
	changes := o.Change(nil)
	if o.Own != nil && !slices.ContainsFunc(changes, func(c model.InitCommand) bool { return c.Method == agentMethod }) {
		cmds = append(cmds, userAgentCommand(o)...)
	}
	return append(cmds, changes...)
}

// Change lists the commands that turn the options old into o, each once.
func (o Pages) Change(old Live) []model.InitCommand {
	var cmds []model.InitCommand
	sent := map[string]bool{}
	for _, row := range table() {
		if row.page == nil || o.Live[row.name] == old[row.name] {
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

// metricsCommand sets the size and layout of the page.
func metricsCommand(o Pages) []model.InitCommand {
	mobile := o.Live["mobile"] != ""
	if o.Live["viewport"] == "" && !mobile { // without a size there is no screen that it is on
		return []model.InitCommand{{Method: "Emulation.clearDeviceMetricsOverride"}}
	}
	size := viewportOf(o.Live["viewport"]) // zero keeps the browser's own
	p := params{"width": size.Width, "height": size.Height, "deviceScaleFactor": size.Scale, "mobile": mobile}
	if screen := viewportOf(o.Live["screen"]); size.Width > 0 && screen.Width >= size.Width && screen.Height >= size.Height {
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
		panic("options: viewport was not checked: " + err.Error())
	}
	return v
}

func touchCommand(o Pages) []model.InitCommand {
	p := params{"enabled": o.Live["touch"] != ""}
	if p["enabled"] == true {
		p["maxTouchPoints"] = 5 // as phones have
	}
	return []model.InitCommand{{Method: "Emulation.setTouchEmulationEnabled", Frames: true, Process: true, Params: p}}
}

// userAgentCommand sets the User-Agent and the languages: Chromium has one command for both.
func userAgentCommand(o Pages) []model.InitCommand {
	agent := strings.ReplaceAll(o.Live["user-agent"], device.Version, o.Engine)
	p := params{"userAgent": agent}
	if platform, metadata := clientHints(agent); metadata != nil {
		p["platform"], p["userAgentMetadata"] = platform, metadata
	} else if agent == "" && o.Own != nil {
		p = o.Own.Override(runtime.GOARCH)
	}
	if locale := o.Live["locale"]; locale != "" {
		p["acceptLanguage"] = locale
		if language, _, regional := strings.Cut(locale, "-"); regional {
			p["acceptLanguage"] = locale + "," + language // as browsers of that region ask
		}
	}
	return []model.InitCommand{{Method: agentMethod, Params: p, Frames: true, Workers: true}}
}

const agentMethod = "Emulation.setUserAgentOverride"

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
func localeCommand(o Pages) []model.InitCommand {
	p := params{}
	if locale := o.Live["locale"]; locale != "" {
		p["locale"] = locale
	}
	return append(userAgentCommand(o), model.InitCommand{Method: "Emulation.setLocaleOverride", Params: p, Frames: true, Process: true})
}

func timezoneCommand(o Pages) []model.InitCommand {
	return []model.InitCommand{{Method: "Emulation.setTimezoneOverride", Frames: true, Process: true,
		Params: params{"timezoneId": o.Live["timezone"]}}}
}

// mediaCommand sets the media type and the media features of pages. Those without a value are the browser's own.
func mediaCommand(o Pages) []model.InitCommand {
	features := []params{}
	for option, feature := range map[string]string{
		"color-scheme": "prefers-color-scheme", "reduced-motion": "prefers-reduced-motion", "forced-colors": "forced-colors", "contrast": "prefers-contrast",
	} {
		value := o.Live[option]
		if option == "color-scheme" && value == "no-preference" {
			value = "" // no browser has it any more
		}
		features = append(features, params{"name": feature, "value": value})
	}
	return []model.InitCommand{{Method: "Emulation.setEmulatedMedia", Frames: true,
		Params: params{"media": o.Live["media"], "features": features}}}
}

func geolocationCommand(o Pages) []model.InitCommand {
	value := o.Live["geolocation"]
	if value == "" {
		return []model.InitCommand{{Method: "Emulation.clearGeolocationOverride"}}
	}
	at, err := verb.ParseGeolocation(value)
	if err != nil { // checked when the command was parsed, or when the configuration was read
		panic("options: geolocation was not checked: " + err.Error())
	}
	return []model.InitCommand{{Method: "Emulation.setGeolocationOverride",
		Params: params{"latitude": at.Latitude, "longitude": at.Longitude, "accuracy": at.Accuracy}}}
}

func certificateErrorsCommand(o Pages) []model.InitCommand {
	return []model.InitCommand{{Method: "Security.setIgnoreCertificateErrors", Params: params{"ignore": o.Live["ignore-https-errors"] != ""}}}
}
