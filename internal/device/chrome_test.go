package device

import (
	"fmt"
	"testing"
)

// TestHints compares client hints with those of a Chrome 156 on Linux; the brands of other versions follow from Chromium's source.
func TestHints(t *testing.T) {
	t.Parallel()
	const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36"
	c := LaunchedChrome(agent, "156.0.8078.79")
	if c == nil || c.UserAgent != agent {
		t.Fatalf("%+v", c)
	}
	hints := c.Hints("amd64")
	if got := fmt.Sprint(hints["fullVersionList"]); got != "[map[brand:Not:A-Brand version:8.0.0.0] map[brand:Chromium version:156.0.8078.79] map[brand:Google Chrome version:156.0.8078.79]]" {
		t.Error(got)
	}
	if hints["architecture"] != "x86" || hints["bitness"] != "64" || hints["fullVersion"] != "156.0.8078.79" || c.Hints("arm64")["architecture"] != "arm" {
		t.Errorf("%v", hints)
	}
	if got := fmt.Sprint(brands(133, "133", "")); got != "[map[brand:Not(A:Brand version:99] map[brand:Google Chrome version:133] map[brand:Chromium version:133]]" {
		t.Error(got)
	}
	for _, other := range []string{
		"", "Mozilla/5.0 (X11; Linux x86_64) Chrome/155.0.0.0 Safari/537.36", agent + " Edg/156.0.0.0",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
	} {
		if c := LaunchedChrome(other, "156.0.8078.79"); c != nil {
			t.Errorf("%q: %+v", other, c)
		}
	}
}
