package code

import (
	"fmt"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
)

// waitedFor are the codes of errors that tell what an element was like when the time of an operation was over.
var waitedFor = map[api.Code]bool{
	api.ElementNotFound: true, api.ElementNotVisible: true, api.ElementNotStable: true, api.ElementDisabled: true, api.ElementCovered: true, api.ElementReadonly: true,
	api.OptionNotFound: true,
}

// inCode replaces what hints say of the command line by what code has for it.
var inCode = strings.NewReplacer(
	"a longer --timeout", "a longer {timeout: ms}", "a larger --timeout", "a longer {timeout: ms}",
	"more time with --timeout", "more time with {timeout: ms}", "Raise --timeout", "Raise {timeout: ms}",
)

// explain returns the error of an operation as code is to see it: with how long it waited, and what to do about that.
func (o operation) explain(err error, took, limit time.Duration) error {
	e := *api.AsError(err)
	silent := e.Code == api.Timeout && !strings.Contains(e.Message, "imed out after ") && !strings.Contains(e.Message, "Timeout ")
	if (waitedFor[e.Code] || silent) && took >= limit {
		step := 100 * time.Millisecond
		switch {
		case limit < 10*time.Millisecond:
			step = time.Millisecond
		case limit < time.Second:
			step = 10 * time.Millisecond
		}
		e.Message += fmt.Sprintf("; Timeout %dms exceeded", limit.Round(step).Milliseconds()) // the words of Playwright, which code looks for
		if most, _ := o.limit(new(float64)); most > reserve {
			e.Message += "; {timeout: ms} sets it"
		} else {
			e.Message += ", at the end of the run's own time"
		}
	}
	if hint := e.NextStep(); strings.Contains(hint, "--timeout") {
		e.Hint = inCode.Replace(hint)
	}
	return &e
}
