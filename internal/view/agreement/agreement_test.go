package agreement

import (
	"os"
	"strings"
	"testing"
)

// TestThreshold compares the outline with the browser's accessibility tree on a page for each rule and, if present, on the
// corpus of real pages.
func TestThreshold(t *testing.T) {
	var report strings.Builder
	agreed, err := Report(t.Context(), &report, Options{All: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + report.String())
	if !agreed {
		t.Errorf("less than %.1f %% of interactive elements agree with Chromium's tree", 100*Threshold)
	}
}

// TestJudgeFindsDifferences checks that the comparison finds differences.
func TestJudgeFindsDifferences(t *testing.T) {
	for _, test := range []struct {
		our      account
		known    bool
		chromium account
		want     Kind
	}{
		{account{"button", "a"}, true, account{"button", "a"}, ""},
		{account{}, false, account{"button", "a"}, Missing},
		{account{"link", "a"}, true, account{"button", "a"}, Role},
		{account{"button", "b"}, true, account{"button", "a"}, Name},
	} {
		if got, _ := differ(test.our, test.known, test.chromium); got != test.want {
			t.Errorf("differ(%v, %v, %v) = %q, want %q", test.our, test.known, test.chromium, got, test.want)
		}
	}
	rules, err := Rules()
	if err != nil || len(rules) < 100 {
		t.Errorf("%d pages of rules, %v; want at least 100", len(rules), err)
	}
}

func TestNormalizedNames(t *testing.T) {
	for in, want := range map[string]string{
		"  a \n\tb ":     "a b",
		"a\u00a0b":       "a b",
		"\ue001 Menu":    "Menu",
		"hy\u00adphen":   "hyphen",
		"zero\u200bwide": "zerowide",
		"“quoted” – ★":   "“quoted” – ★",
	} {
		if got := Normal(in); got != want {
			t.Errorf("Normal(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestPagesWithDialogs compares a page that opens dialogs while it loads, with and without scripts.
func TestPagesWithDialogs(t *testing.T) {
	corpus := t.TempDir()
	if err := os.MkdirAll(corpus+"/asks", 0o755); err != nil {
		t.Fatal(err)
	}
	text := "<!doctype html><script>alert('Hello'); confirm('Sure?')</script><button>One</button><a href=x>Two</a>"
	if err := os.WriteFile(corpus+"/asks/source.html", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("USHER_CORPUS", corpus)
	for _, noScripts := range []bool{false, true} {
		var report strings.Builder
		agreed, err := Report(t.Context(), &report, Options{Only: "asks", NoScripts: noScripts})
		if err != nil || !agreed || !strings.Contains(report.String(), "corpus of real pages: 2 interactive elements, 0 disagreements") {
			t.Errorf("without scripts %v: %v\n%s", noScripts, err, report.String())
		}
	}
}
