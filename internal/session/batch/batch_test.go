package batch

import (
	"reflect"
	"strings"
	"testing"
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
		} else if in != `["'a"]` && !strings.Contains(err.Error(), `such as [["fill"`) {
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
