package verb_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/settings"

	"github.com/usher-browser/usher/internal/cdptest/golden"
)

// TestDocsOfSettings writes docs/CONFIG.md. That each key and example is what the configuration accepts is tested in package config.
func TestDocsOfSettings(t *testing.T) {
	golden.Check(t, filepath.Join("..", "..", "docs", "CONFIG.md"), settingsPage(), "go generate ./internal/verb")
	schema, err := settings.Schema(Usher)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("..", "..", "docs", "usher.schema.json"), string(schema), "go generate ./internal/verb")
}

// settingsPage returns the reference of all settings for people.
func settingsPage() string {
	var b strings.Builder
	b.WriteString(`# Settings

Made from the table of settings by ` + "`go generate ./internal/verb`" + `; do not edit. ` + "`usher help config`" + ` shows the same, ` + "`usher help config <key>`" + ` one key.

Settings come from these places; later ones win:

1. the built-in default
2. your own file: ` + "`~/.usher/config.yaml`, or `config.json` there (`$USHER_HOME` replaces `~/.usher`)" + `
3. the project's file: ` + "`usher.yaml` or `.usher.yaml`" + ` in the working directory; it may set only keys marked *project*
4. the file named by ` + "`--config` or `USHER_CONFIG`" + `, instead of the files of 2 and 3
5. environment variables
6. flags of the command

Files are YAML 1.2; JSON is accepted. ` + "`user-agent`, `user_agent` and `userAgent`" + ` are the same key. An unknown key is a
warning, an invalid value is an error (` + "`invalid_config`" + `). A path is relative to the directory of its file; ` + "`~`" + ` is your home. A
switch is ` + "`true` or `false`" + `; in the environment, ` + "`0`, `false`, `no`" + ` and an empty text are false, everything else is true.

[usher.schema.json](usher.schema.json) is a JSON schema of these files, which editors use; ` + "`usher config schema`" + ` prints that of your
version. A file may name one as ` + "`$schema`" + `, or in a comment: ` + "`# yaml-language-server: $schema=…/usher.schema.json`" + `.

Called as ` + "`agent-browser`" + `, usher reads that tool's variables and files, too: see the end of [COMMANDS.md](COMMANDS.md).

## Browser, sessions, pages

| key | type | default | environment | flag | example | takes effect | meaning |
|---|---|---|---|---|---|---|---|
`)
	tools := len(settings.All()) - len(settings.OfTools())
	for _, s := range settings.All()[:tools] {
		scope := s.Scope
		if s.Project {
			scope += "; *project*"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", s.Key, cell(s.Type), cell(s.Default), code(s.Env), code(s.Flag), code(cell(s.YAML())), scope, cell(s.Doc))
	}
	b.WriteString("\nA key with a dot is nested, as the examples show. Keys without a variable and a flag are read only from your own file.\n\n" +
		"## Tools and agents\n\nThese keys are read only from your own file, or the one named with `--config`; none has a variable or a flag. `NAME` is a name of your choice,\n" +
		"or of a tool, toolset or platform. More in [toolsets.md](toolsets.md), [plugins.md](plugins.md) and [mcp.md](mcp.md).\n\n" +
		"| key | type | default | example | meaning |\n|---|---|---|---|---|\n")
	for _, s := range settings.OfTools() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.Key, cell(s.Type), cell(s.Default), code(cell(s.YAML())), cell(s.Doc))
	}
	return b.String()
}

// TestDocsAsManual writes docs/usher.1.
func TestDocsAsManual(t *testing.T) {
	page := manual()
	golden.Check(t, filepath.Join("..", "..", "docs", "usher.1"), page, "go generate ./internal/verb")
	for i := range table.All() {
		if !strings.Contains(page, "\n\\fB"+troff(table.All()[i].Name)+"\\fR") {
			t.Errorf("the manual does not tell of %s", table.All()[i].Name)
		}
	}
}

