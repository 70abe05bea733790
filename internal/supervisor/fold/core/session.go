package core

import (
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Session is the state of an attached CDP session.
type Session struct {
	Kind    string // "page", "iframe", or another target type
	Target  model.TargetID
	Tab     model.TargetID // the tab it belongs to; empty for workers of no tab
	Context model.ContextID
	Running bool // its set-up is done
	// The progress of its set-up: the page reports dialogs, its frames are known, those in processes of their own are
	// attached.
	Enabled, Tree, Children bool
	Script                  bool // the page's further documents get the script for our world
}

// Raw CDP calls get CDP sessions of their own beside the model's: what they enable, disable, override or detach there
// does not take events away from the model.
//
//	browser ── model's session of each page and frame          the fold, taps
//	   └────── side session of the browser ── of a page, frame  no reader: the fold drops their events first
//
// The one of the browser is created first, and the others are its children. That is how the fold recognises them in the
// event that announces them, which comes before the reply to the call.

// Kinds of CDP sessions, besides the types of targets.
const (
	KindBrowserSide = "browser" // the type of target Chromium gives to the side session of the browser
	KindSide        = "side"
	KindNestedSide  = "side/nested" // a child of a side session because a caller switched auto-attaching on
	KindOwn         = "own"         // of a page that usher opened for itself
)

// Side reports whether the CDP session is not of a tab of the model: the model and its readers get no events of it,
// except those of the domain that answers the requests of an own page.
func (i Session) Side() bool {
	return i.Kind == KindBrowserSide || i.Kind == KindSide || i.Kind == KindNestedSide || i.Kind == KindOwn
}

// ContextSessions returns the CDP sessions of a context's pages and frames, in order.
func (m *Core) ContextSessions(c model.ContextID) []string {
	var ids []string
	for id, info := range m.Sessions {
		if info.Context == c && HasFrames(info.Kind) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// NetworkSessions returns the CDP sessions of a context through which its traffic is controlled, in order: those of
// pages, frames, service workers and shared workers. The requests of dedicated workers count to their document, and
// their own CDP sessions refuse the commands (measured on Chromium 156).
func (m *Core) NetworkSessions(c model.ContextID) []string {
	var ids []string
	for id, info := range m.Sessions {
		if info.Context == c && ControlsTraffic(info.Kind) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// ProcessRoot returns the top frame of a CDP session.
func (m *Core) ProcessRoot(t *model.Tab, session string) *model.Frame {
	return t.Frames[model.FrameID(m.Sessions[session].Target)]
}

// ReportsDialogs reports whether the dialogs of a tab are reported on the main connection.
func (m *Core) ReportsDialogs(tab model.TargetID) bool {
	t := m.state.Tabs[tab]
	return t != nil && t.Session != "" && m.Sessions[t.Session].Enabled
}

// TargetInfo is the part of Target.TargetInfo that the model needs.
type TargetInfo struct {
	TargetID      model.TargetID  `json:"targetId"`
	Type          string          `json:"type"`
	Subtype       string          `json:"subtype"` // "prerender", "portal": pages that are not shown yet
	Title         string          `json:"title"`
	URL           string          `json:"url"`
	OpenerID      model.TargetID  `json:"openerId"`
	ParentFrameID model.FrameID   `json:"parentFrameId"`
	Context       model.ContextID `json:"browserContextId"`
}

// Kind returns the target's type, with pages that are not shown distinguished.
func (i *TargetInfo) Kind() string {
	if i.Type == "page" && i.Subtype != "" {
		return i.Subtype
	}
	return i.Type
}

// IsWorker reports whether a target of that kind is a worker.
func IsWorker(kind string) bool {
	return kind == "worker" || kind == "service_worker" || kind == "shared_worker"
}

// ControlsTraffic reports whether the requests of such a target are controlled through its own CDP session.
func ControlsTraffic(kind string) bool { return HasFrames(kind) || IsWorker(kind) && kind != "worker" }

// HasFrames reports whether a target of that kind has frames.
func HasFrames(kind string) bool { return kind == "page" || kind == "iframe" }
