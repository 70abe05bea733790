package run

import "github.com/usher-browser/usher/internal/plugin"

// Plugins returns what starts the plugins of the configuration for this command.
func (e *Env) Plugins() *plugin.Host {
	h := &plugin.Host{Plugins: e.Settings.Plugins, Env: e.LookupEnv}
	if e.Limited {
		h.Limit = e.Limit
	}
	return h
}
