package input

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/key"
)

// CompiledStep is a row of a batch and what it was made from.
type CompiledStep struct {
	Action        string   `json:"action"`
	Args          []string `json:"args"`
	GeneratedFrom string   `json:"generatedFrom,omitzero"`
	// Place is the step of a job that it is a part of, from 1; 0 for the rows of others.
	Place int `json:"-"`
}

// CompiledJob is the batch that a job stands for.
type CompiledJob struct {
	Args     []string       `json:"args"`
	FailFast bool           `json:"failFast"`
	Stdin    string         `json:"stdin"`
	Steps    []CompiledStep `json:"steps"`
}

// loadStates are the load states that can be waited for.
var loadStates = []string{early, "load", "networkidle"}

// FromDelay is the place of the generated rows that wait between two characters.
const FromDelay = "type.delayMs"

// maxSlowText is how many characters a step may type with pauses.
const maxSlowText = 200

// stepFields are the fields of the actions.
var stepFields = []struct {
	action string
	fields []string
}{
	{"open", []string{"url", "loadState"}},
	{"click", []string{"selector", "locator", "value", "role", "name"}},
	{"fill", []string{"selector", "locator", "value", "role", "name", "text"}},
	{"type", []string{"text", "selector", "delayMs", "press"}},
	{"select", []string{"selector", "value", "values"}},
	{"wait", []string{"milliseconds"}},
	{"assertText", []string{"text"}},
	{"assertUrl", []string{"url"}},
	{"waitForDownload", []string{"path"}},
	{"snapshot", nil},
	{"screenshot", []string{"path"}},
}

func stepActions() (names []string) {
	for _, s := range stepFields {
		names = append(names, s.action)
	}
	return names
}

// Compile returns the batch of a job.
func (j *Job) Compile() (*CompiledJob, error) {
	if len(j.Steps) == 0 {
		return nil, invalid("job.steps must have at least one step.")
	}
	out := &CompiledJob{FailFast: j.FailFast == nil || *j.FailFast}
	for i := range j.Steps {
		steps, err := j.Steps[i].Compile("job.steps[" + strconv.Itoa(i) + "]")
		if err != nil {
			return nil, err
		}
		for n := range steps {
			steps[n].Place = i + 1
		}
		out.Steps = append(out.Steps, steps...)
	}
	out.Args = batchArgs(out.FailFast)
	out.Stdin = batchStdin(out.Steps)
	return out, nil
}

// early is the load state that comes before the load event.
const early = "domcontentloaded"

// openUntil returns the command that opens an address. It waits for the load event, unless the state that was asked for comes before that.
func openUntil(url, state string) []string {
	if state == early {
		return []string{"open", url, "--wait-until", early}
	}
	return []string{"open", url}
}

func batchArgs(bail bool) []string {
	if bail {
		return []string{"batch", "--bail"}
	}
	return []string{"batch"}
}

// batchStdin returns the rows as `batch` reads them.
func batchStdin(steps []CompiledStep) string {
	rows := make([][]string, len(steps))
	for i, s := range steps {
		rows[i] = s.Args
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		panic("agenttool: " + err.Error()) // they are texts
	}
	return string(raw)
}

