package run

import (
	"testing"
)

func TestHarmless(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 漢字 🙂":             "plain é 漢字 🙂",
		"one\ntwo":                 "one\n    two",
		"\x1b[31mred":              `\u001b[31mred`,
		"over\rwritten\bx\u202e":   `over\u000dwritten\u0008x\u202e`,
		"a tab\tstays":             "a tab\tstays",
		"✓ Done\n[error] not ours": "✓ Done\n    [error] not ours",
	} {
		if got := Printable(in); got != want {
			t.Errorf("harmless(%q) = %q, want %q", in, got, want)
		}
	}
	if got := OneLine(" a\n  b\tc "); got != "a b c" {
		t.Errorf("oneLine: %q", got)
	}
}
