package read_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestResultsWithoutJSON: a result that has no JSON is the script's fault, and not told as the end of the page.
func TestResultsWithoutJSON(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	for script, want := range map[string]string{
		`({get a() { throw new Error("no") }})`: "a getter of it threw an exception",
		`const a = {}; a.a = a; a`:              "refers to itself",
	} {
		_, err := s.Try(t, "eval", script)
		if api.CodeOf(err) != api.EvaluationFailed || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", script, err, want)
		}
	}
}
