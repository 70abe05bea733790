package emulation

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands that change the device. Their rules turn the arguments into global flags.
func grammar() verb.Set {
	return verb.Join(grammarDevice(), grammarPage())
}

// set completes a command of the family.
func set(v verb.Verb) verb.Verb {
	v.Group, v.Category, v.Marks = verb.GroupDevice, verb.CatSession, verb.Starts|verb.ChangesPage
	return v
}

// grammarDevice returns the commands about the device and its network.
func grammarDevice() verb.Set {
	return verb.Set{Families: []verb.Family{{Name: "device", Summary: "simulators of devices", Bare: "device list"}, {Name: "set", Summary: "change the device that pages see, for all tabs of the session"}}, Verbs: []verb.Verb{
		set(verb.Verb{Name: "set viewport", Check: viewportRules, Summary: "set the size of the page",
			Args: []verb.Arg{{Name: "width", Required: true, Doc: "CSS pixels; or both sides as 1280x720; or default for the browser's own size"}, {Name: "height", Doc: "CSS pixels"},
				{Name: "scale", Doc: "device pixels to a CSS pixel; default: 1"}},
			Help:     "The same as --viewport. Reports the size that the page has afterwards.",
			Examples: []string{"set viewport 1280 720", "set viewport 390 844 3", "set viewport default"}, Next: []string{"screenshot"}}),
		set(verb.Verb{Name: "set device", Check: flagRule("device", "name"), Summary: "imitate a phone, tablet or desktop computer",
			Args: []verb.Arg{{Name: "name", Rest: true, Required: true, Doc: "a name of Playwright's list, or default for none"}},
			Help: "Sets viewport, scale, screen, mobile layout, touch screen and User-Agent as the device has them; the version in the User-Agent\n" +
				"is the browser's own. The same as --device. Open pages keep what they were laid out for; reload them.",
			Examples: []string{"set device iPhone 15", "set device \"Pixel 7 landscape\"", "set device default"}, Next: []string{"reload", "snapshot -i"}}),
		{Name: "set devices", Summary: "list the devices that `set device` knows", Examples: []string{"set devices"}, Group: verb.GroupDevice, Category: verb.CatTool},
		{Name: "device list", Summary: "list the simulators of iOS (not supported)",
			Help:     "Fails with unsupported: simulators need macOS with Xcode and Appium, which usher does not drive. Chromium can imitate a device.",
			Examples: []string{"device list"}, Next: []string{"set devices", "open example.com --device \"iPhone 15\""}, Group: verb.GroupDevice, Category: verb.CatTool},
		set(verb.Verb{Name: "set geo", Synonyms: []string{"set geolocation"}, Check: geolocationRules, Summary: "set the geographic position",
			Args: []verb.Arg{{Name: "latitude", Required: true, Raw: true, Doc: "degrees north, or default for the browser's own position"}, {Name: "longitude", Raw: true, Doc: "degrees east"},
				{Name: "accuracy", Raw: true, Doc: "metres; default: 0"}},
			Help:     "Also allows pages to read the position, unless --permissions has a policy for geolocation. The same as --geolocation.",
			Examples: []string{"set geo 52.52 13.405", "set geo -33.87 151.21 50", "set geo default"}}),
		set(verb.Verb{Name: "set offline", Summary: "cut the network off, or connect it again",
			Args:     []verb.Arg{{Name: "switch", Choices: []string{"on", "off"}, Doc: "default: on"}},
			Help:     "Throttling by `network throttle` holds again after off.",
			Examples: []string{"set offline", "set offline off"}}),
		set(verb.Verb{Name: "set headers", Check: flagRule("extra-headers", "object"), Summary: "set extra request headers",
			Args: []verb.Arg{{Name: "object", Required: true, Kind: verb.JSON, Raw: true, Doc: "a JSON object; {} removes all"}},
			Help: "They are sent with every request of the session, to every origin. `open --headers` sends headers to one origin only: use that\n" +
				"for secrets. The same as --extra-headers.",
			Examples: []string{"set headers '{\"X-Team\":\"qa\"}'", "set headers '{}'"}}),
		set(verb.Verb{Name: "set credentials", Synonyms: []string{"set auth"}, Check: credentialsRules, Summary: "set the login for HTTP authentication",
			Args: []verb.Arg{{Name: "username", Required: true, Raw: true, Doc: "the user's name"}, {Name: "password", Required: true, Raw: true, Doc: "the password, for any origin"}},
			Help: "The same as --credentials, which can restrict a login to an origin and be given in the environment, where other programs cannot\n" +
				"read it.",
			Examples: []string{"set credentials ada secret"}}),
	}}
}

