package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/world"
)

// errFrameSlow is the cause when a frame had its time.
var errFrameSlow = errors.New("it did not answer in time")

// collect asks the frames. All of them are asked at once; when only a part of the page is wanted, first the frame that
// part is in, then the frames inside the part.
func (v *Viewer) collect(ctx context.Context, t *supervisor.Tab, root supervisor.FrameID, args walkArgs, opt Options) (map[supervisor.FrameID]*part, error) {
	inner := args
	inner.Root = nil
	patience := opt.FrameTimeout
	if patience == 0 {
		patience = DefaultFrameTimeout
	}
	bounded, cancel := context.WithTimeoutCause(ctx, patience, errFrameSlow)
	defer cancel()

	var wg sync.WaitGroup
	var mu sync.Mutex // guards parts and inside
	parts := map[supervisor.FrameID]*part{}
	var inside []supervisor.FrameID // frames found in the parts that answered
	ask := func(ctx context.Context, frame supervisor.FrameID, args walkArgs) error {
		p, err := v.walk(ctx, frame, args)
		found := v.resolveOwners(ctx, t, p)
		mu.Lock()
		defer mu.Unlock()
		parts[frame] = p
		inside = append(inside, found...)
		return err
	}
	askAll := func(frames []supervisor.FrameID) {
		for _, frame := range frames {
			wg.Go(func() { _ = ask(bounded, frame, inner) }) // a failure is told in the outline
		}
	}
	if args.Root == nil {
		askAll(below(t, root))
	}
	err := ask(ctx, root, args)
	wg.Wait()
	if err != nil {
		return nil, err
	}
	for args.Root != nil {
		wave := slices.DeleteFunc(inside, func(f supervisor.FrameID) bool { return parts[f] != nil })
		if len(wave) == 0 {
			break
		}
		inside = nil
		askAll(wave)
		wg.Wait()
	}
	return parts, nil
}

// below lists the frames inside a frame, at any depth.
func below(t *supervisor.Tab, frame supervisor.FrameID) []supervisor.FrameID {
	var all []supervisor.FrameID
	for _, child := range t.Children(frame) {
		all = append(append(all, child.ID), below(t, child.ID)...)
	}
	return all
}

// walk asks one frame, twice if it has closed shadow roots that were not known. The part of a frame that fails holds the
// reason.
func (v *Viewer) walk(ctx context.Context, frame supervisor.FrameID, args walkArgs) (*part, error) {
	page, doc, err := v.ask(ctx, frame, args)
	for range 4 { // closed roots inside closed roots
		if err != nil || page.Suspects == 0 {
			break
		}
		var adopted int
		adopted, err = v.adoptClosedRoots(ctx, frame)
		if err != nil || adopted == 0 {
			break
		}
		page, doc, err = v.ask(ctx, frame, args)
	}
	if err != nil {
		return &part{reason: reason(err)}, err
	}
	return &part{page: page, doc: doc}, nil
}

func (v *Viewer) ask(ctx context.Context, frame supervisor.FrameID, args walkArgs) (*Page, world.Document, error) {
	var text string
	doc, err := v.worlds.CallIn(ctx, frame, "snapshot", args, &text)
	if err != nil {
		return nil, doc, err
	}
	page, err := ParsePage(text)
	return page, doc, err
}

// reason says in a few words why a frame is not shown.
func reason(err error) string {
	var blocked *supervisor.BlockedError
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

// frameOf is the frame an element holds, as far as resolveOwners found out.
func (v *Viewer) frameOf(doc world.Document, id uint32) supervisor.FrameID {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.owners[owner{doc, id}]
}

// resolveOwners finds out which frames the Iframe nodes of a part hold, and returns those frames. What it knows it keeps: an
// element holds the same frame until it is taken out of the document, which ends the frame.
func (v *Viewer) resolveOwners(ctx context.Context, t *supervisor.Tab, p *part) []supervisor.FrameID {
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
	var frames []supervisor.FrameID
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
		wg.Go(func() {
			frame, err := v.frameIn(ctx, key)
			if err != nil || frame == "" {
				return // an element without a frame, or gone: nothing to show inside
			}
			v.mu.Lock()
			v.owners[key] = frame
			v.mu.Unlock()
			mu.Lock()
			frames = append(frames, frame)
			mu.Unlock()
		})
	}
	wg.Wait()
	v.forget(state)
	return frames
}

// forget drops owners whose documents were replaced.
func (v *Viewer) forget(state *supervisor.State) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for key := range v.owners {
		if f := state.Frame(key.doc.Frame); f == nil || f.Loader != key.doc.Loader {
			delete(v.owners, key)
		}
	}
}

// frameIn asks the browser which frame an element holds.
func (v *Viewer) frameIn(ctx context.Context, o owner) (supervisor.FrameID, error) {
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
	return supervisor.FrameID(protocol.FrameID(res.Node.FrameID)), nil
}
