// Package known has what the code of a run knows of the tabs of its session, and tells it what has changed.
package known

import (
	"cmp"
	"slices"
	"sync"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Page is the state of a tab that the code reads without waiting: page.url(), page.frames(), browser.pages(). It comes with
// the results of operations and with events.
type Page struct {
	URL    string `json:"url"`
	Closed bool   `json:"closed,omitzero"`
	// Loader identifies the document, and the request that it came from.
	Loader string `json:"loader,omitzero"`
	// Frames are those of the tab in the order of the document, and Tabs those of the session, in the order in which they
	// opened. Each is there only if it is another than what the code was told last. Version counts these: a result may arrive
	// after one that was made later.
	Version int     `json:"version,omitzero"`
	Frames  []Frame `json:"frames,omitzero"`
	Tabs    []Tab   `json:"tabs,omitzero"`
}

// Frame is a frame of a tab.
type Frame struct {
	ID     model.FrameID `json:"id"`
	Parent model.FrameID `json:"parent,omitzero"`
	URL    string        `json:"url"`
	Name   string        `json:"name,omitzero"`
}

// Tab is a tab of the session.
type Tab struct {
	ID     model.TargetID `json:"id"`
	Opener model.TargetID `json:"opener,omitzero"`
	URL    string         `json:"url"`
}

// State is what the code knows of the session. The zero value is nothing.
type State struct {
	mu      sync.Mutex
	version int                        // guarded by mu
	tabs    []Tab                      // guarded by mu
	frames  map[model.TargetID][]Frame // guarded by mu
}

// Page returns the state of a tab now, with the frames and tabs that the code does not know. work is nil without a browser.
func (s *State) Page(work *run.BrowserContext, tab model.TargetID) Page {
	if work == nil {
		return Page{Closed: true}
	}
	state := work.Browser.State()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := Page{}
	if list := tabsOf(state, work.Context); !slices.Equal(list, s.tabs) {
		s.version++
		out.Version = s.version
		out.Tabs, s.tabs = list, list
	}
	t := state.Tabs[tab]
	if t == nil {
		out.Closed = true
		return out
	}
	out.URL = t.URL
	if main := t.MainFrame(); main != nil {
		out.Loader = main.Loader
	}
	if list := framesOf(t); !slices.Equal(list, s.frames[tab]) {
		if s.frames == nil {
			s.frames = map[model.TargetID][]Frame{}
		}
		s.version++
		out.Version = s.version
		out.Frames, s.frames[tab] = list, list
	}
	return out
}

// Forget makes the next page tell everything: one that told of a change did not arrive.
func (s *State) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tabs, s.frames = nil, nil
}

func tabsOf(s *model.State, c model.ContextID) []Tab {
	list := []Tab{}
	for _, t := range s.ContextTabs(c) {
		list = append(list, Tab{ID: t.ID, Opener: t.Opener, URL: t.URL})
	}
	return list
}

// framesOf returns the frames of a tab, each after its parent.
func framesOf(t *model.Tab) []Frame {
	all := make([]*model.Frame, 0, len(t.Frames))
	for _, f := range t.Frames {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *model.Frame) int {
		if (a.Parent == "") != (b.Parent == "") {
			if a.Parent == "" {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.Order, b.Order)
	})
	list := make([]Frame, len(all))
	for i, f := range all {
		list[i] = Frame{ID: f.ID, Parent: f.Parent, URL: f.URL, Name: f.Name}
	}
	return list
}
