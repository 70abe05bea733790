package code

import (
	"context"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/order"
	"github.com/usher-browser/usher/internal/session/code/report"
)

// Reset carries out `run --reset`.
func Reset(r *Runs, name string) run.Result {
	out := &report.Ran{Value: jsontext.Value("null"), Undefined: true, Display: []report.Displayed{}, Console: []report.Line{}, Reset: r.Reset(name)}
	text := "✓ The state " + name + " was reset"
	if !out.Reset {
		text = "✓ There was no state " + name
	}
	return run.Result{Data: out, Text: text}
}

// Execute runs code as the command `run`. emit, if not nil, prints what the code displays and logs as it comes.
func Execute(ctx context.Context, r *Runs, s Session, o order.Order, emit func([]byte) error) (run.Result, error) {
	if emit != nil {
		o.Output = func(out script.Output) {
			if text := report.Text(out); text != "" {
				_ = emit([]byte(text + "\n")) // the caller may have left: its context ends the run
			}
		}
	}
	res, err := r.Run(ctx, s, o)
	if err != nil {
		return run.Result{}, err
	}
	data := report.Of(res)
	if work := s.Work(); work != nil {
		if t := work.Browser.State().Tabs[o.Tab]; t != nil {
			data.URL = t.URL
		}
	}
	data.News = res.News
	if res.Err != nil {
		return run.Result{}, report.Failed(res, data)
	}
	var lines []string
	if emit == nil {
		for _, out := range res.Outputs {
			lines = append(lines, report.Text(out))
		}
	}
	if res.Text != "" {
		lines = append(lines, res.Text)
	}
	text := strings.Join(lines, "\n")
	if text == "" && len(res.Outputs) == 0 {
		text = "✓ Ran " + o.Name
	}
	return run.Result{Data: data, Text: text, Warning: api.JoinWarnings(report.Unawaited(res), strings.Join(res.News, "; ")), Streamed: emit != nil && text == ""}, nil
}
