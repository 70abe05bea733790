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
	done, written := 0, 0
	opened := false
	for _, s := range steps {
		one := result.ProgressStep{Index: s.Index, Args: step.RedactArgs(s.Words), Status: s.Status, TookMs: s.Took.Milliseconds(), GeneratedFrom: s.From, Retry: repeatable(s.Row.Call)}
		switch s.Status {
		case step.Completed:
			done++
			opened = opened || s.Row.Call.Verb.Category == verb.CatNavigate
		case step.Running:
			one.Reason = "it was running when the time was over; it may have had effects"
		case step.Failed:
			one.Reason = s.Message()
		case step.Pending:
			one.Reason = "it never started"
		}
		if p.RetryStep == nil && (s.Status == step.Running || s.Status == step.Pending) && one.Retry {
			p.RetryStep = &one
		}
		p.Steps = append(p.Steps, one)
		for _, path := range artifact.Destinations(s, cwd) {
			a := result.ProgressArtifact{Path: path, AbsolutePath: path, State: "missing", StepIndex: s.Index}
			if info, err := os.Stat(path); err == nil && s.Status == step.Completed {
				a.Exists, a.State, a.SizeBytes = true, "verified", info.Size()
				written++
			}
			p.Artifacts = append(p.Artifacts, a)
		}
	}
	if i := slices.IndexFunc(steps, func(s *step.Step) bool { return s.Status == step.Running }); i >= 0 && p.RetryStep != nil && p.RetryStep.Index != steps[i].Index {
		p.RetryStep = nil // what was running comes first, and must not be repeated unseen
	}
	if page != nil {
		p.CurrentPage, p.LiveURLRecovered = &result.CurrentPage{Source: "live", Target: *page}, true
	}
	p.OpenedButPostOpenTimeout = opened
	p.Summary = fmt.Sprintf("%d of %d steps had completed; %d of %d files are written.", done, len(steps), written, len(p.Artifacts))
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
	for i, s := range p.Steps {
		if i == most {
			fmt.Fprintf(&b, "\n… %d more steps", len(p.Steps)-most)
			break
		}
		fmt.Fprintf(&b, "\n%d. %s: %s", s.Index, s.Status, strings.Join(s.Args, " "))
	}
	return b.String()
}
