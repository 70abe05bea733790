package view

import (
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// maxReportedBytes bounds the baselines of a session, in bytes; the outline of 50,000 buttons has two million.
const maxReportedBytes = 4 << 20

// reportedSnapshots are the outlines last returned, by tab and options: the baselines of deltas.
type reportedSnapshots struct {
	mu       sync.Mutex
	reported map[snapshotKey]reportedSnapshot // guarded by mu
	latest   map[model.TargetID]Given         // guarded by mu
}

// Given is the outline of a tab that was returned last, whole, also if the page has navigated since.
type Given struct {
	// Text is the outline, URL the address of its document.
	Text, URL string
	// Options are those it was taken with.
	Options Options
}

// give stores the outline that is returned now, and drops those of tabs that are gone.
func (m *reportedSnapshots) give(tab model.TargetID, now Given, state *model.State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latest == nil {
		m.latest = map[model.TargetID]Given{}
	}
	for id := range m.latest {
		if state.Tabs[id] == nil {
			delete(m.latest, id)
		}
	}
	delete(m.latest, tab)
	if len(now.Text) <= maxReportedBytes {
		m.latest[tab] = now
	}
}

// LastGiven returns the outline of a tab that was last returned; ok is false if there is none.
func (v *Viewer) LastGiven(tab model.TargetID) (last Given, ok bool) {
	v.reported.mu.Lock()
	defer v.reported.mu.Unlock()
	last, ok = v.reported.latest[tab]
	return last, ok
}

// snapshotKey is what makes two snapshots comparable.
type snapshotKey struct {
	tab                        model.TargetID
	frame                      model.FrameID
	interactive, compact, urls bool
	depth, ref                 int
	selector, reader           string
}

type reportedSnapshot struct {
	doc  world.Document
	text string
	at   time.Time
}

// bytes returns the approximate size of a baseline.
func (r reportedSnapshot) bytes(key snapshotKey) int {
	return len(r.text) + len(key.selector) + len(key.reader) + 256
}

func keyOf(tab model.TargetID, opt Options) snapshotKey {
	return snapshotKey{tab, opt.Frame, opt.Interactive, opt.Compact, opt.URLs, opt.Depth, opt.Ref, opt.Selector, opt.Reader}
}

// replace stores the outline that is returned now and returns the previous one. It drops the outlines of documents that
// are gone, and the oldest ones above maxReportedBytes.
func (m *reportedSnapshots) replace(key snapshotKey, now reportedSnapshot, state *model.State) reportedSnapshot {
	m.mu.Lock()
	defer m.mu.Unlock()
	last := m.reported[key]
	if m.reported == nil {
		m.reported = map[snapshotKey]reportedSnapshot{}
	}
	m.reported[key] = now
	held := 0
	for key, one := range m.reported {
		if f := state.Frame(one.doc.Frame); f == nil || f.Loader != one.doc.Loader {
			delete(m.reported, key)
			continue
		}
		held += one.bytes(key)
	}
	for held > maxReportedBytes {
		var oldest snapshotKey
		for key, one := range m.reported {
			if first, any := m.reported[oldest]; !any || one.at.Before(first.at) {
				oldest = key
			}
		}
		held -= m.reported[oldest].bytes(oldest)
		delete(m.reported, oldest)
	}
	return last
}
