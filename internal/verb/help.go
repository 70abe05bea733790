package verb

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Help returns the help text for a topic: none for the overview, "flags" for the global flags, "config" for the
// settings, the first word of a family ("get"), or a verb ("get text", "click"). Examples have the program's name of
// the mode. An unknown topic is an *Error.
func (t *Table) Help(mode Mode, topic ...string) (string, error) {
	text, err := t.help(mode, strings.Join(topic, " "))
	if mode != Usher {
		// The texts of the table call the program by its own name.
		text = strings.ReplaceAll(text, Usher.Program(), mode.Program())
	}
	return text, err
}

func (t *Table) help(mode Mode, name string) (string, error) {
	f := t.family(name)
	switch v := t.Find(name); {
	case name == "":
		return t.overview(mode), nil
	case name == "flags":
		return flagsHelp(), nil
	case name == policyTopic:
		return t.policyHelp(), nil
	case IsConfigTopic(name):
		return configHelp(name), nil
	case v != nil:
		return t.verbHelp(v, mode), nil
	case f != nil:
		return t.familyHelp(f, mode), nil
	}
	return "", t.unknownTopic(name, mode)
}

// lineWidth is the most columns of a line of help: a terminal beside an editor, or a block of code in a chat.
const lineWidth = 110

// overview returns the list of all commands, short enough for an agent's context.
func (t *Table) overview(mode Mode) string {
	var b strings.Builder
	p := mode.Program()
	b.WriteString("Usage: " + p + " <command> [arguments] [flags]\n\n" +
		p + " drives a web browser. Look with snapshot, act on the refs it prints (@e4), look again.\n\n" +
		"  " + p + " open example.com && " + p + " snapshot -i\n" +
		"  " + p + " fill @e5 \"Ada\" && " + p + " click @e6 && " + p + " snapshot -i\n\n" +
		"<sel> is a ref (@e4), CSS, xpath=... or text=...; --frame <frame> looks there;\n" +
		"--changes delta makes actions report changes\n")
	for _, g := range Groups() {
		b.WriteString("\n" + string(g) + "\n")
		if g.brief() {
			b.WriteString(t.names(g))
			continue
		}
		var rows [][2]string
		for i := range t.All() {
			v := &t.All()[i]
			if v.Group != g {
				continue
			}
			first, _, two := strings.Cut(v.Name, " ")
			if fam := t.family(first); fam != nil {
				// One line for the whole family, in place of its first verb.
				if !two || fam.Bare == "" && v.Name == first+" "+t.subWords(first)[0] || fam.Bare == v.Name && two {
					rows = append(rows, [2]string{t.familyPattern(fam), fam.Summary})
				}
				continue
			}
			rows = append(rows, [2]string{v.short(), v.Summary})
		}
		writeRows(&b, rows, 34)
	}
	b.WriteString("\nFlags for every command (all: " + p + " help flags)\n")
	var flags []string
	for _, name := range overviewFlags {
		flags = append(flags, "--"+name)
	}
	flags = append(flags, "and "+strconv.Itoa(len(lineFlags())-len(overviewFlags))+" more")
	b.WriteString("  " + strings.ReplaceAll(wrap(strings.Join(flags, " "), lineWidth-2), "\n", "\n  ") + "\n\n" + p + " help <command> shows the rest.\n")
	return b.String()
}

// overviewFlags are the global flags that the overview names.
var overviewFlags = []string{
	"session", "json", "timeout", "headed", "profile", "state", "restore", "viewport", "device", "user-agent", "headers", "credentials", "proxy",
	"ignore-https-errors", "cdp", "auto-connect", "dialog-policy", "download-path", "annotate", "allowed-domains", "action-policy", "site-guard",
	"stealth", "config",
}

