package fastpath

import (
	_ "embed" // the texts
	"io"
	"strconv"
)

// texts has the help of every command and the built-in skills as plain text, for both program names. `make generate` writes it by
// running the commands (package program), and a test compares it with what they print. It begins with an index: lines of a command
// line, the offset of its text after the index and the text's length, separated by tabs. An empty line ends the index.
//
//go:embed texts.txt
var texts string

// settingsOfTexts are the variables with which the texts are others: JSON, or skills of the user's.
var settingsOfTexts = [...]string{"USHER_JSON", "AGENT_BROWSER_JSON", "USHER_SKILLS_DIR", "AGENT_BROWSER_SKILLS_DIR"}

// printText prints the text that a command line always prints, without a table of commands and without a daemon, and reports
// whether it did. Other command lines, and mistakes, are left to package cli.
func printText(out io.Writer, program string, argv []string, env func(string) string) bool {
	text, ok := textOf(texts, program, argv)
	if !ok {
		return false
	}
	for _, name := range settingsOfTexts {
		if env(name) != "" {
			return false
		}
	}
	_, err := io.WriteString(out, text)
	return err == nil
}

// textOf looks a command line up in an index and its texts.
func textOf(texts, program string, argv []string) (text string, ok bool) {
	line, ok := textLine(program, argv)
	if !ok {
		return "", false
	}
	found := ""
	for {
		row, rest := cut(texts, '\n')
		texts = rest
		if row == "" {
			break
		}
		if len(row) > len(line) && row[len(line)] == '\t' && row[:len(line)] == line {
			found = row[len(line)+1:]
		}
	}
	at, length := cut(found, '\t')
	from, err := strconv.Atoi(at)
	if err != nil {
		return "", false
	}
	size, err := strconv.Atoi(length)
	if err != nil || from < 0 || size < 0 || from+size > len(texts) {
		return "", false
	}
	return texts[from : from+size], true
}

// textLine returns the command line as the index has it; ok is false for words with blanks, which no name of a command has.
func textLine(program string, argv []string) (line string, ok bool) {
	line = program
	for i, word := range argv {
		if word == "-h" && i == len(argv)-1 {
			word = "--help"
		}
		for j := range len(word) {
			if word[j] <= ' ' {
				return "", false
			}
		}
		line += " " + word
	}
	return line, true
}

// cut splits s at the first c. (Package strings would be initialised before the program's first step.)
func cut(s string, c byte) (before, after string) {
	for i := range len(s) {
		if s[i] == c {
			return s[:i], s[i+1:]
		}
	}
	return s, ""
}
