// Package view turns a page into text for an agent: an outline of roles and names in reading order, with refs to act on.
//
//	frames (all at once)          Go
//	+-----------+  lines   +------------+        +----------+       +--------+
//	| in-page   |--------->| ParsePage  |------->| stitch   |------>| tidy,  |--> text
//	| snapshot  |          | per frame  |        | by frame |       | render |
//	+-----------+          +------------+        +----------+       +---+----+
//	  closed shadow roots                                               |
//	  passed in if suspected                                     Refs: numbers
//
// Roles and names are computed in the page, in an isolated world, which is much cheaper than the browser's own
// accessibility tree; package agreement compares them with that tree. Nothing in the page is changed, and the page
// cannot detect the snapshot.
package view

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view/budget"
	"github.com/usher-browser/usher/internal/world"
)

// Options are the options of a snapshot.
type Options struct {
	// States adds to the refs the states and values of their lines.
	States bool
	// Interactive (-i) shows only nodes with a ref: what can be acted on (buttons, links, fields, clickable elements),
	// and landmarks (headings, named landmarks and list items, table cells). A cell whose text is only that of the
	// lines below it is left out. Indentation shows which of the shown nodes are inside which.
	Interactive bool
	// Compact (-c) leaves out nodes that only group: wrappers always, and lists, rows, paragraphs and the like if they
	// have no name, value or state and contain fewer than two lines. Their content moves up a level. No text, name or
	// ref is lost.
	Compact bool
	// Depth (-d) shows that many levels below the top; 0 shows all. Wrappers do not count as levels, and -i does not
	// change the count. Deeper nodes are counted in their place.
	Depth int
	// Selector (CSS) or Ref (-s) shows only one element and its descendants, and costs only that. A selector reaches
	// into shadow roots; if nothing in the first frame matches, the frames inside it are searched.
	Selector string
	Ref      int
	// URLs (--urls) adds the target of each link.
	URLs bool
	// Title requests the document's title, too.
	Title bool
	// Frame is the frame to begin with; empty is the tab's main frame.
	Frame model.FrameID
	// Delta requests only the changes since the last report of the tab with the same options; see
	// [Viewer.ReportSnapshot].
	Delta bool
	// ActedDocument and Acted are the element of the last action, by its id in its document; 0 for none. A delta does
	// not report that it has the focus now, if that is its only change.
	ActedDocument world.Document
	Acted         uint32
	// Reader identifies the reader of the reports: a delta is to the last report to the same reader. Any name; readers
	// without one share their baselines.
	Reader string
	// Find selects only the lines that contain these words, with the lines around them; the result is no baseline of a
	// delta.
	Find string
	// Budget bounds the size of a report, in tokens; 0 is no bound.
	Budget int
	// Whole, if it is not 0, replaces Budget for a whole outline that is returned although Delta was requested.
	Whole int
	// FrameTimeout is how long frames other than the first may take before the outline is returned without them; 0 is
	// DefaultFrameTimeout.
	FrameTimeout time.Duration
}

// DefaultFrameTimeout is the default of Options.FrameTimeout. A frame that works answers within milliseconds; one that
// does not must not block the others.
const DefaultFrameTimeout = 2 * time.Second

// Snapshot is an outline of a page, with its refs.
type Snapshot struct {
	Text string
	// URL and Origin are those of the first frame of the outline.
	URL, Origin string
	// Title is the document's, if it was requested.
	Title string
	// Refs of the text in reading order.
	Refs []Shown
	// Removed are the numbers of refs of this tab whose elements were removed since the last snapshot; none when the
	// tab shows another page, because then all are.
	Removed []int
	// Missing is the reason why frames are not in the text, by frame.
	Missing map[model.FrameID]string
	// Failed is the reason why frames are shown by the browser's accessibility tree, without the page script, by frame.
	Failed map[model.FrameID]string
	// Compared is the baseline of a delta; nil if none was requested.
	Compared *Compared
	// Found is the number of lines that match Options.Find, if Finds is set.
	Finds bool
	Found int
	// Spent says how much of a budget was used; nil if there was none.
	Spent *budget.Spent

	doc    world.Document // the one the outline begins with
	titled bool           // the title was requested
}

// Shown is one ref of a snapshot.
type Shown struct {
	Number     int
	Role, Name string
	Document   world.Document
	ID         uint32
	// Clickable reports whether it can be acted on although its role does not imply it.
	Clickable bool
	// States and Value are those of its line, if Options.States is set.
	States []string
	Value  string
}

// RefError is the error for an invalid root: the ref was never assigned, or its element is gone.
type RefError struct {
	Number int
	Known  bool // it was assigned once
	Ref    Ref
}

func (e *RefError) Error() string {
	if !e.Known {
		return fmt.Sprintf("@e%d was never assigned in this session", e.Number)
	}
	return fmt.Sprintf("the element of @e%d (%s %q) is gone", e.Number, e.Ref.Role, e.Ref.Name)
}

// Viewer takes snapshots for one session. Its methods may be called from any goroutine.
type Viewer struct {
	worlds   *world.Worlds
	refs     *Refs
	reported reportedSnapshots

	mu     sync.Mutex
	owners map[owner]model.FrameID // guarded by mu: the frame of each owner element
}

// owner identifies the owner element of a frame.
type owner struct {
	doc world.Document
	id  uint32
}

// New returns a Viewer that assigns numbers from refs.
func New(w *world.Worlds, refs *Refs) *Viewer {
	return &Viewer{worlds: w, refs: refs, owners: map[owner]model.FrameID{}}
}

