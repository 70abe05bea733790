package agenttool

import (
	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// The categories of results. A failure's category follows from its code, never from its text.
const (
	completed          = "completed"
	inspection         = "inspection"
	artifactSaved      = "artifact-saved"
	artifactUnverified = "artifact-unverified"
	artifactPending    = "artifact-pending"

	aborted              = "aborted"
	artifactMissing      = "artifact-missing"
	cleanupFailed        = "cleanup-failed"
	confirmationRequired = "confirmation-required"
	downloadNotVerified  = "download-not-verified"
	missingBinary        = "missing-binary"
	parseFailure         = "parse-failure"
	policyBlocked        = "policy-blocked"
	qaFailure            = "qa-failure"
	scriptError          = "script-error"
	selectorNotFound     = "selector-not-found"
	selectorUnsupported  = "selector-unsupported"
	staleRef             = "stale-ref"
	tabDrift             = "tab-drift"
	tabGone              = "tab-gone"
	timeout              = "timeout"
	upstreamError        = "upstream-error"
	validationError      = "validation-error"
)

// categories are those of the codes that have one of their own; all others are upstream-error.
var categories = map[api.Code]string{
	api.UnknownCommand: validationError, api.UnknownSubcommand: validationError, api.UnknownFlag: validationError,
	api.MissingArgument: validationError, api.InvalidArgument: validationError, api.InvalidSessionName: validationError,
	api.InvalidConfig: validationError, api.InvalidJSON: validationError, api.TooLarge: validationError, api.UnknownKey: validationError,
	api.UnsupportedURL: validationError, api.LaunchConflict: validationError, api.PermissionDenied: validationError,

	api.UnknownRef: staleRef, api.StaleRef: staleRef, api.ElementDetached: staleRef,
	api.InvalidSelector: selectorUnsupported, api.SelectorAmbiguous: selectorUnsupported,
	api.ElementNotFound: selectorNotFound, api.OptionNotFound: selectorNotFound, api.FrameNotFound: selectorNotFound,

	api.Timeout: timeout, api.RendererUnresponsive: timeout, api.BrowserUnresponsive: timeout, api.DialogOpen: timeout, api.InterruptionOpen: timeout,
	api.Cancelled: aborted, api.SessionClosed: aborted, api.DaemonStopping: aborted,

	api.ActionDenied: policyBlocked, api.DomainNotAllowed: policyBlocked, api.URLBlocked: policyBlocked, api.GuardRefused: policyBlocked,
	api.MethodRefused: policyBlocked, api.FileProtected: policyBlocked, api.FileNotAllowed: policyBlocked, api.NotConfirmed: policyBlocked,
	api.ConfirmationRequired: confirmationRequired,

	api.TabGone: tabGone, api.TabNotFound: tabDrift, api.BrowserCrashed: tabGone, api.RendererCrashed: tabGone,
	api.BrowserNotFound: missingBinary, api.DownloadFailed: downloadNotVerified,
	api.InvalidRequest: parseFailure,

	"cleanup_failed": cleanupFailed, // of app cleanup
}

// categoryOf returns the category of an error of a command. download reports that the command waited for a download.
func categoryOf(code api.Code, call *verb.Call) string {
	category, ok := categories[code]
	switch {
	case !ok:
		return upstreamError
	case code == api.Timeout && call != nil && waitsForDownload(call):
		return downloadNotVerified
	}
	return category
}

// waitsForDownload reports whether a command is there to get a file that a page offers.
func waitsForDownload(call *verb.Call) bool {
	return call.Verb.Name == "download" || call.Verb.Name == "wait" && call.Has("download")
}

// replacesDocument reports whether a command, by the marks of its verb, always ends with another document than it began with: refs of
// earlier snapshots are of no use then. Actions may do so, which is known when they are done.
func replacesDocument(v *verb.Verb) bool {
	return v.Is(verb.InvalidatesRefs) && !v.Is(verb.TakesRefs) && (v.Category == verb.CatNavigate || v.Category == verb.CatSession)
}

// mayChange reports whether a command is one whose changes are summarised.
func mayChange(v *verb.Verb) bool { return v.Is(verb.ChangesPage) || v.Is(verb.SavesFiles) }

// acts reports whether a command acts in the page, so that another look at it is due.
func acts(v *verb.Verb) bool {
	return v.Is(verb.ChangesPage) && v.Is(verb.NeedsTab) && v.Category != verb.CatNavigate
}

// needsSession reports whether a command works in a session, by the marks of its verb.
func needsSession(v *verb.Verb) bool {
	return v.Is(verb.Starts) || v.Is(verb.NeedsBrowser) || v.Name == "batch" || v.Name == "close" || v.Name == "session info" || v.Name == "confirm" || v.Name == "deny"
}
