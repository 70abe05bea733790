package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/supervisor"
)

// Compared says what a delta is compared with.
type Compared struct {
	// Delta is false if Text is the whole outline all the same; then Why says why.
	Delta bool
	Why   string
	// Baseline is the snapshot it was compared with; empty if there is none.
	Baseline string
}

// Reasons for giving the whole outline.
const (
	noBaseline      = "no snapshot of this tab with the same options is remembered"
	anotherDocument = "the last snapshot with these options was of another document"
	notShorter      = "so much changed that the whole is shorter"
	noOutline       = "there is nothing to compare line by line"
)

// Tell is Snapshot for whoever is to read it: it remembers what it told, and tells only what changed if asked for that.
// Readers of one tab that give their names have each a memory of their own.
func (v *Viewer) Tell(ctx context.Context, tab supervisor.TargetID, opt Options) (*Snapshot, error) {
	snap, o, err := v.look(ctx, tab, opt)
	if err != nil {
		return nil, err
	}
	last := v.memory.replace(keyOf(tab, opt), remembered{doc: snap.doc, text: snap.Text, at: time.Now()}, v.worlds.Browser().State())
	var rows []row
	if opt.Delta || opt.Budget > 0 && Tokens(snap.Text) > opt.Budget {
		rows, _ = parseRows(snap.Text)
	}
	if opt.Delta {
		rows = snap.shorten(rows, last)
	}
	if opt.Budget > 0 {
		v.spend(tab, snap, rows, o, opt)
	}
	return snap, nil
}

// shorten makes a snapshot the delta to an earlier one, if that is possible and worth it. It returns the rows of the text.
func (s *Snapshot) shorten(now []row, last remembered) []row {
	c := &Compared{}
	s.Compared = c
	switch {
	case last.text == "":
		c.Why = noBaseline
		return now
	case last.doc != s.doc:
		c.Why = anotherDocument
		return now
	}
	c.Baseline = fmt.Sprintf("snapshot of %s, %s", last.at.UTC().Format(time.RFC3339), plural(1+strings.Count(last.text, "\n"), "line"))
	old, ok := parseRows(last.text)
	if !ok || now == nil {
		c.Why = noOutline
		return now
	}
	rows, text := compare(old, now), Unchanged
	if len(rows) > 0 {
		text = join(rows)
	}
	if len(text) >= len(s.Text) && len(rows) > 0 {
		c.Why = notShorter
		return now
	}
	c.Delta, s.Text = true, text
	s.Removed = append(s.Removed, vanished(old, now)...)
	slices.Sort(s.Removed)
	s.Removed = slices.Compact(s.Removed)
	s.keepRefs(rows)
	return rows
}

// vanished lists the refs of the old outline that are not in the new one.
func vanished(old, now []row) []int {
	shown := make(map[int32]bool, len(now))
	for i := range now {
		shown[now[i].ref] = true
	}
	var refs []int
	for i := range old {
		if ref := old[i].ref; ref != 0 && !shown[ref] {
			refs = append(refs, int(ref))
		}
	}
	return refs
}

// keepRefs leaves the refs of a snapshot that are in the rows shown.
func (s *Snapshot) keepRefs(rows []row) {
	shown := make(map[int32]bool, len(rows))
	for i := range rows {
		shown[rows[i].ref] = true
	}
	s.Refs = slices.DeleteFunc(s.Refs, func(one Shown) bool { return !shown[int32(one.Number)] })
}