// Refs returns the table of the viewer's refs.
func (v *Viewer) Refs() *Refs { return v.refs }

// Snapshot returns the outline of a tab. The caller guards ctx against a blocked tab. Errors: *RefError; *PageError for
// a selector that matches nothing or is invalid; those of world.Worlds.Call for the first frame.
func (v *Viewer) Snapshot(ctx context.Context, tab model.TargetID, opt Options) (*Snapshot, error) {
	snap, _, err := v.look(ctx, tab, opt)
	return snap, err
}

// look is Snapshot, and also returns the data from which the text was made.
func (v *Viewer) look(ctx context.Context, tab model.TargetID, opt Options) (*Snapshot, *tree, error) {
	state := v.worlds.Browser().State()
	t := state.Tabs[tab]
	if t == nil {
		return nil, nil, fmt.Errorf("read tab %s: %w", tab, world.ErrNoFrame)
	}
	v.refs.Sync(state)
	root := opt.Frame
	if root == "" {
		root = t.Main
	}
	args := walkArgs{Interactive: opt.Interactive, URLs: opt.URLs, Weigh: opt.Budget > 0, Title: opt.Title}
	switch {
	case opt.Ref != 0:
		ref, known := v.refs.Lookup(opt.Ref)
		if !known || !ref.Alive {
			return nil, nil, &RefError{opt.Ref, known, ref}
		}
		root, args.Root = ref.Document.Frame, ref.ID
	case opt.Selector != "":
		args.Root = opt.Selector
	}
	parts, err := v.collect(ctx, t, root, args, opt)
	if opt.Selector != "" && notFound(err) {
		for _, frame := range below(t, root) { // search the frames inside it, as actions do
			inner, other := v.collect(ctx, t, frame, args, opt)
			if other == nil {
				root, parts, err = frame, inner, nil
				break
			}
		}
	}
	if err != nil {
		if gone := (*PageError)(nil); errors.As(err, &gone) && gone.Code == "stale_ref" {
			ref, _ := v.refs.Lookup(opt.Ref)
			return nil, nil, &RefError{opt.Ref, true, ref}
		}
		return nil, nil, err
	}
	snap, nodes := v.compose(tab, root, parts, opt)
	return snap, nodes, nil
}

func notFound(err error) bool {
	var refused *PageError
	return errors.As(err, &refused) && refused.Code == "element_not_found"
}

// walkArgs is the argument of the in-page function snapshot.
type walkArgs struct {
	Interactive bool `json:"interactive,omitempty"`
	URLs        bool `json:"urls,omitempty"`
	Weigh       bool `json:"weigh,omitempty"`
	Title       bool `json:"title,omitempty"`
	Root        any  `json:"root,omitempty"` // local id or CSS selector
	// Listening encodes the listeners of elements, as package world returned them; nil leaves them unchanged.
	Listening *string `json:"listening,omitempty"`
	Again     bool    `json:"again,omitempty"` // another walk of the same look
}

// compose makes the text of the frames' parts and assigns refs.
func (v *Viewer) compose(tab model.TargetID, root model.FrameID, parts map[model.FrameID]*part, opt Options) (*Snapshot, *tree) {
	snap := &Snapshot{URL: parts[root].page.URL, Title: parts[root].page.Title, titled: opt.Title, Missing: map[model.FrameID]string{}, doc: parts[root].doc}
	if f := v.worlds.Browser().State().Frame(root); f != nil {
		snap.Origin = f.Origin
	}
	for frame, p := range parts {
		if p.page != nil {
			if p.page.Failed != "" {
				if snap.Failed == nil {
					snap.Failed = map[model.FrameID]string{}
				}
				snap.Failed[frame] = p.page.Failed
			}
			v.refs.departed(p.doc, p.page.Gone)
		}
	}
	t := stitch(root, parts, v.shownFrame(parts, snap.Missing))
	t.tidy(opt)
	snap.Refs = make([]Shown, 0, t.refs(opt))
	snap.Text = t.render(opt, v.number(tab, snap, opt.States))
	snap.Removed = v.refs.takeRemoved(tab)
	return snap, t
}

// shownFrame returns a function that returns the frame of an owner element, and records in missing why its content is not
// shown.
func (v *Viewer) shownFrame(parts map[model.FrameID]*part, missing map[model.FrameID]string) func(world.Document, uint32) model.FrameID {
	return func(doc world.Document, id uint32) model.FrameID {
		frame := v.frameOf(doc, id)
		if p := parts[frame]; p != nil && p.page == nil {
			missing[frame] = p.reason
		}
		return frame
	}
}

// number returns a function that assigns a ref to a line.
func (v *Viewer) number(tab model.TargetID, snap *Snapshot, states bool) func(*line) int {
	return func(l *line) int {
		v.refs.mu.Lock()
		defer v.refs.mu.Unlock()
		name := strings.Clone(cmp.Or(l.fullName(), l.Label)) // the copy does not keep the page script's reply in memory
		n := v.refs.number(v.refs.open(tab, l.part.doc), l.ID, l.Role, name)
		snap.Refs = append(snap.Refs, Shown{Number: n, Role: v.refs.role(l.Role), Name: name, Document: l.part.doc, ID: l.ID, Clickable: l.Kind != ""})
		if shown := &snap.Refs[len(snap.Refs)-1]; states {
			shown.Value = strings.Clone(l.Value)
			for _, state := range l.States {
				shown.States = append(shown.States, strings.Clone(state))
			}
		}
		return n
	}
}
