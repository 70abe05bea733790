package raw

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the command that makes a raw CDP call.
func grammar() verb.Set {
	return verb.Set{Verbs: []verb.Verb{
		{Name: "cdp", Check: cdpRules, Summary: "send a raw CDP command",
			Help: "Sends one CDP command to the active tab in a CDP session of its own; what it enables or overrides lasts as long as the tab.\n" +
				"--frame sends it to the frame's process, with the frame's id or script context where the method takes one; --browser-target\n" +
				"to the browser. Parameters are a JSON object, or - for standard input. Secrets in the result are replaced by [redacted]; output over\n" +
				"50 kB goes to a file. The default timeout is 30 s, the range 1s to 300s. It does not wait for other commands. Under the site\n" +
				"guard, always on for agents, only methods that stay within the session are sent; others are refused with an alternative.",
			Args: []verb.Arg{{Name: "method", Required: true, Doc: "Domain.method, such as Page.getLayoutMetrics"},
				{Name: "params", Rest: true, Raw: true, Doc: "a JSON object, or - for standard input"}},
			Flags: []verb.Flag{verb.FrameFlag(),
				{Name: "tab", Kind: verb.String, Value: "tab", Doc: "id (t2), label or target id of another tab"},
				{Name: "browser-target", Kind: verb.Bool, Doc: "send to the browser, not to a tab"}},
			Examples: []string{"cdp Page.getLayoutMetrics", "cdp Runtime.evaluate '{\"expression\":\"location.href\"}' --frame checkout",
				"cdp Target.getTargets --browser-target", "cdp Page.bringToFront --tab t2", "cdp Network.setCookies - --timeout 5s"},
			Group: verb.GroupRun, Category: verb.CatEval, Marks: verb.NeedsBrowser | verb.Control | verb.ChangesPage | verb.InvalidatesRefs | verb.ReadsStdin},
	}}
}

// The bounds of the limit of a raw CDP call. More would keep a forgotten command for hours, less is no test of the
// browser.
const (
	ShortestCall = time.Second
	LongestCall  = 300 * time.Second
)

// cdpRules sets Form: FormStdin when the parameters come from standard input.
func cdpRules(c *verb.Call) *verb.Error {
	if !isMethod(c.Str("method")) {
		return verb.Invalid(plain.Quote(c.Str("method"))+" is not a CDP method", "Write Domain.method, such as Page.getLayoutMetrics.")
	}
	if c.Has("timeout") {
		if d := c.Dur("timeout"); d < ShortestCall || d > LongestCall {
			return verb.Invalid("--timeout: " + plain.Quote(c.Str("timeout")) + " is out of range for cdp, which is 1s to 300s")
		}
	}
	if c.Bool("browser-target") && (c.Has("tab") || c.Has("frame")) {
		return &verb.Error{Code: verb.InvalidArgument, Message: "--browser-target cannot be combined with --tab or --frame"}
	}
	switch params := strings.TrimSpace(c.Str("params")); params {
	case "":
	case "-":
		c.Form = verb.FormStdin
	default:
		if err := CheckParams(params); err != nil {
			return verb.AsError(err)
		}
	}
	return nil
}

// isMethod reports whether a text has the form of a method: two words of letters and digits with a dot between.
func isMethod(s string) bool {
	domain, name, found := strings.Cut(s, ".")
	return found && isWord(domain) && isWord(name)
}

func isWord(s string) bool {
	for i := 0; i < len(s); i++ {
		letter := s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z'
		if !letter && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

// CheckParams returns an error for parameters that are no JSON object.
func CheckParams(s string) error {
	v := jsontext.Value(strings.TrimSpace(s))
	if !v.IsValid(jsontext.AllowInvalidUTF8(true)) || v.Kind() != '{' {
		return verb.Fail(verb.InvalidJSON, "The parameters "+plain.Quote(shortened(s))+` are not a JSON object, such as {"url":"about:blank"}`)
	}
	return nil
}

// shortened cuts quoted text for a message.
func shortened(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
