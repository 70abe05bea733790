package toolset

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/config"
)

// Change is an edit of a platform's selection. It writes nothing: the caller writes [Change.Edits] to the configuration
// file and then calls [Change.Saved].
type Change struct {
	setup *Setup
	// Choice is the edited selection.
	Choice Choice
	// Notes are remarks for the person, such as tools that stay on or off.
	Notes []string

	before Choice
}

// Change returns an edit that begins with the configured selection.
func (s *Setup) Change() *Change {
	c := s.Choice()
	return &Change{setup: s, before: cloneChoice(c), Choice: cloneChoice(c)}
}

func cloneChoice(c Choice) Choice {
	return Choice{Enabled: slices.Clone(c.Enabled), Disabled: slices.Clone(c.Disabled), Switches: maps.Clone(c.Switches)}
}

// Copy returns an independent copy, for undo.
func (c *Change) Copy() *Change {
	return &Change{setup: c.setup, before: c.before, Choice: cloneChoice(c.Choice), Notes: slices.Clone(c.Notes)}
}

// Turn switches toolsets and tools on or off. server:tool means a tool of an MCP server. An unknown name is an error.
func (c *Change) Turn(on bool, names ...string) error {
	for _, name := range names {
		if server, tool, ok := strings.Cut(name, ":"); ok {
			name = ToolPrefix + strings.TrimPrefix(server, ServerPrefix) + "__" + tool
		}
		if err := c.setup.check(name); err != nil {
			return err
		}
		turn := c.turnTool
		if set, ok := c.setup.lookup(name); ok || isAll(name) {
			if turn = c.turnSet; ok {
				name = set.Name
			}
		}
		if err := turn(name, on); err != nil {
			return err
		}
	}
	return nil
}

func (s *Setup) check(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.registry.Check(name)
}

func (s *Setup) lookup(name string) (*Set, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.registry.Lookup(name)
}

func (c *Change) turnSet(name string, on bool) error {
	if on {
		if kept := slices.DeleteFunc(slices.Clone(c.Choice.Disabled), func(d string) bool { return c.setup.same(d, name) }); len(kept) < len(c.Choice.Disabled) {
			c.Choice.Disabled = kept
			c.Notes = append(c.Notes, name+" was removed from disabled_toolsets, which applies to every platform")
		}
		sel, err := c.setup.SelectWith(c.Choice)
		if err != nil {
			return err
		}
		if !sel.Sets[name] {
			c.Choice.Enabled = append(c.Choice.Enabled, name)
		}
		return c.noteOff(name)
	}
	if isAll(name) {
		c.Choice.Enabled = []string{}
		return nil
	}
	if err := c.removeSet(name); err != nil {
		return err
	}
	return c.noteOn(name)
}

// removeSet removes a toolset from Enabled. An enabled name that includes it is replaced by the other toolsets and
// tools that this name includes.
func (c *Change) removeSet(name string) error {
	opened := map[string]bool{} // names already replaced, because toolsets may include each other
	for {
		at, err := c.enabledBy(name)
		if err != nil || at < 0 {
			return err
		}
		by := c.Choice.Enabled[at]
		var rest []string
		if !c.setup.same(by, name) {
			opened[by] = true
			rest = slices.DeleteFunc(c.setup.parts(by), func(part string) bool { return opened[part] })
		}
		c.Choice.Enabled = unique(slices.Concat(c.Choice.Enabled[:at], rest, c.Choice.Enabled[at+1:]))
	}
}

// enabledBy returns the index of the enabled name that includes a toolset, -1 if there is none.
func (c *Change) enabledBy(name string) (int, error) {
	for i, by := range c.Choice.Enabled {
		sel, err := c.setup.SelectWith(Choice{Enabled: []string{by}})
		if err != nil {
			return -1, err
		}
		if sel.Sets[name] {
			return i, nil
		}
	}
	return -1, nil
}

// parts returns the names that a toolset includes or owns.
func (s *Setup) parts(name string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if isAll(name) {
		return slices.Clone(s.registry.order)
	}
	set, _ := s.registry.Lookup(name)
	// A toolset that includes itself is not a part of itself.
	return slices.DeleteFunc(slices.Concat(set.Includes, set.Tools), func(part string) bool {
		p, ok := s.registry.Lookup(part)
		return ok && p == set
	})
}

// same reports whether two names mean the same toolset.
func (s *Setup) same(a, b string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	one, ok := s.registry.Lookup(a)
	two, also := s.registry.Lookup(b)
	return a == b || ok && also && one == two
}

func unique(names []string) []string {
	out := []string{}
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// turnTool sets a switch, or removes it if the selection is the same without it.
func (c *Change) turnTool(name string, on bool) error {
	without := cloneChoice(c.Choice)
	delete(without.Switches, name)
	sel, err := c.setup.SelectWith(without)
	if err != nil {
		return err
	}
	if _, forAll := c.setup.config.Switches[name]; !forAll && (sel.On[name] != nil) == on {
		delete(c.Choice.Switches, name)
	} else {
		c.Choice.Switches[name] = on
	}
	return nil
}

// noteOff adds a note for tools of an enabled toolset that stay off.
func (c *Change) noteOff(name string) error {
	return c.note(name, func(sel *Selection, tool string) {
		if sel.On[tool] == nil {
			c.Notes = append(c.Notes, fmt.Sprintf("%s stays off: %s", tool, sel.Off[tool]))
		}
	})
}

// noteOn adds a note for tools of a disabled toolset that stay on.
func (c *Change) noteOn(name string) error {
	return c.note(name, func(sel *Selection, tool string) {
		if owners := sel.On[tool]; owners != nil {
			c.Notes = append(c.Notes, fmt.Sprintf("%s stays on: %s has it, too", tool, strings.Join(owners, " and ")))
		}
	})
}

func (c *Change) note(name string, tell func(*Selection, string)) error {
	sel, err := c.setup.SelectWith(c.Choice)
	if err != nil {
		return err
	}
	c.setup.mu.Lock()
	defer c.setup.mu.Unlock()
	tools, err := c.setup.registry.Resolve(name)
	for _, t := range tools {
		tell(sel, t)
	}
	return err
}

// Changed reports whether there is something to write.
func (c *Change) Changed() bool { return len(c.Edits()) > 0 }

// Edits returns the edits to write to the configuration file.
func (c *Change) Edits() []config.Edit {
	var out []config.Edit
	key := c.setup.key()
	if !slices.Equal(c.before.Enabled, c.Choice.Enabled) {
		out = append(out, config.Edit{Path: []string{"platform_toolsets", key}, Value: c.Choice.Enabled})
	}
	if !slices.Equal(c.before.Disabled, c.Choice.Disabled) {
		out = append(out, config.Edit{Path: []string{"disabled_toolsets"}, Value: c.Choice.Disabled})
	}
	for _, name := range slices.Sorted(maps.Keys(merged(c.before.Switches, c.Choice.Switches))) {
		was, had := c.before.Switches[name]
		is, has := c.Choice.Switches[name]
		if had == has && was == is {
			continue
		}
		e := config.Edit{Path: []string{"platform_tools", key, name}, Value: is}
		if everywhere, forAll := c.setup.config.Switches[name]; !has || forAll && everywhere == is {
			e.Value = nil // the default has the same effect
		}
		out = append(out, e)
	}
	return out
}

func merged(a, b map[string]bool) map[string]bool {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// Saved records that the edits were written, so that the edited selection is the configured one.
func (c *Change) Saved() { c.before = cloneChoice(c.Choice) }
