package targets

import (
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
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
	MIMEType string        `json:"mimeType"`
}

type frameTree struct {
	Frame    frameInfo   `json:"frame"`
	Children []frameTree `json:"childFrames"`
}

// frameTree folds in the frames that were there before the watch began.
func (m *Targets) frameTree(r *core.Reply) {
	t := m.TabOf(r.Session)
	if t == nil || r.Err != nil {
		return
	}
	var p struct {
		Tree frameTree `json:"frameTree"`
	}
	if jsonv2.Unmarshal(r.Result, &p) != nil || p.Tree.Frame.ID == "" {
		return
	}
	info := m.Sessions[r.Session]
	if m.unverified[t.ID] && info.Kind == "page" {
		t.Crash = nil
		if f := t.MainFrame(); f != nil && f.Loader != p.Tree.Frame.LoaderID {
			t.Commits++ // it went elsewhere during the outage
		}
	}
	m.addTree(t, r.Session, &p.Tree)
	info.Tree = true
	m.Sessions[r.Session] = info
	m.removeVanished(r.Session)
}

// requestTrees reads the frame trees of all processes of a tab again: of the frames that a restored page has Chromium
// reports nothing (measured on Chromium 156). Enabling the lifecycle events once more makes it repeat the past ones.
func (m *Targets) requestTrees(t *model.Tab) {
	var ids []string
	for id, info := range m.Sessions {
		if info.Tab == t.ID && (info.Kind == "page" || info.Kind == "iframe") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		m.Send(id, "Page.getFrameTree", nil, core.Tag{Kind: core.TagTree})
		m.Send(id, "Page.setLifecycleEventsEnabled", core.Params{"enabled": true}, core.Tag{})
	}
}

func (m *Targets) addTree(t *model.Tab, session string, tree *frameTree) {
	if tree.Frame.ID == "" {
		return
	}
	f := m.Frame(t, tree.Frame.ID)
	fresh := f == nil
	switch {
	case fresh:
		f = m.newFrame(t, tree.Frame.ID, session)
	case f.Session != "" && f.Session != session:
		return // it has moved to a process of its own meanwhile
	}
	f.Session, f.OOPIF = session, m.Sessions[session].Target == model.TargetID(f.ID) && f.ID != t.Main
	m.setDocument(t, f, &tree.Frame)
	if fresh {
		m.NoteFrame(t, f, model.FrameAttached)
	}
	for i := range tree.Children {
		m.addTree(t, session, &tree.Children[i])
	}
}
