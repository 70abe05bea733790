package interrupts

import (
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// ResolveStale closes the interruptions whose cause is gone. It is called after inputs that may remove one.
func (m *Queue) ResolveStale() {
	for _, i := range slices.Clone(m.State().Interrupts) {
		if why := m.staleReason(i); why != "" {
			m.Close(i, model.ByRemote, why)
		}
	}
}

// staleReason returns why an interruption is stale, "" if it is not.
func (m *Queue) staleReason(i *model.Interruption) string {
	if i.Kind == model.KindDownload {
		return m.downloadOutcome(i.Download)
	}
	t := m.State().Tabs[i.Tab]
	if t == nil {
		return "the tab was closed"
	}
	f := t.Frames[i.Frame]
	if i.Frame != "" && f == nil {
		return "the frame was removed"
	}
	if i.Login != nil && i.Notice { // the tab's page requested it, independent of the frame's own document
		if main := t.MainFrame(); main != nil && main.Loader != i.Loader {
			return "the page navigated away"
		}
		return ""
	}
	switch i.Kind {
	case model.KindCrash:
		if t.Crash == nil && (f == nil || f.Crash == nil) {
			return "another document was loaded"
		}
		return ""
	case model.KindUnresponsive:
		if f == nil || f.Unresponsive == nil {
			return "the renderer is responsive again"
		}
		return ""
	case model.KindNewTab:
		return ""
	case model.KindHTTPLogin, model.KindProxyLogin:
		if i.Login.Document && i.PendingURL != "" && f != nil && f.PendingURL != i.PendingURL {
			return "the page navigated away"
		}
	}
	if _, alive := m.Sessions[i.Session]; !alive && i.Session != "" && m.State().Outage != nil {
		return "the connection to the browser was lost"
	}
	if _, alive := m.Sessions[i.Session]; !alive && i.Session != "" {
		return "the document was replaced"
	}
	if f != nil && f.Loader != i.Loader {
		return "the page navigated away"
	}
	return ""
}

// MayResolve reports whether an event may remove the cause of an interruption.
func MayResolve(method string) bool {
	switch method {
	case "Target.attachedToTarget", "Target.detachedFromTarget", "Target.targetDestroyed", "Target.targetCrashed",
		"Page.frameNavigated", "Page.frameDetached", "Page.frameStartedNavigating", "Page.frameRequestedNavigation",
		"Page.frameStoppedLoading", "Page.lifecycleEvent", "Browser.downloadProgress":
		return true
	}
	return false
}

// downloadOutcome returns how a download ended, "" while it goes on.
func (m *Queue) downloadOutcome(guid string) string {
	for _, d := range m.State().Downloads {
		if d.GUID == guid {
			if d.State == model.DownloadInProgress {
				return ""
			}
			return string(d.State)
		}
	}
	return "forgotten"
}
