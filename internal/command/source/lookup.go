package source

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/react"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/source"
	"github.com/usher-browser/usher/internal/verb"
)

// Lookup is the result of `source lookup`.
type Lookup struct {
	// Status is candidates-found, no-candidates, or unsupported: nothing was found, and React's data could not be read.
	Status        string      `json:"status"`
	Candidates    []Candidate `json:"candidates"`
	Limitations   []string    `json:"limitations"`
	Summary       string      `json:"summary"`
	WorkspaceRoot string      `json:"workspaceRoot,omitzero"`
}

// maxNamed is how many components of a name are looked at.
const maxNamed = 5

func lookup(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Lookup], error) {
	var none run.Reply[*Lookup]
	out := &Lookup{Candidates: []Candidate{}, Limitations: []string{}}
	var el *locate.Element
	if c.Has("selector") {
		target, err := e.Target(c, "selector")
		if err != nil {
			return none, err
		}
		if !e.Limited { // the rest may take longer than the element may take to come
			target.Timeout = min(e.Limit, element.DefaultTimeout)
		}
		err = e.Act(ctx, "source lookup", func(ctx context.Context, a *element.Actor) error {
			found, _, err := a.Find(ctx, target)
			el = &found
			return err
		})
		if err != nil {
			return none, err
		}
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	tab, err := e.CurrentTab()
	if err != nil {
		return none, err
	}
	id := e.Scope(e.Tab)
	if el != nil {
		id = el.Frame
	}
	frame := tab.Frames[id]
	if frame == nil {
		return none, api.Errorf(api.FrameDetached, "source lookup: the frame is gone from the page")
	}
	if err := e.MayEnter(ctx, frame.ID); err != nil {
		return none, err
	}
	space := openWorkspace(ctx, e, c, &out.Limitations)
	if space != nil {
		defer func() { _ = space.Close() }() // only read from
		out.WorkspaceRoot = space.Root
	}
	t, err := trace(ctx, e, frame, space)
	if err != nil {
		return none, e.Explain(err, "source lookup")
	}
	defer t.end()
	l := &look{tracer: t, out: out}
	noReact := l.components(ctx, e, c, el)
	if el != nil {
		if !c.Bool("no-dom-hints") {
			l.hints(ctx, el)
		}
		l.rules(ctx, el)
	}
	if name := l.componentName(c); name != "" && space != nil {
		hits, err := space.Component(ctx, name, maxHits)
		if err != nil {
			return none, e.Explain(err, "search the workspace")
		}
		for _, h := range hits {
			l.add(Candidate{Source: "workspace-search", Confidence: medium, Evidence: []string{"declares " + name}, File: h.File, Line: h.Line, Column: h.Column, ComponentName: name, InWorkspace: true})
		}
	}
	if ctx.Err() != nil { // what is missing then is not nothing
		return none, e.Explain(context.Cause(ctx), "source lookup")
	}
	out.Limitations = append(out.Limitations, t.limits...)
	if space != nil {
		out.Limitations = append(out.Limitations, space.Limitations...)
	}
	rank := func(c Candidate) int { return slices.Index([]string{high, medium, low}, c.Confidence) }
	slices.SortStableFunc(out.Candidates, func(a, b Candidate) int { return rank(a) - rank(b) })
	switch {
	case len(out.Candidates) > 0:
		out.Status, out.Summary = "candidates-found", fmt.Sprintf("%d candidates", len(out.Candidates))
	case noReact:
		out.Status, out.Summary = "unsupported", "No candidates: React's data could not be read"
	default:
		out.Status, out.Summary = "no-candidates", "No candidates"
	}
	return run.Reply[*Lookup]{Data: out, Text: report([]string{out.Summary}, out.Candidates, out.Limitations)}, nil
}

// look is one lookup.
type look struct {
	*tracer
	out  *Lookup
	name string // of the component around the element
}

// add adds a candidate, unless there is one of the same source at the same place: then its evidence is added.
func (l *look) add(c Candidate) {
	c.Evidence = slices.DeleteFunc(c.Evidence, func(s string) bool { return s == "" })
	for i := range l.out.Candidates {
		if k := &l.out.Candidates[i]; k.Source == c.Source && k.File == c.File && k.Line == c.Line && k.Column == c.Column {
			for _, e := range c.Evidence {
				if !slices.Contains(k.Evidence, e) {
					k.Evidence = append(k.Evidence, e)
				}
			}
			return
		}
	}
	if len(l.out.Candidates) < maxCandidates {
		l.out.Candidates = append(l.out.Candidates, c)
	}
}

func (l *look) componentName(c *verb.Call) string {
	if c.Has("component") {
		return c.Str("component")
	}
	return l.name
}

// components adds where React's components come from. failed reports that their data could not be read.
func (l *look) components(ctx context.Context, e *run.Env, c *verb.Call, el *locate.Element) (failed bool) {
	var which []react.Which
	if el != nil {
		which = append(which, react.Which{Element: el})
	}
	if c.Has("react-id") {
		which = append(which, react.Which{ID: c.Int("react-id")})
	}
	if c.Has("component") {
		which = append(which, react.Which{Name: c.Str("component"), Most: maxNamed})
	}
	for i := range which {
		places, err := react.Places(ctx, e, &which[i])
		switch {
		case errors.Is(err, react.ErrNotReact):
			l.limit("React did not render the element")
			continue
		case err != nil:
			failed = true
			l.limit("React's data was not read: %s", api.AsError(err).Message)
			continue
		}
		for _, p := range places {
			l.component(ctx, &p)
		}
	}
	return failed
}

func (l *look) component(ctx context.Context, p *react.Place) {
	build := fmt.Sprintf("React %s, %s build", p.Version, p.Build)
	name := p.Name
	if p.Function != nil {
		if script, known := l.script(p.Function.ScriptID); known {
			at := l.original(ctx, script, p.Function.Line, p.Function.Column)
			confidence := medium
			if at.mapped || at.inWorkspace {
				confidence = high
			}
			if at.name != "" { // a production build has shorter names
				name = at.name
			}
			l.add(Candidate{Source: "react-inspect", Confidence: confidence, Evidence: []string{"function of the component " + p.Name + " at " + at.evidence, build},
				File: at.file, Line: at.line, Column: at.column, ComponentName: name, InWorkspace: at.inWorkspace})
		} else {
			l.limit("the script of component %s is no longer known to the debugger", p.Name)
		}
	}
	if l.name == "" {
		l.name = name
	}
	r := p.Rendered
	switch {
	case r == nil:
		return
	case p.Mapped:
		file, inside := r.URL, false
		if l.space != nil {
			if found, ok := l.space.Resolve(r.URL); ok {
				file, inside = found, true
			}
		}
		l.add(Candidate{Source: "react-inspect", Confidence: high, Evidence: []string{"_debugSource of the element: where it is rendered", build}, File: file, Line: r.Line, Column: r.Column, ComponentName: name, InWorkspace: inside})
	default:
		script, known := l.scriptAt(r.URL)
		if !known {
			script = code{url: r.URL}
		}
		at := l.original(ctx, script, r.Line-1, r.Column-1)
		confidence := low
		if at.mapped || at.inWorkspace {
			confidence = medium // of a parent's file, which renders it
		}
		l.add(Candidate{Source: "react-inspect", Confidence: confidence, Evidence: []string{"_debugStack of the element: where it is rendered, " + at.evidence, build},
			File: at.file, Line: at.line, Column: at.column, ComponentName: name, InWorkspace: at.inWorkspace})
	}
}

// hintScript reads what development tools leave in the elements: attributes of the element and of those around it, and paths in its own
// markup.
const hintScript = `function(){const names=["data-source-file","data-file","data-component-file","data-source","data-inspector-relative-path","data-v-inspector","data-sentry-source-file",
"data-source-line","data-line","data-inspector-line","data-source-column","data-column","data-inspector-column","data-component","data-sentry-component"];
const rows=[];let up=this;for(let n=0;up&&up.getAttribute&&n<12;n++){const row={};for(const name of names){const v=up.getAttribute(name);if(v)row[name]=String(v).slice(0,500)}
if(Object.keys(row).length)rows.push({depth:n,attributes:row});up=up.parentElement}
return {rows,html:String(this.outerHTML||"").slice(0,100000)}}`

// pathPattern finds path.tsx:12:3 in text.
var pathPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([\w@./\\-]*[\w-]\.(?:tsx|jsx|ts|js|vue|svelte))(?::(\d{1,7}))?(?::(\d{1,7}))?\b`)
})

// hints adds what is in attributes and in the text of the element.
func (l *look) hints(ctx context.Context, el *locate.Element) {
	handle, err := l.env.Worlds.Handle(ctx, el.Frame, "node", map[string]any{"target": map[string]any{"by": "id", "id": el.ID}})
	if err != nil {
		l.limit("the element's attributes were not read: %v", err)
		return
	}
	defer handle.Release()
	res, err := cdp.Do(ctx, handle.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{FunctionDeclaration: hintScript, ObjectID: handle.Object.ObjectID, ReturnByValue: new(true), Silent: new(true)})
	if err != nil || res.ExceptionDetails != nil || res.Result == nil {
		l.limit("the element's attributes were not read")
		return
	}
	var got struct {
		Rows []struct {
			Depth      int               `json:"depth"`
			Attributes map[string]string `json:"attributes"`
		} `json:"rows"`
		HTML string `json:"html"`
	}
	if err := jsonv2.Unmarshal([]byte(res.Result.Value), &got, jsontext.AllowInvalidUTF8(true)); err != nil {
		l.limit("the element's attributes were not read: %v", err)
		return
	}
	for _, row := range got.Rows {
		confidence := high
		evidence := "attributes of the element"
		if row.Depth > 0 {
			confidence, evidence = medium, fmt.Sprintf("attributes of the element %d levels above", row.Depth)
		}
		l.attributes(row.Attributes, confidence, evidence)
	}
	for _, m := range pathPattern().FindAllStringSubmatch(got.HTML, 10) {
		if strings.HasPrefix(m[1], "//") || m[2] == "" && !strings.ContainsAny(m[1], `/\`) {
			continue // an address without its scheme; a mere file name
		}
		l.hint(m[1], m[2], m[3], "", low, "a path in the markup of the element")
	}
}

func (l *look) attributes(a map[string]string, confidence, evidence string) {
	first := func(names ...string) (name, value string) {
		for _, name := range names {
			if a[name] != "" {
				return name, a[name]
			}
		}
		return "", ""
	}
	name, file := first("data-source-file", "data-file", "data-component-file", "data-source", "data-inspector-relative-path", "data-v-inspector", "data-sentry-source-file")
	if file == "" {
		return
	}
	_, line := first("data-source-line", "data-line", "data-inspector-line")
	_, column := first("data-source-column", "data-column", "data-inspector-column")
	_, component := first("data-component", "data-sentry-component")
	if m := pathPattern().FindStringSubmatch(file); m != nil && strings.HasSuffix(file, m[0]) && m[2] != "" { // path:line:column in one
		file, line, column = strings.TrimSuffix(file, m[0])+m[1], m[2], m[3]
	}
	l.hint(file, line, column, component, confidence, name+" in the "+evidence)
}

func (l *look) hint(file, line, column, component, confidence, evidence string) {
	c := Candidate{Source: "dom-attribute", Confidence: confidence, Evidence: []string{evidence}, File: source.RedactQuery(file), ComponentName: component}
	c.Line, _ = strconv.Atoi(line)     // 0 without one
	c.Column, _ = strconv.Atoi(column) // 0 without one
	if l.space != nil {
		if found, ok := l.space.Resolve(file); ok {
			c.File, c.InWorkspace = found, true
		}
	}
	l.add(c)
}

// maxRules bounds the rules of style sheets that are told.
const maxRules = 5

// rules adds the rules of the page's style sheets that match the element, the most specific first.
func (l *look) rules(ctx context.Context, el *locate.Element) {
	list, err := l.matchedRules(ctx, el)
	if err != nil {
		l.limit("the rules of style sheets were not read: %v", err)
		return
	}
	told := 0
	for _, m := range slices.Backward(list) {
		if m.Rule == nil || m.Rule.Origin != css.StyleSheetOriginRegular || m.Rule.SelectorList == nil || told == maxRules {
			continue
		}
		l.mu.Lock()
		sheet, known := l.sheets[string(m.Rule.StyleSheetID)]
		l.mu.Unlock()
		at := m.Rule.SelectorList.Selectors
		if !known || len(at) == 0 || at[0].Range == nil || sheet.url == "" {
			continue
		}
		told++
		line, column := int(at[0].Range.StartLine), int(at[0].Range.StartColumn)
		p := l.original(ctx, sheet, line, column)
		confidence := low
		if p.mapped && p.inWorkspace {
			confidence = medium
		}
		l.add(Candidate{Source: "css-rule", Confidence: confidence, Evidence: []string{"rule " + run.OneLine(m.Rule.SelectorList.Text) + " at " + p.evidence}, File: p.file, Line: p.line, Column: p.column, InWorkspace: p.inWorkspace})
	}
}

func (l *look) matchedRules(ctx context.Context, el *locate.Element) ([]*css.RuleMatch, error) {
	handle, err := l.env.Worlds.Handle(ctx, el.Frame, "node", map[string]any{"target": map[string]any{"by": "id", "id": el.ID}})
	if err != nil {
		return nil, err
	}
	defer handle.Release()
	node, err := cdp.Do(ctx, handle.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle.Object.ObjectID})
	if err != nil {
		return nil, err
	}
	if err := start(l.session, "DOM.enable", nil)(ctx); err != nil {
		return nil, err
	}
	if err := start(l.session, "CSS.enable", nil)(ctx); err != nil {
		return nil, err
	}
	if err := start(l.session, "DOM.getDocument", map[string]any{"depth": 0})(ctx); err != nil {
		return nil, err
	}
	var pushed struct {
		IDs []int64 `json:"nodeIds"`
	}
	if err := l.session.Call(ctx, "DOM.pushNodesByBackendIdsToFrontend", map[string]any{"backendNodeIds": []any{node.Node.BackendNodeID}}, &pushed); err != nil {
		return nil, err
	}
	if len(pushed.IDs) == 0 || pushed.IDs[0] == 0 {
		return nil, errors.New("the browser does not know the element")
	}
	var got struct {
		Rules []*css.RuleMatch `json:"matchedCSSRules"`
	}
	err = l.session.Call(ctx, "CSS.getMatchedStylesForNode", map[string]any{"nodeId": pushed.IDs[0]}, &got)
	return got.Rules, err
}
