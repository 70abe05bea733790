package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// errFrameSlow is the cause when a frame had its time.
var errFrameSlow = errors.New("it did not answer in time")

// answer is the result of one frame's walk.
type answer struct {
	frame  model.FrameID
	part   *part
	inside []model.FrameID // the frames that its Iframe nodes contain
	err    error
}

// collect walks the frames: all at once, or, when only a part of the page is requested, first the frame of that part
// and then those inside the part. It waits only for frames that will be shown; a frame that hangs outside of the part
// delays nothing.
func (v *Viewer) collect(ctx context.Context, t *model.Tab, root model.FrameID, args walkArgs, opt Options) (map[model.FrameID]*part, error) {
	whole := args
	whole.Root, whole.Title = nil, false
	timeout := opt.FrameTimeout
	if timeout == 0 {
		timeout = DefaultFrameTimeout
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	bounded, stop := context.WithTimeoutCause(ctx, timeout, errFrameSlow)
	defer stop()

	w := &walks{viewer: v, tab: t, answers: make(chan answer), over: make(chan struct{}), requested: map[model.FrameID]bool{}}
	defer w.wg.Wait()
	defer cancel()
	defer close(w.over)

	w.start(ctx, root, args)
	if args.Root == nil {
		for _, frame := range below(t, root) {
			w.start(bounded, frame, whole)
		}
	}
	parts := map[model.FrameID]*part{}
	inside := map[model.FrameID][]model.FrameID{}
	for shown := []model.FrameID{root}; ; {
		missing := false
		for i := 0; i < len(shown); i++ { // grows as frames in frames are found
			frame := shown[i]
			missing = missing || parts[frame] == nil
			if !w.requested[frame] {
				w.start(bounded, frame, whole)
			}
			for _, one := range inside[frame] {
				if !slices.Contains(shown, one) {
					shown = append(shown, one)
				}
			}
		}
		if !missing {
			return parts, nil
		}
		a := <-w.answers // every walk ends with its context
		if a.frame == root && a.err != nil {
			return nil, a.err
		}
		parts[a.frame], inside[a.frame] = a.part, a.inside
	}
}

// walks are the walks of the frames of a tab, each in a goroutine that ends with its context or when over is closed.
type walks struct {
	viewer    *Viewer
	tab       *model.Tab
	wg        sync.WaitGroup
	answers   chan answer
	over      chan struct{}
	requested map[model.FrameID]bool
}

// start begins the walk of a frame.
func (w *walks) start(ctx context.Context, frame model.FrameID, args walkArgs) {
	w.requested[frame] = true
	w.wg.Go(fault.Guarded(ctx, func() {
		p, err := w.viewer.walk(ctx, frame, args)
		a := answer{frame, p, w.viewer.resolveOwners(ctx, w.tab, p), err}
		select {
		case w.answers <- a:
		case <-w.over:
		}
	}))
}

// below lists the frames inside a frame, at any depth.
func below(t *model.Tab, frame model.FrameID) []model.FrameID {
	var all []model.FrameID
	for _, child := range t.Children(frame) {
		all = append(append(all, child.ID), below(t, child.ID)...)
	}
	return all
}

// walk walks one frame, and repeats the walk if data of the browser adds to it. The part of a frame that fails has the
// reason.
func (v *Viewer) walk(ctx context.Context, frame model.FrameID, args walkArgs) (*part, error) {
	page, doc, err := v.ask(ctx, frame, args)
	known := true // custom elements that were read before are read again
	note := ""    // why they could not be
	for range 4 { // closed roots inside closed roots
		more := false
		if err == nil {
			more, note, err = v.update(ctx, frame, page, known, note)
			known = false
		}
		if err != nil || !more {
			break
		}
		gone := page.Gone
		if page, doc, err = v.ask(ctx, frame, args); err == nil {
			page.Gone = append(gone, page.Gone...)
		}
	}
	if err != nil {
		if page, doc, err = v.accessibilityPage(ctx, frame, args, err); err != nil {
			return &part{reason: reason(err)}, err
		}
	}
	if note != "" {
		page.Nodes = append(page.Nodes, Node{Note: note})
	}
	return &part{page: page, doc: doc}, nil
}

// update passes to the page script what it cannot read itself: closed shadow roots, and the internals of custom
// elements. more reports whether any of it was new to the script.
func (v *Viewer) update(ctx context.Context, frame model.FrameID, page *Page, known bool, before string) (more bool, note string, err error) {
	note = before
	if page.NewHosts > 0 || known && page.Hosts > 0 {
		news, err := v.worlds.UpdateInternals(ctx, frame)
		switch {
		case err == nil:
			more = news > 0
		case ctx.Err() != nil || world.DocumentGone(err):
			return false, note, err
		default:
			note = "roles and states in ElementInternals are missing: " + oneLine(plain.Line(plain.Cut(err.Error(), 200)))
		}
	}
	if page.Suspects > 0 {
		adopted, err := v.adoptClosedRoots(ctx, frame)
		switch {
		case err == nil:
			more = more || adopted > 0
		case ctx.Err() != nil || world.DocumentGone(err):
			return false, note, err
		default:
			return false, note, nil // return the snapshot without closed shadow roots
		}
	}
	return more, note, nil
}

// reason returns a short reason why a frame is not shown.
func reason(err error) string {
	var blocked *model.BlockedError
	switch {
	case errors.As(err, &blocked):
		return "frame not shown: " + oneLine(blocked.Error())
	case errors.Is(err, errFrameSlow), errors.Is(err, context.DeadlineExceeded):
		return "frame not shown: " + errFrameSlow.Error()
	case world.DocumentGone(err):
		return "frame not shown: it was being replaced"
	}
	return "frame not shown: " + oneLine(err.Error())
}

// frameOf returns the frame of an owner element, as found by resolveOwners.
func (v *Viewer) frameOf(doc world.Document, id uint32) model.FrameID {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.owners[owner{doc, id}]
}

// resolveOwners finds the frames that the Iframe nodes of a part contain, and returns them. It caches them: an element
// has the same frame until it is removed from the document, which ends the frame.
func (v *Viewer) resolveOwners(ctx context.Context, t *model.Tab, p *part) []model.FrameID {
	if p.page == nil {
		return nil
	}
	state := v.worlds.Browser().State()
	now := state.Tabs[t.ID]
	if now == nil {
		return nil
	}
	var wg sync.WaitGroup
	var mu sync.Mutex // guards frames
	var frames []model.FrameID
	for i := range p.page.Nodes {
		node := &p.page.Nodes[i]
		if node.Role != "Iframe" || node.ID == 0 {
			continue
		}
		key := owner{p.doc, node.ID}
		if frame := v.frameOf(p.doc, node.ID); frame != "" && now.Frames[frame] != nil {
			mu.Lock()
			frames = append(frames, frame)
			mu.Unlock()
			continue
		}
		wg.Go(fault.Guarded(ctx, func() {
			frame, err := v.frameIn(ctx, key)
			if err != nil || frame == "" {
				return // an element without a frame, or removed: nothing to show inside
			}
			v.mu.Lock()
			v.owners[key] = frame
			v.mu.Unlock()
			mu.Lock()
			frames = append(frames, frame)
			mu.Unlock()
		}))
	}
	wg.Wait()
	v.forget(state)
	return frames
}

// forget drops cached owners whose documents were replaced, and those of frames that are gone.
func (v *Viewer) forget(state *model.State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key, frame := range v.owners {
		if state.Frame(frame) == nil {
			delete(v.owners, key)
		} else if f := state.Frame(key.doc.Frame); f == nil || f.Loader != key.doc.Loader {
			delete(v.owners, key)
		}
	}
}

// frameIn reads from the browser which frame an element contains.
func (v *Viewer) frameIn(ctx context.Context, o owner) (model.FrameID, error) {
	handle, err := v.worlds.Handle(ctx, o.doc.Frame, "byId", o.id)
	if err != nil {
		return "", err
	}
	defer handle.Release()
	if handle.Object.ObjectID == "" {
		return "", nil
	}
	res, err := cdp.Do(ctx, handle.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle.Object.ObjectID})
	if err != nil {
		return "", fmt.Errorf("find the frame in an element: %w", err)
	}
	return model.FrameID(res.Node.FrameID), nil
}
