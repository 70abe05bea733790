package codegen

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// entry is an entry of the browser's history.
type entry struct {
	ID  int64  `json:"id"`
	URL string `json:"url"`
}

// step is a navigation of a tab.
type step struct {
	number int // of the action that was added for it; 0 for none
	url    string
	caused bool // it may be the effect of an action
}

// history is the history that a tab has where the recording is replayed: it begins with the page that was open at first.
type history struct {
	entries []entry
	at      int
}

// move goes to an entry, as the browser did, and returns whether that was back or forward; empty for neither, such as
// another entry or one that the replay does not have. jumps reports whether the replay goes to entries of its history
// that are further away, because the page does that itself.
func (h *history) move(to entry, jumps bool) (kind string) {
	known := slices.IndexFunc(h.entries, func(e entry) bool { return e.ID == to.ID })
	switch {
	case len(h.entries) == 0:
		h.entries = []entry{to}
	case known == h.at: // it was loaded again, or its address replaced
		h.entries[h.at] = to
	case known >= 0 && known == h.at-1:
		h.at, kind = known, "back"
	case known >= 0 && known == h.at+1:
		h.at, kind = known, "forward"
	case known >= 0 && jumps:
		h.at = known
	default:
		h.entries = append(h.entries[:h.at+1:h.at+1], to)
		h.at++
	}
	return kind
}

// passed returns the entry of a step after which there were others when the browser said what its history is: a new one of
// that address, or the one beside the last. The entry is new to the replay if neither is found.
func (h *history) passed(s step, now []entry) entry {
	for _, e := range now {
		if samePage(e.URL, s.url) && !slices.ContainsFunc(h.entries, func(old entry) bool { return old.ID == e.ID }) {
			return e
		}
	}
	for _, i := range []int{h.at - 1, h.at + 1} {
		if i >= 0 && i < len(h.entries) && samePage(h.entries[i].URL, s.url) {
			return h.entries[i]
		}
	}
	return entry{ID: -1, URL: s.url}
}

// samePage compares addresses without their fragments, which the event of a navigation lacks.
func samePage(a, b string) bool {
	a, _, _ = strings.Cut(a, "#")
	b, _, _ = strings.Cut(b, "#")
	return a == b
}

// caused reports whether there was an action in a tab so short a time ago that what happens may be its effect. The caller
// holds mu.
func (r *Recorder) caused(t *tab) bool {
	for i := len(r.actions) - 1; i >= 0 && time.Since(r.actions[i].at) < causeLimit; i-- {
		if a := &r.actions[i]; a.Tab == t.number && !slices.Contains([]string{"open", "back", "forward", "tab new"}, a.Kind) {
			return true
		}
	}
	return false
}

// went notes a step of a tab. The caller holds mu.
func (r *Recorder) went(t *tab, s step) {
	if t.session == nil {
		return // attach asks when it has one
	}
	if len(t.steps) == mostSteps {
		t.steps = t.steps[1:]
	}
	t.steps = append(t.steps, s)
	r.askHistory(t, 0)
}

// mostSteps bounds the steps of a tab that wait for an answer of the browser.
const mostSteps = 100

// mostRefusals is how often the browser may refuse to say what the history is: it does while a renderer takes the place of
// another.
const mostRefusals = 5

// askHistory asks the browser where in its history a tab is. The actions that were added for its steps become back or
// forward if they were one of these. The browser does not say whether the page itself went there: if that may be the effect
// of an action, which will have it again, nothing changes. The caller holds mu.
func (r *Recorder) askHistory(t *tab, refused int) {
	t.session.Session("").Post(page.CommandGetNavigationHistory, nil, func(raw jsontext.Value, err error) {
		var now struct {
			CurrentIndex int     `json:"currentIndex"`
			Entries      []entry `json:"entries"`
		}
		if errors.Is(err, cdp.ErrClosed) || errors.Is(err, cdp.ErrDetached) {
			return // the tab has closed; mu may be held
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		switch {
		case r.ended || t.closed:
		case err != nil && refused < mostRefusals:
			r.askHistory(t, refused+1)
		case err == nil && json.Unmarshal(raw, &now, jsontext.AllowInvalidUTF8(true)) == nil && now.CurrentIndex >= 0 && now.CurrentIndex < len(now.Entries):
			r.place(t, now.Entries, now.Entries[now.CurrentIndex])
		}
	})
}

// place finds out what the last steps of a tab were. The caller holds mu.
func (r *Recorder) place(t *tab, all []entry, current entry) {
	n := len(t.steps)
	if n == 0 {
		if len(t.replayed.entries) == 0 {
			t.replayed.move(current, false)
		}
		return
	}
	if !samePage(t.steps[n-1].url, current.URL) {
		return // the browser has gone on; the event of that comes
	}
	for i, s := range t.steps {
		to := current
		if i < n-1 {
			to = t.replayed.passed(s, all)
		}
		if kind := t.replayed.move(to, s.caused); kind != "" && !s.caused {
			r.traversed(t, s.number, kind)
		}
	}
	t.steps = nil
}

// traversed records that a step was back or forward. The caller holds mu.
func (r *Recorder) traversed(t *tab, number int, kind string) {
	if number == 0 { // within a document
		r.append(Action{Kind: kind, Tab: t.number})
		return
	}
	for i := range r.actions {
		if a := &r.actions[i]; a.navigation == number {
			a.Kind, a.URL = kind, ""
			r.note()
		}
	}
}
