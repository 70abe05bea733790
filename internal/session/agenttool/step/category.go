package step

import (
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/verb"
)

// categories are those of the codes that have one of their own; all others are upstream-error.
var categories = map[api.Code]string{
	api.UnknownCommand: result.ValidationError, api.UnknownSubcommand: result.ValidationError, api.UnknownFlag: result.ValidationError,
	api.MissingArgument: result.ValidationError, api.InvalidArgument: result.ValidationError, api.InvalidSessionName: result.ValidationError,
	api.InvalidConfig: result.ValidationError, api.InvalidJSON: result.ValidationError, api.TooLarge: result.ValidationError, api.UnknownKey: result.ValidationError,
	api.UnsupportedURL: result.ValidationError, api.LaunchConflict: result.ValidationError, api.PermissionDenied: result.ValidationError,

	api.UnknownRef: result.StaleRef, api.StaleRef: result.StaleRef, api.ElementDetached: result.StaleRef,
	api.InvalidSelector: result.SelectorUnsupported, api.SelectorAmbiguous: result.SelectorUnsupported,
	api.ElementNotFound: result.SelectorNotFound, api.OptionNotFound: result.SelectorNotFound, api.FrameNotFound: result.SelectorNotFound,

	api.Timeout: result.Timeout, api.RendererUnresponsive: result.Timeout, api.BrowserUnresponsive: result.Timeout, api.DialogOpen: result.Timeout, api.InterruptionOpen: result.Timeout,
	api.Cancelled: result.Aborted, api.SessionClosed: result.Aborted, api.DaemonStopping: result.Aborted,

	api.ActionDenied: result.PolicyBlocked, api.DomainNotAllowed: result.PolicyBlocked, api.URLBlocked: result.PolicyBlocked, api.GuardRefused: result.PolicyBlocked,
	api.MethodRefused: result.PolicyBlocked, api.UserRefused: result.PolicyBlocked, api.FileProtected: result.PolicyBlocked, api.FileNotAllowed: result.PolicyBlocked, api.NotConfirmed: result.PolicyBlocked,
	api.ConfirmationRequired: result.ConfirmationRequired,

	api.TabGone: result.TabGone, api.TabNotFound: result.TabDrift, api.BrowserCrashed: result.TabGone, api.RendererCrashed: result.TabGone,
	api.BrowserNotFound: result.MissingBinary, api.DownloadFailed: result.DownloadNotVerified,
	api.InvalidRequest: result.ParseFailure,

	"cleanup_failed": result.CleanupFailed, // of app cleanup
}

// CategoryOf returns the category of an error of a command. download reports that the command waited for a download.
func CategoryOf(code api.Code, call *verb.Call) string {
	category, ok := categories[code]
	switch {
	case !ok:
		return result.UpstreamError
	case code == api.Timeout && call != nil && WaitsForDownload(call):
		return result.DownloadNotVerified
	}
	return category
}

// WaitsForDownload reports whether a command is there to get a file that a page offers.
func WaitsForDownload(call *verb.Call) bool {
	return call.Verb.Name == "download" || call.Verb.Name == "wait" && call.Has("download")
}

// ReplacesDocument reports whether a command, by the marks of its verb, always ends with another document than it began with: refs of
// earlier snapshots are of no use then. Actions may do so, which is known when they are done.
func ReplacesDocument(v *verb.Verb) bool {
	return v.Is(verb.InvalidatesRefs) && !v.Is(verb.TakesRefs) && (v.Category == verb.CatNavigate || v.Category == verb.CatSession)
}

// Acts reports whether a command acts in the page, so that another look at it is due. Those that only prepare, or read by the way, do
// not: cookies, settings, measurements.
func Acts(call *verb.Call) bool {
	v := call.Verb
	if strings.HasPrefix(v.Name, "find ") && call.Str("action") == "text" {
		return false
	}
	return v.Is(verb.ChangesPage) && v.Is(verb.ReportsChanges) && v.Category != verb.CatTab && v.Category != verb.CatNavigate
}

// moves reports whether a command goes through the history of the tab.
func moves(v *verb.Verb) bool { return v.Category == verb.CatNavigate && v.Is(verb.NeedsTab) }

// NeedsSession reports whether a command works in a session, by the marks of its verb.
func NeedsSession(v *verb.Verb) bool {
	return v.Is(verb.Starts) || v.Is(verb.NeedsBrowser) || v.Name == "batch" || v.Name == "close" || v.Name == "session info" || v.Name == "confirm" || v.Name == "deny"
}

// IsClick reports whether a command clicks.
func IsClick(call *verb.Call) bool {
	switch call.Verb.Name {
	case "click", "dblclick", "tap":
		return true
	}
	return strings.HasPrefix(call.Verb.Name, "find ") && (call.Str("action") == "click" || call.Str("action") == "dblclick")
}
