package view

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view/budget"
	"github.com/usher-browser/usher/internal/view/outline"
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

// Look is a snapshot that has not been reported to a reader yet.
type Look struct {
	tab  model.TargetID
	opt  Options
	snap *Snapshot
	tree *tree
}

// Look takes a snapshot of a tab for [Viewer.Report]. Errors are those of [Viewer.Snapshot].
func (v *Viewer) Look(ctx context.Context, tab model.TargetID, opt Options) (*Look, error) {
	snap, t, err := v.look(ctx, tab, opt)
	if err != nil {
		return nil, err
	}
	return &Look{tab, opt, snap, t}, nil
}

// Current reports whether the document of the snapshot is still the one in its frame.
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

// Report returns the snapshot of a look for its reader; call it once. It becomes the reader's baseline: with
// Options.Delta the text is the difference from the previous baseline. Each named reader of a tab has its own.
func (v *Viewer) Report(l *Look) *Snapshot {
	tab, opt, snap, t := l.tab, l.opt, l.snap, l.tree
	if opt.Find != "" {
		rows, _ := outline.Parse(snap.Text)
		snap.Finds = true
		rows, snap.Found = outline.Find(rows, opt.Find)
		snap.Text = outline.Join(rows)
		if snap.Found == 0 {
			snap.Text = "(no line matches)"
		}
		snap.keepRefs(rows)
		if opt.Budget > 0 && len(rows) > 0 {
			v.applyBudget(tab, snap, rows, t, opt)
		}
		return snap
	}
	last := v.reported.replace(keyOf(tab, opt), reportedSnapshot{doc: snap.doc, text: snap.Text, at: time.Now()}, v.worlds.Browser().State())
	var rows []outline.Row
	if opt.Delta || opt.Budget > 0 && budget.Tokens(snap.Text) > opt.Budget {
		rows, _ = outline.Parse(snap.Text)
	}
	if opt.Delta {
		if rows = snap.shorten(rows, last, snap.numberOf(opt.ActedDocument, opt.Acted)); !snap.Compared.Delta && opt.Whole > 0 {
			opt.Budget = opt.Whole
		}
	}
	why := ""
	if c := snap.Compared; c != nil && !c.Delta {
		why = "- (whole outline: " + c.Why + ")\n"
		opt.Budget = max(opt.Budget-budget.Tokens(why), min(opt.Budget, 1))
	}
	if opt.Budget > 0 {
		v.applyBudget(tab, snap, rows, t, opt)
	}
	snap.Text = why + snap.Text
	return snap
}

// Last returns the options with which a reader last saw the whole of a tab, and the size of that outline in bytes. Before
// the first report these are compact options and 0.
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

// shorten replaces the text of a snapshot by the delta to an earlier one, if that is possible and shorter. It returns the
// rows of the text. acted is the ref of the element that was acted on, 0 for none.
func (s *Snapshot) shorten(now []outline.Row, last reportedSnapshot, acted int32) []outline.Row {
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
	c.Baseline = fmt.Sprintf("snapshot of %s, %s", last.at.UTC().Format(time.RFC3339), outline.Plural(1+strings.Count(last.text, "\n"), "line"))
	old, ok := outline.Parse(last.text)
	if !ok || now == nil {
		c.Why = noOutline
		return now
	}
	whole := now
	old, now = outline.DropKnownFocus(old, now, acted)
	rows, text := outline.Compare(old, now), outline.NothingChanged
	if len(rows) > 0 {
		text = outline.Join(rows)
	}
	if len(text) >= len(s.Text) && len(rows) > 0 {
		c.Why = notShorter
		return whole
	}
	c.Delta, s.Text = true, text
	s.Removed = append(s.Removed, outline.Vanished(old, now)...)
	slices.Sort(s.Removed)
	s.Removed = slices.Compact(s.Removed)
	s.keepRefs(rows)
	return rows
}

// numberOf returns the number of the ref of an element in the outline, 0 if it has none.
func (s *Snapshot) numberOf(doc world.Document, id uint32) int32 {
	for _, one := range s.Refs {
		if id != 0 && one.ID == id && one.Document == doc {
			return int32(one.Number)
		}
	}
	return 0
}

// keepRefs removes the refs of a snapshot that are not in the rows shown.
func (s *Snapshot) keepRefs(rows []outline.Row) {
	shown := make(map[int32]bool, len(rows))
	for i := range rows {
		shown[rows[i].Ref] = true
	}
	s.Refs = slices.DeleteFunc(s.Refs, func(one Shown) bool { return !shown[int32(one.Number)] })
}
