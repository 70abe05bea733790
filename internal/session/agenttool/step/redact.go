package step

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/policy"
)

// secretFlags are flags whose values are never repeated.
var secretFlags = []string{"--body", "--headers", "--password", "--proxy", "--cdp-headers", "--credentials", "--extra-headers"}

// secretWords are the commands of which the words from an index on are secret.
var secretWords = []struct {
	command []string
	from    int
}{
	{[]string{"cookies", "set"}, 3}, {[]string{"storage", "local", "set"}, 4}, {[]string{"storage", "session", "set"}, 4},
	{[]string{"set", "credentials"}, 2}, {[]string{"clipboard", "write"}, 2},
}

// RedactArgs returns the words of a command without secrets.
func RedactArgs(words []string) []string {
	out := slices.Clone(words)
	plain := make([]int, 0, len(words)) // places of the words that are no flags
	for i := 0; i < len(out); i++ {
		name, _, inline := strings.Cut(out[i], "=")
		switch {
		case slices.Contains(secretFlags, name) && inline:
			out[i] = name + "=" + policy.Mark
		case slices.Contains(secretFlags, name) && i+1 < len(out):
			i++
			out[i] = policy.Mark
		case (name == "--session" || name == "--namespace" || name == "--timeout") && !inline:
			i++
		case strings.HasPrefix(name, "--"):
			out[i] = policy.Text(out[i])
		default:
			plain = append(plain, i)
			out[i] = policy.Text(out[i])
		}
	}
	for _, s := range secretWords {
		if len(plain) < len(s.command) || !slices.EqualFunc(s.command, plain[:len(s.command)], func(w string, i int) bool { return words[i] == w }) {
			continue
		}
		for _, i := range plain[min(s.from, len(plain)):] {
			out[i] = policy.Mark
		}
	}
	return out
}

// Secrets returns the texts of a call that must not appear anywhere in its result.
func Secrets(steps []*Step) (texts []string) {
	for _, s := range steps {
		for i, w := range RedactArgs(s.Words) {
			if w == policy.Mark && len(s.Words[i]) > 2 {
				texts = append(texts, s.Words[i])
			}
		}
		if s.Name() == "auth save" && s.Row.Stdin != "" {
			texts = append(texts, s.Row.Stdin, strings.TrimRight(s.Row.Stdin, "\r\n"), strings.TrimSpace(s.Row.Stdin))
		}
	}
	texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	return texts
}
