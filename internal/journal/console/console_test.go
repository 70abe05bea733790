package console_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/journal/console"
)

// TestLine formats arguments as the protocol sends them. What Chromium sends is tested in package journal.
func TestLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, ""},
		{[]string{`{"type":"string","value":"%s is %d%% of %o%c"}`, `{"type":"string","value":"a"}`, `{"type":"number","value":4.5}`,
			`{"type":"string","value":"it's"}`, `{"type":"string","value":"color: red"}`, `{"type":"boolean","value":true}`}, `a is 4% of 'it\'s' true`},
		{[]string{`{"type":"number","unserializableValue":"-0"}`, `{"type":"object","subtype":"null","value":null}`, `{"type":"undefined"}`}, "-0 null undefined"},
		{[]string{`{"type":"object","className":"Object","description":"Object","preview":{"type":"object","description":"Object","overflow":true,
			"properties":[{"name":"a","type":"string","value":"x"}]}}`}, "{a: 'x', …}"},
		{[]string{`{"type":`}, ""},
	} {
		var values []console.Value
		for _, raw := range c.args {
			values = append(values, console.Read(jsontext.Value(raw)))
		}
		if got := console.Line(values, 1<<10); got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
	many := make([]console.Value, 100)
	for i := range many {
		many[i] = console.Read(jsontext.Value(`{"type":"string","value":"0123456789"}`))
	}
	if got := console.Line(many, 50); len(got) <= 50 || len(got) > 65 {
		t.Errorf("a line of at most about 50 bytes has %d", len(got))
	}
}

func TestShorten(t *testing.T) {
	t.Parallel()
	small := jsontext.Value(`{"type":"string","value":"a"}`)
	o := console.Read(small)
	if got := console.Shorten(small, &o); string(got) != string(small) {
		t.Errorf("%s became %s", small, got)
	}
	large := jsontext.Value(`{"type":"string","value":"` + strings.Repeat("a", 100<<10) + `"}`)
	o = console.Read(large)
	got := console.Shorten(large, &o)
	if len(got) > 64<<10 || !strings.HasPrefix(string(got), `{"type":"string","value":"aaaa`) {
		t.Errorf("a text of %d bytes became %d bytes: %.80s", len(large), len(got), got)
	}
}

func TestErrorText(t *testing.T) {
	t.Parallel()
	stack := &console.Stack{CallFrames: []console.Frame{{Function: "f", URL: "a.js", Line: 1, Column: 2}, {URL: "b.js"}}}
	const trace = "    at f (a.js:2:3)\n    at b.js:1:1"
	for _, c := range []struct {
		head, exception string
		stack           *console.Stack
		text, trace     string
	}{
		{"Uncaught SyntaxError: x", "", nil, "Uncaught SyntaxError: x", ""},
		{"Uncaught", `{"type":"object","subtype":"error","description":"TypeError: x\n    at y"}`, stack, "Uncaught TypeError: x", "TypeError: x\n    at y"},
		{"Uncaught (in promise)", `{"type":"string","value":"why"}`, stack, "Uncaught (in promise) why", trace},
		{"Uncaught", `{"type":"string","value":"caught"}`, stack, "Uncaught caught", trace},
		{"Uncaught Error: x", `{"type":"object","subtype":"error","description":"Error: x\n    at y"}`, stack, "Uncaught Error: x", "Error: x\n    at y"},
		{"", `{"type":"object","subtype":"error","description":"Error: x"}`, stack, "Error: x", "Error: x"},
	} {
		text, trace := console.ErrorText(c.head, jsontext.Value(c.exception), c.stack)
		if text != c.text || trace != c.trace {
			t.Errorf("%s %s: %q and %q, want %q and %q", c.head, c.exception, text, trace, c.text, c.trace)
		}
	}
}
