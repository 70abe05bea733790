package fastpath

import (
	"strings"
	"testing"
)

func TestTextOf(t *testing.T) {
	const some = "usher\t0\t4\nusher click --help\t4\t6\nusher cli\t0\t4\nbroken\tx\t1\nfar\t0\t99\n\nrootclick\n"
	for _, c := range []struct {
		line string
		want string
		ok   bool
	}{
		{"usher", "root", true}, {"usher click --help", "click\n", true}, {"usher click -h", "click\n", true},
		{"usher click", "", false}, {"usher -h click", "", false}, {"usher click --help --json", "", false},
		{"broken", "", false}, {"far", "", false}, {"agent-browser", "", false},
	} {
		words := strings.Fields(c.line)
		if got, ok := textOf(some, words[0], words[1:]); got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %v", c.line, got, ok)
		}
	}
	for _, argv := range [][]string{{"click --help"}, {"click", "\n"}, {"click\t4"}} {
		if got, ok := textOf(some, "usher", argv); ok {
			t.Errorf("%q: %q", argv, got)
		}
	}
}

func TestPrintText(t *testing.T) {
	none := func(string) string { return "" }
	var out strings.Builder
	if !printText(&out, "agent-browser", []string{"click", "-h"}, none) || !strings.Contains(out.String(), "agent-browser click") {
		t.Errorf("%q", out.String())
	}
	for _, set := range settingsOfTexts {
		out.Reset()
		if printText(&out, "usher", nil, func(name string) string { return map[bool]string{true: "1"}[name == set] }) || out.Len() > 0 {
			t.Errorf("with %s: %q", set, out.String())
		}
	}
}
