// Package input has the arguments of the tool agent_browser: their form, the checks with their messages, and what the modes are
// compiled to. Nothing here runs anything.
package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// Input are the arguments of a call. Exactly one of the modes is given: script, args, semanticAction, job, qa, sourceLookup,
// networkSourceLookup, electron.
type Input struct {
	Args                []string             `json:"args"`
	SemanticAction      *SemanticAction      `json:"semanticAction"`
	Job                 *Job                 `json:"job"`
	QA                  *QA                  `json:"qa"`
	SourceLookup        *SourceLookup        `json:"sourceLookup"`
	NetworkSourceLookup *NetworkSourceLookup `json:"networkSourceLookup"`
	Electron            *Electron            `json:"electron"`
	Script              *string              `json:"script"`
	// Stdin is standard input for `batch`, `eval --stdin` and `auth save --password-stdin`.
	Stdin *string `json:"stdin"`
	// OutputPath is a file for the data of the result.
	OutputPath *string `json:"outputPath"`
	// TimeoutMs bounds the call.
	TimeoutMs *float64 `json:"timeoutMs"`
	// SessionMode is auto (the default) or fresh.
	SessionMode *string `json:"sessionMode"`
}

// SemanticAction is an action on an element that is named by its meaning.
type SemanticAction struct {
	Action   string   `json:"action"`
	Locator  *string  `json:"locator"`
	Value    *string  `json:"value"`
	Values   []string `json:"values"`
	Selector *string  `json:"selector"`
	Text     *string  `json:"text"`
	Role     *string  `json:"role"`
	Name     *string  `json:"name"`
	Session  *string  `json:"session"`
}

// Job is a list of steps.
type Job struct {
	FailFast *bool  `json:"failFast"`
	Steps    []Step `json:"steps"`
}

// Step is a step of a job.
type Step struct {
	Action       string   `json:"action"`
	URL          *string  `json:"url"`
	LoadState    *string  `json:"loadState"`
	Selector     *string  `json:"selector"`
	Locator      *string  `json:"locator"`
	Value        *string  `json:"value"`
	Values       []string `json:"values"`
	Role         *string  `json:"role"`
	Name         *string  `json:"name"`
	Text         *string  `json:"text"`
	DelayMs      *int     `json:"delayMs"`
	Press        *string  `json:"press"`
	Milliseconds *int     `json:"milliseconds"`
	Path         *string  `json:"path"`

	given []string // the members, in order
}

// QA checks a page: PASS or FAIL.
type QA struct {
	URL              *string        `json:"url"`
	Attached         *bool          `json:"attached"`
	ExpectedText     jsontext.Value `json:"expectedText"` // a text or a list of texts
	ExpectedSelector *string        `json:"expectedSelector"`
	ScreenshotPath   *string        `json:"screenshotPath"`
	CheckConsole     *bool          `json:"checkConsole"`
	CheckErrors      *bool          `json:"checkErrors"`
	CheckNetwork     *bool          `json:"checkNetwork"`
	LoadState        *string        `json:"loadState"`
}

// SourceLookup looks for the source of an element or component.
type SourceLookup struct {
	Selector          *string `json:"selector"`
	ReactFiberID      *string `json:"reactFiberId"`
	ComponentName     *string `json:"componentName"`
	IncludeDomHints   *bool   `json:"includeDomHints"`
	MaxWorkspaceFiles *int    `json:"maxWorkspaceFiles"`
}

// NetworkSourceLookup looks for the source of a failed request.
type NetworkSourceLookup struct {
	RequestID         *string `json:"requestId"`
	Filter            *string `json:"filter"`
	URL               *string `json:"url"`
	Session           *string `json:"session"`
	Namespace         *string `json:"namespace"`
	MaxWorkspaceFiles *int    `json:"maxWorkspaceFiles"`
}

// Electron manages desktop apps.
type Electron struct {
	Action         string   `json:"action"`
	Query          *string  `json:"query"`
	MaxResults     *int     `json:"maxResults"`
	AppPath        *string  `json:"appPath"`
	AppName        *string  `json:"appName"`
	BundleID       *string  `json:"bundleId"`
	ExecutablePath *string  `json:"executablePath"`
	AppArgs        []string `json:"appArgs"`
	Handoff        *string  `json:"handoff"`
	TargetType     *string  `json:"targetType"`
	TimeoutMs      *int     `json:"timeoutMs"`
	Allow          []string `json:"allow"`
	Deny           []string `json:"deny"`
	LaunchID       *string  `json:"launchId"`
	All            *bool    `json:"all"`
}

// modes are the names of the modes, in the order of messages.
var modes = []string{"script", "args", "semanticAction", "job", "qa", "sourceLookup", "networkSourceLookup", "electron"}

// ErrModes is the message for none or several modes.
const ErrModes = "Provide exactly one of script, args, semanticAction, job, qa, sourceLookup, networkSourceLookup, or electron."

// Decode reads the arguments. Numbers of ids may be written as numbers. Unknown members are refused at every level.
func Decode(raw []byte) (*Input, error) {
	var in Input
	err := json.Unmarshal(raw, &in, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(true), json.WithUnmarshalers(lenient))
	if err == nil && in.Job != nil {
		err = in.Job.remember(raw)
	}
	if err == nil {
		return &in, nil
	}
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		where := strings.ReplaceAll(strings.TrimPrefix(string(semantic.JSONPointer), "/"), "/", ".")
		switch {
		case errors.Is(err, json.ErrUnknownName):
			return nil, invalid("%s: there is no such field", where)
		case semantic.JSONKind != 0 && semantic.GoType != nil:
			return nil, invalid("%s: expected %s, not %s", orRoot(where), kindName(semantic.GoType.String()), valueName(semantic.JSONKind))
		}
		return nil, invalid("%s: %v", orRoot(where), semantic.Err)
	}
	return nil, invalid("The input is not a JSON object: %v", err)
}

