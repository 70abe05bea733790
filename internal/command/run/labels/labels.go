// Package labels has the labels that a session gives its tabs, as other names of them.
package labels

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Labels are the labels of the tabs of one session. A tab has one label at most.
type Labels struct {
	browser *supervisor.Browser

	mu   sync.Mutex
	tabs map[string]model.TargetID // guarded by mu
}

// New returns an empty list for tabs of a browser.
func New(b *supervisor.Browser) *Labels {
	return &Labels{browser: b, tabs: map[string]model.TargetID{}}
}

// Of returns a tab's label, "" if it has none.
func (l *Labels) Of(id model.TargetID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for label, target := range l.tabs {
		if target == id {
			return label
		}
	}
	return ""
}

// Find returns the tab with a label, which may be closed; "" if there is none.
func (l *Labels) Find(label string) model.TargetID {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tabs[label]
}

// Check checks a new label. Errors: [api.InvalidArgument] for one that has the form of a tab id, [api.TabLabelTaken] for
// that of an open tab.
func (l *Labels) Check(label string) error {
	ok := label != "" && (label[0]|0x20 >= 'a' && label[0]|0x20 <= 'z')
	for _, r := range label {
		ok = ok && (r == '-' || r == '_' || r >= '0' && r <= '9' || r|0x20 >= 'a' && r|0x20 <= 'z')
	}
	if _, err := strconv.Atoi(strings.TrimLeft(label, "tT")); err == nil && ok && label[0]|0x20 == 't' {
		ok = false
	}
	if !ok {
		return api.Errorf(api.InvalidArgument, "a tab label is a letter followed by letters, digits, - and _, and not of the form t1; got %q", label)
	}
	if id := l.Find(label); id != "" && l.browser.State().Tabs[id] != nil {
		return api.Errorf(api.TabLabelTaken, "Label %q is already used by another tab", label)
	}
	return nil
}

// Set labels a tab, in place of the label that it has, and drops old labels of closed tabs.
func (l *Labels) Set(label string, id model.TargetID) {
	s := l.browser.State()
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.tabs, func(_ string, old model.TargetID) bool {
		return old == id || s.Tabs[old] == nil && !slices.ContainsFunc(s.Gone, func(g model.GoneTab) bool { return g.ID == old })
	})
	l.tabs[label] = id
}

// Remove removes a label.
func (l *Labels) Remove(label string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tabs, label)
}
