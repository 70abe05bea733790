package agenttool

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// text is the text of the result for the model.
func (c *call) text() string {
	d := c.details
	switch {
	case d.QAPreset != nil:
		page := ""
		if t := d.SessionTabTarget; t != nil {
			page = strings.TrimSpace(t.Title + " " + t.URL)
		}
		return qaText(d.QAPreset, page)
	case c.batch:
		return c.batchText()
	}
	s := c.steps[0]
	text := s.Result.Text
	if s.Failed() {
		text = "error: " + s.Message()
		if s.Err != nil && s.Category == "" {
			text = "error: " + s.Err.Sentence()
		}
	}
	if s.Result.Warning != "" {
		text += "\n⚠ " + s.Result.Warning
	}
	d.Warning = s.Result.Warning
	if n := d.NavigationSummary; n != nil {
		text += strings.TrimRight("\nCurrent page: "+n.Title+"\n"+n.URL, "\n")
	}
	return text
}

// batchText has a block for each row. Runs of single typed characters are one line.
func (c *call) batchText() string {
	var b strings.Builder
	if s := step.First(c.steps); s != nil {
		ok, _, total := tally(c.steps)
		fmt.Fprintf(&b, "Batch failed: %d/%d succeeded; step %d (%s) is the first that failed.\n", ok, total, s.Number(), s.Name())
	}
	for i := 0; i < len(c.steps); i++ {
		s := c.steps[i]
		if s.Status == step.Pending {
			continue
		}
		if typed, how, n := typedRun(c.steps[i:]); n > 1 {
			fmt.Fprintf(&b, "%s — keyboard type (succeeded)\nTyped %s%s\n", numbers(s, c.steps[i+n-1]), result.Quote(typed), how)
			i += n - 1
			continue
		}
		word, text := "succeeded", s.Result.Text
		if s.Failed() {
			word, text = "failed", s.Message()
			if s.Err != nil && s.Category == "" {
				text = s.Err.Sentence()
			}
		}
		fmt.Fprintf(&b, "Step %d — %s (%s)\n%s\n", s.Number(), s.Name(), word, text)
		if s.Result.Warning != "" {
			fmt.Fprintf(&b, "⚠ %s\n", s.Result.Warning)
		}
	}
	switch _, left, _ := tally(c.steps); left {
	case 0:
	case 1:
		b.WriteString("1 step was not run.\n")
	default:
		fmt.Fprintf(&b, "%d steps were not run.\n", left)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// tally counts the caller's steps: those that succeeded as a whole, those of which nothing ran, and all.
func tally(steps []*step.Step) (ok, left, total int) {
	for i := 0; i < len(steps); total++ {
		first, whole := steps[i], true
		for ; i < len(steps) && steps[i].Number() == first.Number(); i++ {
			whole = whole && steps[i].Status == step.Completed
		}
		switch {
		case whole:
			ok++
		case first.Status == step.Pending:
			left++
		}
	}
	return ok, left, total
}

// numbers names a run of rows by the numbers of its first and its last.
func numbers(first, last *step.Step) string {
	if first.Number() == last.Number() {
		return fmt.Sprintf("Step %d", first.Number())
	}
	return fmt.Sprintf("Steps %d to %d", first.Number(), last.Number())
}

// typedRun returns what the first n steps typed, one character each, and whether they paused in between.
func typedRun(steps []*step.Step) (typed, how string, n int) {
	isTyped := func(i int) bool {
		return i < len(steps) && steps[i].Status == step.Completed && steps[i].Name() == "keyboard type" && utf8.RuneCountInString(steps[i].Row.Call.Rest("text")) == 1
	}
	for {
		switch {
		case isTyped(n):
			typed += steps[n].Row.Call.Rest("text")
			n++
		case n > 0 && n < len(steps) && steps[n].From == input.FromDelay && steps[n].Status == step.Completed && isTyped(n+1):
			how = " with pauses"
			n++
		default:
			return typed, how, n
		}
	}
}

// document is the text for callers that gave --json.
func (c *call) document() string {
	d := c.details
	doc := struct {
		Artifacts []result.Artifact `json:"artifacts,omitzero"`
		Data      jsontext.Value    `json:"data"`
		Error     *string           `json:"error"`
		Success   bool              `json:"success"`
		Warnings  []string          `json:"warnings,omitzero"`
	}{Artifacts: d.Artifacts, Data: d.Data, Success: d.FailureCategory == ""}
	if len(doc.Data) == 0 {
		doc.Data = jsontext.Value("null")
	}
	if !doc.Success {
		text := d.Error + d.ValidationError
		doc.Error = &text
	}
	if d.Warning != "" {
		doc.Warnings = []string{d.Warning}
	}
	raw := result.Encode(doc)
	if err := raw.Indent(); err != nil {
		return string(result.Encode(doc))
	}
	return string(raw)
}
