package code

import (
	"cmp"
	"slices"
	"sync"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// page is the state of a tab that the code reads without waiting: page.url(), page.frames(), browser.pages(). It comes with
// the results of operations and with events.
type page struct {
	URL    string `json:"url"`
	Closed bool   `json:"closed,omitzero"`
	// Loader identifies the document, and the request that it came from.
	Loader string `json:"loader,omitzero"`
	// Frames are those of the tab in the order of the document, and Tabs those of the session, in the order in which they
	// opened. Each is there only if it is another than what the code was told last. Version counts these: a result may arrive
	// after one that was made later.
	Version int     `json:"version,omitzero"`
	Frames  []frame `json:"frames,omitzero"`
	Tabs    []tab   `json:"tabs,omitzero"`
}

type frame struct {
	ID     model.FrameID `json:"id"`
	Parent model.FrameID `json:"parent,omitzero"`
	URL    string        `json:"url"`
	Name   string        `json:"name,omitzero"`
}

type tab struct {
	ID     model.TargetID `json:"id"`
	Opener model.TargetID `json:"opener,omitzero"`
	URL    string         `json:"url"`
}

// told is what the code knows of the session. The zero value is nothing.
type told struct {
	mu      sync.Mutex
	version int                        // guarded by mu
	tabs    []tab                      // guarded by mu
	frames  map[model.TargetID][]frame // guarded by mu
}

// page returns the state of the tab now.
func (o operation) page() page {
	work := o.session.Work()
	if work == nil {
		return page{Closed: true}
	}
	state := work.Browser.State()
	o.told.mu.Lock()
	defer o.told.mu.Unlock()
	out := page{}
	if list := tabsOf(state, work.Context); !slices.Equal(list, o.told.tabs) {
		o.told.version++
		out.Version = o.told.version
		out.Tabs, o.told.tabs = list, list
	}
	t := state.Tabs[o.tab]
	if t == nil {
		out.Closed = true
		return out
	}
	out.URL = t.URL
	if main := t.MainFrame(); main != nil {
		out.Loader = main.Loader
	}
	if list := framesOf(t); !slices.Equal(list, o.told.frames[o.tab]) {
		if o.told.frames == nil {
			o.told.frames = map[model.TargetID][]frame{}
		}
		o.told.version++
		out.Version = o.told.version
		out.Frames, o.told.frames[o.tab] = list, list
	}
	return out
}

// forget makes the next result tell everything: one that told of a change did not arrive.
func (t *told) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tabs, t.frames = nil, nil
}

// loader identifies the document of the tab.
func (o operation) loader() string {
	if work := o.session.Work(); work != nil {
		if main := work.Browser.State().MainFrame(o.tab); main != nil {
			return main.Loader
		}
	}
	return ""
}

func tabsOf(s *model.State, c model.ContextID) []tab {
	list := []tab{}
	for _, t := range s.ContextTabs(c) {
		list = append(list, tab{ID: t.ID, Opener: t.Opener, URL: t.URL})
	}
	return list
}

// framesOf returns the frames of a tab, each after its parent.
func framesOf(t *model.Tab) []frame {
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
	list := make([]frame, len(all))
	for i, f := range all {
		list[i] = frame{ID: f.ID, Parent: f.Parent, URL: f.URL, Name: f.Name}
	}
	return list
}
