package dialogs

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

func interruptList(_ context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
	s := e.Browser.State()
	open := e.OwnInterruptions(s, s.Interruptions())
	rows, lines := []any{}, []string{}
	for _, i := range open {
		rows = append(rows, e.InterruptionData(i))
		lines = append(lines, e.InterruptionLine(i)+"\n  answer with `"+strings.Join(run.Answers(i), "` or `")+"`")
		e.MarkReported(i)
	}
	data := run.Object{"interruptions": rows}
	if len(open) == 0 {
		lines = append(lines, "✓ No open interruptions")
	}
	if c.Bool("all") {
		over := []any{}
		for _, i := range e.OwnInterruptions(s, s.RecentInterruptions()) {
			over = append(over, e.InterruptionData(i))
			lines = append(lines, e.InterruptionLine(i))
		}
		data["recent"] = over
	}
	return run.Result{Data: data, Text: strings.Join(lines, "\n")}, nil
}
