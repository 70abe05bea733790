package api

// Code names one kind of failure. It is stable: programs match on it, the
// message beside it may change.
type Code string

// The codes, grouped by subject. The table below has the meaning and the hint of each.
const (
	// The command line itself.
	UnknownCommand     Code = "unknown_command"
	UnknownSubcommand  Code = "unknown_subcommand"
	UnknownFlag        Code = "unknown_flag"
	MissingArgument    Code = "missing_argument"
	InvalidArgument    Code = "invalid_argument"
	InvalidSessionName Code = "invalid_session_name"
	InvalidConfig      Code = "invalid_config"
	UnknownToolset     Code = "unknown_toolset"
	ToolUnavailable    Code = "tool_unavailable"
	ToolFailed         Code = "tool_failed"
	NotConfirmed       Code = "not_confirmed"
	PluginNotFound     Code = "plugin_not_found"
	PluginFailed       Code = "plugin_failed"
	InvalidJSON        Code = "invalid_json"
	TooLarge           Code = "too_large"
	FileNotFound       Code = "file_not_found"
	FileNotAllowed     Code = "file_not_allowed"
	FileProtected      Code = "file_protected"
	FileWriteFailed    Code = "file_write_failed"
	InvalidState       Code = "invalid_state"
	WrongKey           Code = "wrong_key"
	KeyringUnavailable Code = "keyring_unavailable"

	// The element meant.
	UnknownRef         Code = "unknown_ref"
	StaleRef           Code = "stale_ref"
	InvalidSelector    Code = "invalid_selector"
	SelectorAmbiguous  Code = "selector_ambiguous"
	ElementNotFound    Code = "element_not_found"
	ElementDetached    Code = "element_detached"
	ElementNotVisible  Code = "element_not_visible"
	ElementNotStable   Code = "element_not_stable"
	ElementDisabled    Code = "element_disabled"
	ElementReadonly    Code = "element_readonly"
	ElementCovered     Code = "element_covered"
	ElementUnsuitable  Code = "element_unsuitable"
	OptionNotFound     Code = "option_not_found"
	UnknownKey         Code = "unknown_key"
	ActionNotDelivered Code = "action_not_delivered"

	// The page, its frames and dialogs.
	NavigationFailed     Code = "navigation_failed"
	UnsupportedURL       Code = "unsupported_url"
	ActionDenied         Code = "action_denied"
	ConfirmationRequired Code = "confirmation_required"
	NoConfirmation       Code = "no_confirmation"
	DomainNotAllowed     Code = "domain_not_allowed"
	URLBlocked           Code = "url_blocked"
	GuardRefused         Code = "guard_refused"
	MethodRefused        Code = "method_refused"
	UserRefused          Code = "user_refused"
	SearchUnavailable    Code = "search_unavailable"
	SearchFailed         Code = "search_failed"
	ExtractFailed        Code = "extract_failed"
	NoHistory            Code = "no_history"
	EvaluationFailed     Code = "evaluation_failed"
	DialogOpen           Code = "dialog_open"
	NoDialog             Code = "no_dialog"
	InterruptionOpen     Code = "interruption_open"
	NoInterruption       Code = "no_interruption"
	LoginRefused         Code = "login_refused"
	LoginNotFound        Code = "login_not_found"
	LoginFailed          Code = "login_failed"
	FrameNotFound        Code = "frame_not_found"
	FrameAmbiguous       Code = "frame_ambiguous"
	FrameDetached        Code = "frame_detached"
	PageScriptFailed     Code = "page_script_failed"
	TabNotFound          Code = "tab_not_found"
	TabGone              Code = "tab_gone"
	TabBusy              Code = "tab_busy"
	TabLabelTaken        Code = "tab_label_taken"
	LastTab              Code = "last_tab"
	RequestNotFound      Code = "request_not_found"
	CookieNotFound       Code = "cookie_not_found"
	ToolNotRegistered    Code = "webmcp_tool_not_found"
	NoInvocation         Code = "webmcp_invocation_not_found"
	InvocationEnded      Code = "webmcp_invocation_not_active"
	PageToolFailed       Code = "webmcp_tool_failed"
	DownloadFailed       Code = "download_failed"
	CaptureFailed        Code = "capture_failed"
	TraceActive          Code = "trace_active"
	NoTrace              Code = "no_trace"
	Timeout              Code = "timeout"
	EventsLost           Code = "events_lost"
	StorageUnavailable   Code = "storage_unavailable"

	// The browser.
	BrowserNotFound      Code = "browser_not_found"
	BrowserNotRunning    Code = "browser_not_running"
	BrowserCrashed       Code = "browser_crashed"
	RendererCrashed      Code = "renderer_crashed"
	RendererUnresponsive Code = "renderer_unresponsive"
	BrowserUnresponsive  Code = "browser_unresponsive"
	LaunchFailed         Code = "launch_failed"
	LaunchConflict       Code = "launch_conflict"
	AttachFailed         Code = "attach_failed"
	CleanupFailed        Code = "cleanup_failed"
	ProviderFailed       Code = "provider_failed"
	InstallFailed        Code = "install_failed"
	ProtocolError        Code = "protocol_error"
	UnknownMethod        Code = "unknown_method"
	Unsupported          Code = "unsupported"

	// Sessions and the background process.
	SessionNotFound   Code = "session_not_found"
	SessionClosed     Code = "session_closed"
	ConnectionLost    Code = "connection_lost"
	DaemonStartFailed Code = "daemon_start_failed"
	DaemonVersion     Code = "daemon_version"
	DaemonStopping    Code = "daemon_stopping"
	PermissionDenied  Code = "permission_denied"
	InvalidRequest    Code = "invalid_request"
	Cancelled         Code = "cancelled"
	BatchFailed       Code = "batch_failed"
	CheckFailed       Code = "check_failed"
	Internal          Code = "internal_error"
)

