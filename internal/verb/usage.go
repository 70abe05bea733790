package verb

import "strings"

// Usage returns the one-line pattern of a command, with the program's name.
func (v *Verb) Usage(mode Mode) string {
	var b strings.Builder
	b.WriteString(mode.Program())
	b.WriteByte(' ')
	b.WriteString(v.Pattern())
	return b.String()
}

// Pattern is Usage without the program's name.
func (v *Verb) Pattern() string {
	var b strings.Builder
	b.WriteString(v.Name)
	for i := range v.Args {
		b.WriteByte(' ')
		b.WriteString(v.Args[i].Pattern())
	}
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			b.WriteString(" [")
			b.WriteString(f.Pattern())
			b.WriteByte(']')
		}
	}
	return b.String()
}

// Pattern returns the argument as in help: "<selector>", "[path...]".
func (a *Arg) Pattern() string {
	name := a.Name
	if len(a.Choices) > 0 {
		name = strings.Join(a.Choices, "|")
	}
	if a.Rest || a.Variadic {
		name += "..."
	}
	if a.Required {
		return "<" + name + ">"
	}
	return "[" + name + "]"
}

// Pattern returns the flag as in help: "-s, --selector <sel>".
func (f *Flag) Pattern() string {
	var b strings.Builder
	if f.Short != "" {
		b.WriteString("-" + f.Short + "|")
	}
	b.WriteString("--" + f.Name)
	if f.Kind == Bool {
		return b.String()
	}
	value := f.Value
	if len(f.Choices) > 0 {
		value = strings.Join(f.Choices, "|")
	}
	if f.Optional {
		return b.String() + " [" + value + "]"
	}
	return b.String() + " <" + value + ">"
}

// FullDoc returns Doc with the default and the scope, where they are of interest.
func (f *Flag) FullDoc() string {
	s := f.Doc
	if f.Default != "" && f.Default != "0" {
		s += " (" + f.Default + ")"
	}
	if f.Scope == AtLaunch {
		s += " [fixed when the browser starts]"
	}
	return s
}
