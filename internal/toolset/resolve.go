package toolset

import (
	"maps"
	"slices"
)

// Resolve gives the tools of the named toolsets, sorted, each once. Includes are
// followed; a toolset that includes itself, directly or through others, or that is
// reached twice, counts once.
func (r *Registry) Resolve(names ...string) ([]string, error) {
	w := walk{r: r}
	if err := w.names(names); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(w.tools)), nil
}

// walk follows names through includes.
type walk struct {
	r *Registry
	// closed are toolsets that are not entered.
	closed map[string]bool
	// seen are the toolsets that were entered.
	seen map[string]bool
	// tools are those found, with the toolsets that own them here; a tool that was
	// named itself is its own owner.
	tools map[string][]string
}

func (w *walk) names(names []string) error {
	for _, name := range names {
		if err := w.enter(name); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) enter(name string) error {
	if isAll(name) {
		return w.names(w.r.order)
	}
	s, ok := w.r.Lookup(name)
	if !ok {
		if err := w.r.Check(name); err != nil {
			return err
		}
		w.found(name, name)
		return nil
	}
	if w.seen[s.Name] || w.closed[s.Name] {
		return nil
	}
	if w.seen == nil {
		w.seen = map[string]bool{}
	}
	w.seen[s.Name] = true
	for _, t := range s.Tools {
		w.found(t, s.Name)
	}
	return w.names(s.Includes)
}

func (w *walk) found(tool, owner string) {
	if w.tools == nil {
		w.tools = map[string][]string{}
	}
	w.tools[tool] = append(w.tools[tool], owner)
}

// Choice is what a person chose.
type Choice struct {
	// Enabled are the names that are on: toolsets, or single tools.
	Enabled []string
	// Disabled are the names that are off.
	Disabled []string
	// Switches are single tools that are on or off whatever their toolsets say.
	Switches map[string]bool
}

// Selection is which tools are on.
type Selection struct {
	// Tools are the names of those that are on, sorted.
	Tools []string
	// On says of each of them who brought it in: toolsets that own it, or itself.
	On map[string][]string
	// Off says of each tool that an enabled name reaches and that is off, why.
	Off map[string]string
	// Sets are the toolsets that were reached and are not disabled.
	Sets map[string]bool
}

// Select works out which tools are on. What is enabled is followed through includes. A
// disabled name closes that toolset and all it includes; what it includes stays open
// where it is enabled by its own name. A tool is on when an open toolset that was
// reached owns it: so a disabled toolset removes a tool unless another enabled toolset
// owns it, too. A switch for a single tool has the last word.
func (r *Registry) Select(c Choice) (*Selection, error) {
	closed, offTools, err := r.closed(c)
	if err != nil {
		return nil, err
	}
	open := walk{r: r, closed: closed}
	if err := open.names(c.Enabled); err != nil {
		return nil, err
	}
	reached := walk{r: r}
	if err := reached.names(c.Enabled); err != nil {
		return nil, err
	}
	sel := &Selection{On: map[string][]string{}, Off: map[string]string{}, Sets: map[string]bool{}}
	for name := range open.seen {
		sel.Sets[name] = true
	}
	for t, owners := range open.tools {
		if offTools[t] {
			sel.Off[t] = "disabled_toolsets names it"
			continue
		}
		sel.On[t] = owners
	}
	for t, owners := range reached.tools {
		if sel.On[t] == nil && sel.Off[t] == "" {
			sel.Off[t] = "its toolset " + owners[0] + " is disabled"
		}
	}
	for t, on := range c.Switches {
		if err := r.Check(t); err != nil {
			return nil, err
		}
		switch {
		case !on:
			if sel.On[t] != nil {
				sel.Off[t] = "it is disabled by name"
			}
			delete(sel.On, t)
		case sel.On[t] == nil:
			sel.On[t] = []string{t}
			delete(sel.Off, t)
		}
	}
	sel.Tools = slices.Sorted(maps.Keys(sel.On))
	return sel, nil
}

// closed are the toolsets, and the single tools, that the disabled names take out.
func (r *Registry) closed(c Choice) (sets, tools map[string]bool, err error) {
	away := walk{r: r}
	if err := away.names(c.Disabled); err != nil {
		return nil, nil, err
	}
	sets, tools = map[string]bool{}, map[string]bool{}
	for name := range away.seen {
		sets[name] = true
	}
	for _, name := range c.Enabled {
		if s, ok := r.Lookup(name); ok {
			delete(sets, s.Name)
		}
	}
	for _, name := range c.Disabled {
		if s, ok := r.Lookup(name); ok {
			sets[s.Name] = true
		} else if !isAll(name) {
			tools[name] = true
		}
	}
	return sets, tools, nil
}
