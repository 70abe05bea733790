package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// ledger clicks buttons by their refs in a page that changes all the time, and compares what the snapshot said with what
// the page wrote down.
func (w *worker) ledger() {
	churn := one(w.rand, 0, 40, 150, 600)
	path := fmt.Sprintf("/ledger?churn=%d", churn)
	if w.rand.IntN(2) == 0 {
		path += "&frames"
	}
	w.open(path)
	if w.page != path {
		return
	}
	for range 2 + w.rand.IntN(2) {
		a := w.do("snapshot", "-i")
		if !a.ok() {
			return
		}
		w.refs = nil
		for _, r := range w.shown(a) {
			if r.role == "button" && strings.HasPrefix(r.name, "Row ") {
				w.refs = append(w.refs, r)
			}
		}
		for range 3 {
			if len(w.refs) == 0 || !w.press(one(w.rand, w.refs...), churn == 0) {
				return
			}
		}
	}
}

// press clicks one button and looks what came of it. It returns false when the page cannot be asked. On a page that is
// still there is nothing that could refuse the click.
func (w *worker) press(r ref, still bool) bool {
	before, ok := w.entries()
	if !ok {
		return false
	}
	a := w.do("click", "@"+r.id)
	if a.cut || w.broken != "" {
		return false
	}
	var after []string
	// Frames of another process write by a message, which may come later than the answer to the click.
	for deadline := time.Now().Add(2 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		if after, ok = w.entries(); !ok || len(after) < len(before) {
			return false
		}
		if len(after) > len(before) || a.code != "" || time.Now().After(deadline) {
			break
		}
	}
	pressed := after[len(before):]
	w.s.report.press(a.code)
	if still && slices.Contains([]string{"stale_ref", "unknown_ref", "element_covered", "element_not_visible", "element_detached", "element_not_stable", "action_not_delivered"}, a.code) {
		// What the page and the next try say goes with the complaint.
		w.do("eval", "[document.visibilityState, scrollY, innerHeight, ...[...document.querySelectorAll('iframe')].map(f => f.getBoundingClientRect().top)].join(' ')")
		w.do("tab", "list")
		w.do("click", "@"+r.id)
		w.complain("clicking %s (%q) was refused on a page on which nothing moves: %s", r.id, r.name, a.code)
	}
	switch {
	case a.ok() && len(pressed) == 0:
		w.complain("clicking %s (%q) succeeded, and the page had no click", r.id, r.name)
	case a.ok() && (len(pressed) > 1 || pressed[0] != r.name):
		w.complain("clicking %s, shown as %q, pressed %q", r.id, r.name, pressed)
	case !a.ok() && len(pressed) > 0 && pressed[0] != r.name:
		w.complain("clicking %s, shown as %q, failed with %s and yet pressed %q", r.id, r.name, a.code, pressed)
	case !a.ok() && len(pressed) > 0:
		w.s.report.press("failed, and pressed the right one")
	}
	return true
}

// entries are the words of the buttons that were clicked since the page was loaded.
func (w *worker) entries() ([]string, bool) {
	a := w.do("eval", "window.ledger")
	if !a.ok() {
		return nil, false
	}
	var got struct {
		Result []string `json:"result"`
	}
	if err := a.into(&got); err != nil {
		w.complain("%v", err)
		return nil, false
	}
	return got.Result, true
}
