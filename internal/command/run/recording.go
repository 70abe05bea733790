package run

import "github.com/usher-browser/usher/internal/verb"

// caption shows a command in the recording of its tab. Only the command and what it acts on are shown, not what it
// enters: that may be a password.
func (e *Env) caption(c *verb.Call) {
	rec := e.Background.Recording()
	if rec == nil || !rec.Options.Captions || rec.Tab != e.Tab {
		return
	}
	text := c.Verb.Name
	for _, arg := range c.Verb.Args {
		if (arg.Kind == verb.Selector || arg.Kind == verb.URL) && c.Has(arg.Name) {
			text += " " + c.Str(arg.Name)
		}
	}
	rec.Caption(text)
}
