package verb_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/usher-browser/usher/internal/verb"

	"github.com/usher-browser/usher/internal/cdptest/golden"
)

//go:generate go test -run "TestDocs|TestReadme" -update

func TestDocs(t *testing.T) {
	golden.Check(t, filepath.Join("..", "..", "docs", "COMMANDS.md"), commandsPage(), "go generate ./internal/verb")
}

// commandsPage returns the reference of all commands for people.
func commandsPage() string {
	var b strings.Builder
	b.WriteString("# Commands\n\nMade from the verb table by `go generate ./internal/verb`; do not edit.\n\n" +
		"`<x>` is required, `[x]` is optional, `...` accepts all following words. A selector is a ref from the last snapshot\n" +
		"(`@e4`), CSS, `xpath=...` or `text=...`, in quotes (`text=\"Save\"`) for exactly that text,\n" +
		"or a [chain](#selectors) of parts with `>>`. A time is a number of milliseconds, or has a unit: `500ms`, `30s`, `5m`, `1h`.\n")
	for _, g := range Groups() {
		b.WriteString("\n## " + string(g) + "\n")
		for i := range table.All() {
			v := &table.All()[i]
			if v.Group == g {
				describe(&b, v)
			}
		}
	}
	b.WriteString("\n## Flags of every command\n\nThey may stand anywhere on the line. A change of a flag marked *launch* needs a new browser.\n\n" +
		"| flag | meaning | default | takes effect | environment | key of `agent-browser.json` | project file |\n|---|---|---|---|---|---|---|\n")
	for _, f := range LineFlags() {
		env := "`" + f.UsherEnv() + "`"
		if f.Env != "" {
			env += ", `AGENT_BROWSER_" + f.Env + "`"
		}
		mayBeSet := "no"
		if f.ProjectMaySet {
			mayBeSet = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s |\n", cell(f.Pattern()), cell(f.Doc), code(f.Default), f.Scope, env, code(f.Key), mayBeSet)
	}
	b.WriteString("\n## Settings of your own file\n\nThese stand in `~/.usher/config.yaml` alone: no project's file, variable or flag sets them.\n\n" +
		"| setting | meaning | default | values |\n|---|---|---|---|\n")
	for _, f := range GlobalFlags() {
		if f.Own {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", f.Section, cell(f.Doc), code(f.Default), strings.Join(f.Choices, ", "))
		}
	}
	b.WriteString("\n## Selectors\n\n```text\n" + SelectorNotation + "```\n")
	return b.String()
}

func describe(b *strings.Builder, v *Verb) {
	fmt.Fprintf(b, "\n### %s\n\n`%s`\n\n%s%s.\n", v.Name, v.Pattern(), strings.ToUpper(v.Summary[:1]), v.Summary[1:])
	if v.Help != "" {
		b.WriteString("\n" + v.Help + "\n")
	}
	if len(v.Synonyms) > 0 {
		fmt.Fprintf(b, "\nAlso written: `%s`.\n", strings.Join(v.Synonyms, "`, `"))
	}
	if len(v.Args)+len(v.Flags) > 0 {
		b.WriteString("\n")
	}
	for i := range v.Args {
		fmt.Fprintf(b, "- `%s` %s\n", v.Args[i].Pattern(), v.Args[i].Doc)
	}
	for i := range v.Flags {
		if f := &v.Flags[i]; !f.Hidden {
			fmt.Fprintf(b, "- `%s` %s\n", f.Pattern(), f.FullDoc())
		}
	}
	b.WriteString("\n```sh\n")
	for _, e := range v.Examples {
		b.WriteString("usher " + e + "\n")
	}
	fmt.Fprintf(b, "```\n\nPolicy category `%s`; marks: %s.\n", v.Category, strings.Join(append(v.Marks.Names(), []string{"none"}[min(1, len(v.Marks.Names())):]...), ", "))
}

func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
