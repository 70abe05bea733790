package agenttool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/diagnosis"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// verdictOf judges the rows that have run. blocked is what holds the page now; nil for nothing.
func verdictOf(c *input.CompiledQA, steps []*step.Step, blocked *api.Error) *result.QAVerdict {
	v := &result.QAVerdict{FailedChecks: []string{}, Warnings: []string{}}
	check := func(name string, failed string) {
		v.Checks = append(v.Checks, result.QACheck{Check: name, Passed: failed == "", Found: failed})
		if failed != "" {
			v.FailedChecks = append(v.FailedChecks, failed)
		}
	}
	baseline := map[string]int{}
	texts := 0
	for i, s := range steps {
		row := c.Steps[i]
		name := strings.Join(row.Args[:min(2, len(row.Args))], " ")
		switch {
		case row.GeneratedFrom == input.FromText:
			text := c.Checks.ExpectedText[texts]
			texts++
			name = "text " + result.Quote(text)
			switch s.Status {
			case step.Completed:
				check(name, "")
			case step.Failed:
				check(name, "expected text not found: "+result.Quote(text))
			default:
				check(name, "expected text was not verified: "+result.Quote(text))
			}
		case s.Status == step.Pending:
			check(name, name+" was not run")
		case s.Status != step.Completed:
			check(name, name+" failed: "+s.Message())
		case row.GeneratedFrom == input.FromBaseline:
			for _, e := range errorTexts(s.Data) {
				baseline[e]++
			}
		case row.GeneratedFrom != "":
		case row.Action == "errors":
			n, left := 0, 0
			for _, e := range errorTexts(s.Data) {
				if baseline[e] > 0 {
					baseline[e]--
					left++
					continue
				}
				n++
			}
			check("page errors", counted(n, "page error"))
			if left > 0 {
				v.Warnings = append(v.Warnings, counted(left, "unchanged page error")+" from before")
			}
		case row.Action == "console":
			check("console", counted(consoleErrors(s.Data), "console error message"))
		case row.Action == "network":
			failed, benign := diagnosis.FailedRequests(s.Data)
			found := counted(len(failed), "actionable failed network request")
			for i := range failed[:min(len(failed), 3)] {
				found += []string{": ", "; ", "; "}[i] + failed[i].String()
			}
			check("network", found)
			if benign > 0 {
				v.Warnings = append(v.Warnings, counted(benign, "benign failed network request"))
			}
		default:
			check(name, "")
		}
	}
	if blocked != nil && !slices.ContainsFunc(steps, func(s *step.Step) bool { return s.Err != nil && s.Err.Code == blocked.Code }) {
		check("page", blocked.Message)
	}
	v.Passed, v.NotChecked = len(v.FailedChecks) == 0, notChecked(&c.Checks)
	v.Summary = "PASS: " + counted(len(v.Checks), "check")
	if !v.Passed {
		v.Summary = fmt.Sprintf("FAIL: %d of %s: %s", len(v.FailedChecks), counted(len(v.Checks), "check"), strings.Join(v.FailedChecks, "; "))
	}
	if len(v.NotChecked) > 0 {
		v.Summary += "; not checked: " + strings.Join(v.NotChecked, ", ")
	}
	return v
}

// optional are the checks that can be left out, and the fields that ask for them.
var optional = []struct {
	name, field string
	asked       func(*input.QAChecks) bool
}{
	{"network", "checkNetwork", func(c *input.QAChecks) bool { return c.CheckNetwork }},
	{"console", "checkConsole", func(c *input.QAChecks) bool { return c.CheckConsole }},
	{"page errors", "checkErrors", func(c *input.QAChecks) bool { return c.CheckErrors }},
}

// notChecked returns the names of the checks that were left out.
func notChecked(c *input.QAChecks) (names []string) {
	for _, o := range optional {
		if !o.asked(c) {
			names = append(names, o.name)
		}
	}
	return names
}

// notCheckedLine says what was left out, and how to have it examined.
func notCheckedLine(names []string) string {
	var fields []string
	for _, o := range optional {
		if slices.Contains(names, o.name) {
			fields = append(fields, o.field)
		}
	}
	return fmt.Sprintf("  - not checked: %s (for that, give %s: true)", strings.Join(names, ", "), strings.Join(fields, ", "))
}

// qaText returns the verdict for the model.
func qaText(v *result.QAVerdict, page string) string {
	var b strings.Builder
	word := "PASS"
	if !v.Passed {
		word = "FAIL"
	}
	fmt.Fprintf(&b, "QA %s\n", word)
	if page != "" {
		fmt.Fprintf(&b, "Page: %s\n", page)
	}
	for _, c := range v.Checks {
		if c.Passed {
			fmt.Fprintf(&b, "  ✓ %s\n", c.Check)
		} else {
			fmt.Fprintf(&b, "  ✗ %s: %s\n", c.Check, c.Found)
		}
	}
	for _, w := range v.Warnings {
		fmt.Fprintf(&b, "  ⚠ %s\n", w)
	}
	if len(v.NotChecked) > 0 {
		b.WriteString(notCheckedLine(v.NotChecked))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// counted returns "" for none, else the number with the noun.
func counted(n int, what string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func errorTexts(data jsontext.Value) (texts []string) {
	var out struct {
		Errors []struct {
			Text    string `json:"text"`
			Message string `json:"message"`
		} `json:"errors"`
	}
	result.Read(data, &out)
	for _, e := range out.Errors {
		texts = append(texts, e.Text+e.Message)
	}
	return texts
}

func consoleErrors(data jsontext.Value) (n int) {
	var out struct {
		Messages []struct {
			Type  string `json:"type"`
			Level string `json:"level"`
		} `json:"messages"`
	}
	result.Read(data, &out)
	for _, m := range out.Messages {
		if strings.Contains(m.Type+m.Level, "error") {
			n++
		}
	}
	return n
}
