package fastpath

import _ "embed" // the texts

// texts has the help of every command and the built-in skills as plain text, for both program names. `make generate` writes it by
// running the commands (package program), and a test compares it with what they print. It begins with an index: lines of a command
// line, the offset of its text after the index and the text's length, separated by tabs. An empty line ends the index.
//
//go:embed texts.txt
var texts string

// settingsOfTexts are the variables with which the texts are others: JSON, or skills of the user's.
var settingsOfTexts = [...]string{"USHER_JSON", "AGENT_BROWSER_JSON", "USHER_SKILLS_DIR", "AGENT_BROWSER_SKILLS_DIR"}

// knownText returns the text that a command line always prints, without a table of commands and without a daemon. ok is false
// for other command lines, and mistakes, which are left to package cli.
func knownText(program string, argv []string, env func(string) string) (text string, ok bool) {
	if !mayBeText(argv) && argv[0] != "skills" {
		return "", false
	}
	for _, name := range settingsOfTexts {
		if env(name) != "" {
			return "", false
		}
	}
	return textOf(texts, program, argv)
}

// textOf looks a command line up in an index and its texts.
func textOf(texts, program string, argv []string) (text string, ok bool) {
	found := ""
	for {
		row, rest := cut(texts, '\n')
		texts = rest
		if row == "" {
			break
		}
		if place, ok := placeOf(row, program, argv); ok {
			found = place
		}
	}
	at, length := cut(found, '\t')
	from, size := decimal(at), decimal(length)
	if from < 0 || size < 0 || from+size > len(texts) {
		return "", false
	}
	return texts[from : from+size], true
}

// placeOf returns what follows the command line in a row of the index; ok is false in the row of another. Words with blanks,
// which no name of a command has, are in none.
func placeOf(row, program string, argv []string) (place string, ok bool) {
	if row, ok = after(row, program); !ok {
		return "", false
	}
	for i, word := range argv {
		if word == "-h" && i == len(argv)-1 {
			word = "--help"
		}
		for j := range len(word) {
			if word[j] <= ' ' {
				return "", false
			}
		}
		if row, ok = after(row, " "); !ok {
			return "", false
		}
		if row, ok = after(row, word); !ok {
			return "", false
		}
	}
	return after(row, "\t")
}

// after returns what follows the prefix in s.
func after(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || s[:len(prefix)] != prefix {
		return "", false
	}
	return s[len(prefix):], true
}

// decimal returns the number that s is, or -1. (An error of package strconv would be allocated.)
func decimal(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' || n > 1<<40 {
			return -1
		}
		n = 10*n + int(s[i]-'0')
	}
	if s == "" {
		return -1
	}
	return n
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
