package verb

import (
	"encoding/base64"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/policy"
)

// checkRules judges what no single argument or flag can tell: which of them go together. It also settles Form and moves
// values that may be given in two ways to the one name under which they are read.
func (c *Call) checkRules() *Error {
	switch c.Verb.Name {
	case "open":
		if c.Word != "open" && !c.Has("url") {
			return &Error{Code: MissingArgument, Message: c.Word + " needs <url>: the address to go to"}
		}
	case "click":
		return c.clickRules()
	case "snapshot":
		return c.snapshotRules()
	case "screenshot":
		return c.screenshotRules()
	case "eval":
		return c.evalRules()
	case "wait":
		return c.waitRules()
	case "network requests":
		if c.Has("status") {
			if _, err := ParseStatus(c.Str("status")); err != nil {
				return asError(err)
			}
		}
	case "dialog rule":
		return c.dialogRules()
	case "tab new":
		if c.Has("label") {
			return checkLabel(c.Str("label"))
		}
	case "cdp":
		return c.cdpRules()
	case "help":
		return c.helpRules()
	default:
		if strings.HasPrefix(c.Verb.Name, "find ") {
			return c.findRules()
		}
	}
	return nil
}

// move gives a value another name.
func (c *Call) move(from, to string) {
	c.values[to] = c.values[from]
	delete(c.values, from)
}

// clickRules: a click needs an element or a place.
func (c *Call) clickRules() *Error {
	if c.Has("at") {
		if _, _, err := ParsePoint(c.Str("at")); err != nil {
			return asError(err)
		}
	}
	plain := !c.Has("button") && !c.Has("count") && !c.Has("modifiers") && !c.Has("at")
	switch {
	case !c.Has("selector") && !c.Has("at"):
		return &Error{Code: MissingArgument, Message: "click needs <selector>: the element, or --at x,y"}
	case c.Bool("new-tab") && !plain:
		return invalid("--new-tab opens the address of a link and takes no --button, --count, --modifiers or --at", "Use --button middle, or --modifiers Control, to have the page itself open it.")
	case !c.Has("selector") && c.Has("frame"):
		return invalid("--at without an element is a place in the viewport of the tab, and --frame says where to look for an element")
	}
	return nil
}

func (c *Call) snapshotRules() *Error {
	if c.Has("scope") {
		if c.Has("selector") && c.Str("selector") != c.Str("scope") {
			return &Error{Code: InvalidArgument, Message: "The scope is given twice: " + quote(c.Str("scope")) + " and --selector " + quote(c.Str("selector"))}
		}
		c.move("scope", "selector")
	}
	return nil
}

// screenshotRules decides what a single argument is, by the rule that agent-browser documents, with one mend: what can only be
// a selector is never taken for a path.
func (c *Call) screenshotRules() *Error {
	if c.Has("selector") && !c.Has("path") && isPicturePath(c.Str("selector")) {
		c.move("selector", "path")
	}
	return nil
}