// Compile returns the rows of a step. at is its place, for messages.
func (s *Step) Compile(at string) ([]CompiledStep, error) {
	i := slices.Index(stepActions(), s.Action)
	if i < 0 {
		return nil, invalid("%s.action must be one of %s, not %q.", at, strings.Join(stepActions(), ", "), s.Action)
	}
	allowed := stepFields[i].fields
	for _, name := range s.given {
		if !slices.Contains(allowed, name) {
			if len(allowed) == 0 {
				return nil, invalid("%s: %s has no field %s; it has none.", at, s.Action, name)
			}
			return nil, invalid("%s: %s has no field %s; its fields are %s.", at, s.Action, name, strings.Join(allowed, ", "))
		}
	}
	needs := func(name string, value *string) error {
		if !has(value) {
			return invalid("%s: %s needs %s.", at, s.Action, name)
		}
		return nil
	}
	row := func(args ...string) ([]CompiledStep, error) {
		return []CompiledStep{{Action: s.Action, Args: args}}, nil
	}
	switch s.Action {
	case "open":
		if err := needs("url", s.URL); err != nil {
			return nil, err
		}
		if s.LoadState != nil && !slices.Contains(loadStates, *s.LoadState) {
			return nil, invalid("%s.loadState must be one of %s, not %q.", at, strings.Join(loadStates, ", "), *s.LoadState)
		}
		rows, _ := row(openUntil(*s.URL, str(s.LoadState))...)
		if s.LoadState != nil {
			rows = append(rows, CompiledStep{Action: s.Action, Args: []string{"wait", "--load", *s.LoadState}, GeneratedFrom: "open.loadState"})
		}
		return rows, nil
	case "click", "fill":
		if (s.Selector != nil) == (s.Locator != nil || s.Value != nil || s.Role != nil) {
			return nil, invalid("%s: %s needs either selector or locator with its value.", at, s.Action)
		}
		made, err := (&SemanticAction{Action: s.Action, Locator: s.Locator, Value: s.Value, Selector: s.Selector, Text: s.Text, Role: s.Role, Name: s.Name}).Compile(at)
		if err != nil {
			return nil, err
		}
		return row(made.Args...)
	case "type":
		return s.typing(at)
	case "select":
		if err := needs("selector", s.Selector); err != nil {
			return nil, err
		}
		made, err := (&SemanticAction{Action: "select", Selector: s.Selector, Value: s.Value, Values: s.Values}).Compile(at)
		if err != nil {
			return nil, err
		}
		return row(made.Args...)
	case "wait":
		if s.Milliseconds == nil || *s.Milliseconds < 1 {
			return nil, invalid("%s: wait needs milliseconds, a positive whole number.", at)
		}
		return row("wait", strconv.Itoa(*s.Milliseconds))
	case "assertText":
		if err := needs("text", s.Text); err != nil {
			return nil, err
		}
		return row("wait", "--text", *s.Text)
	case "assertUrl":
		if err := needs("url", s.URL); err != nil {
			return nil, err
		}
		return row("wait", "--url", *s.URL)
	case "waitForDownload", "screenshot":
		if err := needs("path", s.Path); err != nil {
			return nil, err
		}
		if s.Action == "screenshot" {
			return row("screenshot", *s.Path)
		}
		return row("wait", "--download", *s.Path)
	}
	return row("snapshot", "-i")
}

// typing returns the rows of the step type.
func (s *Step) typing(at string) (rows []CompiledStep, err error) {
	if s.Text == nil || *s.Text == "" {
		return nil, invalid("%s: type needs text.", at)
	}
	if blank(s.Selector) {
		return nil, invalid("%s.selector must not be blank.", at)
	}
	add := func(from string, args ...string) {
		rows = append(rows, CompiledStep{Action: s.Action, Args: args, GeneratedFrom: from})
	}
	switch {
	case s.DelayMs == nil && s.Selector != nil:
		add("", "type", *s.Selector, *s.Text)
	case s.DelayMs == nil:
		add("", "keyboard", "type", *s.Text)
	case *s.DelayMs < 1:
		return nil, invalid("%s.delayMs must be a positive whole number.", at)
	case utf8.RuneCountInString(*s.Text) > maxSlowText:
		return nil, invalid("%s: with delayMs, text has at most %d characters, not %d.", at, maxSlowText, utf8.RuneCountInString(*s.Text))
	default:
		if s.Selector != nil {
			add("type.selector", "focus", *s.Selector)
		}
		first := true
		for _, c := range *s.Text {
			if !first {
				add(FromDelay, "wait", strconv.Itoa(*s.DelayMs))
			}
			first = false
			add("", "keyboard", "type", string(c))
		}
	}
	if s.Press != nil {
		if blank(s.Press) {
			return nil, invalid("%s.press must not be blank.", at)
		}
		if _, err := key.ParseChord(*s.Press); err != nil {
			return nil, invalid("%s.press: %s", at, api.AsError(err).Message)
		}
		add("type.press", "press", *s.Press)
	}
	return rows, nil
}
