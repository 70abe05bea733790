package react

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Tree is the result of `react tree`.
type Tree struct {
	// Tree has a line for each row, after three lines of explanation: depth, id, id of the row above ("-" for none), name.
	Tree  string `json:"tree"`
	Roots []Root `json:"roots,omitzero"` // of the page; absent with an id
	Rows  int    `json:"rows"`           // that Tree has
	Total int    `json:"total"`          // that there are, or at least
}

// Root is a root of React: one for each createRoot or render.
type Root struct {
	Version    string `json:"version"`    // of React: exact where the hook is installed, else the major version
	Build      string `json:"build"`      // development, profiling or production
	Components int    `json:"components"` // functions and classes that are mounted
}

// row is a fiber in the tree.
type row struct {
	Depth     int     `json:"depth"`
	ID        int     `json:"id"`
	Parent    int     `json:"parent"` // 0 for none
	Name      string  `json:"name"`
	Key       *string `json:"key"`
	Suspended bool    `json:"suspended"`
	More      int     `json:"more"`
}

func tree(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Tree], error) {
	ctx, in, done, err := enter(ctx, e, "react tree")
	if err != nil {
		return run.Reply[*Tree]{}, err
	}
	defer done()
	depth := -1
	if c.Has("depth") {
		depth = c.Int("depth")
	}
	var got *struct {
		Rows     []row  `json:"rows"`
		Roots    []Root `json:"roots"`
		Total    int    `json:"total"`
		Complete bool   `json:"complete"`
	}
	args := map[string]any{"id": idOf(c), "components": c.Bool("components"), "depth": depth, "limit": c.Int("limit")}
	if err := in.call(ctx, &got, "tree", args); err != nil {
		return run.Reply[*Tree]{}, err
	}
	switch {
	case got == nil:
		return run.Reply[*Tree]{}, in.unmounted(idOf(c))
	case len(got.Rows) == 0:
		return run.Reply[*Tree]{}, in.noReact(ctx)
	}
	if err := in.numbered(ctx); err != nil {
		return run.Reply[*Tree]{}, err
	}
	data := &Tree{Roots: got.Roots, Rows: len(got.Rows), Total: got.Total}
	lines := []string{"# React component tree", "# Columns: depth id parent name [key=...]", "# Use `react inspect <id>` for props/hooks/state. IDs valid until next navigation."}
	for _, r := range got.Rows {
		lines = append(lines, r.text())
	}
	if left := data.Total - data.Rows; left > 0 {
		lines = append(lines, fmt.Sprintf("# %s not shown; more=N counts those below a row. `react tree <id>` shows them; see also --limit, --depth and --components", run.Plural(left, "row")))
	}
	if !got.Complete {
		lines = append(lines, fmt.Sprintf("# The tree has no end that was reached: more than %d fibers", data.Total))
	}
	data.Tree = strings.Join(lines, "\n")
	return run.Reply[*Tree]{Data: data, Text: data.Tree}, nil
}

func (r *row) text() string {
	parent := "-"
	if r.Parent != 0 {
		parent = fmt.Sprint(r.Parent)
	}
	line := fmt.Sprintf("%d %d %s %s", r.Depth, r.ID, parent, run.OneLine(r.Name))
	if r.Key != nil {
		line += fmt.Sprintf(" key=%q", run.OneLine(*r.Key))
	}
	if r.Suspended {
		line += " suspended"
	}
	if r.More > 0 {
		line += fmt.Sprintf(" more=%d", r.More)
	}
	return line
}

// unmounted is the error for an id of no component.
func (in *inspector) unmounted(id int) error {
	return api.Errorf(api.ElementNotFound, "%s: no component %d is mounted: it was removed, or the document was replaced", in.doing, id).
		WithHint("`react tree` lists the components that are there now.")
}

// noReact is the error for a document without React.
func (in *inspector) noReact(ctx context.Context) error {
	var state struct {
		Hook  bool `json:"hook"`
		Other bool `json:"other"`
	}
	if err := in.call(ctx, &state, "state", nil); err != nil {
		return err
	}
	hint := "Frames have components of their own: see `frame list`, and use --frame. Wait until the page has rendered, as with `wait --load networkidle`."
	switch {
	case state.Hook:
	case in.hookWanted():
		hint = "The document was loaded before --enable react-devtools: `reload` it to find components that are not drawn in the page. " + hint
	default:
		hint += " Components that are not drawn in the page, as on a canvas, need --enable react-devtools and `reload`."
	}
	return api.Errorf(api.ElementNotFound, "%s: No React renderer has a root in %s", in.doing, in.frame.URL).WithHint("%s", hint)
}

// hookWanted reports whether the session has --enable react-devtools.
func (in *inspector) hookWanted() bool {
	return in.env.Option != nil && in.env.Option("enable") != ""
}
