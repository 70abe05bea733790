package options

import (
	"maps"
	"slices"
)

// Mutation are the options that plugins added to those of a browser.
type Mutation struct {
	Args, Extensions []string
	// Scripts run in every new document, before the scripts of the page and those of --init-script.
	Scripts []PluginScript
	// UserAgent is for pages, unless the session has another.
	UserAgent string
}

// PluginScript is an init script of a plugin.
type PluginScript struct{ Plugin, Source string }

// Mutate adds options of a plugin.
func (o *Launch) Mutate(plugin string, args, extensions, scripts []string, userAgent string) {
	m := &o.Mutated
	m.Args, m.Extensions = append(m.Args, args...), append(m.Extensions, extensions...)
	for _, source := range scripts {
		m.Scripts = append(m.Scripts, PluginScript{plugin, source})
	}
	o.Browser.Args = append(slices.Clip(o.Browser.Args), args...)
	o.Browser.Extensions = append(slices.Clip(o.Browser.Extensions), extensions...)
	if userAgent != "" {
		m.UserAgent = userAgent
	}
}

// words returns the options for comparison; none if there are none.
func (m *Mutation) words() []string {
	if m.UserAgent == "" && len(m.Args)+len(m.Extensions)+len(m.Scripts) == 0 {
		return nil
	}
	words := slices.Concat([]string{"plugins", m.UserAgent}, m.Args, []string{"extensions"}, m.Extensions, []string{"scripts"})
	for _, s := range m.Scripts {
		words = append(words, s.Plugin, s.Source)
	}
	return words
}

// Live returns the live options with which a session begins in the browser.
func (m *Mutation) Live(l Live) Live {
	if m.UserAgent == "" || l["user-agent"] != "" {
		return l
	}
	out := maps.Clone(l)
	out["user-agent"] = joinKey(m.UserAgent)
	return out
}
