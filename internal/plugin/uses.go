package plugin

import "github.com/usher-browser/usher/internal/verb"

// Capability returns the capability that a request of a type needs: for `plugin run` that of the type's own name, if the
// plugin declares it, and otherwise command.run.
func Capability(plugins []verb.PluginDef, name, capability, kind string) string {
	for i := range plugins {
		if plugins[i].Name == name && capability == verb.CommandRun && plugins[i].Has(kind) {
			return kind
		}
	}
	return capability
}

// Act returns the use of a plugin, as policies judge it.
func Act(name, capability string) verb.Act {
	return verb.Act{Category: verb.CatPlugin, Name: "plugin:" + name + ":" + capability}
}

// Uses returns the uses of plugins that the arguments and flags of a call name.
func Uses(c *verb.Call, plugins []verb.PluginDef) []verb.Act {
	if c.Verb.Capability == "" {
		return nil
	}
	var out []verb.Act
	use := func(name string, kind verb.Kind) {
		if kind == verb.PluginName && c.Has(name) {
			plugin, asked := c.Str(name), ""
			if c.Verb.Capability == verb.CommandRun {
				asked = c.Str("type")
			}
			out = append(out, Act(plugin, Capability(plugins, plugin, c.Verb.Capability, asked)))
		}
	}
	for i := range c.Verb.Args {
		use(c.Verb.Args[i].Name, c.Verb.Args[i].Kind)
	}
	for i := range c.Verb.Flags {
		use(c.Verb.Flags[i].Name, c.Verb.Flags[i].Kind)
	}
	return out
}
