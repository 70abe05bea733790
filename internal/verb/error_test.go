package verb_test

import (
	"fmt"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// TestErrorText holds what every frontend makes of a mistake in a command line.
func TestErrorText(t *testing.T) {
	t.Parallel()
	mistake := &verb.Error{Code: verb.UnknownCommand, Message: "no command clik", Suggestions: []string{"click"}, Usage: "usher click <selector>"}
	for _, c := range []struct {
		err  error
		want string
	}{
		{mistake, "no command clik. Did you mean click? Usage: usher click <selector>"},
		{fmt.Errorf("row 2: %w", mistake), "row 2: no command clik. Did you mean click? Usage: usher click <selector>"},
		{&verb.Error{Code: verb.UnknownCommand, Message: "no command x", Usage: "usher back"}, "no command x. " + api.Lookup(api.UnknownCommand).Hint + " Usage: usher back"},
		{&verb.Error{Code: verb.UnknownCommand, Message: "no command x"}, "no command x. " + api.Lookup(api.UnknownCommand).Hint},
	} {
		if got := api.AsError(c.err); got.Sentence() != c.want || got.Code != api.UnknownCommand {
			t.Errorf("%s: %q, want %q", got.Code, got.Sentence(), c.want)
		}
	}
}
