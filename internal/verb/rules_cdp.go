package verb

import (
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// How long a call by hand may take. More would keep a forgotten command for hours, less says nothing about the browser.
const (
	ShortestCall = time.Second
	LongestCall  = 300 * time.Second
)

// cdpRules settles Form: FormStdin when the parameters come from standard input.
func (c *Call) cdpRules() *Error {
	if !isMethod(c.Str("method")) {
		return invalid(quote(c.Str("method"))+" is no method of the protocol", "Write Domain.method, such as Page.getLayoutMetrics.")
	}
	if c.Has("timeout") {
		if d := c.Dur("timeout"); d < ShortestCall || d > LongestCall {
			return invalid("--timeout: " + quote(c.Str("timeout")) + " is out of range for cdp, which is 1s to 300s")
		}
	}
	if c.Bool("browser") && (c.Has("tab") || c.Has("frame")) {
		return &Error{Code: InvalidArgument, Message: "--browser calls the browser itself, which goes with neither --tab nor --frame"}
	}
	switch params := strings.TrimSpace(c.Str("params")); params {
	case "":
	case "-":
		c.Form = FormStdin
	default:
		if err := CheckParams(params); err != nil {
			return asError(err)
		}
	}
	return nil
}

// isMethod keeps whatever could not be a method away from the browser's socket: two words of letters and digits with a dot
// between.
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

// CheckParams refuses parameters that are no JSON object.
func CheckParams(s string) error {
	v := jsontext.Value(strings.TrimSpace(s))
	if !v.IsValid(jsontext.AllowInvalidUTF8(true)) || v.Kind() != '{' {
		return fail(InvalidJSON, "The parameters "+quote(shortened(s))+` are not a JSON object, such as {"url":"about:blank"}`)
	}
	return nil
}

// shortened keeps what is quoted in a message readable.
func shortened(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return s
}