// lenient reads a number where a text is expected, as models write ids.
var lenient = json.UnmarshalFromFunc(func(dec *jsontext.Decoder, s *string) error {
	if dec.PeekKind() != '0' {
		return errors.ErrUnsupported
	}
	v, err := dec.ReadValue()
	*s = string(v)
	return err
})

func orRoot(where string) string {
	if where == "" {
		return "The input"
	}
	return where
}

func kindName(of string) string {
	switch {
	case strings.Contains(of, "[]"):
		return "a list"
	case strings.HasSuffix(of, "string"):
		return "a text"
	case strings.HasSuffix(of, "bool"):
		return "true or false"
	case strings.HasSuffix(of, "int"):
		return "a whole number"
	case strings.HasSuffix(of, "float64"):
		return "a number"
	}
	return "an object"
}

func valueName(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	case '[':
		return "a list"
	}
	return "an object"
}

// remember notes which members each step has.
func (j *Job) remember(raw []byte) error {
	var in struct {
		Job struct {
			Steps []jsontext.Value `json:"steps"`
		} `json:"job"`
	}
	if err := json.Unmarshal(raw, &in, jsontext.AllowInvalidUTF8(true)); err != nil {
		return fmt.Errorf("read the steps: %w", err)
	}
	for i, step := range in.Job.Steps {
		members := map[string]jsontext.Value{}
		if err := json.Unmarshal(step, &members, jsontext.AllowInvalidUTF8(true)); err != nil {
			return fmt.Errorf("read step %d: %w", i, err)
		}
		for name, v := range members {
			if name != "action" && v.Kind() != 'n' {
				j.Steps[i].given = append(j.Steps[i].given, name)
			}
		}
		slices.Sort(j.Steps[i].given)
	}
	return nil
}

// invalid returns the error of an input that cannot be used. Nothing has been done then.
func invalid(format string, args ...any) error {
	return api.Errorf(api.InvalidArgument, format, args...)
}

// given returns the modes that the input has.
func (in *Input) given() []string {
	has := map[string]bool{
		"script": in.Script != nil, "args": in.Args != nil, "semanticAction": in.SemanticAction != nil, "job": in.Job != nil, "qa": in.QA != nil,
		"sourceLookup": in.SourceLookup != nil, "networkSourceLookup": in.NetworkSourceLookup != nil, "electron": in.Electron != nil,
	}
	return slices.DeleteFunc(slices.Clone(modes), func(name string) bool { return !has[name] })
}

const (
	maxSafe          = 1<<53 - 1 // the greatest whole number that JavaScript has exactly
	MaxScript        = 64 << 10  // MaxScript bounds a script, in bytes
	maxScriptTimeout = 300_000   // ms
	maxStdin         = 10 << 20  // bytes
)

// Check applies the rules for several fields, in the reference's order. live reports whether the managed session has a browser.
func (in *Input) Check(live bool) error {
	given := in.given()
	if len(given) != 1 {
		return invalid("%s", ErrModes)
	}
	mode := given[0]
	if in.Stdin != nil {
		switch mode {
		case "job", "qa", "sourceLookup", "networkSourceLookup":
			return invalid("Do not provide stdin with %s: it makes its own batch.", mode)
		case "electron":
			return invalid("Do not provide stdin with electron: no action of it reads standard input.")
		case "script":
			return invalid("Do not provide stdin with script: pass it to the inner call, as in browser({args, stdin}).")
		}
		if len(*in.Stdin) > maxStdin {
			return invalid("stdin has %d bytes; at most %d are accepted.", len(*in.Stdin), maxStdin)
		}
	}
	if in.OutputPath != nil && strings.TrimSpace(strings.TrimPrefix(*in.OutputPath, "@")) == "" {
		return invalid("outputPath must be a non-blank path.")
	}
	if t := in.TimeoutMs; t != nil {
		switch {
		case *t < 1 || *t != float64(int64(*t)) || *t > maxSafe:
			return invalid("timeoutMs must be a positive whole number of milliseconds, not %v.", *t)
		case mode == "electron":
			return invalid("Do not provide the top-level timeoutMs with electron: use electron.timeoutMs.")
		case mode == "script" && *t > maxScriptTimeout:
			return invalid("timeoutMs of a script is at most %d.", maxScriptTimeout)
		}
	}
	if m := in.SessionMode; m != nil {
		switch {
		case *m != "auto" && *m != "fresh":
			return invalid("sessionMode must be auto or fresh, not %q.", *m)
		case mode == "script":
			return invalid("Do not provide sessionMode with script: a script has a session of its own.")
		}
	}
	if in.QA != nil && in.QA.IsAttached() {
		switch {
		case in.Fresh():
			return invalid("qa.attached examines the page that is open: it cannot be combined with sessionMode fresh.")
		case !live:
			return invalid("qa.attached needs an open page, and the session has no browser. Open one first, or give qa.url.")
		}
	}
	return nil
}

// Fresh reports whether the call asks for a session of its own.
func (in *Input) Fresh() bool { return in.SessionMode != nil && *in.SessionMode == "fresh" }

func str(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// blank reports whether a text is given and blank.
func blank(p *string) bool { return p != nil && strings.TrimSpace(*p) == "" }

// has reports whether a text is given and not blank.
func has(p *string) bool { return p != nil && strings.TrimSpace(*p) != "" }
