package react

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element/locate"
)

// Place is where a component comes from.
type Place struct {
	ID   int
	Name string
	// Rendered is where its element was made, as in [Component]; nil where the build of React does not keep it. Mapped reports whether
	// that is a place in the original file, as until React 18, and not in the script.
	Rendered *Source
	Mapped   bool
	// Function is where its function or class is in a script; nil if that is not known.
	Function *Function
	Version  string
	Build    string
}

// Function is a place in a script, from 0 as in the protocol.
type Function struct {
	ScriptID     string `json:"scriptId"`
	Line, Column int
}

// Which says which components [Places] looks for: that of an element, that of an id of `react tree`, or those of a name.
type Which struct {
	Element *locate.Element
	ID      int
	Name    string
	// Most is how many of a name.
	Most int
}

// ErrNotReact is returned if the element was not rendered by React.
var ErrNotReact = errors.New("React did not render it") //nolint:staticcheck // React is a name

// Places returns where components come from, in the frame of the command. Errors: [ErrNotReact]; [api.ElementNotFound] if no such component
// is there; those of `react inspect`.
func Places(ctx context.Context, e *run.Env, which *Which) ([]Place, error) {
	ctx, in, done, err := enter(ctx, e, "find the component")
	if err != nil {
		return nil, err
	}
	defer done()
	ids := []int{which.ID}
	switch {
	case which.Element != nil:
		id, err := in.at(ctx, which.Element)
		if err != nil {
			return nil, e.Explain(err, in.doing)
		}
		if id == 0 {
			return nil, ErrNotReact
		}
		ids = []int{id}
	case which.Name != "":
		ids = nil
		if err := in.call(ctx, &ids, "named", map[string]any{"name": which.Name, "most": which.Most}); err != nil {
			return nil, err
		}
		if len(ids) == 0 {
			return nil, api.Errorf(api.ElementNotFound, "no component called %s is mounted in %s", which.Name, in.frame.URL)
		}
	}
	var places []Place
	for _, id := range ids {
		var got *Component
		if err := in.call(ctx, &got, "inspect", id); err != nil {
			return nil, err
		}
		if got == nil {
			return nil, in.unmounted(id)
		}
		p := Place{ID: id, Name: got.Name, Rendered: got.Source, Version: got.Version, Build: got.Build}
		p.Mapped = p.Rendered != nil && !isAddress(p.Rendered.URL)
		if p.Function, err = in.function(ctx, id); err != nil {
			return nil, e.Explain(err, in.doing)
		}
		places = append(places, p)
	}
	return places, in.numbered(ctx)
}

// isAddress reports whether a place is in a script that was loaded: the compiler writes paths.
func isAddress(url string) bool {
	for _, scheme := range []string{"http://", "https://", "file://", "blob:", "webpack-internal:", "app://"} {
		if len(url) > len(scheme) && url[:len(scheme)] == scheme {
			return true
		}
	}
	return false
}

// at returns the id of the component that rendered an element.
func (in *inspector) at(ctx context.Context, el *locate.Element) (int, error) {
	handle, err := in.env.Worlds.Handle(ctx, el.Frame, "node", map[string]any{"target": map[string]any{"by": "id", "id": el.ID}})
	if err != nil {
		return 0, err
	}
	defer handle.Release()
	node, err := cdp.Do(ctx, handle.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle.Object.ObjectID})
	if err != nil || node.Node == nil {
		return 0, err
	}
	resolved, err := cdp.Do(ctx, in.session, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node.Node.BackendNodeID}) // in the page's own context
	if err != nil || resolved.Object == nil {
		return 0, err
	}
	defer in.session.Post("Runtime.releaseObject", map[string]any{"objectId": resolved.Object.ObjectID}, nil)
	res, err := cdp.Do(ctx, in.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(node){return this.at(node)}", ObjectID: in.object, ReturnByValue: new(true), Silent: new(true),
		Arguments: []*runtime.CallArgument{{ObjectID: resolved.Object.ObjectID}},
	})
	switch {
	case err != nil:
		return 0, in.failed(ctx, err)
	case res.ExceptionDetails != nil, res.Result == nil:
		return 0, in.refused(res.ExceptionDetails)
	}
	id := 0
	err = decode(res.Result, &id)
	return id, err
}

// function returns where a component's function or class is; nil if it has none, or the browser does not say.
func (in *inspector) function(ctx context.Context, id int) (*Function, error) {
	object, err := in.invoke(ctx, "component", id, false)
	if err != nil || object.ObjectID == "" {
		return nil, err
	}
	defer in.session.Post("Runtime.releaseObject", map[string]any{"objectId": object.ObjectID}, nil)
	got, err := cdp.Do(ctx, in.session, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: object.ObjectID, OwnProperties: new(true)})
	if err != nil {
		return nil, err
	}
	for _, p := range got.InternalProperties {
		if p.Name != "[[FunctionLocation]]" || p.Value == nil {
			continue
		}
		var at struct {
			ScriptID string `json:"scriptId"`
			Line     int    `json:"lineNumber"`
			Column   int    `json:"columnNumber"`
		}
		if err := jsonv2.Unmarshal([]byte(p.Value.Value), &at); err != nil {
			return nil, err
		}
		return &Function{ScriptID: at.ScriptID, Line: at.Line, Column: at.Column}, nil
	}
	return nil, nil //nolint:nilnil // not known is no error
}
