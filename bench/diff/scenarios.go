package main

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/verb/shell"
)

//go:embed commands.txt
var commands string

// scenario is a row of commands that both programs run in a session of their own, one after another.
type scenario struct {
	name  string
	files []file
	steps []step
}

// file is written into the program's home before the first command.
type file struct{ name, content string }

// step is one command.
type step struct {
	words []string
	input string // on standard input
}

// String returns the command line. Words are not quoted, but for empty ones.
func (s step) String() string {
	words := slices.Clone(s.words)
	for i, word := range words {
		if word == "" {
			words[i] = "''"
		}
	}
	return strings.Join(words, " ")
}

// scenarios reads commands.txt, which says what its lines mean.
func scenarios(text string) ([]scenario, error) {
	var all []scenario
	input := ""
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if name, is := strings.CutPrefix(line, "== "); is {
			all = append(all, scenario{name: name})
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("commands.txt:%d: a command before the first scenario", number)
		}
		now := &all[len(all)-1]
		if written, is := strings.CutPrefix(line, "> "); is {
			name, content, _ := strings.Cut(written, " ")
			now.files = append(now.files, file{name, content})
			continue
		}
		if given, is := strings.CutPrefix(line, "< "); is {
			input = given + "\n"
			continue
		}
		words, err := shell.Split(line)
		if err != nil {
			return nil, fmt.Errorf("commands.txt:%d: %w", number, err)
		}
		now.steps = append(now.steps, step{words: words, input: input})
		input = ""
	}
	return all, nil
}