// grammarPage returns the commands about what pages read of the device.
func grammarPage() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		set(verb.Verb{Name: "set media", Check: mediaRules, Summary: "set media type and media features",
			Args: []verb.Arg{{Name: "features", Variadic: true, Doc: "dark, light or no-preference; print or screen; reduced-motion, forced-colors, contrast=more, each also with =VALUE; or default for all of them"}},
			Help: "The same as --color-scheme, --media, --reduced-motion, --forced-colors and --contrast. What is not named is kept. Without\n" +
				"arguments prints what the page sees.",
			Examples: []string{"set media dark", "set media dark reduced-motion", "set media print", "set media contrast=more forced-colors", "set media default"}}),
		set(verb.Verb{Name: "set timezone", Check: flagRule("timezone", "name"), Summary: "set the time zone",
			Args:     []verb.Arg{{Name: "name", Required: true, Doc: "a name of the IANA time zone database, or default"}},
			Help:     "The same as --timezone.",
			Examples: []string{"set timezone Europe/Berlin", "set timezone default"}}),
		set(verb.Verb{Name: "set locale", Check: flagRule("locale", "tag"), Summary: "set the language of pages",
			Args:     []verb.Arg{{Name: "tag", Required: true, Doc: "a language tag such as de-DE, or default"}},
			Help:     "Sets navigator.language, the Accept-Language header, and the formats of numbers and dates. The same as --locale.",
			Examples: []string{"set locale de-DE", "set locale default"}, Next: []string{"reload"}}),
		set(verb.Verb{Name: "set useragent", Synonyms: []string{"set user-agent"}, Check: flagRule("user-agent", "text"), Summary: "set the User-Agent",
			Args: []verb.Arg{{Name: "text", Required: true, Rest: true, Raw: true, Doc: "the text, in which {version} is the browser's version; or default"}},
			Help: "Sets the header and navigator.userAgent; for one of Chromium also the client hints and navigator.platform. The same as\n" +
				"--user-agent.",
			Examples: []string{"set useragent ExampleBot/1.0", "set useragent default"}, Next: []string{"reload"}}),
		set(verb.Verb{Name: "set permissions", Check: permissionsRules, Summary: "set permission policies",
			Args:     []verb.Arg{{Name: "policies", Required: true, Variadic: true, Doc: "camera=allow, geolocation=deny, ...; or allow, deny, ask or browser for all others"}},
			Help:     "They replace the earlier ones. The same as --permissions.",
			Examples: []string{"set permissions camera=allow microphone=deny", "set permissions browser"}}),
	}}
}

// flagRule returns the rule of a command whose argument is the value of a global flag.
func flagRule(flag, arg string) func(*verb.Call) *verb.Error {
	return func(c *verb.Call) *verb.Error { return c.Give(flag, c.Str(arg)) }
}

func viewportRules(c *verb.Call) *verb.Error {
	size := c.Str("width")
	switch {
	case size == verb.Unemulated && c.Has("height"):
		return verb.Invalid(verb.Unemulated + " stands alone")
	case size == verb.Unemulated:
	case !c.Has("height") && strings.ContainsAny(size, "xX"): // 800x600, as --viewport has it
	case !c.Has("height"):
		return &verb.Error{Code: verb.MissingArgument, Message: "set viewport needs <height>: CSS pixels"}
	default:
		size += "x" + c.Str("height")
		if c.Has("scale") {
			size += "@" + c.Str("scale")
		}
	}
	return c.Give("viewport", size)
}

func geolocationRules(c *verb.Call) *verb.Error {
	if c.Str("latitude") == verb.Unemulated && !c.Has("longitude") {
		return c.Give("geolocation", verb.Unemulated)
	}
	if !c.Has("longitude") {
		return &verb.Error{Code: verb.MissingArgument, Message: "set geo needs <longitude>: degrees east"}
	}
	at := c.Str("latitude") + "," + c.Str("longitude")
	if c.Has("accuracy") {
		at += "," + c.Str("accuracy")
	}
	return c.Give("geolocation", at)
}

func credentialsRules(c *verb.Call) *verb.Error {
	user, password := c.Str("username"), c.Str("password")
	if user == "" || strings.Contains(user, ":") {
		return verb.Invalid("a user's name for HTTP authentication is not empty and has no colon")
	}
	login := user + ":" + password
	if got, err := policy.ParseCredential(login); err != nil || got.Password() != password {
		login += "@*://*" // the end of the password looks like an origin
	}
	return c.Give("credentials", login)
}

// mediaFlags are the flags of the words of `set media`.
var mediaFlags = []struct{ flag, bare string }{{"reduced-motion", "reduce"}, {"forced-colors", "active"}, {"contrast", "more"}}

func mediaRules(c *verb.Call) *verb.Error {
	for _, word := range c.List("features") {
		if err := giveMedia(c, word); err != nil {
			return err
		}
	}
	return nil
}

func giveMedia(c *verb.Call, word string) *verb.Error {
	switch name, value, valued := strings.Cut(strings.ToLower(word), "="); {
	case valued && name == "media":
		return c.Give("media", value)
	case valued && name == "color-scheme":
		return c.Give("color-scheme", value)
	case name == "dark", name == "light", name == "no-preference":
		return c.Give("color-scheme", name)
	case name == "print", name == "screen":
		return c.Give("media", name)
	case name == verb.Unemulated:
		for _, flag := range []string{"media", "reduced-motion", "forced-colors", "contrast"} {
			if err := c.Give(flag, verb.Unemulated); err != nil {
				return err
			}
		}
		return c.Give("color-scheme", "no-preference")
	default:
		for _, m := range mediaFlags {
			if m.flag != name {
				continue
			}
			if !valued {
				value = m.bare
			}
			return c.Give(m.flag, value)
		}
	}
	return &verb.Error{Code: verb.InvalidArgument, Message: plain.Quote(word) + " is no media type or feature",
		Accepted: []string{"dark", "light", "no-preference", "print", "screen", "reduced-motion", "forced-colors", "contrast=more", verb.Unemulated}}
}

func permissionsRules(c *verb.Call) *verb.Error {
	return c.Give("permissions", strings.Join(c.List("policies"), ","))
}

// degrees writes a number of degrees as it was meant.
func degrees(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
