package tool

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// Failure returns the result that reports an error to the model. The message is at most maxError bytes and names tools
// in place of commands.
func Failure(err error) *Result {
	e := api.AsError(err)
	message := Cut(ReplaceCommands(e.Sentence()), maxError)
	value := &FailureData{Error: message, Code: e.Code}
	if e.Code == api.URLBlocked {
		value.Blocked = &blocked{Host: e.Data["host"], Rule: e.Data["rule"], Source: e.Data["source"]}
	}
	return &Result{Value: value, Data: membersOf(value), Text: "error: " + message, Failed: true}
}

// maxError bounds the text of an error, in bytes.
const maxError = 2048

// FailureData is the result of a call that failed.
type FailureData struct {
	Success
	Error string   `json:"error"`
	Code  api.Code `json:"code"` // see docs/ERRORS.md
	// Blocked is the rule that refused a URL.
	Blocked *blocked `json:"blocked_by_policy,omitzero"`
	// For an image that no model could be asked about: the path of its file, the annotations, and the warning of the
	// screenshot.
	Screenshot  string         `json:"screenshot_path,omitzero"`
	Image       string         `json:"image_path,omitzero"`
	Annotations jsontext.Value `json:"annotations,omitempty"`
	Warning     string         `json:"warning,omitzero"`
	// For code that failed (the tool browser): what was to be done in which tab, the place in the code, from 1, what to do
	// next, and what it had displayed and logged.
	Action string `json:"action,omitzero"`
	Name   string `json:"name,omitzero"`
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
	Hint   string `json:"hint,omitzero"`
	Output string `json:"output,omitzero"`
	// RelayCode is the code of BrowserForce for code that the person does not allow: BF_NO_ATTACHED_PAGE, BF_NEW_TABS_DISABLED or
	// BF_RESTRICTIONS_UNAVAILABLE.
	RelayCode string `json:"relay_code,omitzero"`
}

// blocked is a rule that refused a URL. Its members are null if the error does not have them.
type blocked struct {
	Host   any `json:"host"`
	Rule   any `json:"rule"`
	Source any `json:"source"` // "built in", or file and line of the blocklist
}

// FailureOutput returns the type of the result of a failed call, the same for every tool.
func FailureOutput() reflect.Type { return reflect.TypeFor[FailureData]() }
