package read_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestLongException: the text of an exception does not fill an answer.
func TestLongException(t *testing.T) {
	s := commandtest.New(t)
	for _, script := range []string{`throw new Error("x".repeat(5e6))`, `throw "x".repeat(5e6)`} {
		if _, err := s.Try(t, "eval", script); api.CodeOf(err) != api.EvaluationFailed || len(err.Error()) > 100_000 {
			t.Errorf("%s: %s, %d bytes", script, api.CodeOf(err), len(err.Error()))
		}
	}
}
