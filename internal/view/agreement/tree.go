package agreement

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
)

// axNode is the part of an Accessibility.AXNode that is compared.
type axNode struct {
	NodeID           string                 `json:"nodeId"`
	ParentID         string                 `json:"parentId"`
	Ignored          bool                   `json:"ignored"`
	Role             axValue                `json:"role"`
	Name             axValue                `json:"name"`
	BackendDOMNodeID protocol.BackendNodeID `json:"backendDOMNodeId"`
}

type axValue struct {
	Value string `json:"value"`
}

// tree is Chromium's account, and the number of nodes inside controls that the browser draws.
func (j *Judge) tree(ctx context.Context, frame supervisor.FrameID) (*accounts, int, error) {
	f := j.Worlds.Browser().State().Frame(frame)
	if f == nil {
		return nil, 0, fmt.Errorf("frame %s is gone", frame)
	}
	var answer struct {
		Nodes []axNode `json:"nodes"`
	}
	session := j.Worlds.Browser().Session(f.Session)
	if err := session.Call(ctx, "Accessibility.getFullAXTree", map[string]any{"frameId": string(frame)}, &answer); err != nil {
		return nil, 0, err
	}
	byNode := make(map[string]*axNode, len(answer.Nodes))
	for i := range answer.Nodes {
		byNode[answer.Nodes[i].NodeID] = &answer.Nodes[i]
	}
	a := &accounts{byID: map[protocol.BackendNodeID]account{}}
	inner := 0
	for i := range answer.Nodes {
		n := &answer.Nodes[i]
		if n.Ignored || n.BackendDOMNodeID == 0 {
			continue
		}
		if drawn(n, byNode) {
			if interactive(n.Role.Value) {
				inner++
			}
			continue
		}
		a.order = append(a.order, n.BackendDOMNodeID)
		a.byID[n.BackendDOMNodeID] = account{n.Role.Value, Normal(n.Name.Value)}
	}
	return a, inner, nil
}

// drawn reports whether a node lies inside a control that the browser draws by itself.
func drawn(n *axNode, byNode map[string]*axNode) bool {
	for at := byNode[n.ParentID]; at != nil; at = byNode[at.ParentID] {
		switch at.Role.Value {
		case "Date", "DateTime", "InputTime", "ColorWell", "Video", "Audio", "spinbutton", "searchbox":
			return true
		}
	}
	return false
}

// Normal is how names are compared: as an agent is shown them. Invisible characters and the private characters of icon
// fonts are left out, runs of white space become one space.
func Normal(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Co, r), unicode.Is(unicode.Cf, r), unicode.IsControl(r), r == '\ufffc':
			return -1
		}
		return r
	}, name)
	return strings.Join(strings.Fields(name), " ")
}
