package browsing

import (
	"testing"
)

func TestRedactSecret(t *testing.T) {
	for in, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "ada@example.org1": "ada@example.org1", "hunter2xyz": "***", "sk-abcdefghij0123456789": "sk-abc…6789", "12345678": "12345678", "": "",
	} {
		if got := redactSecret(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
