package help

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/verb"
)

// The pages of help under the name agent-browser: every command and variable on the first page, and a page for a whole
// family, in that tool's notation ([notation]). Texts are those of the table.

// everything returns the first page: all commands, all flags and all variables.
func everything(t *verb.Table) string {
	var b strings.Builder
	p := verb.AgentBrowser.Program()
	b.WriteString("Usage: " + p + " <command> [args] [options]\n\n" +
		p + " drives a web browser. Look with snapshot, act on the refs it prints (@e4), look again.\n\n" +
		"  " + p + " open example.com && " + p + " snapshot -i\n" +
		"  " + p + " fill @e5 \"Ada\" && " + p + " click @e6 && " + p + " snapshot -i\n")
	if t.Find("skills get") != nil {
		b.WriteString("  " + p + " skills get core --full\n")
	}
	for _, g := range verb.Groups() {
		b.WriteString("\n" + string(g) + ":\n")
		for i := range t.All() {
			v := &t.All()[i]
			first, _, _ := strings.Cut(v.Name, " ")
			if v.Group != g {
				continue
			}
			if title, usage := familyNotation(first); usage != "" && t.SubWords(first)[0] == strings.TrimPrefix(v.Name, first+" ") {
				b.WriteString("\n" + title + ":  " + p + " " + usage + "\n")
			}
			writeRows(&b, formsOf(v), 34)
		}
	}
	b.WriteString("\nOptions:\n")
	var rows, variables [][2]string
	for i := range verb.LineFlags() {
		f := &verb.LineFlags()[i]
		doc := f.FullDoc()
		if env := variable(f); env != "" {
			doc += " (or " + env + ")"
		}
		rows = append(rows, [2]string{strings.Join(written("", f), ", "), doc})
	}
	rows = append(rows, [2]string{"-h, --help", "help for the command"}, [2]string{"-V, --version", "the version"})
	writeRows(&b, rows, 34)
	b.WriteString("\nEnvironment:\n")
	for i := range verb.GlobalFlags() {
		f := &verb.GlobalFlags()[i]
		switch {
		case f.Env == "":
		case f.NotOnLine:
			variables = append(variables, [2]string{verb.AgentBrowser.EnvPrefix() + f.Env, f.FullDoc()})
		default:
			variables = append(variables, [2]string{verb.AgentBrowser.EnvPrefix() + f.Env, "--" + f.Name})
		}
	}
	for _, v := range flaglessVariables() {
		variables = append(variables, [2]string{verb.AgentBrowser.EnvPrefix() + v[0], v[1]})
	}
	for _, name := range chatVariables() {
		variables = append(variables, [2]string{name, "ignored: this version has no chat"})
	}
	writeRows(&b, variables, 34)
	writeSimulators(&b)
	b.WriteString("\n" + p + " help <command> shows the rest.\n")
	return b.String()
}

// writeSimulators writes what becomes of agent-browser's commands for iOS.
func writeSimulators(b *strings.Builder) {
	p := verb.AgentBrowser.Program()
	b.WriteString("\niOS simulators are not supported: they need macOS with Xcode and Appium, which " + p + " does not drive.\n" +
		"These fail:\n")
	for _, line := range []string{"device list", "open example.com", "swipe up", "tap @e1"} {
		b.WriteString("  " + p + " -p ios " + line + "\n")
	}
	b.WriteString("Chromium imitates a device: " + p + " open example.com --device \"iPhone 15\"\n")
}

// variable returns the environment variables of a flag as agent-browser calls them, "" if there is none.
func variable(f *verb.Flag) string {
	var all []string
	if f.Env != "" {
		all = append(all, verb.AgentBrowser.EnvPrefix()+f.Env)
	}
	if system := systemProxies(f.Name); system != "" {
		all = append(all, system)
	}
	return strings.Join(all, ", ")
}

// formsOf returns the forms of a verb, with its summary beside the first.
func formsOf(v *verb.Verb) [][2]string {
	forms := notation(v.Name)
	if forms == nil {
		forms = []string{bareFlags(v)}
	}
	rows := make([][2]string, len(forms))
	for i, form := range forms {
		rows[i][0] = form
	}
	rows[0][1] = summaryOf(v)
	return rows
}

// bareFlags returns the usage of a verb without the flags that many share.
func bareFlags(v *verb.Verb) string {
	own := *v
	own.Flags = nil
	for _, f := range v.Flags {
		if f.Name != "frame" && f.Name != "changes" {
			own.Flags = append(own.Flags, f)
		}
	}
	return strings.ReplaceAll(own.Pattern(), "|--", ", --")
}

