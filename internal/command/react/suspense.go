package react

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Suspense is the result of `react suspense`.
type Suspense struct {
	Report     string     `json:"report"`
	Boundaries []Boundary `json:"boundaries"` // in document order
	Total      int        `json:"total"`      // how many there are
}

// Boundary is a suspense boundary.
type Boundary struct {
	ID   int     `json:"id"`   // for `react inspect`
	Name *string `json:"name"` // its prop, since React 19
	// State is suspended (the fallback is shown), hydrating (the server's elements are shown until their scripts run),
	// client rendered (the server failed to render it) or shown.
	State         string   `json:"state"`
	EverSuspended bool     `json:"everSuspended"` // it has shown its fallback since it was mounted
	Inside        []string `json:"inside"`        // the components around it, nearest first
	Fallback      string   `json:"fallback"`
	Children      []string `json:"children"` // what it has to show
	Waits         []string `json:"waits"`    // for which promises, as far as React keeps them
	Source        *Source  `json:"source"`   // development builds only
}

// mostAsked bounds the boundaries whose promises are read.
const mostAsked = 20

func suspense(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Suspense], error) {
	ctx, in, done, err := enter(ctx, e, "react suspense")
	if err != nil {
		return run.Reply[*Suspense]{}, err
	}
	defer done()
	var got struct {
		Suspense
		Roots int `json:"roots"`
	}
	if err := in.call(ctx, &got, "suspense", nil); err != nil {
		return run.Reply[*Suspense]{}, err
	}
	if got.Roots == 0 {
		return run.Reply[*Suspense]{}, in.noReact(ctx)
	}
	if err := in.numbered(ctx); err != nil {
		return run.Reply[*Suspense]{}, err
	}
	data := &got.Suspense
	asked := 0
	for i := range data.Boundaries {
		if b := &data.Boundaries[i]; b.State == "suspended" && asked < mostAsked {
			asked++
			promises, err := in.promises(ctx, b.ID)
			if err != nil {
				return run.Reply[*Suspense]{}, err
			}
			b.Waits = append(b.Waits, promises...)
		}
	}
	data.Report = data.report(c.Bool("only-dynamic"))
	if c.Bool("only-dynamic") {
		var dynamic []Boundary
		for _, b := range data.Boundaries {
			if b.dynamic() {
				dynamic = append(dynamic, b)
			}
		}
		data.Boundaries = dynamic
	}
	return run.Reply[*Suspense]{Data: data, Text: data.Report}, nil
}

// mostPromises bounds the promises that are listed of one boundary.
const mostPromises = 5

// promises describes the promises that a boundary waits for. React keeps them in a WeakSet, which scripts cannot list
// and the protocol can.
func (in *inspector) promises(ctx context.Context, id int) ([]string, error) {
	set, err := in.invoke(ctx, "waiting", id, false)
	if err != nil || set.ObjectID == "" {
		return nil, err
	}
	defer in.session.Post("Runtime.releaseObject", map[string]any{"objectId": set.ObjectID}, nil)
	_, internal, err := in.properties(ctx, set.ObjectID)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range internal {
		if p.Name != "[[Entries]]" || p.Value == nil || p.Value.ObjectID == "" {
			continue
		}
		entries, _, err := in.properties(ctx, p.Value.ObjectID)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if entry.Value == nil || entry.Value.ObjectID == "" || !entry.Enumerable || len(out) >= mostPromises {
				continue
			}
			members, _, err := in.properties(ctx, entry.Value.ObjectID)
			if err != nil {
				return nil, err
			}
			for _, m := range members {
				if m.Name == "value" && m.Value != nil && m.Value.ObjectID != "" {
					text, err := in.promise(ctx, m.Value.ObjectID)
					if err != nil {
						return nil, err
					}
					out = append(out, text)
				}
			}
		}
	}
	return out, nil
}

