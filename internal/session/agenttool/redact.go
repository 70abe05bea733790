package agenttool

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

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

// redactArgs returns the words of a command without secrets.
func redactArgs(words []string) []string {
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

// secrets returns the texts of a call that must not appear anywhere in its result.
func secrets(steps []*step) (texts []string) {
	for _, s := range steps {
		for i, w := range redactArgs(s.words) {
			if w == policy.Mark && len(s.words[i]) > 2 {
				texts = append(texts, s.words[i])
			}
		}
		if s.name() == "auth save" && s.row.Stdin != "" {
			texts = append(texts, s.row.Stdin, strings.TrimRight(s.row.Stdin, "\r\n"), strings.TrimSpace(s.row.Stdin))
		}
	}
	texts = slices.DeleteFunc(texts, func(t string) bool { return t == "" })
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	return texts
}

// redactResult removes secrets from the whole result: it is the last step of a call.
func redactResult(r *Result, texts []string, keep []string) *Result {
	scrub := func(text string) string {
		for _, secret := range texts {
			text = strings.ReplaceAll(text, secret, policy.Mark)
		}
		return text
	}
	for i := range r.Content {
		r.Content[i].Text = policy.Text(scrub(r.Content[i].Text))
	}
	raw := encode(r.Details)
	for _, secret := range texts {
		quoted := string(encode(secret))
		raw = jsontext.Value(strings.ReplaceAll(string(raw), quoted[1:len(quoted)-1], policy.Mark))
	}
	clean, err := policy.JSON(raw, keep...)
	if err != nil {
		clean = raw
	}
	out := &Details{}
	if json.Unmarshal(clean, out, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) == nil {
		r.Details = out
	}
	return r
}
