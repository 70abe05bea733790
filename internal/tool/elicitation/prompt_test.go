package elicitation

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// fakePerson is a person who allows every call, and records what was shown.
type fakePerson struct{ read string }

func (r *fakePerson) Ask(_ context.Context, question string, _ []tool.Param) (map[string]any, bool, error) {
	r.read = question
	return map[string]any{"decision": "allow", "answer": "yes"}, true, nil
}

func confirm(t *testing.T, of *tool.Tool, raw string) (read string, err error) {
	t.Helper()
	args, err := of.Parse(jsontext.Value(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	person := &fakePerson{}
	err = Confirm(t.Context(), &tool.Host{Person: person}, of, args)
	return person.read, err
}

// TestConfirmShowsAll: the person is shown all arguments of a call, escaped where needed. If that is impossible, the
// person is not asked and the call is refused.
func TestConfirmShowsAll(t *testing.T) {
	own := &tool.Tool{Name: "write_file", Title: "Write a file", Params: []tool.Param{{Name: "path", Kind: tool.String, Required: true}, {Name: "content", Kind: tool.String},
		{Name: "list", Kind: tool.Strings}, {Name: "map", Kind: tool.Map}, {Name: "all", Kind: tool.Boolean, Default: true}, {Name: "n", Kind: tool.Integer}}}
	foreign := &tool.Tool{Name: "mcp__x__y", Title: "harmless\nall: nothing", Schema: jsontext.Value(`{"type":"object"}`)}
	long := strings.Repeat("a harmless line of text\\n", 30)
	for _, c := range []struct {
		of            *tool.Tool
		raw           string
		want, wantNot []string
	}{
		{own, `{"path":"a","content":"` + long + `rm -rf ~"}`, []string{"content: 31 lines", "\n  | rm -rf ~"}, nil},
		{own, `{"path":"a","content":"` + strings.Repeat("x", 3000) + `EVIL"}`, []string{"EVIL", "\n  \\ xxx"}, nil},
		{own, `{"path":"a\ncontent: nothing"}`, []string{"\n  | content: nothing"}, []string{"\ncontent: nothing"}},
		{own, `{"path":"a\u2028content: nothing\rb"}`, []string{`path: a\u{2028}content: nothing\u{D}b`}, nil},
		{own, `{"path":"\u202Etxt.exe\u200B\u00A0\u3164\u2800"}`, []string{`\u{202E}txt.exe\u{200B}\u{A0}\u{3164}\u{2800}`}, []string{"\u202e"}},
		{own, `{"path":"a\uDB40\uDC41\u0007\u001b[2K"}`, []string{`a\u{E0041}\u{7}\u{1B}[2K`}, []string{"\x1b"}},
		{own, `{"path":"z` + strings.Repeat(`\u0301`, 40) + `"}`, []string{`\u{301}`}, nil},
		{own, `{"path":"a` + strings.Repeat(" ", 4000) + `b"}`, []string{"a[4000 spaces]b"}, nil},
		{own, `{"path":"a` + strings.Repeat(`\n \n`, 2000) + `b"}`, []string{"empty lines]", "\n  | b"}, nil},
		{own, `{"path":"p\u0430ypal"}`, []string{"mixes alphabets"}, nil},
		{own, `{"path":"first","path":"second"}`, []string{"path: second"}, nil}, // the value that the tool gets
		{own, `{"path":5,"list":"one","n":"7"}`, []string{"path: 5", "list 1: one", "n: 7", "all: true"}, nil},
		{own, `{"path":"a","map":{"k\u202e":"v\u0041","deep":{"x":[1,"` + strings.Repeat("y", 80) + `"]}}}`, []string{`k\u{202E}`, `"vA"`, "yyy"}, []string{"\u202e"}},
		{foreign, `{"a\nb: c":1,"\u0063md":"\u0072m -rf"}`, []string{`"a\nb: c": 1`, "cmd: rm -rf", "tool of another program"}, []string{"\nall: nothing"}},
	} {
		read, err := confirm(t, c.of, c.raw)
		if err != nil {
			t.Errorf("%.80s: %v", c.raw, err)
		}
		for _, want := range c.want {
			if !strings.Contains(read, want) {
				t.Errorf("%.80s: %q is not in\n%s", c.raw, want, read)
			}
		}
		for _, not := range c.wantNot {
			if strings.Contains(read, not) {
				t.Errorf("%.80s: %q is in\n%s", c.raw, not, read)
			}
		}
		if strings.ContainsFunc(read, func(r rune) bool { return r != '\n' && r < ' ' }) {
			t.Errorf("%.80s: a control character is in %q", c.raw, read)
		}
		for _, line := range strings.Split(read, "\n") {
			if len(line) > 250 {
				t.Errorf("%.80s: a line has %d bytes", c.raw, len(line))
			}
		}
	}
	for _, c := range []struct {
		of  *tool.Tool
		raw string
	}{
		{own, `{"path":"a","content":"` + strings.Repeat("x", 20_000) + `"}`},
		{own, `{"path":"a","content":"` + strings.Repeat(`x\n`, 1000) + `"}`},
		{own, `{"path":"a","map":{"x":1,"x":2}}`},
		{foreign, `{"x":"` + strings.Repeat("x", 20_000) + `"}`},
		{foreign, `{"cmd":"ls","cmd":"rm"}`}, {foreign, `{"a":{"cmd":"ls","cmd":"rm"}}`}, {foreign, `{"a":"\xff"}`}, {foreign, `[1]`}, {foreign, `{"a":1} {"b":2}`},
	} {
		if read, err := confirm(t, c.of, c.raw); api.CodeOf(err) != api.NotConfirmed || read != "" {
			t.Errorf("%.60s: %v, asked %.200s", c.raw, err, read)
		}
	}
}
