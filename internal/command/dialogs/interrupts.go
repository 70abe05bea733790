package dialogs

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

func interruptList(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[*Interruptions], error) {
	s := e.Browser.State()
	open := e.OwnInterruptions(s, s.Interruptions())
	data, lines := &Interruptions{Interruptions: []*api.Interruption{}}, []string{}
	for _, i := range open {
		data.Interruptions = append(data.Interruptions, e.InterruptionData(i))
		lines = append(lines, e.InterruptionLine(i)+"\n  answer with `"+strings.Join(e.Answers(i), "` or `")+"`")
		e.MarkReported(i)
	}
	if len(open) == 0 {
		lines = append(lines, "✓ No open interruptions")
	}
	if c.Bool("all") {
		data.Recent = []*api.Interruption{}
		for _, i := range e.OwnInterruptions(s, s.RecentInterruptions()) {
			data.Recent = append(data.Recent, e.InterruptionData(i))
			lines = append(lines, e.InterruptionLine(i))
		}
	}
	return run.Reply[*Interruptions]{Data: data, Text: strings.Join(lines, "\n")}, nil
}
