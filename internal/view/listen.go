package view

import (
	"context"
	"errors"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// maxAsked bounds how often the listeners of a page that keeps changing are read.
const maxAsked = 3

var errChanging = errors.New("the page kept changing while its listeners were read")

// ask takes the page script's snapshot of a frame with the elements that listen for clicks. Those are read before it in a
// new document and in one where they change; else at the same time, and if they differ after all, the snapshot is taken
// again.
func (v *Viewer) ask(ctx context.Context, frame model.FrameID, args walkArgs) (*Page, world.Document, error) {
	over := v.worlds.Browser().OwnScript(frame)
	defer func() { over(ctx.Err() == nil) }()
	listeners := v.worlds.AskListeners(ctx, frame)
	var heard string
	var unheard error // why the listeners are unknown
	known := listeners.Steady()
	if !known {
		heard, unheard = listeners.Wait(ctx)
		if unheard != nil && world.DocumentGone(unheard) { // the next document has come, whose listeners are to be known
			heard, unheard = v.worlds.AskListeners(ctx, frame).Wait(ctx)
		}
		if unheard == nil {
			args.Listening = &heard
		}
	}
	page, doc, err := v.walked(ctx, frame, args)
	if err != nil {
		return nil, doc, err
	}
	if known {
		heard, unheard = listeners.Wait(ctx)
	}
	err = unheard
	for requested := 1; err == nil && !sameListeners(heard, page.Listening); requested++ {
		if requested > maxAsked {
			err = errChanging
			break
		}
		if page.Listening == "?" {
			if heard, err = v.worlds.AskListeners(ctx, frame).Wait(ctx); err != nil {
				break
			}
		}
		args.Listening, args.Again = &heard, true
		gone := page.Gone
		if page, doc, err = v.walked(ctx, frame, args); err != nil {
			return nil, doc, err
		}
		page.Gone = append(gone, page.Gone...)
	}
	if err != nil {
		page.Nodes = append(page.Nodes, Node{
			Note: "elements whose only sign is a click listener are missing: " + oneLine(plain.Line(plain.Cut(err.Error(), 200))),
		})
	}
	return page, doc, nil
}

func (v *Viewer) walked(ctx context.Context, frame model.FrameID, args walkArgs) (*Page, world.Document, error) {
	var text string
	doc, err := v.worlds.CallIn(ctx, frame, "snapshot", args, &text)
	if err != nil {
		return nil, doc, err
	}
	page, err := ParsePage(text)
	return page, doc, err
}

// sameListeners reports whether two results name the same elements. If neither names any, they are the same whatever else
// they contain.
func sameListeners(heard, known string) bool {
	return heard == known || known == "" && (heard == "" || strings.HasSuffix(heard, ":"))
}
