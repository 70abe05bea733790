package agenttool

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/session/agenttool/artifact"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// repeatable reports whether a step can run again without doing anything twice.
func repeatable(call *verb.Call) bool {
	if call == nil {
		return false
	}
	v := call.Verb
	if v.Category == verb.CatNavigate || v.Category == verb.CatGet || v.Category == verb.CatSnapshot || v.Category == verb.CatWait || v.Category == verb.CatLogs {
		return true
	}
	return !v.Is(verb.ChangesPage) && v.Is(verb.NeedsTab)
}

// progress reports what the steps had done.
func progress(steps []*step.Step, page *result.Target, cwd string) *result.TimeoutPartialProgress {
	p := &result.TimeoutPartialProgress{Steps: []result.ProgressStep{}, Artifacts: []result.ProgressArtifact{}}
	written, opened := 0, false
	var retry *step.Step
	for _, s := range steps {
		one := result.ProgressStep{Index: s.Number(), Args: step.RedactArgs(s.Words), Status: s.Status, TookMs: s.Took.Milliseconds(), GeneratedFrom: s.From, Retry: repeatable(s.Row.Call)}
		switch s.Status {
		case step.Completed:
			opened = opened || s.Row.Call.Verb.Category == verb.CatNavigate
		case step.Running:
			one.Reason = "it was running when the time was over; it may have had effects"
		case step.Failed:
			one.Reason = s.Message()
		case step.Pending:
			one.Reason = "it never started"
		}
		if p.RetryStep == nil && (s.Status == step.Running || s.Status == step.Pending) && one.Retry {
			p.RetryStep, retry = &one, s
		}
		p.Steps = append(p.Steps, one)
		for _, path := range artifact.Destinations(s, cwd) {
			a := result.ProgressArtifact{Path: path, AbsolutePath: path, State: "missing", StepIndex: s.Number()}
			if info, err := os.Stat(path); err == nil && s.Status == step.Completed {
				a.Exists, a.State, a.SizeBytes = true, "verified", info.Size()
				written++
			}
			p.Artifacts = append(p.Artifacts, a)
		}
	}
	if i := slices.IndexFunc(steps, func(s *step.Step) bool { return s.Status == step.Running }); i >= 0 && retry != nil && retry != steps[i] {
		p.RetryStep = nil // what was running comes first, and must not be repeated unseen
	}
	if page != nil {
		p.CurrentPage, p.LiveURLRecovered = &result.CurrentPage{Source: "live", Target: *page}, true
	}
	p.OpenedButPostOpenTimeout = opened
	done, _, total := tally(steps)
	p.Summary = fmt.Sprintf("%d of %d steps had completed; %d of %d files are written.", done, total, written, len(p.Artifacts))
	return p
}

// progressText returns the progress for the model.
func progressText(p *result.TimeoutPartialProgress) string {
	const most = 6
	var b strings.Builder
	b.WriteString("Timeout partial progress: " + p.Summary)
	if c := p.CurrentPage; c != nil {
		b.WriteString("\nCurrent page: " + c.Title + " " + c.URL)
	}
	rows := decisive(p.Steps)
	from := 0
	if at := slices.IndexFunc(rows, func(s *result.ProgressStep) bool { return s.Status == step.Running }); at >= most {
		from = at - most + 1
		fmt.Fprintf(&b, "\n… %d steps before", from)
	}
	for i, s := range rows[from:] {
		if i == most {
			fmt.Fprintf(&b, "\n… %d more steps", len(rows)-from-most)
			break
		}
		fmt.Fprintf(&b, "\n%d. %s: %s", s.Index, s.Status, strings.Join(s.Args, " "))
	}
	return b.String()
}

// decisive returns one row for each step: the one that decides how far the step is.
func decisive(rows []result.ProgressStep) (out []*result.ProgressStep) {
	rank := []string{step.Running, step.Failed, step.Pending, step.Completed}
	for i := range rows {
		last := len(out) - 1
		switch {
		case last < 0 || out[last].Index != rows[i].Index:
			out = append(out, &rows[i])
		case slices.Index(rank, rows[i].Status) < slices.Index(rank, out[last].Status):
			out[last] = &rows[i]
		}
	}
	return out
}
