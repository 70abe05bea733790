package verb

import (
	"slices"
	"sync"
)

// GlobalFlags returns the flags that every verb takes, in the order of help. They may be anywhere on the line. Callers
// must not change the slice.
func GlobalFlags() []Flag { return globalFlags() }

// GlobalFlag returns the flag of GlobalFlags with that name, nil if there is none.
func GlobalFlag(name string) *Flag { return findFlag(GlobalFlags(), name) }

// BuiltIn returns the default value; "" if there is none.
func (f *Flag) BuiltIn() string {
	if f.Kind == Bool && f.Default == "" {
		return "false"
	}
	return f.Default
}

// lineFlags are those of GlobalFlags that may stand on a command line.
var lineFlags = sync.OnceValue(func() []Flag {
	return slices.DeleteFunc(slices.Clone(GlobalFlags()), func(f Flag) bool { return f.Own })
})

var globalFlags = sync.OnceValue(func() []Flag {
	return []Flag{
		{Name: "session", Kind: Name, Value: "name", Default: "default", Scope: PerSession, Env: "SESSION", Key: "session",
			Example: "shop", Doc: "the browser session; each has its own tabs, cookies and refs"},
		{Name: "namespace", Kind: Name, Value: "name", Scope: PerSession, Env: "NAMESPACE", Key: "namespace",
			Example: "ci", Unset: "none", Doc: "a separate set of session names"},
		{Name: "json", ProjectMaySet: true, Kind: Bool, Scope: PerCall, Env: "JSON", Key: "json",
			Doc: "print one JSON envelope instead of text"},
		{Name: "timeout", ProjectMaySet: true, Kind: Duration, Value: "ms|30s", Scope: PerCall, Env: "DEFAULT_TIMEOUT",
			Example: "30s", Unset: "5s for actions and reading, 25s for the rest", Doc: "deadline of this command"},
		{Name: "headed", ProjectMaySet: true, Kind: Bool, Scope: AtLaunch, Env: "HEADED", Key: "headed",
			Doc: "show the browser's window, on the display of the shell that starts it"},
		{Name: "executable-path", Kind: Path, Value: "path", Scope: AtLaunch, Env: "EXECUTABLE_PATH", Key: "executablePath",
			Example: "/usr/bin/chromium", Unset: "the first Chromium, Chrome, Edge or Brave found", Doc: "the browser program"},
		{Name: "args", Kind: String, Value: "switches", Multi: Lines, Raw: true, Scope: AtLaunch, Env: "ARGS", Key: "args",
			Example: "[--lang=de, --mute-audio]", Unset: "none", Doc: "extra switches for the browser; may be repeated, or several separated by line breaks or by a comma before --"},
		{Name: "user-agent", ProjectMaySet: true, Kind: String, Value: "text", Raw: true, Scope: PerContext, Env: "USER_AGENT", Key: "userAgent",
			Example: "ExampleBot/1.0", Unset: "the browser's own", Doc: "the User-Agent header and navigator.userAgent; {version} in it stands for the browser's version"},
		{Name: "headers", Kind: JSON, Value: "json", Raw: true, Scope: PerContext,
			Example: "{X-Team: qa}", Unset: "none", Doc: "extra request headers as a JSON object, sent to the origin that is opened"},
		{Name: "extra-headers", Kind: JSON, Value: "json", Raw: true, Scope: PerContext,
			Example: "{X-Team: qa}", Unset: "none", Doc: "extra request headers as a JSON object, sent to every origin"},
		{Name: "proxy", Kind: String, Value: "url", Scope: AtLaunch, Env: "PROXY", Key: "proxy",
			Example: "http://127.0.0.1:3128", Unset: "none", Doc: "proxy server of the browser; credentials in the URL are used for its authentication and not shown on the browser's command line"},
		{Name: "proxy-bypass", Kind: String, Value: "hosts", Scope: AtLaunch, Env: "PROXY_BYPASS", Key: "proxyBypass",
			Example: "localhost,127.0.0.1", Unset: "none", Doc: "hosts to reach without the proxy, separated by commas"},
		{Name: "ignore-https-errors", Kind: Bool, Scope: PerContext, Env: "IGNORE_HTTPS_ERRORS", Key: "ignoreHttpsErrors",
			Doc: "accept invalid certificates"},
		{Name: "allow-file-access", Kind: Bool, Scope: AtLaunch, Env: "ALLOW_FILE_ACCESS", Key: "allowFileAccess",
			Doc: "let file:// pages read other files"},
		{Name: "color-scheme", ProjectMaySet: true, Kind: String, Value: "scheme", Choices: []string{"dark", "light", "no-preference"}, Scope: PerContext,
			Env: "COLOR_SCHEME", Key: "colorScheme", Example: "dark", Unset: "the browser's own", Doc: "the prefers-color-scheme of pages"},
		{Name: "reduced-motion", ProjectMaySet: true, Kind: String, Value: "which", Choices: []string{"reduce", "no-preference", Unemulated}, Scope: PerContext,
			Example: "reduce", Unset: "the browser's own", Doc: "the prefers-reduced-motion of pages"},
		{Name: "forced-colors", ProjectMaySet: true, Kind: String, Value: "which", Choices: []string{"active", "none", Unemulated}, Scope: PerContext,
			Example: "active", Unset: "the browser's own", Doc: "the forced-colors of pages"},
		{Name: "contrast", ProjectMaySet: true, Kind: String, Value: "which", Choices: []string{"more", "less", "custom", "no-preference", Unemulated}, Scope: PerContext,
			Example: "more", Unset: "the browser's own", Doc: "the prefers-contrast of pages"},
		{Name: "media", ProjectMaySet: true, Kind: String, Value: "type", Choices: []string{"print", "screen", Unemulated}, Scope: PerContext,
			Example: "print", Unset: "screen", Doc: "the media type of pages"},
		{Name: "timezone", ProjectMaySet: true, Kind: Timezone, Value: "name", Scope: PerContext,
			Example: "Europe/Berlin", Unset: "the browser's own", Doc: "time zone of pages"},
		{Name: "locale", ProjectMaySet: true, Kind: Locale, Value: "tag", Scope: PerContext,
			Example: "de-DE", Unset: "the browser's own", Doc: "language of pages: navigator.language, Accept-Language, formats of numbers and dates"},
		{Name: "geolocation", Kind: Geolocation, Value: "lat,lng[,accuracy]", Scope: PerContext,
			Example: "52.52,13.405", Unset: "the browser's own", Doc: "position of the device in degrees, accuracy in metres; allows pages to read it unless --permissions has a policy for geolocation"},
		{Name: "viewport", ProjectMaySet: true, Kind: Size, Value: "WxH[@scale]", Scope: PerContext,
			Example: "1280x720@2", Unset: "1280x720", Doc: "size of the page in CSS pixels"},
		{Name: "device", ProjectMaySet: true, Kind: Device, Value: "name", Scope: PerContext,
			Example: "iPhone 15", Unset: "none", Doc: "imitate a device of Playwright's list (`set devices`): viewport, screen, mobile, touch and user-agent, unless given themselves"},
		{Name: "screen", ProjectMaySet: true, Kind: Size, Value: "WxH", Scope: PerContext,
			Example: "1920x1080", Unset: "the size of the page", Doc: "size of the screen in CSS pixels; ignored while the page is larger"},
		{Name: "mobile", ProjectMaySet: true, Kind: Bool, Scope: PerContext,
			Doc: "lay pages out as on a phone: by their viewport meta tag, with overlay scrollbars"},
		{Name: "touch", ProjectMaySet: true, Kind: Bool, Scope: PerContext,
			Doc: "emulate a touch screen"},
		{Name: "hide-scrollbars", ProjectMaySet: true, Kind: Bool, Default: "true", Scope: AtLaunch, Env: "HIDE_SCROLLBARS", Key: "hideScrollbars",
			Doc: "hide scrollbars in screenshots"},
		{Name: "download-path", Kind: Path, Value: "dir", Scope: PerContext, Env: "DOWNLOAD_PATH", Key: "downloadPath",
			Example: "~/Downloads", Unset: "a directory of the session", Doc: "where downloads are saved"},
		{Name: "upload-root", Kind: Path, Value: "dirs", Multi: CSV, Scope: PerCall,
			Example: "[~/uploads, /srv/files]", Unset: "working, home and temporary directory", Doc: "the only directories from which files may be uploaded; default: working, home and temporary directory without hidden files"},
		{Name: "screenshot-dir", Kind: Path, Value: "dir", Scope: PerCall, Env: "SCREENSHOT_DIR", Key: "screenshotDir",
			Example: "~/screenshots", Unset: "a directory of usher's", Doc: "where screenshots without a path are saved"},
		{Name: "screenshot-format", ProjectMaySet: true, Kind: String, Value: "format", Choices: []string{"png", "jpeg", "webp"}, Scope: PerCall,
			Env: "SCREENSHOT_FORMAT", Key: "screenshotFormat", Example: "webp", Unset: "png", Doc: "format of screenshots whose path has no known extension"},
		{Name: "screenshot-quality", ProjectMaySet: true, Kind: Int, Value: "1-100", Min: 1, Max: 100, Scope: PerCall, Env: "SCREENSHOT_QUALITY", Key: "screenshotQuality",
			Example: "80", Unset: "the browser's own", Doc: "quality of jpeg and webp screenshots"},
		{Name: "annotate", ProjectMaySet: true, Kind: Bool, Scope: PerCall, Env: "ANNOTATE", Key: "annotate",
			Doc: "screenshot: draw the refs on the image and list them"},
		{Name: "dialog-policy", Kind: String, Value: "policy", Choices: []string{"must_respond", "auto_dismiss", "auto_accept"},
			Scope: PerContext, Example: "auto_dismiss", Unset: "must_respond", Doc: "what happens to an alert, confirm or prompt that a page opens"},
		{Name: "dialog-timeout", Kind: Duration, Value: "ms|60s", Scope: PerContext,
			Example: "60s", Unset: "5m", Doc: "dismiss an unanswered dialog after this time; 5 minutes if not set"},
		{Name: "dialog-rules", Kind: DialogRule, Value: "rule", Multi: Repeat, Raw: true, Scope: PerContext,
			Example: "[accept kind=alert, dismiss kind=beforeunload]", Unset: "none", Doc: "rules that answer dialogs before the policy does (help dialog rule); may be repeated"},
		{Name: "on-dialog", Kind: DialogAnswer, Value: "answer", Raw: true, Scope: PerCall,
			Example: "accept", Unset: "what dialog-rules and dialog-policy say", Doc: "accept, accept=text, dismiss or ask: the answer to dialogs that this command opens in its tab"},
		{Name: "permissions", Kind: Permission, Value: "policies", Multi: CSV, Scope: PerContext,
			Example: "[camera=allow, geolocation=deny]", Unset: "browser", Doc: "permission policies: camera=allow,microphone=deny,geolocation=ask, or allow, deny, ask or browser for all others; by default the browser decides, and headless it denies"},
		{Name: "credentials", Kind: Credential, Value: "user:pass[@origin]", Multi: Repeat, Raw: true, Scope: PerContext,
			Example: "[\"user:password@https://example.com\"]", Unset: "none", Doc: "credentials for HTTP and proxy authentication, for matching origins (https://*.example.com) or for all; may be repeated; safer in the environment or a file than on a command line"},
		{Name: "no-auto-dialog", Kind: Bool, Scope: PerContext, Env: "NO_AUTO_DIALOG", Key: "noAutoDialog",
			Doc: "the same as --dialog-policy must_respond"},
		{Name: "dialog-bridge", Kind: String, Value: "mode", Default: "auto", Choices: []string{"auto", "on", "off"},
			Scope: PerContext, Env: "DIALOG_BRIDGE", Key: "dialogBridge",
			Example: "on", Doc: "intercept alert, confirm and prompt before another CDP client or a proxy answers them; auto: after one was answered so"},
		{Name: "site-guard", Kind: Bool, Scope: PerCall,
			Doc: "open and read safe addresses only: no cloud metadata, secrets in URLs, debugging ports, blocked sites, or internal networks of a remote browser; redact secrets in page content"},
		{Name: "allow-private-urls", Kind: Bool, Scope: PerCall, Section: "security.allow_private_urls",
			Doc: "site guard: allow addresses of internal networks; cloud metadata stays refused"},
		{Name: "blocked-sites", Kind: String, Value: "hosts", Multi: CSV, Scope: PerCall, Section: "security.website_blocklist.domains",
			Example: "[\"*.ads.example\", 10.0.0.0/8]", Unset: "none", Doc: "site guard: hosts (with subdomains), *.example.com, IP addresses or ranges (10.0.0.0/8) to refuse, separated by commas; enables the guard"},
		{Name: "blocked-sites-file", Kind: Path, Value: "files", Multi: CSV, Scope: PerCall, Section: "security.website_blocklist.shared_files",
			Example: "[~/blocked.txt]", Unset: "none", Doc: "files with blocked sites, one per line; an unreadable file blocks every address"},
		{Name: "blocklist", Kind: Bool, Default: "true", Scope: PerCall, Section: "security.website_blocklist.enabled",
			Doc: "apply the blocked sites"},
		{Name: "raw-cdp", Kind: String, Value: "rule", Default: "restricted", Choices: []string{"restricted", "unrestricted"}, Scope: PerCall, Section: "security.raw_cdp", Own: true,
			Example: "unrestricted", Doc: "CDP methods that `cdp` sends under the site guard (always on for agents); unrestricted gives agents all your files, pages and logins"},
		{Name: "search-provider", Kind: String, Value: "name", Choices: []string{"brave", "tavily", "exa", "searxng"}, Scope: PerCall, Section: "web.search.provider",
			Example: "brave", Unset: "the first whose key is set", Doc: "the search engine of web search; default: the first whose key is in the environment"},
		{Name: "cdp", Kind: Endpoint, Value: "port|url", Scope: AtLaunch, Env: "CDP", Key: "cdp",
			Example: "9222", Unset: "none", Doc: "use the running browser at this debugging port or address"},
		{Name: "cdp-port", Kind: Int, Value: "n", Max: 65534, Scope: AtLaunch,
			Example: "0", Unset: "no port", Doc: "open a debugging port on 127.0.0.1 for other programs, 0 for a free one: every user and program of this machine can then read all cookies and pages of this browser, and your files; see get cdp-url"},
		{Name: "auto-connect", Kind: Bool, Scope: AtLaunch, Env: "AUTO_CONNECT", Key: "autoConnect",
			Doc: "find and use a running browser that has a debugging port"},
		{Name: "profile", Kind: Path, Value: "dir", Scope: AtLaunch, Env: "PROFILE", Key: "profile",
			Example: "~/browser-profile", Unset: "a temporary directory", Doc: "keep the browser's profile in this directory"},
		{Name: "record", Kind: Path, Value: "file", Scope: AtLaunch,
			Example: "~/session.rec", Unset: "none", Doc: "write all CDP messages, secrets included, to this new file (see replay)"},
		{Name: "stealth", ProjectMaySet: true, Kind: Bool, Scope: AtLaunch,
			Doc: "observe pages without detection: console messages as text only, errors without stack (see doctor --stealth)"},
		{Name: "isolate", Kind: Bool, Scope: AtLaunch,
			Doc: "give the session a browser process of its own"},
		{Name: "share", Kind: Int, Value: "n", Default: "8", Scope: PerSession, Env: "SHARE",
			Example: "1", Doc: "maximum number of sessions with equal options in one browser process"},
		{Name: "auto-recover", Kind: Bool, Scope: PerSession,
			Doc: "reopen the last address after the browser crashed"},
		{Name: "idle-timeout", ProjectMaySet: true, Kind: Duration, Value: "ms|1h", Default: "1h", Scope: PerSession, Env: "IDLE_TIMEOUT_MS", Key: "idleTimeout",
			Example: "30m", Doc: "close the session after this long without a command; 0 means never"},
		{Name: "config", Kind: Path, Value: "path", Scope: ForTheTool, Env: "CONFIG",
			Example: "~/other.yaml", Unset: "the usual files", Doc: "read this configuration file instead of the usual ones"},
		{Name: "debug", ProjectMaySet: true, Kind: Bool, Scope: ForTheTool, Env: "DEBUG", Key: "debug",
			Doc: "log the daemon's actions"},
	}
})
