package program_test

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cli"
	"github.com/usher-browser/usher/internal/local"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/help"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

//go:generate go test -run TestTextsOfTheFastPath -update

// TestTextsOfTheFastPath compares the texts that the program prints before its tables exist with those of the tables, or writes them.
func TestTextsOfTheFastPath(t *testing.T) {
	t.Parallel()
	const path = "../cli/fastpath/texts.txt"
	want := fastTexts(t)
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("internal/cli/fastpath/texts.txt is not what the commands print: make generate")
	}
}

// fastTexts is the file of the fast path: an index of command lines, and the texts.
func fastTexts(t *testing.T) []byte {
	table := program.Table()
	p := cli.Program{Table: table, Local: local.Program{}.Run}
	var index, texts bytes.Buffer
	at := map[string]int{}
	for _, name := range []string{"usher", "agent-browser"} {
		for _, argv := range textLines(table) {
			call, err := mistakes.Parse(table, argv, verb.ModeOf(name))
			if err != nil || !call.Verb.Is(verb.AnyProcess) {
				continue
			}
			var out, errOut bytes.Buffer
			if exit := p.Answer(&api.Request{Program: name, Argv: argv}, call, &out, &errOut); exit != 0 || errOut.Len() > 0 {
				continue // a mistake in the topic
			}
			text := out.String()
			offset, ok := at[text]
			if !ok {
				offset = texts.Len()
				at[text] = offset
				texts.WriteString(text)
			}
			_, _ = fmt.Fprintf(&index, "%s\t%d\t%d\n", strings.Join(append([]string{name}, argv...), " "), offset, len(text))
		}
	}
	if len(at) < 100 {
		t.Fatalf("only %d texts", len(at))
	}
	return slices.Concat(index.Bytes(), []byte("\n"), texts.Bytes())
}

// textLines are the command lines that ask for help on something that exists, and for the skills that agents read first.
func textLines(table *verb.Table) [][]string {
	topics := append(help.Topics(), table.FirstWords()...)
	for _, f := range table.Families() {
		topics = append(topics, f.Name, f.Alias)
		for _, sub := range table.SubWords(f.Name) {
			topics = append(topics, f.Name+" "+sub, f.Alias+" "+sub)
		}
	}
	for _, v := range table.All() {
		for _, name := range append([]string{v.Name}, v.Synonyms...) {
			first, _, _ := strings.Cut(name, " ")
			topics = append(topics, name, first)
		}
	}
	slices.Sort(topics)
	lines := [][]string{nil, {"help"}, {"--help"}, {"skills"}, {"skills", "list"}, {"skills", "get", "core"}}
	for _, topic := range slices.Compact(topics) {
		words := strings.Fields(topic)
		if len(words) == 0 {
			continue
		}
		lines = append(lines, append([]string{"help"}, words...), append(words, "--help"))
	}
	return lines
}
