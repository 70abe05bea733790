package toolset

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/tool"
)

// Entry is a tool in a [Report].
type Entry struct {
	Name string `json:"name"`
	// On reports that the tool is selected. Why is the reason if it is off although a selected toolset has it.
	On  bool   `json:"on"`
	Why string `json:"why,omitzero"`
	// Available reports that the tool can work. Missing is the reason if it cannot.
	Available bool   `json:"available"`
	Missing   string `json:"missing,omitzero"`
	// Tokens is about what its description costs a model in each request, computed from Bytes.
	Tokens int `json:"tokens"`
	Bytes  int `json:"bytes"`
	// Owners are the toolsets that list it.
	Owners []string `json:"toolsets,omitzero"`
	Title  string   `json:"title,omitzero"`
	Doc    string   `json:"description,omitzero"`
	// Schema is the JSON Schema of its arguments.
	Schema jsontext.Value `json:"inputSchema,omitzero"`
}

// Served reports whether agents are offered the tool: it is on and available.
func (e *Entry) Served() bool { return e.On && e.Available }

// Group is a toolset in a [Report].
type Group struct {
	Name string `json:"name"`
	Kind Kind   `json:"kind"`
	Doc  string `json:"description"`
	// On reports that the toolset is selected and not disabled.
	On bool `json:"on"`
	// Tools are the names of the tools it owns or includes.
	Tools []string `json:"tools"`
	// Served is how many of them agents are offered, Tokens about what those cost.
	Served int `json:"served"`
	Tokens int `json:"tokens"`
	// Problem is why its program cannot be used, "" if it can.
	Problem string `json:"problem,omitzero"`
}

// Report lists toolsets and tools, with what is on and what it costs.
type Report struct {
	Platform string   `json:"platform"`
	From     string   `json:"from"`
	Enabled  []string `json:"enabled"`
	// Served is how many different tools agents are offered.
	Served int      `json:"served"`
	Tokens int      `json:"tokens"`
	Bytes  int      `json:"bytes"`
	Groups []Group  `json:"toolsets"`
	Tools  []*Entry `json:"tools"`

	byName map[string]*Entry
}

// brief returns the report for --json: without schemas, and unless everything is true without tools and toolsets that
// are off.
func (r *Report) brief(everything bool) *Report {
	out := *r
	out.Groups, out.Tools = nil, nil
	for _, g := range r.Groups {
		if everything || r.listed(&g) {
			out.Groups = append(out.Groups, g)
		}
	}
	for _, e := range r.Tools {
		if everything || e.On || e.Why != "" {
			short := *e
			short.Schema, short.Doc = nil, ""
			out.Tools = append(out.Tools, &short)
		}
	}
	return &out
}

// listed reports whether a toolset is listed without --all.
func (r *Report) listed(g *Group) bool {
	switch g.Kind {
	case Custom, Server, Plugin:
		return true
	case Core:
		return g.On || g.Served > 0
	}
	return g.On
}

// Tool returns the entry of a tool, or nil if there is none.
func (r *Report) Tool(name string) *Entry { return r.byName[name] }

// Report returns all toolsets and tools, on or off according to c.
func (s *Setup) Report(c Choice, host *tool.Host) (*Report, error) {
	sel, err := s.SelectWith(c)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := &Report{Platform: s.Platform, From: s.From, Enabled: c.Enabled, byName: map[string]*Entry{}}
	add := func(name string) {
		if r.byName[name] == nil {
			r.byName[name] = s.entry(name, sel, host)
			r.Tools = append(r.Tools, r.byName[name])
		}
	}
	for _, set := range s.registry.Sets() {
		tools, err := s.registry.Resolve(set.Name)
		if err != nil {
			continue // a custom toolset with an unknown name; it is in Warnings
		}
		g := Group{Name: set.Name, Kind: set.Kind, Doc: set.Doc, On: sel.Sets[set.Name], Tools: s.ordered(tools)}
		if source := s.source(set.Name); source != nil {
			g.Problem = source.Problem()
		}
		bytes := 0
		for _, name := range g.Tools {
			add(name)
			if e := r.byName[name]; e.Served() {
				g.Served++
				bytes += e.Bytes
			}
		}
		g.Tokens = tokens(bytes)
		r.Groups = append(r.Groups, g)
	}
	for _, name := range sel.Tools {
		add(name)
	}
	for _, e := range r.Tools {
		if e.Served() {
			r.Served++
			r.Bytes += e.Bytes
		}
	}
	r.Tokens = tokens(r.Bytes)
	return r, nil
}

func (s *Setup) entry(name string, sel *Selection, host *tool.Host) *Entry {
	e := &Entry{Name: name, On: sel.On[name] != nil, Why: sel.Off[name], Owners: slices.Clone(s.registry.Owners(name))}
	t, why := s.find(name)
	if t == nil {
		e.Missing = why
		return e
	}
	e.Title, e.Doc, e.Schema = t.Title, t.Doc, t.InputSchema()
	if e.Missing = why; why == "" && t.Unavailable != nil {
		e.Missing = t.Unavailable(host)
	}
	e.Available = e.Missing == ""
	e.Bytes = Cost(t)
	e.Tokens = tokens(e.Bytes)
	return e
}

// Cost returns how many bytes of a tool a model reads in each request: its name, its description and the schema of its
// arguments.
func Cost(t *tool.Tool) int {
	raw, err := json.Marshal(struct {
		Name   string         `json:"name"`
		Doc    string         `json:"description"`
		Schema jsontext.Value `json:"inputSchema"`
	}{t.Name, t.Doc, t.InputSchema()}, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil { // a foreign schema that is not JSON cannot be sent
		return len(t.Name) + len(t.Doc) + len(t.Schema)
	}
	return len(raw)
}

// bytesPerToken is a rule of thumb for English and JSON.
const bytesPerToken = 4

func tokens(bytes int) int { return (bytes + bytesPerToken - 1) / bytesPerToken }
