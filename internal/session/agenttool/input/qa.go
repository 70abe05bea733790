package input

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// CompiledQA is the batch that a qa stands for.
type CompiledQA struct {
	CompiledJob
	Checks QAChecks `json:"checks"`
}

// QAChecks are the checks of a qa.
type QAChecks struct {
	Attached                bool     `json:"attached"`
	CheckConsole            bool     `json:"checkConsole"`
	CheckErrors             bool     `json:"checkErrors"`
	CheckNetwork            bool     `json:"checkNetwork"`
	DiagnosticsResetAtStart bool     `json:"diagnosticsResetAtStart"`
	ExpectedSelector        string   `json:"expectedSelector,omitzero"`
	ExpectedText            []string `json:"expectedText"`
	LoadState               string   `json:"loadState"`
	ScreenshotPath          string   `json:"screenshotPath,omitzero"`
	URL                     string   `json:"url,omitzero"`

	asked string // the load state that was asked for
}

// IsAttached reports whether the page that is open is examined.
func (q *QA) IsAttached() bool { return q.Attached != nil && *q.Attached }

// The places of generated rows of a qa, by which its verdict reads their results.
const (
	FromBaseline = "qa.errorBaselineAfterClear"
	FromReset    = "qa.diagnosticsReset"
	FromSettle   = "qa.diagnosticSettle"
	FromText     = "qa.expectedText"
)

// settleMs is how long errors and console lines may come after the page has loaded.
const settleMs = "150"

// lookLimitMs is how long an expected text or element may take to appear.
const lookLimitMs = "5000"

// Compile returns the batch.
func (q *QA) Compile() (*CompiledQA, error) {
	switch {
	case q.Attached != nil && !*q.Attached && q.URL == nil, q.Attached == nil && q.URL == nil:
		return nil, invalid("qa needs url, or attached: true for the page that is open.")
	case q.IsAttached() && q.URL != nil:
		return nil, invalid("qa.url and qa.attached exclude each other.")
	case blank(q.URL):
		return nil, invalid("qa.url must not be blank.")
	case blank(q.ExpectedSelector):
		return nil, invalid("qa.expectedSelector must not be blank.")
	case blank(q.ScreenshotPath):
		return nil, invalid("qa.screenshotPath must not be blank.")
	}
	texts, err := q.texts()
	if err != nil {
		return nil, err
	}
	flag := func(given *bool) bool {
		if given != nil {
			return *given
		}
		return !q.IsAttached()
	}
	c := QAChecks{
		Attached: q.IsAttached(), CheckConsole: flag(q.CheckConsole), CheckErrors: flag(q.CheckErrors), CheckNetwork: flag(q.CheckNetwork),
		DiagnosticsResetAtStart: !q.IsAttached(), ExpectedSelector: str(q.ExpectedSelector), ExpectedText: texts, LoadState: early,
		ScreenshotPath: str(q.ScreenshotPath), URL: str(q.URL),
	}
	if q.LoadState != nil {
		if !slices.Contains(loadStates, *q.LoadState) {
			return nil, invalid("qa.loadState must be one of %s, not %q.", strings.Join(loadStates, ", "), *q.LoadState)
		}
		c.LoadState, c.asked = *q.LoadState, *q.LoadState
	}
	out := &CompiledQA{Checks: c}
	out.FailFast, out.Steps = true, c.steps()
	out.Args, out.Stdin = batchArgs(true), batchStdin(out.Steps)
	return out, nil
}

// texts returns expectedText as a list.
func (q *QA) texts() ([]string, error) {
	texts := []string{}
	switch q.ExpectedText.Kind() {
	case 0, 'n':
		return texts, nil
	case '"':
		var one string
		if err := json.Unmarshal(q.ExpectedText, &one, jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, invalid("qa.expectedText: %v", err)
		}
		texts = []string{one}
	default:
		if err := json.Unmarshal(q.ExpectedText, &texts, jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, invalid("qa.expectedText must be a text or a list of texts.")
		}
	}
	for _, t := range texts {
		if strings.TrimSpace(t) == "" {
			return nil, invalid("qa.expectedText must not be blank.")
		}
	}
	return texts, nil
}

// steps returns the rows in the reference's order.
func (c *QAChecks) steps() (rows []CompiledStep) {
	add := func(action, from string, args ...string) {
		rows = append(rows, CompiledStep{Action: action, Args: args, GeneratedFrom: from})
	}
	if !c.Attached {
		if c.CheckNetwork {
			add("network", FromReset, "network", "requests", "--clear")
		}
		if c.CheckConsole {
			add("console", FromReset, "console", "--clear")
		}
		if c.CheckErrors {
			add("errors", FromReset, "errors", "--clear")
			add("errors", FromBaseline, "errors")
		}
		add("open", "", openUntil(c.URL, c.asked)...)
	}
	add("wait", "", "wait", "--load", c.LoadState)
	if c.CheckConsole || c.CheckErrors {
		add("wait", FromSettle, "wait", settleMs)
	}
	for _, text := range c.ExpectedText {
		add("assertText", FromText, "wait", "--text", text, "--wide", "--timeout", lookLimitMs)
	}
	if c.ExpectedSelector != "" {
		add("assertSelector", "", "wait", c.ExpectedSelector, "--timeout", lookLimitMs)
	}
	logs := func(words ...string) {
		if c.Attached { // the record has what was there before the page, too
			words = append(words, "--page")
		}
		add(words[0], "", words...)
	}
	if c.CheckNetwork {
		logs("network", "requests")
	}
	if c.CheckConsole {
		logs("console")
	}
	if c.CheckErrors {
		logs("errors")
	}
	if c.ScreenshotPath != "" {
		add("screenshot", "", "screenshot", c.ScreenshotPath)
	}
	return rows
}