// written returns a flag in agent-browser's notation, once for each name it has for the value.
func written(of string, f *verb.Flag) []string {
	name := "--" + f.Name
	if f.Short != "" {
		name = "-" + f.Short + ", " + name
	}
	values := valueNames(of, f.Name)
	if f.Kind == verb.Bool && values == nil {
		return []string{name}
	}
	if values == nil {
		values = []string{f.Value}
		if len(f.Choices) > 0 && of != "" {
			values[0] = strings.Join(f.Choices, "|")
		}
	}
	var out []string
	for _, value := range values {
		if f.Optional {
			out = append(out, name+" ["+value+"]")
		} else {
			out = append(out, name+" <"+value+">")
		}
	}
	return out
}

// dropinCommand returns the page of one command.
func dropinCommand(v *verb.Verb) string {
	var b strings.Builder
	p := verb.AgentBrowser.Program() + " "
	for i, row := range formsOf(v) {
		start := "Usage: "
		if i > 0 {
			start = "       "
		}
		b.WriteString(start + breakPattern(p+row[0], lineWidth-8, "\n           ") + "\n")
	}
	b.WriteString("\n" + wrap(summaryOf(v), lineWidth) + "\n")
	describe(&b, v)
	arguments(&b, []*verb.Verb{v})
	examples(&b, []*verb.Verb{v})
	b.WriteString(everyCommand)
	return b.String()
}

// dropinFamily returns the page of a family, with everything about its commands.
func dropinFamily(t *verb.Table, f *verb.Family) string {
	var b strings.Builder
	p := verb.AgentBrowser.Program() + " "
	_, usage := familyNotation(f.Name)
	if usage == "" {
		usage = f.Name + " <" + strings.Join(t.SubWords(f.Name), "|") + ">"
	}
	b.WriteString("Usage: " + p + usage + "\n\n" + wrap(f.Summary, lineWidth) + "\n")
	var all []*verb.Verb
	for i := range t.All() {
		v := &t.All()[i]
		if first, _, two := strings.Cut(v.Name, " "); first != f.Name || !two && f.Bare != v.Name {
			continue
		}
		all = append(all, v)
		b.WriteString("\n")
		writeRows(&b, formsOf(v), 34)
		describe(&b, v)
	}
	if note := noteOn(f.Name); note != "" {
		b.WriteString("\n" + wrap(note, lineWidth) + "\n")
	}
	arguments(&b, all)
	examples(&b, all)
	b.WriteString(everyCommand)
	return b.String()
}

// everyCommand ends a page.
const everyCommand = "\nOptions of every command: --json, --session <name>, --namespace <name>, --timeout <ms>; agent-browser --help lists all.\n"

// describe writes the help, the other names, the arguments and the flags of a command.
func describe(b *strings.Builder, v *verb.Verb) {
	if v.Help != "" {
		b.WriteString("\n" + paragraphs(v.Help) + "\n")
	}
	if len(v.Synonyms) > 0 {
		b.WriteString("\nAliases: " + strings.Join(v.Synonyms, ", ") + "\n")
	}
	var rows [][2]string
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			rows = append(rows, [2]string{strings.Join(written(v.Name, f), ", "), f.FullDoc()})
		}
	}
	if rows != nil {
		b.WriteString("\nOptions:\n")
		columns(b, rows)
	}
}

// arguments writes the values that arguments accept where the notation does not show them, each list once.
func arguments(b *strings.Builder, verbs []*verb.Verb) {
	var rows [][2]string
	for _, v := range verbs {
		forms := strings.Join(notation(v.Name), " ")
		for i := range v.Args {
			a := &v.Args[i]
			row := [2]string{a.Name, strings.Join(a.Choices, ", ") + "; " + a.Doc}
			hidden := slices.ContainsFunc(a.Choices, func(value string) bool { return !strings.Contains(forms, value) })
			if forms != "" && hidden && !slices.Contains(rows, row) {
				rows = append(rows, row)
			}
		}
	}
	if rows != nil {
		b.WriteString("\nArguments:\n")
		columns(b, rows)
	}
}

// examples writes the examples of commands.
func examples(b *strings.Builder, verbs []*verb.Verb) {
	b.WriteString("\nExamples:\n")
	for _, v := range verbs {
		for _, e := range v.Examples {
			b.WriteString("  " + verb.AgentBrowser.Program() + " " + e + "\n")
		}
	}
}
