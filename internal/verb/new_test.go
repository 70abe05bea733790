package verb_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	. "github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// TestNewCall: a call made from values is the one that its command line makes.
func TestNewCall(t *testing.T) {
	t.Parallel()
	for _, v := range table.All() {
		for _, example := range v.Examples {
			words, err := shell.Split(example)
			if err != nil {
				t.Fatal(err)
			}
			parsed, err := table.Parse(words, Usher)
			if err != nil {
				t.Fatal(err)
			}
			values := Values(maps.Clone(parsed.Values()))
			maps.Copy(values, parsed.Globals.Values())
			made, err := table.NewCall(parsed.Verb.Name, values, Usher)
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			if d := cmp.Diff(parsed.Values(), made.Values()); d != "" || made.Form != parsed.Form || made.Verb != parsed.Verb {
				t.Errorf("%s: form %q, not %q: %s", example, made.Form, parsed.Form, d)
			}
			if d := cmp.Diff(parsed.Globals.Values(), made.Globals.Values()); d != "" {
				t.Errorf("%s: %s", example, d)
			}
		}
	}
	values := Values{}
	values.Set("selector", "--all") // no flag, whatever it looks like
	values.Set("text", "-x --json")
	values.Set("timeout", "2s")
	c, err := table.NewCall("fill", values, Usher)
	if err != nil || c.Rest("text") != "-x --json" || c.Dur("timeout").Seconds() != 2 {
		t.Errorf("text that looks like flags: %v, %v", c, err)
	}
}

func TestNewCallRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		verb   string
		values Values
		code   string
	}{
		{"clik", nil, UnknownCommand},
		{"goto", nil, UnknownCommand}, // a synonym is for people
		{"get", nil, UnknownCommand},
		{"get txt", nil, UnknownSubcommand},
		{"click", nil, MissingArgument},
		{"fill", Values{"selector": {"@e1"}}, MissingArgument},
		{"fill", Values{"selector": {"@e1", "@e2"}, "text": {"x"}}, InvalidArgument},
		{"click", Values{"selector": {"@e1"}, "butto": {"left"}}, UnknownFlag},
		{"click", Values{"selector": {"@e1"}, "button": {"side"}}, InvalidArgument},
		{"click", Values{"selector": {"@"}}, InvalidSelector},
		{"click", Values{"selector": {"@e1"}, "count": {"9"}}, InvalidArgument},
		{"open", Values{"url": {"a.test"}, "raw-cdp": {"unrestricted"}}, UnknownFlag}, // a person's own file alone may say so
		{"wait", Values{"text": {"a"}, "url": {"b"}}, InvalidArgument},
	} {
		_, err := table.NewCall(c.verb, c.values, Usher)
		var known *Error
		if !errors.As(err, &known) || known.Code != c.code {
			t.Errorf("%s %v: %v, want %s", c.verb, c.values, err, c.code)
		}
	}
}
