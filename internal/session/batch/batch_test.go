package batch

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

func TestParse(t *testing.T) {
	want := [][]string{{"open", "x.org"}, {"fill", "@e1", "a b"}}
	for _, in := range []string{
		`[["open","x.org"],"fill @e1 'a b'"]`,
		" [[\"open\",\"x.org\"],\n[\"fill\",\"@e1\",\"a b\"]]\n",
		"open x.org\nfill @e1 'a b'",
		"\ufeff# a form\r\n\r\nopen x.org\r\n  fill @e1 \"a b\"\r\n",
	} {
		if got, err := parse([]byte(in)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
	limited := [][]string{{"--timeout", "2s", "a", "b"}, {"--timeout", "1500", "c"}, {"d"}}
	if got, err := parse([]byte(`[{"command":["a","b"],"timeout":"2s"},{"command":"c","timeout":1500},{"command":"d","timeout":null}]`)); err != nil || !reflect.DeepEqual(got, limited) {
		t.Errorf("%q, %v; want %q", got, err, limited)
	}
	if got, err := parse([]byte(`[]`)); err != nil || len(got) != 0 {
		t.Errorf("%q, %v; want nothing", got, err)
	}
	for _, in := range []string{``, " \n", `{}`, `[[]]`, `[""]`, `[1]`, `[["a",2]]`, `[null]`, `["'a"]`, `[["a"]`, `[{}]`, `[{"command":[]}]`, `[{"command":["a"],"timeout":true}]`, `[{"command":["a"],"timeout":"x"}]`, `[{"command":["a"],"limit":1}]`, "back\nfill @e1 'a", "back\n\\"} {
		got, err := parse([]byte(in))
		if err == nil {
			t.Errorf("%s: %q, want an error", in, got)
		} else if !strings.Contains(err.Error(), `such as [["fill"`) {
			t.Errorf("%s: the error gives no example: %v", in, err)
		} else if strings.Contains(err.Error(), "Go ") || strings.Contains(err.Error(), "struct") {
			t.Errorf("%s: the error is about Go: %v", in, err)
		}
	}
	if _, err := parse([]byte(`[{"cmd":["a"]}]`)); err == nil || !strings.Contains(err.Error(), `has the member "cmd"; it may have command and timeout`) {
		t.Errorf("an unknown member: %v", err)
	}
	if _, err := parse([]byte("back\n\nfill @e1 'a")); err == nil || !strings.Contains(err.Error(), "Line 3 of standard input") {
		t.Errorf("a line with an open quote: %v", err)
	}
}

// TestOpenQuotes: an error about quotes says how to write them, wherever the commands come from.
func TestOpenQuotes(t *testing.T) {
	for _, in := range []string{"fill @e1 'a", `["fill @e1 'a"]`, `back\`} {
		if _, err := parse([]byte(in)); err == nil || !strings.Contains(err.Error(), "into the other") {
			t.Errorf("%s: %v", in, err)
		}
	}
	call := verb.NewTable(verb.Set{Verbs: []verb.Verb{{Name: "batch", Group: verb.GroupRun, Args: []verb.Arg{{Name: "commands", Variadic: true}}}}})
	line, err := call.Parse([]string{"batch", "back", "fill @e1 'a"}, verb.Usher)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Rows(line, nil)
	if err != nil {
		t.Fatal(err)
	}
	var failed *api.Error
	if !errors.As(rows[1].Err, &failed) || !strings.Contains(failed.Hint, "into the other") {
		t.Errorf("%+v: want a hint on quotes", rows[1].Err)
	}
}
