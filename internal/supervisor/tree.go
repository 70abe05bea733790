package supervisor

import (
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// frameInfo is the part of Page.Frame the model needs.
type frameInfo struct {
	ID       model.FrameID `json:"id"`
	ParentID model.FrameID `json:"parentId"`
	LoaderID string        `json:"loaderId"`
	Name     string        `json:"name"`
	URL      string        `json:"url"`
	Fragment string        `json:"urlFragment"`
	Origin   string        `json:"securityOrigin"`
}

type frameTree struct {
	Frame    frameInfo   `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// frameTree folds in the frames that were there before the watch began.
func (m *Model) frameTree(r *Reply) {
	t := m.tabOf(r.Session)
	if t == nil || r.Err != nil {
		return
	}
	var p struct {
		Tree frameTree `json:"frameTree"`
	}
	if jsonv2.Unmarshal(r.Result, &p) != nil || p.Tree.Frame.ID == "" {
		return
	}
	info := m.sessions[r.Session]
	if m.stale[t.ID] && info.kind == "page" {
		t.Crash = nil
		if f := t.MainFrame(); f != nil && f.Loader != p.Tree.Frame.LoaderID {
			t.Commits++ // it went elsewhere during the outage
		}
	}
	m.seed(t, r.Session, &p.Tree)
	info.tree = true
	m.sessions[r.Session] = info
	m.settle(r.Session)
}

// seedAgain asks all processes of a tab for their frames: of those that a restored
// page brings back Chromium tells nothing (measured on Chromium 156). Enabling the
// lifecycle events once more makes it repeat the past ones.
func (m *Model) seedAgain(t *model.Tab) {
	var ids []string
	for id, info := range m.sessions {
		if info.tab == t.ID && (info.kind == "page" || info.kind == "iframe") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		m.send(id, "Page.getFrameTree", nil, Tag{Kind: TagTree})
		m.send(id, "Page.setLifecycleEventsEnabled", obj{"enabled": true}, Tag{})
	}
}

func (m *Model) seed(t *model.Tab, session string, tree *frameTree) {
	if tree.Frame.ID == "" {
		return
	}
	f := m.frame(t, tree.Frame.ID)
	fresh := f == nil
	switch {
	case fresh:
		f = m.newFrame(t, tree.Frame.ID, session)
	case f.Session != "" && f.Session != session:
		return // it has moved to a process of its own meanwhile
	}
	f.Session, f.OOPIF = session, m.sessions[session].target == model.TargetID(f.ID) && f.ID != t.Main
	m.setDocument(t, f, &tree.Frame)
	if fresh {
		m.noteFrame(t, f, model.FrameAttached)
	}
	for i := range tree.Children {
		m.seed(t, session, &tree.Children[i])
	}
}
