// Package help makes the help of the command table: the overview, the page of a command or family, the flags of every
// command, the settings of configuration files, and the categories of policies.
package help

import (
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/verb"
)

// The topics that are no commands. The name of a setting may follow settingsTopic.
const (
	flagsTopic    = "flags"
	settingsTopic = "config"
	policyTopic   = "policy"
	selectorTopic = "selectors"
)

// Topics returns the topics that are no commands.
func Topics() []string { return []string{flagsTopic, settingsTopic, policyTopic, selectorTopic} }

// Text returns the help text for a topic: none for the overview, "flags" for the global flags, "config" for the
// settings, "policy" for the categories of policies, "selectors" for the notation of selectors, the first word of a family ("get"), or a verb ("get text",
// "click"). Examples have the program's name of the mode. An unknown topic is an *[verb.Error].
func Text(t *verb.Table, mode verb.Mode, topic ...string) (string, error) {
	name := strings.Join(topic, " ")
	if err := Check(t, mode, name); err != nil {
		return "", err
	}
	text := page(t, mode, name)
	if mode != verb.Usher {
		// The texts of the table call the program by its own name.
		text = strings.ReplaceAll(text, verb.Usher.Program(), mode.Program())
	}
	return text, nil
}

// Check returns the error for an unknown topic; nil for one that [Text] has.
func Check(t *verb.Table, mode verb.Mode, topic string) *verb.Error {
	if topic == "" || topic == flagsTopic || topic == policyTopic || topic == selectorTopic || isSettings(topic) || t.Find(topic) != nil || t.Family(topic) != nil {
		return nil
	}
	if first, key, _ := strings.Cut(strings.ToLower(topic), " "); first == settingsTopic {
		return unknownSetting(key, mode)
	}
	return t.Unknown(topic, mode)
}

// page returns the help for a topic that exists.
func page(t *verb.Table, mode verb.Mode, topic string) string {
	v := t.Find(topic)
	dropin := mode == verb.AgentBrowser
	switch {
	case dropin && topic == "":
		return everything(t)
	case dropin && v != nil && t.Family(topic) == nil:
		return dropinCommand(v)
	case dropin && t.Family(topic) != nil:
		return dropinFamily(t, t.Family(topic))
	case topic == "":
		return overview(t, mode)
	case topic == flagsTopic:
		return flags()
	case topic == policyTopic:
		return policies(t)
	case topic == selectorTopic:
		return selectors()
	case isSettings(topic):
		return configuration(topic)
	case v != nil:
		return command(t, v, mode)
	}
	return family(t, t.Family(topic), mode)
}

// overview returns the list of all commands, short enough for an agent's context.
func overview(t *verb.Table, mode verb.Mode) string {
	var b strings.Builder
	p := mode.Program()
	b.WriteString("Usage: " + p + " <command> [arguments] [flags]\n\n" +
		p + " drives a web browser. Look with snapshot, act on the refs it prints (@e4), look again.\n\n" +
		"  " + p + " open example.com && " + p + " snapshot -i\n" +
		"  " + p + " fill @e5 \"Ada\" && " + p + " click @e6 && " + p + " snapshot -i\n\n" +
		"<sel> is a ref (@e4), CSS, xpath=..., text=... or a chain (help selectors); --frame <frame> looks there;\n" +
		"--changes delta makes actions report changes; `" + p + " skills get core` teaches the rest\n")
	for _, g := range verb.Groups() {
		b.WriteString("\n" + string(g) + "\n")
		if brief(g) {
			b.WriteString(names(t, g))
			continue
		}
		var rows [][2]string
		for i := range t.All() {
			v := &t.All()[i]
			if v.Group != g {
				continue
			}
			first, _, two := strings.Cut(v.Name, " ")
			if fam := t.Family(first); fam != nil {
				// One line for the whole family, in place of its first verb.
				if !two || fam.Bare == "" && v.Name == first+" "+t.SubWords(first)[0] || fam.Bare == v.Name && two {
					rows = append(rows, [2]string{familyPattern(t, fam), fam.Summary})
				}
				continue
			}
			rows = append(rows, [2]string{short(v), v.Summary})
		}
		writeRows(&b, rows, patternWidth)
	}
	b.WriteString("\nFlags for every command (all: " + p + " help flags)\n")
	var flags []string
	for _, name := range overviewFlags {
		flags = append(flags, "--"+name)
	}
	flags = append(flags, "and "+strconv.Itoa(len(verb.LineFlags())-len(overviewFlags))+" more")
	b.WriteString("  " + strings.ReplaceAll(wrap(strings.Join(flags, " "), lineWidth-2), "\n", "\n  ") + "\n\n" + p + " help <command> shows the rest.\n")
	return b.String()
}

// overviewFlags are the global flags that the overview names.
var overviewFlags = []string{
	"session", "json", "timeout", "headed", "profile", "state", "restore", "viewport", "device", "user-agent", "headers", "credentials", "proxy",
	"ignore-https-errors", "cdp", "auto-connect", "download-path", "annotate", "allowed-domains", "site-guard",
	"stealth", "config",
}

// brief reports whether the overview only names the commands of a group: those that few tasks need.
func brief(g verb.Group) bool {
	return g == verb.GroupKeys || g == verb.GroupDevice || g == verb.GroupState || g == verb.GroupDebug || g == verb.GroupTool
}

