package agenttool

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/verb"
)

// TimeoutPartialProgress is what a call had done when its time was over, from the journal of its steps.
type TimeoutPartialProgress struct {
	Summary   string         `json:"summary"`
	Steps     []ProgressStep `json:"steps"`
	RetryStep *ProgressStep  `json:"retryStep,omitzero"`
	// CurrentPage is the page that is open now.
	CurrentPage              *CurrentPage       `json:"currentPage,omitzero"`
	LiveURLRecovered         bool               `json:"liveUrlRecovered"`
	OpenedButPostOpenTimeout bool               `json:"openedButPostOpenTimedOut"`
	Artifacts                []ProgressArtifact `json:"artifacts"`
}

// ProgressStep is a step.
type ProgressStep struct {
	Index int      `json:"index"`
	Args  []string `json:"args"`
	// Status is completed, failed, running (it was interrupted, and may have had effects) or pending (it never started).
	Status        string `json:"status"`
	TookMs        int64  `json:"tookMs,omitzero"`
	Reason        string `json:"reason,omitzero"`
	GeneratedFrom string `json:"generatedFrom,omitzero"`
	Retry         bool   `json:"retry,omitzero"` // it can be repeated without harm
}

// CurrentPage is the page that is open.
type CurrentPage struct {
	Source string `json:"source"` // live
	Target
}

// ProgressArtifact is a file that a step was to write.
type ProgressArtifact struct {
	Path         string `json:"path"`
	AbsolutePath string `json:"absolutePath"`
	Exists       bool   `json:"exists"`
	State        string `json:"state"` // verified or missing
	SizeBytes    int64  `json:"sizeBytes,omitzero"`
	StepIndex    int    `json:"stepIndex"`
}

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
func progress(steps []*step, page *Target, cwd string) *TimeoutPartialProgress {
	p := &TimeoutPartialProgress{Steps: []ProgressStep{}, Artifacts: []ProgressArtifact{}}
	done, written := 0, 0
	opened := false
	for _, s := range steps {
		one := ProgressStep{Index: s.index, Args: redactArgs(s.words), Status: s.status, TookMs: s.took.Milliseconds(), GeneratedFrom: s.from, Retry: repeatable(s.row.Call)}
		switch s.status {
		case statusCompleted:
			done++
			opened = opened || s.row.Call.Verb.Category == verb.CatNavigate
		case statusRunning:
			one.Reason = "it was running when the time was over; it may have had effects"
		case statusFailed:
			one.Reason = s.message()
		case statusPending:
			one.Reason = "it never started"
		}
		if p.RetryStep == nil && (s.status == statusRunning || s.status == statusPending) && one.Retry {
			p.RetryStep = &one
		}
		p.Steps = append(p.Steps, one)
		for _, path := range destinations(s, cwd) {
			a := ProgressArtifact{Path: path, AbsolutePath: path, State: "missing", StepIndex: s.index}
			if info, err := os.Stat(path); err == nil && s.status == statusCompleted {
				a.Exists, a.State, a.SizeBytes = true, "verified", info.Size()
				written++
			}
			p.Artifacts = append(p.Artifacts, a)
		}
	}
	if i := slices.IndexFunc(steps, func(s *step) bool { return s.status == statusRunning }); i >= 0 && p.RetryStep != nil && p.RetryStep.Index != steps[i].index {
		p.RetryStep = nil // what was running comes first, and must not be repeated unseen
	}
	if page != nil {
		p.CurrentPage, p.LiveURLRecovered = &CurrentPage{"live", *page}, true
	}
	p.OpenedButPostOpenTimeout = opened
	p.Summary = fmt.Sprintf("%d of %d steps had completed; %d of %d files are written.", done, len(steps), written, len(p.Artifacts))
	return p
}

// text returns the progress for the model.
func (p *TimeoutPartialProgress) text() string {
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
