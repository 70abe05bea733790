package agenttool

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

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
		ok := 0
		for _, one := range c.steps {
			if one.Status == step.Completed {
				ok++
			}
		}
		fmt.Fprintf(&b, "Batch failed: %d/%d succeeded; step %d (%s) is the first that failed.\n", ok, len(c.steps), s.Index, s.Name())
	}
	typed := ""
	for i, s := range c.steps {
		if s.Status == step.Pending {
			continue
		}
		if s.Status == step.Completed && s.Name() == "keyboard type" && len([]rune(s.Row.Call.Rest("text"))) == 1 {
			typed += s.Row.Call.Rest("text")
			if i+1 < len(c.steps) {
				continue
			}
		}
		if typed != "" {
			if s.From == "type.delayMs" && i+1 < len(c.steps) {
				continue
			}
			fmt.Fprintf(&b, "Typed %s with pauses\n", result.Quote(typed))
			typed = ""
			if s.Name() == "keyboard type" {
				continue
			}
		}
		word, text := "succeeded", s.Result.Text
		if s.Failed() {
			word, text = "failed", s.Message()
			if s.Err != nil && s.Category == "" {
				text = s.Err.Sentence()
			}
		}
		fmt.Fprintf(&b, "Step %d — %s (%s)\n%s\n", s.Index, s.Name(), word, text)
		if s.Result.Warning != "" {
			fmt.Fprintf(&b, "⚠ %s\n", s.Result.Warning)
		}
	}
	if n := len(c.steps); n > 0 && c.steps[n-1].Status == step.Pending {
		left := 0
		for _, s := range c.steps {
			if s.Status == step.Pending {
				left++
			}
		}
		fmt.Fprintf(&b, "%d steps were not run.\n", left)
	}
	return strings.TrimSuffix(b.String(), "\n")
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
