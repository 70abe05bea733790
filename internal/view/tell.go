package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// Compared is the baseline of a delta.
type Compared struct {
	// Delta is false if Text is the whole outline all the same; then Why is the reason.
	Delta bool
	Why   string
	// Baseline is the snapshot it was compared with; empty if there is none.
	Baseline string
}

// The reasons for a whole outline.
const (
	noBaseline      = "there is no earlier snapshot of this tab with the same options"
	anotherDocument = "the last snapshot with these options was of another document"
	notShorter      = "the whole page is shorter than its changes"
	noOutline       = "the snapshots cannot be compared line by line"
)

// Look is a look at a tab that no reader has seen yet.
type Look struct {
	tab     model.TargetID
	opt     Options
	snap    *Snapshot
	outline *outline
}

// Look looks at a tab for [Viewer.Report]. Errors are those of [Viewer.Snapshot].
func (v *Viewer) Look(ctx context.Context, tab model.TargetID, opt Options) (*Look, error) {
	snap, o, err := v.look(ctx, tab, opt)
	if err != nil {
		return nil, err
	}
	return &Look{tab, opt, snap, o}, nil
}

// Current reports whether the document that was looked at is still the one in its frame.
func (l *Look) Current(s *model.State) bool {
	f := s.Frame(l.snap.doc.Frame)
	return f != nil && f.Loader == l.snap.doc.Loader
}

// ReportSnapshot is Look and Report.
func (v *Viewer) ReportSnapshot(ctx context.Context, tab model.TargetID, opt Options) (*Snapshot, error) {
	l, err := v.Look(ctx, tab, opt)
	if err != nil {
		return nil, err
	}
	return v.Report(l), nil
}

// Report makes the snapshot for a reader of a look, once. It stores what the reader sees: with Options.Delta the text is the
// difference from what the reader saw before. Each named reader of a tab has a memory of its own.
func (v *Viewer) Report(l *Look) *Snapshot {
	tab, opt, snap, o := l.tab, l.opt, l.snap, l.outline
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
		return snap
	}
	last := v.reported.replace(keyOf(tab, opt), reportedSnapshot{doc: snap.doc, text: snap.Text, at: time.Now()}, v.worlds.Browser().State())
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
	return snap
}

// Last returns the options with which a reader last saw the whole of a tab and the size of that outline in bytes; compact ones
// and 0 if there was nothing yet.
func (v *Viewer) Last(tab model.TargetID, reader string) (opt Options, size int) {
	opt = Options{Compact: true, Reader: reader}
	v.reported.mu.Lock()
	defer v.reported.mu.Unlock()
	var at time.Time
	for key, one := range v.reported.reported {
		if key.tab == tab && key.reader == reader && key.selector == "" && key.ref == 0 && key.depth == 0 && one.at.After(at) {
			at, size = one.at, len(one.text)
			opt.Frame, opt.Interactive, opt.Compact, opt.URLs = key.frame, key.interactive, key.compact, key.urls
		}
	}
	return opt, size
}

// shorten makes a snapshot the delta to an earlier one, if that is possible and worth it. It returns the rows of the text.
// acted is the ref of the element that was acted on, 0 for none.
func (s *Snapshot) shorten(now []row, last reportedSnapshot, acted int32) []row {
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
	whole := now
	old, now = dropKnownFocus(old, now, acted)
	rows, text := compare(old, now), Unchanged
	if len(rows) > 0 {
		text = join(rows)
	}
	if len(text) >= len(s.Text) && len(rows) > 0 {
		c.Why = notShorter
		return whole
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

// dropKnownFocus removes the mark of the focus from rows where it is no news: from old ones that have lost it, because
// the row that has it shows that; and, if it is the only change of a row, from the element of the last action and from
// frames in which another row has it.
func dropKnownFocus(old, now []row, acted int32) (before, after []row) {
	had, has := focusedRows(old), focusedRows(now)
	lost := slices.DeleteFunc(slices.Clone(had), func(i int) bool {
		return slices.ContainsFunc(has, func(j int) bool { return now[j].ref == old[i].ref })
	})
	several := len(has) > 1
	expected := slices.DeleteFunc(has, func(j int) bool {
		plain := unfocusedRow(now[j].text)
		outer := several && roleOf(now[j].text) == "Iframe" // a frame that contains the focused element has the focus, too
		return now[j].ref != acted && !outer ||
			!slices.ContainsFunc(old, func(r row) bool { return r.ref == now[j].ref && r.text == plain })
	})
	return unfocused(old, lost), unfocused(now, expected)
}

// focusedRows lists the rows with a ref that have the mark of the focus.
func focusedRows(rows []row) (at []int) {
	for i := range rows {
		if rows[i].ref != 0 && isFocused(rows[i].text) {
			at = append(at, i)
		}
	}
	return at
}

// unfocused is rows without the mark of the focus in some of them.
func unfocused(rows []row, at []int) []row {
	if len(at) == 0 {
		return rows
	}
	rows = slices.Clone(rows)
	for _, i := range at {
		rows[i].text = unfocusedRow(rows[i].text)
	}
	read, _ := parseRows(join(rows))
	return read
}

// unfocusedRow is a row without the mark of the focus.
func unfocusedRow(text string) string {
	s := spanOf(text)
	return text[:s.listed] + strings.Replace(text[s.listed:s.ends], focusedState+", ", "", 1) + text[s.ends:]
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
