package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/world"
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
	noBaseline      = "there is no earlier snapshot of this tab with the same options"
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
	if opt.Find != "" {
		rows, _ := parseRows(snap.Text)
		snap.Finds = true
		rows, snap.Found = found(rows, opt.Find)
		snap.Text = join(rows)
		if snap.Found == 0 {
			snap.Text = "(no line matches)"
		}
		snap.keepRefs(rows)
		if opt.Budget > 0 && len(rows) > 0 {
			v.spend(tab, snap, rows, o, opt)
		}
		return snap, nil
	}
	last := v.memory.replace(keyOf(tab, opt), remembered{doc: snap.doc, text: snap.Text, at: time.Now()}, v.worlds.Browser().State())
	var rows []row
	if opt.Delta || opt.Budget > 0 && Tokens(snap.Text) > opt.Budget {
		rows, _ = parseRows(snap.Text)
	}
	if opt.Delta {
		if rows = snap.shorten(rows, last, snap.numberOf(opt.ActedDocument, opt.Acted)); !snap.Compared.Delta && opt.Whole > 0 {
			opt.Budget = opt.Whole
		}
	}
	why := ""
	if c := snap.Compared; c != nil && !c.Delta {
		why = "- (whole outline: " + c.Why + ")\n"
		opt.Budget = max(opt.Budget-Tokens(why), min(opt.Budget, 1))
	}
	if opt.Budget > 0 {
		v.spend(tab, snap, rows, o, opt)
	}
	snap.Text = why + snap.Text
	return snap, nil
}

// Last returns the options with which a reader was last told of the whole of a tab, and compact ones if there was nothing yet.
func (v *Viewer) Last(tab supervisor.TargetID, reader string) Options {
	opt := Options{Compact: true, Reader: reader}
	v.memory.mu.Lock()
	defer v.memory.mu.Unlock()
	var at time.Time
	for key, one := range v.memory.told {
		if key.tab == tab && key.reader == reader && key.selector == "" && key.ref == 0 && key.depth == 0 && one.at.After(at) {
			at = one.at
			opt.Frame, opt.Interactive, opt.Compact, opt.URLs = key.frame, key.interactive, key.compact, key.urls
		}
	}
	return opt
}

// shorten makes a snapshot the delta to an earlier one, if that is possible and worth it. It returns the rows of the text.
// acted is the ref of the element that was acted on, 0 for none.
func (s *Snapshot) shorten(now []row, last remembered, acted int32) []row {
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
	old, ok := parseRows(unfocused(last.text, now))
	if !ok || now == nil {
		c.Why = noOutline
		return now
	}
	if text := s.withoutFocusOf(acted, old, now); text != "" {
		now, _ = parseRows(text)
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

// numberOf is the number of the ref of an element that is shown, 0 if it has none.
func (s *Snapshot) numberOf(doc world.Document, id uint32) int32 {
	for _, one := range s.Refs {
		if id != 0 && one.ID == id && one.Document == doc {
			return int32(one.Number)
		}
	}
	return 0
}

// withoutFocusOf is the text without the mark of the focus in the row of the element that was acted on: where that is all that is
// new in the row, it says what everybody expects. Empty where it is not.
func (s *Snapshot) withoutFocusOf(acted int32, old, now []row) string {
	if acted == 0 {
		return ""
	}
	at := slices.IndexFunc(now, func(r row) bool { return r.ref == acted && isFocused(r.text) })
	if at < 0 {
		return ""
	}
	plain := unfocusedRow(now[at].text)
	if !slices.ContainsFunc(old, func(r row) bool { return r.ref == acted && r.text == plain }) {
		return ""
	}
	rows := slices.Clone(now)
	rows[at].text = plain
	return join(rows)
}

// unfocusedRow is a row without the mark of the focus.
func unfocusedRow(text string) string {
	s := spanOf(text)
	return text[:s.listed] + strings.Replace(text[s.listed:s.ends], focusedState+", ", "", 1) + text[s.ends:]
}

// unfocused takes the mark of the focus out of an outline, unless the same element has it now: where it went is told by the row that
// has it, and not a second time by the one it left.
func unfocused(text string, now []row) string {
	at := strings.Index(text, focusedState)
	if at < 0 {
		return text
	}
	for from := 0; at >= 0; at = strings.Index(text[from:], focusedState) {
		at += from
		from = at + len(focusedState)
		begin := strings.LastIndexByte(text[:at], '\n') + 1
		begin += len(text[begin:]) - len(strings.TrimLeft(text[begin:], " -"))
		line, _, _ := strings.Cut(text[begin:], "\n")
		s := spanOf(line)
		if in := at - begin; in < s.listed || in >= s.ends {
			continue // the page's own word
		}
		ref := refOf(line)
		if slices.ContainsFunc(now, func(r row) bool { return r.ref == ref && isFocused(r.text) }) {
			return text
		}
		return text[:begin] + unfocusedRow(line) + text[begin+len(line):]
	}
	return text
}

const focusedState = "focused"

func isFocused(text string) bool {
	s := spanOf(text)
	return slices.Contains(strings.Split(text[s.listed:s.ends], ", "), focusedState)
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