func isPicturePath(s string) bool {
	if strings.HasPrefix(s, "./") || strings.HasPrefix(s, "../") {
		return true
	}
	if t, err := ParseSelector(s); err != nil || t.Kind != CSS || strings.HasPrefix(s, "css=") || s[0] == '.' || s[0] == '#' {
		return false
	}
	lower := strings.ToLower(s)
	for _, end := range [...]string{".png", ".jpg", ".jpeg", ".webp"} {
		if strings.HasSuffix(lower, end) {
			return true
		}
	}
	return strings.ContainsAny(s, `/\`)
}

// The forms of eval.
const (
	FormText   = "text"   // the script is Str("script"); for wait, Str("text") is awaited
	FormBase64 = "base64" // the script is the decoded Str("base64")
	FormStdin  = "stdin"
)

func (c *Call) evalRules() *Error {
	n := 0
	for _, way := range [...]struct {
		name, form string
		given      bool
	}{{"script", FormText, c.Has("script")}, {"base64", FormBase64, c.Has("base64")}, {"stdin", FormStdin, c.Bool("stdin")}} {
		if way.given {
			n++
			c.Form = way.form
		}
	}
	switch {
	case n == 0 || c.Form == FormText && strings.TrimSpace(c.Str("script")) == "":
		return &Error{Code: MissingArgument, Message: "eval needs a script: as words, with -b, or with --stdin"}
	case n > 1:
		return &Error{Code: InvalidArgument, Message: "eval takes one script: as words, with -b, or with --stdin"}
	}
	if c.Form == FormBase64 {
		if _, err := base64.StdEncoding.DecodeString(c.Str("base64")); err != nil {
			return invalid("--base64: " + quote(c.Str("base64")) + " is not base64: " + err.Error())
		}
	}
	return nil
}

// The forms of wait, beside FormText.
const (
	FormSelector = "selector" // Target("target") in Str("state")
	FormTime     = "time"     // Dur("target")
	FormURL      = "url"
	FormLoad     = "load"
	FormFn       = "fn"
	FormDownload = "download" // Str("download") is the path, or empty
)

func (c *Call) waitRules() *Error {
	var given []string
	for _, f := range [...]string{FormURL, FormLoad, FormFn, FormText, FormDownload} {
		if c.Has(f) {
			given = append(given, "--"+f)
			c.Form = f
		}
	}
	if c.Has("target") {
		target := c.Str("target")
		given = append(given, quote(target))
		c.Form = FormSelector
		if startsWithDigit(target) {
			c.Form = FormTime
			if _, err := ParseDuration(target); err != nil {
				return asError(err)
			}
		} else if _, err := ParseSelector(target); err != nil {
			return asError(err)
		}
	}
	switch {
	case len(given) == 0:
		return &Error{Code: MissingArgument, Message: "wait needs something to wait for",
			Accepted: []string{"a selector", "a time", "--text", "--url", "--load", "--fn", "--download"}}
	case len(given) > 1:
		return &Error{Code: InvalidArgument, Message: "wait waits for one thing, and was given " + strings.Join(given, " and ")}
	case c.Has("frame") && (c.Form == FormTime || c.Form == FormDownload):
		return &Error{Code: InvalidArgument, Message: "--frame says where to look, and " + given[0] + " looks nowhere"}
	case c.Has("state") && c.Form != FormSelector:
		return &Error{Code: InvalidArgument, Message: "--state belongs to a selector"}
	case c.Form != FormDownload && c.Form != FormSelector && c.Form != FormTime && strings.TrimSpace(c.Str(c.Form)) == "":
		return invalid("--" + c.Form + ": empty text cannot be waited for")
	}
	return nil
}

// startsWithDigit tells times from selectors: no CSS selector begins with a digit. A sign is a time out of range.
func startsWithDigit(s string) bool {
	s = strings.TrimPrefix(s, "-")
	s = strings.TrimPrefix(s, ".")
	return s != "" && s[0] >= '0' && s[0] <= '9'
}

func (c *Call) findRules() *Error {
	action := c.Str("action")
	if action == "" {
		action = "click"
	}
	wants := action == "fill" || action == "type"
	switch {
	case wants && !c.Has("text"):
		return &Error{Code: MissingArgument, Message: action + " needs <text>: what to enter"}
	case !wants && c.Has("text"):
		return &Error{Code: InvalidArgument, Message: quote(c.Str("text")) + " is one argument too many: " + action + " takes no text"}
	case c.Verb.Name != "find nth" && strings.TrimSpace(c.Str(c.Verb.Args[0].Name)) == "":
		return invalid("<" + c.Verb.Args[0].Name + ">: empty text finds nothing")
	}
	c.values["action"] = []string{action}
	return nil
}

// dialogRules settles what the words of `dialog rule` are.
func (c *Call) dialogRules() *Error {
	if !c.Has("action") {
		c.values["action"] = []string{"list"}
	}
	words := c.List("words")
	switch action := c.Str("action"); {
	case action == "list" && len(words) > 0:
		return &Error{Code: InvalidArgument, Message: "dialog rule list takes no words"}
	case action != "list" && len(words) == 0:
		return &Error{Code: MissingArgument, Message: "dialog rule " + action + " needs words: a rule to add, or names of rules to remove"}
	case action == "add":
		if _, err := policy.ParseDialogRule(words); err != nil {
			return invalid("dialog rule add: " + err.Error())
		}
	}
	return nil
}

// checkLabel keeps labels apart from tab ids: they begin with a letter and are not t and a number.
func checkLabel(s string) *Error {
	bad := s == ""
	for i := 0; i < len(s); i++ {
		ch := s[i]
		letter := 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z'
		later := '0' <= ch && ch <= '9' || ch == '-' || ch == '_'
		if !letter && (i == 0 || !later) {
			bad = true
		}
	}
	if !bad && s[0] == 't' && len(s) > 1 {
		if _, err := strconv.Atoi(s[1:]); err == nil && s[1] != '-' {
			bad = true
		}
	}
	if bad {
		return invalid("--label: "+quote(s)+" cannot be a label", "Use a letter, then letters, digits, - and _, and not the form of an id such as t2.")
	}
	return nil
}

func (c *Call) helpRules() *Error {
	topic := strings.Join(c.List("topic"), " ")
	if topic == "" || topic == "flags" || isConfigTopic(topic) || Find(topic) != nil || family(topic) != nil {
		return nil
	}
	return unknownTopic(topic, c.Mode)
}

// StatusRange is a range of HTTP status codes, both ends included.
type StatusRange struct{ From, To int }

// ParseStatus reads a status filter: 200, 4xx or 400-499, or several of them split by commas.
func ParseStatus(s string) ([]StatusRange, error) {
	var out []StatusRange
	for _, part := range splitCSV(s) {
		r, ok := statusRange(strings.ToLower(part))
		if !ok {
			return nil, invalid("--status: "+quote(part)+" is not a status", "Write 200, 4xx or 400-499.")
		}
		out = append(out, r)
	}
	if len(out) == 0 {
		return nil, invalid("--status: "+quote(s)+" is not a status", "Write 200, 4xx or 400-499.")
	}
	return out, nil
}

func statusRange(s string) (StatusRange, bool) {
	if len(s) == 3 && s[1:] == "xx" && s[0] >= '1' && s[0] <= '5' {
		from := int(s[0]-'0') * 100
		return StatusRange{from, from + 99}, true
	}
	from, to, ranged := strings.Cut(s, "-")
	a, err := strconv.Atoi(from)
	if err != nil || a < 0 || a > 999 {
		return StatusRange{}, false
	}
	if !ranged {
		return StatusRange{a, a}, true
	}
	b, err := strconv.Atoi(to)
	if err != nil || b < a || b > 999 {
		return StatusRange{}, false
	}
	return StatusRange{a, b}, true
}
