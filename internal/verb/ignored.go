package verb

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Under the name agent-browser, flags that a command does not have and words too many are ignored where agent-browser
// 0.41.2 ignores them, so that scripts written for it run; [Call.Ignored] names them. That program takes an unknown flag for
// a word like any other: as an argument if one is left, and else as a word too many. What follows it is therefore not its
// value, but the next word.

// Ignored returns a sentence on the words of the line that the call leaves out; "" if there are none. It names the flags
// that may have been meant.
func (c *Call) Ignored() string {
	if len(c.ignored) == 0 {
		return ""
	}
	var known, meant []string
	for _, f := range slices.Concat(c.Verb.Flags, lineFlags()) {
		if !f.Hidden {
			known = append(known, "--"+f.Name)
		}
	}
	shown := make([]string, len(c.ignored))
	for i, w := range c.ignored {
		shown[i] = strings.Trim(plain.Quote(w), `"`)
		if name, _, _ := strings.Cut(w, "="); looksLikeFlag(w) {
			for _, near := range spelling.Nearest(name, known) {
				if !slices.Contains(meant, near) {
					meant = append(meant, near)
				}
			}
		}
	}
	said := "ignored: " + strings.Join(shown, ", ") + " (unknown to " + c.Typed() + ")"
	if len(meant) > 0 {
		said += "; did you mean " + strings.Join(meant, " or ") + "?"
	}
	return said
}

// LeaveOut leaves out the value of an argument that agent-browser ignores, for the rules of a verb. It reports whether it
// did: only under that name.
func (c *Call) LeaveOut(name string) bool {
	if c.Mode != AgentBrowser {
		return false
	}
	c.ignored = append(c.ignored, c.values[name]...)
	delete(c.values, name)
	return true
}

// ignore leaves out a flag that the verb does not have, and reports whether it may.
func (p *parser) ignore(w string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
	if p.mode != AgentBrowser || !p.ignoresWords() || slices.Contains(MissingFlags(), name) {
		return false
	}
	if n := len(p.pos); n < len(p.verb.Args) && p.verb.Name != "open" && p.verb.Name != "vitals" { // of which flags are never the address
		a := &p.verb.Args[n]
		if a.Required || decides(p.verb.Name, a.Name) {
			return false
		}
		if !a.Rest && !a.Variadic {
			p.gaps = append(p.gaps, n)
			p.pos = append(p.pos, "")
		}
	}
	p.ignored = append(p.ignored, w)
	return true
}

// decides reports whether the command without an optional argument does something else than agent-browser does with an
// unknown flag in the argument's place: that program refuses the line, or fails.
func decides(verb, arg string) bool {
	switch verb {
	case "network unroute", "set offline", "set viewport", "set media", "frame switch", "mouse down", "mouse up":
		return true
	case "screenshot": // it looks for the element, or saves a file, of the flag's name
		return true
	}
	return strings.HasPrefix(verb, "find ") && arg == "action"
}

// ignoresWords reports whether agent-browser ignores unknown flags and words too many of the command: each was tried.
// Commands that it does not have ignore nothing.
func (p *parser) ignoresWords() bool {
	name := p.verb.Name
	first, _, _ := strings.Cut(name, " ")
	switch first {
	case "open", "back", "forward", "reload", "get", "is", "find", "click", "dblclick", "hover", "focus", "press", "keydown", "keyup",
		"check", "uncheck", "scroll", "scrollintoview", "drag", "wait", "snapshot", "screenshot", "pdf", "highlight", "tap", "swipe",
		"set", "network", "window", "frame", "dialog", "clipboard", "trace", "profiler", "console", "errors", "state", "vitals",
		"session", "profiles", "inspect", "removeinitscript", "react", "device", "confirm", "deny", "close", "download":
		return true
	case "cookies":
		return name != "cookies set"
	case "mouse":
		return name != "mouse move"
	}
	switch name {
	case "tab list", "skills list", "plugin list":
		return p.second // tab --foo is refused, tab list --foo is not
	case "tab switch", "record stop", "skills get", "auth list", "auth show":
		return true
	}
	return false
}
