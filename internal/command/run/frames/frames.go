// Package frames finds the frames of a tab that a caller names.
package frames

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run/glob"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Match finds the frames of a tab that a text names. The first way that finds any decides.
func Match(t *model.Tab, spec string) []*model.Frame {
	if spec == "main" || spec == string(t.Main) {
		return []*model.Frame{t.MainFrame()}
	}
	if f := t.Frames[model.FrameID(spec)]; f != nil {
		return []*model.Frame{f}
	}
	ways := []func(*model.Frame) bool{
		func(f *model.Frame) bool { return f.Name == spec && f.ID != t.Main },
		func(f *model.Frame) bool { return f.URL == spec },
		// A pattern is for the frames within; the page around them is main.
		func(f *model.Frame) bool {
			return f.ID != t.Main && (strings.Contains(spec, "*") && glob.Match(spec, f.URL) || strings.Contains(spec, ":") && strings.HasPrefix(f.URL, spec))
		},
	}
	for _, fits := range ways {
		var found []*model.Frame
		for f := range t.InOrder() {
			if fits(f) {
				found = append(found, f)
			}
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

// Documents returns a text that is different whenever the frames of a tab or their documents are.
func Documents(t *model.Tab) string {
	var b strings.Builder
	for f := range t.InOrder() {
		b.WriteString(string(f.ID) + " " + f.Loader + "\n")
	}
	return b.String()
}

// ByOwner searches the owner elements of the frames for a name or id attribute. The browser reports a name with
// the frame, but the attribute id only for frames in the process of the element, and only where there is no name
// (measured on Chromium 156).
func ByOwner(ctx context.Context, b *supervisor.Browser, t *model.Tab, name string) []*model.Frame {
	var found []*model.Frame
	for id, owner := range ownerNames(ctx, b, t) {
		if slices.Contains(owner, name) {
			found = append(found, t.Frames[id])
		}
	}
	return found
}

// ownerNames returns the attributes name and id of each frame's owner element. Frames whose owner does not answer are
// omitted.
func ownerNames(ctx context.Context, b *supervisor.Browser, t *model.Tab) map[model.FrameID][]string {
	owners := map[model.FrameID]*cdp.Pending[dom.GetFrameOwnerResult]{}
	for id, f := range t.Frames {
		if up := t.Frames[f.Parent]; up != nil && up.Session != "" {
			owners[id] = cdp.Start(b.Session(up.Session), dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: protocol.FrameID(id)})
		}
	}
	nodes := map[model.FrameID]*cdp.Pending[dom.DescribeNodeResult]{}
	for id, p := range owners {
		if owner, err := p.Wait(ctx); err == nil {
			s := b.Session(t.Frames[t.Frames[id].Parent].Session)
			nodes[id] = cdp.Start(s, dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: owner.BackendNodeID})
		}
	}
	names := map[model.FrameID][]string{}
	for id, p := range nodes {
		node, err := p.Wait(ctx)
		if err != nil || node.Node == nil {
			continue
		}
		attributes := node.Node.Attributes // names and values in turn
		for i := 0; i+1 < len(attributes); i += 2 {
			if (attributes[i] == "name" || attributes[i] == "id") && attributes[i+1] != "" {
				names[id] = append(names[id], attributes[i+1])
			}
		}
	}
	return names
}