// promise describes one promise.
func (in *inspector) promise(ctx context.Context, object runtime.RemoteObjectID) (string, error) {
	res, err := cdp.Do(ctx, in.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(p){return this.promiseText(p)}", ObjectID: in.object, Silent: new(true), ReturnByValue: new(true),
		Arguments: []*runtime.CallArgument{{ObjectID: object}},
	})
	if err != nil {
		return "", in.failed(ctx, err)
	}
	text := "promise"
	if res.ExceptionDetails == nil && res.Result != nil {
		var said string
		if err := decode(res.Result, &said); err == nil {
			text = said
		}
	}
	_, internal, err := in.properties(ctx, object)
	if err != nil {
		return "", err
	}
	for _, p := range internal {
		if p.Name == "[[PromiseState]]" && p.Value != nil {
			text += " (" + strings.Trim(string(p.Value.Value), `"`) + ")"
		}
	}
	return text, nil
}

func (in *inspector) properties(ctx context.Context, object runtime.RemoteObjectID) (own []runtime.PropertyDescriptor, internal []runtime.InternalPropertyDescriptor, err error) {
	res, err := cdp.Do(ctx, in.session, runtime.GetProperties, runtime.GetPropertiesParams{ObjectID: object, OwnProperties: new(true)})
	if err != nil {
		return nil, nil, in.failed(ctx, err)
	}
	for _, p := range res.Result {
		own = append(own, *p)
	}
	for _, p := range res.InternalProperties {
		internal = append(internal, *p)
	}
	return own, internal, nil
}

// dynamic reports whether a boundary waits, or has waited.
func (b *Boundary) dynamic() bool { return b.State != "shown" || b.EverSuspended }

// report is the text for people.
func (d *Suspense) report(onlyDynamic bool) string {
	var b strings.Builder
	waiting, dynamic := 0, 0
	for _, one := range d.Boundaries {
		if one.State != "shown" {
			waiting++
		}
		if one.dynamic() {
			dynamic++
		}
	}
	fmt.Fprintf(&b, "# Suspense Boundary Analysis\n# %s: %d waiting, %d that waited before, %d static", boundaries(d.Total), waiting, dynamic-waiting, len(d.Boundaries)-dynamic)
	if more := d.Total - len(d.Boundaries); more > 0 {
		fmt.Fprintf(&b, ", %d not listed", more)
	}
	if onlyDynamic {
		b.WriteString(" (static ones are hidden)")
	}
	for _, one := range d.Boundaries {
		if onlyDynamic && !one.dynamic() {
			continue
		}
		one.write(&b)
	}
	return b.String()
}

func (b *Boundary) write(out *strings.Builder) {
	state := b.State
	if state == "shown" && b.EverSuspended {
		state = "shown, was suspended before"
	}
	inside := "the root"
	if len(b.Inside) > 0 {
		inside = run.OneLine(strings.Join(b.Inside, " < "))
	}
	fmt.Fprintf(out, "\n[%d] ", b.ID)
	if b.Name != nil {
		fmt.Fprintf(out, "%q ", run.OneLine(*b.Name))
	}
	out.WriteString(state + " in " + inside)
	if len(b.Children) > 0 {
		out.WriteString("\n  children: " + run.OneLine(strings.Join(b.Children, ", ")))
	}
	out.WriteString("\n  fallback: " + run.OneLine(b.Fallback))
	for _, w := range b.Waits {
		out.WriteString("\n  waits for: " + run.OneLine(w))
	}
	if b.State == "suspended" && len(b.Waits) == 0 {
		out.WriteString("\n  waits for: nothing that React keeps; perhaps it is about to show its children")
	}
	if b.Source != nil {
		fmt.Fprintf(out, "\n  source: %s:%d:%d", run.OneLine(b.Source.URL), b.Source.Line, b.Source.Column)
	}
}

func boundaries(n int) string {
	if n == 1 {
		return "1 boundary"
	}
	return fmt.Sprintf("%d boundaries", n)
}
