package toolset

import (
	"maps"
	"slices"
)

// Resolve returns the tools of the named toolsets, sorted and without duplicates. Includes are followed; cycles are
// allowed. An unknown name is an error.
func (r *Registry) Resolve(names ...string) ([]string, error) {
	w := walk{r: r}
	if err := w.names(names); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(w.tools)), nil
}

// walk is the state of following names through includes.
type walk struct {
	r *Registry
	// closed are toolsets that are not entered.
	closed map[string]bool
	// seen are the toolsets that were entered.
	seen map[string]bool
	// tools maps each tool found to the entered toolsets that own it. A tool that was named itself is its own owner.
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
		w.addTool(name, name)
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
		w.addTool(t, s.Name)
	}
	return w.names(s.Includes)
}

func (w *walk) addTool(tool, owner string) {
	if w.tools == nil {
		w.tools = map[string][]string{}
	}
	w.tools[tool] = append(w.tools[tool], owner)
}

// Choice is a person's selection.
type Choice struct {
	// Enabled are names of toolsets or tools that are on.
	Enabled []string
	// Disabled are names of toolsets or tools that are off.
	Disabled []string
	// Switches turns single tools on or off, whatever their toolsets are.
	Switches map[string]bool
}

// Selection is the result of [Registry.Select].
type Selection struct {
	// Tools are the names of the tools that are on, sorted.
	Tools []string
	// On maps each of Tools to the toolsets that enable it, or to its own name.
	On map[string][]string
	// Off maps each tool that an enabled name includes but that is off to the reason.
	Off map[string]string
	// Sets are the toolsets that enabled names include and that are not disabled.
	Sets map[string]bool
}

// Select computes which tools are on. Includes of enabled names are followed. A disabled name closes that toolset and
// all it includes, except for toolsets that are enabled by their own name. A tool is on if an open toolset that was
// reached owns it: disabling one toolset does not remove a tool that another enabled toolset owns. Switches override
// all of this.
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

// closed returns the toolsets and the single tools that the disabled names exclude.
func (r *Registry) closed(c Choice) (sets, tools map[string]bool, err error) {
	disabled := walk{r: r}
	if err := disabled.names(c.Disabled); err != nil {
		return nil, nil, err
	}
	sets, tools = map[string]bool{}, map[string]bool{}
	for name := range disabled.seen {
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