// Info is the table's entry of a code.
type Info struct {
	Code Code
	// Exit is the exit status of a command that fails with the code.
	Exit int
	// Retryable reports whether the same command may succeed later without another command in between, for example
	// because the page was still moving.
	Retryable bool
	// Meaning is one sentence for docs/ERRORS.md.
	Meaning string
	// Hint is the next step for errors without a hint of their own. It is "" if the message suffices.
	Hint string
}

// exitInterrupted is the exit status after SIGINT, by the convention of shells.
const exitInterrupted = 130

// table contains constants only, so that the linker lays it out and it costs nothing at start-up.
var table = [...]Info{
	{UnknownCommand, 1, false, "There is no such command.", "Run `usher help` for the list of commands."},
	{UnknownSubcommand, 1, false, "The command exists, its sub-command does not.", ""},
	{UnknownFlag, 1, false, "The command does not accept this flag.", ""},
	{MissingArgument, 1, false, "An argument the command needs is missing.", ""},
	{InvalidArgument, 1, false, "An argument or flag value is not of the expected kind.", ""},
	{InvalidSessionName, 1, false, "A session or namespace name has characters other than letters, digits, `-` and `_`.", "Use letters, digits, `-` and `_`."},
	{InvalidConfig, 1, false, "A configuration file or environment variable cannot be used.", ""},
	{UnknownToolset, 1, false, "There is no toolset, tool or platform of that name; `data` has the nearest names.", "Run `usher tools list --all` for the names."},
	{ToolUnavailable, 1, true, "The MCP server or plugin that has the tool is not running, or ended during the call; the message says why.", "Run `usher tools show` with the name of its toolset."},
	{ToolFailed, 1, false, "The MCP server or plugin that has the tool refused the call.", ""},
	{NotConfirmed, 1, false, "The tool needs the person's confirmation (`confirm_tools`), and the person did not allow the call, or cannot be asked.", "Ask the person, or use another tool."},
	{PluginNotFound, 1, false, "No plugin of that name is configured, or it does not declare the capability.", "See `plugin list`; add one with `plugin add`."},
	{PluginFailed, 1, true, "A plugin could not be started, failed, or wrote no valid reply.", "Run its program by hand: it reads one JSON object from standard input and writes one (see help plugin)."},
	{InvalidJSON, 1, false, "An argument or standard input is not valid JSON.", ""},
	{TooLarge, 1, false, "An argument, standard input or result is over its size limit.", ""},
	{FileNotFound, 1, false, "A file named by the command cannot be read.", "Relative paths are relative to the directory the command ran in."},
	{FileNotAllowed, 1, false, "The file is outside the directories from which files may be uploaded. Nothing was done.", "To allow it, pass its directory with --upload-root."},
	{FileProtected, 1, false, "Agents must not use the file: it belongs to usher, or can start programs (settings of shells, editors and version control, hidden files in a home). `data` has the resolved path. Nothing was done.", "Ask the person you work for to do it, or choose another path."},
	{FileWriteFailed, 1, false, "A file could not be written (no space, no permission, no such directory). Nothing partial is left behind.", ""},
	{InvalidState, 1, false, "The file is not a saved state: it is damaged, or has another format. Nothing was loaded.", "`state save` writes such files; Playwright does with storageState, and agent-browser with `state save`."},
	{WrongKey, 1, false, "A saved state is encrypted with another key than the one given, or damaged. Nothing was loaded.", ""},
	{KeyringUnavailable, 1, false, "The keyring of the operating system cannot be used: there is none, or it is locked. Nothing was written or loaded.", "Unlock it, or set USHER_ENCRYPTION_KEY to 64 hexadecimal digits (`openssl rand -hex 32`)."},

	{UnknownRef, 1, false, "This session never assigned that ref, or it is one of another tab than the active one: `data` has its `tabId` then.", "Run `snapshot -i` to see the refs of the page."},
	{StaleRef, 1, false, "The element the ref named is gone: removed from its document, or the document was replaced. `data` may name the likely successor; nothing was done.", "Run `snapshot -i` for current refs."},
	{InvalidSelector, 1, false, "The selector is not valid CSS, XPath or ref syntax.", ""},
	{SelectorAmbiguous, 1, false, "The selector matches several elements, and --strict asks for one. `data` has the first of them with refs. Nothing was done.", "Use one of the refs, add `>> nth=0` or `>> nth=-1`, or narrow the selector."},
	{ElementNotFound, 1, true, "Nothing in the page matches. `data` may name an element whose name is the text that was sought; nothing was done.", "Run `snapshot -i` to see what is there, or `wait` for it to appear."},
	{ElementDetached, 1, true, "The element was removed from the page while the command worked on it.", "Run `snapshot -i` and try again."},
	{ElementNotVisible, 1, true, "The element has no box or is hidden by CSS.", "Make it visible first, for example by opening the menu or section that contains it."},
	{ElementNotStable, 1, true, "The element kept moving until the deadline.", "Try again when its animation has ended, or give a longer --timeout."},
	{ElementDisabled, 1, true, "The element is disabled or inert.", "First do what enables it, such as filling in required fields."},
	{ElementReadonly, 1, false, "The field is read-only.", ""},
	{ElementCovered, 1, true, "Another element would receive the click; `data` names it, unless the target lets the pointer through.", "Close or move the element that covers it."},
	{ElementUnsuitable, 1, false, "The element is of a kind this command cannot act on (`fill` on a button, `select` on a div).", ""},
	{OptionNotFound, 1, false, "The list has no such option; the message lists those it has.", ""},
	{UnknownKey, 1, false, "There is no key of that name.", "Examples: Enter, Tab, Escape, ArrowDown, a, Control+a."},
	{ActionNotDelivered, 1, true, "The input was sent, and the browser reported that the target did not receive it.", "Run `snapshot -i` to see what changed."},

	{NavigationFailed, 1, true, "The page could not be loaded; the message carries the browser's net:: error.", ""},
	{UnsupportedURL, 1, false, "The URL cannot be parsed, or pages with its scheme cannot be opened.", ""},
	{ActionDenied, 1, false, "The action policy (--action-policy) does not allow the command, or the person refused it. Nothing was done.", "Ask the person you work for."},
	{ConfirmationRequired, 1, false, "A person must confirm the command (--confirm-actions, or confirm in the file of --action-policy). Nothing was done. `data` has the `confirmationId`.", ""},
	{NoConfirmation, 1, false, "No command waits for a confirmation under that id in this session: it is unknown, was used, or has expired; or its page has changed.", "Request the command again: an id is valid for a minute."},
	{DomainNotAllowed, 1, false, "The address, or the page it led to, is not in the list of allowed domains (--allowed-domains). No request was sent to it. `data` has the `host` and the list as `allowed`.", ""},
	{URLBlocked, 1, false, "The site guard (--site-guard) refuses the address, or the page in the tab. `data` has the `host`, the `rule` and its `source`.", "Use `open <url>` with another address, or ask the person you work for."},
	{GuardRefused, 1, false, "The site guard (--site-guard; always on for agents) refuses this, because it cannot check what this would reach. Nothing was done.", "Ask the person you work for: it works in their shell, without --site-guard."},
	{MethodRefused, 1, false, "The site guard (always on for agents) does not allow this CDP method, or this parameter of it, because it may reach beyond the session. Nothing was sent. `data` has the `method`, and the `parameter` if one is the cause.", ""},
	{UserRefused, 1, false, "The user whose own Chrome this is does not allow it, by the settings of usher's extension: reading only, no navigation, no new tabs, or only shared tabs. The message has the setting and the user's instructions, if any. Nothing was done.", "Go on without it, or ask the user, who can change it in the extension's popup."},
	{SearchUnavailable, 1, false, "No search engine is configured, or not the requested one.", ""},
	{SearchFailed, 1, true, "The search engine did not answer, or refused.", ""},
	{ExtractFailed, 1, true, "None of the addresses could be read; `data` has the error of each.", ""},
	{NoHistory, 1, false, "There is no page to go back or forward to.", ""},
	{EvaluationFailed, 1, false, "The JavaScript threw, was rejected, or does not parse.", ""},
	{DialogOpen, 1, false, "A JavaScript dialog blocks the page; `data` describes it.", "Answer it with `dialog accept` or `dialog dismiss`."},
	{NoDialog, 1, false, "No JavaScript dialog is open.", ""},
	{InterruptionOpen, 1, false, "HTTP authentication or a permission request blocks the page; `data` describes it.", "Answer it with `interrupt answer`; `interrupt list` shows how."},
	{NoInterruption, 1, false, "No interruption with that id is open: it never existed, it is closed (`data` has the outcome), or it is being answered.", "Run `interrupt list` to see the open ones."},
	{LoginRefused, 1, false, "The server or proxy rejected the credentials.", ""},
	{LoginNotFound, 1, false, "The auth vault has no login of this name.", "`auth list` shows the saved logins."},
	{LoginFailed, 1, false, "The login did not work, or nothing proves that it did.", "Look at the page: `snapshot -i`."},
	{FrameNotFound, 1, true, "No frame matches the name, URL, ref or selector.", ""},
	{FrameAmbiguous, 1, false, "The name or address matches several frames; `data` lists them with their ids. Nothing was done.", "Name the frame by its id."},
	{PageScriptFailed, 1, false, "usher's script in the page threw an exception: a fault of usher, or a hostile page.", "Run `snapshot`, which falls back to the browser's accessibility tree; act with refs of it, or use `eval`, `screenshot` and `cdp`."},
	{FrameDetached, 1, true, "The frame was removed or replaced while the command worked in it.", "Run `snapshot -i` and try again; `frame main` leaves a frame that is gone."},
	{TabNotFound, 1, false, "There is no tab of that id or label.", "Run `tab` for the list."},
	{TabGone, 1, false, "The tab the session worked in was closed by the page or a person. `data` has its targetId and lastUrl.", "Run `tab` to choose another, or `open` a page."},
	{TabBusy, 1, true, "Other code (`run`) uses the tab.", "Wait until it has ended, or use another tab."},
	{TabLabelTaken, 1, false, "Another tab has that label.", ""},
	{LastTab, 1, false, "The last tab cannot be closed on its own.", "Run `close` to end the session."},
	{RequestNotFound, 1, false, "No recorded network request has that id.", "Run `network requests` for the list."},
	{CookieNotFound, 1, false, "The page's address gets no cookie of that name, or the domain has none.", ""},
	{StorageUnavailable, 1, false, "The document has no storage (a data: page, a sandboxed frame, blocked cookies), or its quota is used up.", "Use --frame for a frame of another origin, or `open` a page of the site."},
	{ToolNotRegistered, 1, true, "The page has registered no WebMCP tool of this name.", "Run `webmcp list`."},
	{NoInvocation, 1, false, "No call of a WebMCP tool has this id in this session; the last 100 are kept.", ""},
	{InvocationEnded, 1, false, "The call of a WebMCP tool has ended already, and cannot be cancelled.", "`webmcp result` shows how it ended."},
	{PageToolFailed, 1, false, "The WebMCP tool reported an error or was cancelled, or its page changed before it answered. It may have had effects. `data` has what is known.", "Look at the page: `snapshot -i`."},
	{DownloadFailed, 1, true, "No download started, or it was interrupted.", ""},
	{CaptureFailed, 1, true, "The browser could not produce the image or the PDF.", ""},
	{TraceActive, 1, false, "A trace or profile is being recorded already: a browser records one at a time. Nothing was changed.", "End it with `trace stop` or `profiler stop`, in the session that started it."},
	{NoTrace, 1, false, "No trace or profile of this kind is being recorded, or the tab it was started in is gone.", "Begin one with `trace start` or `profiler start`."},
	{EventsLost, 1, true, "A reader of `events --follow` fell behind and was disconnected; `data` has the last event it got.", ""},
	{Timeout, 1, true, "The deadline passed; the message says what was waited for and what was seen instead.", ""},

	{BrowserNotFound, 1, false, "No Chromium or Chrome was found on this machine.", "Run `usher install`, or set USHER_CHROME or --executable-path."},
	{BrowserNotRunning, 1, false, "The command needs a page and this session has none yet.", "Run `open <url>` first."},
	{BrowserCrashed, 1, false, "The browser process exited or was killed; `data` has the last URL of each tab.", "Run `open <url>` to start again, or use --auto-recover."},
	{RendererCrashed, 1, false, "The process of this page crashed; the browser and the other tabs keep running.", "Run `reload` or `open <url>`."},
	{RendererUnresponsive, 1, true, "The page's renderer is unresponsive: it runs a long or endless script, lays out a very large page, or waits for a synchronous request. `data` has the `reason` (`script`, `waiting`), the `frame` and since when.", "Stop the script with `tab interrupt`, or wait for it with a longer --timeout."},
	{BrowserUnresponsive, 1, true, "The browser is unresponsive: it is stopped, or the machine is overloaded.", "Wait and try again; `close` ends it."},
	{LaunchFailed, 1, true, "The browser was started and did not become usable; the message has the end of its log.", ""},
	{LaunchConflict, 1, false, "The options need another browser than the one of this session. Nothing was changed.", "Run `close` first, which closes the current pages, or use another --session."},
	{AttachFailed, 1, true, "No browser answered at the address given.", "Start it with --remote-debugging-port=9222 and check the address."},
	{CleanupFailed, 1, true, "Something of a launched app is left: a process, its debugging port or its profile, which is kept as long as one of those is.", "Run `app cleanup` again; if a process does not end, end it yourself."},
	{ProviderFailed, 1, false, "A provider of remote browsers (`--provider`) is not configured, refused the request, did not answer, or gave a browser that cannot be reached; `data` has `provider`, and where known `status`, `retryAfter` (seconds) and `remoteSession`.", "See docs/browsers.md for the variables of each provider."},
	{InstallFailed, 1, true, "The package manager could not install a browser; what it printed says why.", ""},
	{ProtocolError, 1, false, "The browser returned a CDP error that no other code covers.", ""},
	{UnknownMethod, 1, false, "CDP has no such method or domain, or this target does not support it.", ""},
	{Unsupported, 1, false, "This browser, backend or operating system cannot do that.", ""},

	{SessionNotFound, 1, false, "No session of that name is open.", "Run `session list`."},
	{SessionClosed, 1, false, "The session was closed while the command ran or waited.", ""},
	{ConnectionLost, 1, true, "The connection to the daemon or to an attached browser broke during the command, which may or may not have taken effect, or was not restored before its deadline; the message says which. usher reconnects to attached browsers automatically.", "Look at the page (`get url`, `snapshot`) before you repeat it."},
	{DaemonStartFailed, 1, true, "The daemon could not be started; the message has the end of its log.", ""},
	{DaemonVersion, 1, false, "The running daemon is of another build and has open sessions.", "Close them with the other build (`close --all`), or run `usher daemon stop`."},
	{DaemonStopping, 1, true, "The daemon is shutting down.", "Run the command again."},
	{PermissionDenied, 1, false, "A file or socket belongs to another user, or is open to others.", ""},
	{InvalidRequest, 1, false, "The daemon received something that is not a request of its protocol.", ""},
	{Cancelled, exitInterrupted, true, "The command was interrupted (Ctrl-C, or its client disconnected). The session was not affected.", ""},
	{BatchFailed, 1, false, "At least one command of a batch failed; each row has its own error.", ""},
	{CheckFailed, 1, false, "At least one check of `doctor` failed.", ""},
	{Internal, 1, false, "A fault in usher itself.", "Please report it with the output of `usher doctor`."},
}

// Lookup returns the table's entry of a code. For an unknown code it returns that of [Internal]; a test checks that every
// code has an entry.
func Lookup(code Code) Info {
	for i := range table {
		if table[i].Code == code {
			return table[i]
		}
	}
	return table[len(table)-1]
}
