package toolset

import (
	"fmt"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Text returns the report for people: the toolsets that are on, or with everything all of them, each with the tools
// that need a remark.
func (r *Report) Text(everything bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s on, about %s tokens in every request (%s: %s)\n", r.Platform, tool.Count(r.Served, "tool"), thousands(r.Tokens),
		r.From, strings.Join(r.Enabled, ", "))
	hidden := 0
	for _, kind := range []Kind{Core, Composite, Platform, Custom, Server, Plugin} {
		for i := range r.Groups {
			g := &r.Groups[i]
			if g.Kind != kind {
				continue
			}
			if !everything && !r.listed(g) {
				hidden++
				continue
			}
			r.group(&b, g)
		}
	}
	if loose := r.withoutToolset(); len(loose) > 0 {
		fmt.Fprintf(&b, "\nenabled by name: %s\n", strings.Join(loose, ", "))
	}
	if hidden > 0 {
		fmt.Fprintf(&b, "\n%s more, all off: usher tools list --all\n", tool.Count(hidden, "toolset"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r *Report) group(b *strings.Builder, g *Group) {
	mark := "off"
	switch {
	case g.On && g.Served == len(g.Tools):
		mark = "on"
	case g.Served > 0:
		mark = "part"
	case g.On:
		mark = "none"
	}
	fmt.Fprintf(b, "\n%-4s  %-20s  %2d of %-2d  %6s  %s\n", mark, g.Name, g.Served, len(g.Tools), thousands(g.Tokens), g.Doc)
	if g.Problem != "" {
		fmt.Fprintf(b, "        %s\n", g.Problem)
	}
	if !g.On || g.Kind == Composite || g.Kind == Platform {
		return
	}
	for _, name := range g.Tools {
		switch e := r.byName[name]; {
		case !e.On:
			fmt.Fprintf(b, "        %s is off: %s\n", name, e.Why)
		case !e.Available && e.Missing != g.Problem:
			fmt.Fprintf(b, "        %s is missing: %s\n", name, e.Missing)
		}
	}
}

// withoutToolset returns tools that are on without a toolset that is on.
func (r *Report) withoutToolset() (names []string) {
	for _, e := range r.Tools {
		if !e.Served() {
			continue
		}
		inside := slices.ContainsFunc(r.Groups, func(g Group) bool { return g.On && slices.Contains(g.Tools, e.Name) })
		if !inside {
			names = append(names, e.Name)
		}
	}
	return names
}

// thousands formats a number with commas.
func thousands(n int) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Show returns one toolset with its tools, or one tool with its arguments, as data and text. An unknown name is an
// error.
func (r *Report) Show(name string) (data any, text string, err error) {
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Name != name && g.Name != ServerPrefix+name {
			continue
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s (%s): %s\n%d of %s on for %s, about %s tokens\n", g.Name, g.Kind, g.Doc, g.Served, tool.Count(len(g.Tools), "tool"), r.Platform, thousands(g.Tokens))
		if g.Problem != "" {
			fmt.Fprintf(&b, "%s\n", g.Problem)
		}
		entries := []*Entry{}
		for _, t := range g.Tools {
			e := r.byName[t]
			entries = append(entries, e)
			fmt.Fprintf(&b, "\n  %-4s %-22s %5s  %s\n", e.state(), t, thousands(e.Tokens), e.remark())
		}
		return ShownToolset{Toolset: g, Tools: entries}, strings.TrimSuffix(b.String(), "\n"), nil
	}
	e := r.byName[name]
	if e == nil {
		var known []string
		for _, g := range r.Groups {
			known = append(known, g.Name)
		}
		for name := range r.byName {
			known = append(known, name)
		}
		slices.Sort(known)
		err := api.Errorf(api.UnknownToolset, "there is no toolset or tool %q", name)
		if near := spelling.Nearest(name, known); len(near) > 0 {
			err.With("suggestions", near).WithHint("Did you mean %s?", strings.Join(near, " or "))
		}
		return nil, "", err
	}
	text = fmt.Sprintf("%s: %s for %s, about %s tokens; in %s\n%s", e.Name, e.state(), r.Platform, thousands(e.Tokens), strings.Join(e.Owners, ", "), e.remark())
	if e.Schema != nil {
		schema := e.Schema.Clone()
		if schema.Indent() == nil {
			text += "\n" + string(schema)
		}
	}
	return ShownToolset{Tool: e}, text, nil
}

func (e *Entry) state() string {
	if e.Served() {
		return "on"
	}
	return "off"
}

// remark returns the remark on a tool: why it is not available, or its description.
func (e *Entry) remark() string {
	switch {
	case e.Missing != "":
		return "missing: " + e.Missing
	case e.Why != "":
		return "off: " + e.Why
	}
	return e.Doc
}