// names returns lines with the names of the commands of a group; those of a family are one word.
func (t *Table) names(g Group) string {
	var all []string
	for i := range t.All() {
		v := &t.All()[i]
		if v.Group != g {
			continue
		}
		first, _, _ := strings.Cut(v.Name, " ")
		name := first
		if t.family(first) != nil {
			name += " " + strings.Join(t.subWords(first), "|")
		}
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
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

// short returns the pattern for the overview: arguments, but flags only as a sign that there are some.
func (v *Verb) short() string {
	var b strings.Builder
	b.WriteString(strings.Join(append([]string{v.Name}, v.Synonyms...), "|"))
	for i := range v.Args {
		a := &v.Args[i]
		b.WriteByte(' ')
		if a.Kind == Selector && a.Name == "selector" {
			short := *a
			short.Name = "sel"
			a = &short
		}
		b.WriteString(a.pattern())
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
	const most = 4
	if len(flags) > most {
		flags = append(flags[:most-1:most-1], "...")
	}
	if flags != nil {
		b.WriteString(" [" + strings.Join(flags, " ") + "]")
	}
	return b.String()
}

func (t *Table) familyPattern(f *Family) string {
	subs := strings.Join(t.subWords(f.Name), "|")
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

// writeRows prints two columns; where the left one is too wide the right one starts on the next line.
func writeRows(b *strings.Builder, rows [][2]string, width int) {
	margin := "\n" + strings.Repeat(" ", width+4)
	for _, r := range rows {
		b.WriteString("  " + breakPattern(r[0], lineWidth-2, "\n      "))
		if r[1] != "" {
			if n := len(r[0]); n <= width {
				b.WriteString(strings.Repeat(" ", width-n+2))
			} else {
				b.WriteString(margin)
			}
			b.WriteString(strings.ReplaceAll(wrap(r[1], lineWidth-width-4), "\n", margin))
		}
		b.WriteByte('\n')
	}
}

// wrap breaks text between words into lines of at most width columns.
func wrap(text string, width int) string {
	var b strings.Builder
	used := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case used == 0:
		case used+1+n > width:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// paragraphs wraps each paragraph of a text; blank lines part them, and those with indented lines stay as they are.
func paragraphs(text string) string {
	var out []string
	for _, part := range strings.Split(text, "\n\n") {
		if !strings.HasPrefix(part, " ") && !strings.Contains(part, "\n ") {
			part = wrap(part, lineWidth)
		}
		out = append(out, part)
	}
	return strings.Join(out, "\n\n")
}

// breakPattern breaks the pattern of a command before an argument or flag, never inside one.
func breakPattern(pattern string, width int, margin string) string {
	var b strings.Builder
	used, depth, start := 0, 0, 0
	part := func(end int) {
		text := pattern[start:end]
		if used > 0 && used+len(text) > width {
			b.WriteString(margin)
			used, text = len(margin)-1, strings.TrimPrefix(text, " ")
		}
		b.WriteString(text)
		used += len(text)
		start = end
	}
	for i := range len(pattern) {
		switch pattern[i] {
		case '[', '<':
			depth++
		case ']', '>':
			depth--
		case ' ':
			if depth == 0 {
				part(i)
			}
		}
	}
	part(len(pattern))
	return b.String()
}

// columns prints rows with the left column as wide as its widest entry.
func columns(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	writeRows(b, rows, min(width, 34))
}

func flagsHelp() string {
	var b strings.Builder
	b.WriteString(wrap("These flags may be anywhere on the line, as --flag value or --flag=value. A switch alone means true; "+
		"true or false may follow. After -- nothing is a flag. Without a flag the session's value stays.", lineWidth) + "\n\n")
	var rows [][2]string
	for i := range lineFlags() {
		f := &lineFlags()[i]
		rows = append(rows, [2]string{f.Pattern(), f.doc()})
	}
	rows = append(rows, [2]string{"-h|--help", "help for the command"}, [2]string{"-V|--version", "the version"})
	columns(&b, rows)
	return b.String()
}

// doc returns Doc with the default and the scope, where they are of interest.
func (f *Flag) doc() string {
	s := f.Doc
	if f.Default != "" && f.Default != "0" {
		s += " (" + f.Default + ")"
	}
	if f.Scope == AtLaunch {
		s += " [fixed when the browser starts]"
	}
	return s
}

func (t *Table) familyHelp(f *Family, mode Mode) string {
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

func (t *Table) verbHelp(v *Verb, mode Mode) string {
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
		rows = append(rows, [2]string{v.Args[i].pattern(), v.Args[i].Doc})
	}
	section("Arguments", rows)
	rows = nil
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			rows = append(rows, [2]string{f.Pattern(), f.doc()})
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
	if f := t.family(v.Name); f != nil {
		section("See also", [][2]string{{p + f.Name + " " + strings.Join(t.subWords(f.Name), "|"), ""}})
	}
	b.WriteString("\nFlags for every command: " + p + "help flags\n")
	return b.String()
}