// manual returns the reference as a manual page, in the man macros of troff.
func manual() string {
	var b strings.Builder
	b.WriteString(`.\" Made from the verb table by go generate ./internal/verb; do not edit.
.TH USHER 1 "" usher "User Commands"
.ad l
.SH NAME
usher \- browser automation for AI agents over the Chrome DevTools Protocol
.SH SYNOPSIS
.B usher
.I command
.RI [ arguments ]
.RI [ flags ]
.SH DESCRIPTION
usher drives Chromium. A daemon, started with the first command, owns the browsers; each command is a short call of it.
.B snapshot
prints a page as an outline with a ref for each element
.RB ( @e4 ),
and commands such as
.B click
and
.B fill
take such a ref.
.PP
A selector is a ref, CSS,
.BR xpath= ...
or
.BR text= ...,
or a chain of parts with >>: see
.BR "usher help selectors" .
A time is a number of milliseconds, or has a unit: 500ms, 30s, 5m, 1h.
.PP
Called through a link named
.BR agent\-browser ,
usher takes the place of that program.
.SH COMMANDS
`)
	for _, g := range Groups() {
		fmt.Fprintf(&b, ".SS %s\n", troff(string(g)))
		for i := range table.All() {
			if v := &table.All()[i]; v.Group == g {
				manualEntry(&b, v)
			}
		}
	}
	b.WriteString(".TP\n\\fBdaemon\\fR <status|stop|run>\nThe daemon: whether it runs, end it, run it in the foreground.\n" +
		".SH FLAGS OF EVERY COMMAND\nThey may stand anywhere on the line.\n")
	for _, f := range LineFlags() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n.br\nEnvironment: %s\n", troff(f.Pattern()), troff(sentence(f.FullDoc())), troff(f.UsherEnv()))
	}
	b.WriteString(`.SH ENVIRONMENT
Every flag of every command has a variable, named with it. Besides:
.TP
.B USHER_HOME
The directory of usher's files, in place of ~/.usher.
.TP
.B USHER_CHROME
The browser to start, where no flag or setting names one.
.TP
.B NO_COLOR
Print without colors.
.SH FILES
.TP
.I ~/.usher/config.yaml
Your settings.
.B usher help config
lists the keys.
.TP
.I ./usher.yaml
Settings of a project.
.TP
.I ~/.usher/run
Socket, lock and log of the daemon.
.SH EXIT STATUS
0 on success; otherwise the status of the error's code, as docs/ERRORS.md lists them.
.SH EXAMPLES
.nf
usher open example.com
usher snapshot \-i
usher click @e2
usher close
.fi
.SH SEE ALSO
.BR chromium (1)
`)
	return b.String()
}

func manualEntry(b *strings.Builder, v *Verb) {
	fmt.Fprintf(b, ".TP\n\\fB%s\\fR%s\n%s\n", troff(v.Name), troff(strings.TrimPrefix(v.Pattern(), v.Name)), troff(sentence(v.Summary)))
	for _, part := range strings.Split(v.Help, "\n\n") {
		switch {
		case part == "":
		case strings.HasPrefix(part, " ") || strings.Contains(part, "\n "):
			b.WriteString(".IP\n.nf\n" + troff(part) + "\n.fi\n")
		default:
			b.WriteString(".IP\n" + troff(part) + "\n")
		}
	}
	row := func(name, doc string) {
		if doc != "" {
			fmt.Fprintf(b, ".RS\n.TP\n.B %s\n%s\n.RE\n", troff(name), troff(sentence(doc)))
		}
	}
	for i := range v.Args {
		row(v.Args[i].Pattern(), v.Args[i].Doc)
	}
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			row(f.Pattern(), f.FullDoc())
		}
	}
}

// troff is text that means itself in a manual page.
func troff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	var b strings.Builder
	for _, c := range strings.Join(lines, "\n") {
		if c < 0x80 {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, c)
		}
	}
	return b.String()
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
