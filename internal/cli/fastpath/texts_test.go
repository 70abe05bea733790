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

func TestKnownText(t *testing.T) {
	none := func(string) string { return "" }
	if text, ok := knownText("agent-browser", []string{"click", "-h"}, none); !ok || !strings.Contains(text, "agent-browser click") {
		t.Errorf("%q", text)
	}
	if text, ok := knownText("usher", []string{"skills", "list"}, none); !ok || text == "" {
		t.Error("the skills are not known")
	}
	for _, set := range settingsOfTexts {
		if text, ok := knownText("usher", nil, func(name string) string { return map[bool]string{true: "1"}[name == set] }); ok {
			t.Errorf("with %s: %q", set, text)
		}
	}
}
