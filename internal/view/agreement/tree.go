package agreement

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// axNode is the part of an Accessibility.AXNode that is compared.
type axNode struct {
	Ignored          bool                   `json:"ignored"`
	Role             axValue                `json:"role"`
	Name             axValue                `json:"name"`
	BackendDOMNodeID protocol.BackendNodeID `json:"backendDOMNodeId"`
}

type axValue struct {
	Value string `json:"value"`
}

// tree is Chromium's account.
func (j *Judge) tree(ctx context.Context, frame model.FrameID) (*accounts, error) {
	f := j.Worlds.Browser().State().Frame(frame)
	if f == nil {
		return nil, fmt.Errorf("frame %s is gone", frame)
	}
	var answer struct {
		Nodes []axNode `json:"nodes"`
	}
	session := j.Worlds.Browser().Session(f.Session)
	if err := session.Call(ctx, "Accessibility.getFullAXTree", map[string]any{"frameId": string(frame)}, &answer); err != nil {
		return nil, err
	}
	a := &accounts{byID: map[protocol.BackendNodeID]account{}}
	for i := range answer.Nodes {
		n := &answer.Nodes[i]
		if n.Ignored || n.BackendDOMNodeID == 0 {
			continue
		}
		a.order = append(a.order, n.BackendDOMNodeID)
		a.byID[n.BackendDOMNodeID] = account{n.Role.Value, Normal(n.Name.Value)}
	}
	return a, nil
}

// isDrawn reports whether a node is part of a control that the browser draws by itself: no script can reach it.
func (j *Judge) isDrawn(ctx context.Context, frame model.FrameID, id protocol.BackendNodeID) bool {
	session := j.Worlds.Browser().Session(j.Worlds.Browser().State().Frame(frame).Session)
	node, err := cdp.Do(ctx, session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id})
	if err != nil {
		return false
	}
	root, err := cdp.Do(ctx, session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: pagescript.RootOf, ObjectID: node.Object.ObjectID,
	})
	if err != nil || root.Result == nil || root.Result.ObjectID == "" {
		return false
	}
	described, err := cdp.Do(ctx, session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: root.Result.ObjectID})
	return err == nil && described.Node.ShadowRootType == protocol.ShadowRootTypeUserAgent
}

// Normal returns how names are compared: as an agent is shown them. Invisible characters and the private characters of icon
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
