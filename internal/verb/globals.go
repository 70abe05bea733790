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
			Example: "ExampleBot/1.0", Unset: "the browser's own", Doc: "the User-Agent header and navigator.userAgent"},
		{Name: "headers", Kind: JSON, Value: "json", Raw: true, Scope: PerContext,
			Example: "{X-Team: qa}", Unset: "none", Doc: "extra request headers as a JSON object, sent to the origin that is opened"},
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
		{Name: "viewport", ProjectMaySet: true, Kind: Size, Value: "WxH[@scale]", Scope: PerContext,
			Example: "1280x720@2", Unset: "1280x720", Doc: "size of the page in CSS pixels"},
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
		{Name: "allowed-domains", Kind: Domain, Value: "hosts", Multi: CSV, Scope: PerContext, Env: "ALLOWED_DOMAINS", Key: "allowedDomains",
			Example: "[example.com, \"*.example.org\"]", Unset: "all", Doc: "the only hosts that the session may reach: example.com, *.example.com (with all below it), an address, host:port; enforced for every request of the browser, whoever makes it; holds until close"},
		{Name: "action-policy", Kind: Path, Value: "file", Scope: PerCall, Env: "ACTION_POLICY", Key: "actionPolicy",
			Example: "~/policy.json", Unset: "none", Doc: "JSON file {default, allow, deny, confirm} of categories or commands; read again when it changes, and in force until the session is closed (see help policy)"},
		{Name: "confirm-actions", Kind: String, Value: "names", Multi: CSV, Scope: PerCall, Env: "CONFIRM_ACTIONS", Key: "confirmActions",
			Example: "[eval, download]", Unset: "none", Doc: "categories or commands that a person must confirm, until the session is closed (see help policy)"},
		{Name: "confirm-interactive", Kind: Bool, Scope: PerCall, Env: "CONFIRM_INTERACTIVE", Key: "confirmInteractive",
			Doc: "ask for confirmations on the terminal; without a terminal they are refused"},
		{Name: "content-boundaries", Kind: Bool, Scope: PerCall, Env: "CONTENT_BOUNDARIES", Key: "contentBoundaries",
			Doc: "put lines with a random nonce round all text that may come from pages; _boundary in JSON"},
		{Name: "max-output", ProjectMaySet: true, Kind: Int, Value: "chars", Min: 1, Scope: PerCall, Env: "MAX_OUTPUT", Key: "maxOutput",
			Example: "20000", Unset: "no limit", Doc: "cut page content after this many characters, with a note; in JSON each member of data"},
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
