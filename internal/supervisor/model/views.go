package model

import (
	"iter"
	"slices"
	"strings"
	"time"
)

// The views have the names and shapes of the public supervisor design this follows, so that agents written for it can
// read them. Texts of a page are cut and marked as cut.

// Limits of the views.
const (
	maxTreeFrames = 30   // children in a FrameTree
	maxOwnDepth   = 2    // of frames in a process of their own
	maxViewText   = 2000 // bytes of a text of a page
)

// PendingDialog is a dialog that waits for an answer.
type PendingDialog struct {
	ID            string  `json:"id"`
	Type          string  `json:"type"`
	Message       string  `json:"message"`
	DefaultPrompt string  `json:"default_prompt"`
	OpenedAt      float64 `json:"opened_at"` // seconds since 1970
	FrameID       FrameID `json:"frame_id"`
	// Bridge reports whether it is no native dialog.
	Bridge bool `json:"bridge,omitzero"`
}

// RecentDialog is a closed dialog, with its answer.
type RecentDialog struct {
	PendingDialog
	ClosedAt   float64  `json:"closed_at"` // seconds since 1970
	ClosedBy   ClosedBy `json:"closed_by"`
	Accepted   bool     `json:"accepted"`
	PromptText string   `json:"prompt_text,omitzero"`
	Rule       string   `json:"rule,omitzero"` // that closed it, if a rule did
}

// FrameTree is the frame tree of a tab.
type FrameTree struct {
	// Top is nil while the page is unknown.
	Top *FrameEntry `json:"top"`
	// Children are all frames below, breadth first, each level in the order of the
	// document as far as it is known.
	Children []FrameEntry `json:"children"`
	// Truncated reports whether frames were left out.
	Truncated bool `json:"truncated"`
}

// FrameEntry is one frame of a FrameTree.
type FrameEntry struct {
	FrameID  FrameID `json:"frame_id"`
	URL      string  `json:"url"`
	Origin   string  `json:"origin"`
	IsOOPIF  bool    `json:"is_oopif"`
	Session  string  `json:"session_id,omitzero"`
	ParentID FrameID `json:"parent_frame_id,omitzero"`
	Name     string  `json:"name,omitzero"`
}

// Pending returns the dialogs of a context that wait for an answer, oldest first.
func (s *State) Pending(c ContextID) []PendingDialog {
	out := []PendingDialog{}
	for _, d := range s.Dialogs {
		if d.Context == c && d.NeedsAnswer() {
			out = append(out, d.pending())
		}
	}
	return out
}

// Recent returns the closed dialogs of a context, newest last.
func (s *State) Recent(c ContextID) []RecentDialog {
	out := []RecentDialog{}
	for _, d := range s.RecentDialogs {
		if d.Context == c {
			out = append(out, d.View())
		}
	}
	return out
}

// View returns a closed dialog for views.
func (d *Dialog) View() RecentDialog {
	return RecentDialog{
		PendingDialog: d.pending(), ClosedAt: seconds(d.ClosedAt), ClosedBy: d.ClosedBy,
		Accepted: d.Accepted, PromptText: Cut(d.Answer, maxViewText), Rule: d.Rule,
	}
}

func (d *Dialog) pending() PendingDialog {
	return PendingDialog{
		ID: d.ID, Type: d.Type, Message: Cut(d.Message, maxViewText), DefaultPrompt: Cut(d.DefaultPrompt, maxViewText),
		OpenedAt: seconds(d.OpenedAt), FrameID: d.Frame, Bridge: d.Bridge,
	}
}

func seconds(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }

// Tree returns the frame tree of a tab; all of it if whole is set. A nil tab has an empty one.
func (t *Tab) Tree(whole bool) FrameTree {
	tree := FrameTree{Children: []FrameEntry{}}
	if t == nil {
		return tree
	}
	size := len(t.Frames) - 1
	if !whole {
		size = min(size, maxTreeFrames)
	}
	tree.Children = make([]FrameEntry, 0, size)
	top := t.MainFrame().entry(t)
	tree.Top = &top
	below := t.ByParent()
	level := below[t.Main]
	for depth := 1; len(level) > 0; depth++ {
		var next []*Frame
		for _, f := range level {
			full := len(tree.Children) == maxTreeFrames
			if !whole && (full || f.OOPIF && depth > maxOwnDepth) {
				tree.Truncated = true
				if full {
					return tree
				}
				continue
			}
			tree.Children = append(tree.Children, f.entry(t))
			next = append(next, below[f.ID]...)
		}
		level = next
	}
	return tree
}

// InOrder iterates over the frames of a tab, each before its descendants, with its number of ancestors.
func (t *Tab) InOrder() iter.Seq2[*Frame, int] {
	return func(yield func(*Frame, int) bool) {
		below := t.ByParent()
		var walk func(*Frame, int) bool
		walk = func(f *Frame, depth int) bool {
			if !yield(f, depth) {
				return false
			}
			for _, child := range below[f.ID] {
				if !walk(child, depth+1) {
					return false
				}
			}
			return true
		}
		if top := t.MainFrame(); top != nil {
			walk(top, 0)
		}
	}
}

func (f *Frame) entry(t *Tab) FrameEntry {
	e := FrameEntry{
		FrameID: f.ID, URL: Cut(f.URL, maxViewText), Origin: t.Origin(f), IsOOPIF: f.OOPIF,
		ParentID: f.Parent, Name: Cut(f.Name, maxViewText),
	}
	if f.OOPIF || f.ID == t.Main {
		e.Session = f.Session // a frame in its parent's process has none of its own
	}
	return e
}

// Origin returns the origin of a frame's document. Of about:blank and about:srcdoc, which inherit that of their parent,
// the browser reports none ("://", measured on Chromium 156).
func (t *Tab) Origin(f *Frame) string {
	for range len(t.Frames) {
		switch {
		case f == nil:
			return ""
		case f.Origin != "" && f.Origin != "://":
			return Cut(f.Origin, maxViewText)
		case !strings.HasPrefix(f.URL, "about:"):
			return Origin(f.URL)
		}
		f = t.Frames[f.Parent]
	}
	return ""
}

// ByParent returns the children of every frame in order.
func (t *Tab) ByParent() map[FrameID][]*Frame {
	all := make([]*Frame, 0, len(t.Frames))
	for _, f := range t.Frames {
		all = append(all, f)
	}
	slices.SortFunc(all, byOrder)
	below := make(map[FrameID][]*Frame)
	for _, f := range all {
		if f.ID != t.Main {
			below[f.Parent] = append(below[f.Parent], f)
		}
	}
	return below
}