// names returns lines with the names of the commands of a group; those of a family are one word.
func names(t *verb.Table, g verb.Group) string {
	var all, done []string
	for i := range t.All() {
		v := &t.All()[i]
		first, _, _ := strings.Cut(v.Name, " ")
		if v.Group != g || slices.Contains(done, first) || verb.MissingCommand(first).Name != "" {
			continue
		}
		done = append(done, first)
		name := first
		if t.Family(first) != nil {
			name += " " + strings.Join(t.SubWords(first), "|")
		}
		all = append(all, name)
	}
	var b strings.Builder
	line := ""
	flush := func() {
		if line != "" {
			b.WriteString("  " + breakPattern(line, lineWidth-2, "\n      ") + "\n")
		}
		line = ""
	}
	for _, name := range all {
		if line != "" && len(line)+len(name)+2 > lineWidth-2 {
			flush()
		}
		if line != "" {
			line += ", "
		}
		line += name
	}
	flush()
	return b.String()
}

// patternWidth is the width of the column of patterns in the overview.
const patternWidth = 34

// short returns the pattern for the overview: arguments, but flags only as a sign that there are some.
func short(v *verb.Verb) string {
	var b strings.Builder
	b.WriteString(strings.Join(append([]string{v.Name}, v.Synonyms...), "|"))
	for i := range v.Args {
		a := &v.Args[i]
		b.WriteByte(' ')
		if a.Kind == verb.Selector && a.Name == "selector" {
			short := *a
			short.Name = "sel"
			a = &short
		}
		b.WriteString(a.Pattern())
	}
	var flags []string
	for i := range v.Flags {
		switch f := &v.Flags[i]; {
		case f.Hidden:
		case f.Name == "frame", f.Name == "changes": // described once, for all
		case f.Short != "":
			flags = append(flags, "-"+f.Short)
		default:
			flags = append(flags, "--"+f.Name)
		}
	}
	list := func(n int) string {
		if n == len(flags) {
			return " [" + strings.Join(flags, " ") + "]"
		}
		return " [" + strings.Join(append(slices.Clone(flags[:n]), "..."), " ") + "]"
	}
	if len(flags) > 0 {
		n := len(flags)
		for n > 1 && b.Len()+len(list(n)) > patternWidth {
			n--
		}
		b.WriteString(list(n))
	}
	return b.String()
}

func familyPattern(t *verb.Table, f *verb.Family) string {
	subs := strings.Join(t.SubWords(f.Name), "|")
	if f.Bare != "" {
		subs = "[" + subs + "]"
	}
	s := f.Name + " " + subs
	switch f.Name {
	case "get", "is":
		s += " [sel]"
	case "find":
		s += " <value> [action] [text]"
	case "keyboard":
		s += " <text...>"
	case "mouse":
		s += " [x] [y]"
	case "dialog":
		s += " [text]"
	case "network":
		s += " [id]"
	case "tab":
		s += " [url|tab]"
	case "window":
		s += " [url]"
	}
	return s
}

func flags() string {
	var b strings.Builder
	b.WriteString(wrap("These flags may be anywhere on the line, as --flag value or --flag=value. A switch alone means true; "+
		"true or false may follow. After -- nothing is a flag. Without a flag the session's value stays.", lineWidth) + "\n\n")
	var rows [][2]string
	for i := range verb.LineFlags() {
		f := &verb.LineFlags()[i]
		rows = append(rows, [2]string{f.Pattern(), f.FullDoc()})
	}
	rows = append(rows, [2]string{"-h|--help", "help for the command"}, [2]string{"-V|--version", "the version"})
	columns(&b, rows)
	return b.String()
}

func family(t *verb.Table, f *verb.Family, mode verb.Mode) string {
	var b strings.Builder
	b.WriteString(mode.Program() + " " + f.Name + ": " + f.Summary + "\n\n")
	var rows [][2]string
	for i := range t.All() {
		v := &t.All()[i]
		if first, _, two := strings.Cut(v.Name, " "); first == f.Name && (two || f.Bare == v.Name) {
			rows = append(rows, [2]string{v.Pattern(), v.Summary})
		}
	}
	columns(&b, rows)
	b.WriteString("\n" + mode.Program() + " help " + f.Name + " <word> tells more.\n")
	return b.String()
}

func command(t *verb.Table, v *verb.Verb, mode verb.Mode) string {
	var b strings.Builder
	p := mode.Program() + " "
	b.WriteString(breakPattern(v.Usage(mode), lineWidth, "\n    ") + "\n" + wrap(v.Summary, lineWidth) + "\n")
	if v.Help != "" {
		b.WriteString("\n" + paragraphs(v.Help) + "\n")
	}
	if len(v.Synonyms) > 0 {
		b.WriteString("\nAlso written: " + strings.Join(v.Synonyms, ", ") + "\n")
	}
	section := func(title string, rows [][2]string) {
		if len(rows) > 0 {
			b.WriteString("\n" + title + "\n")
			columns(&b, rows)
		}
	}
	var rows [][2]string
	for i := range v.Args {
		rows = append(rows, [2]string{v.Args[i].Pattern(), v.Args[i].Doc})
	}
	section("Arguments", rows)
	rows = nil
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			rows = append(rows, [2]string{f.Pattern(), f.FullDoc()})
		}
	}
	section("Flags", rows)
	rows = nil
	for _, e := range v.Examples {
		rows = append(rows, [2]string{p + e, ""})
	}
	section("Examples", rows)
	rows = nil
	for _, n := range v.Next {
		rows = append(rows, [2]string{p + n, ""})
	}
	section("Then", rows)
	if f := t.Family(v.Name); f != nil {
		section("See also", [][2]string{{p + f.Name + " " + strings.Join(t.SubWords(f.Name), "|"), ""}})
	}
	b.WriteString("\nFlags for every command: " + p + "help flags\n")
	return b.String()
}
