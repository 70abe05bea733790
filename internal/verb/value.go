package verb

import (
	"errors"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb/shell"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// longest is the greatest duration accepted anywhere: thirty days. Longer ones are slips (seconds given as milliseconds
// twice over) and would overflow timers far away from the mistake.
const longest = 30 * 24 * time.Hour

// ParseDuration parses a time span: a bare number is milliseconds, otherwise a number with ms, s, m or h. Negative
// spans and spans over thirty days are errors.
func ParseDuration(s string) (time.Duration, error) {
	var d time.Duration
	if n, err := strconv.ParseFloat(s, 64); err == nil && !math.IsNaN(n) {
		if n < 0 || n > float64(longest/time.Millisecond) {
			return 0, Invalid(plain.Quote(s) + " is out of range for a time span: 0 to 30 days")
		}
		d = time.Duration(n * float64(time.Millisecond))
	} else if d, err = time.ParseDuration(s); err != nil || s == "" {
		return 0, Invalid(plain.Quote(s)+" is not a time span", "Give milliseconds, or a number with ms, s, m or h, such as 30s.")
	}
	if d < 0 || d > longest {
		return 0, Invalid(plain.Quote(s) + " is out of range for a time span: 0 to 30 days")
	}
	return d, nil
}

// isHeader reports whether a request can have a header. Chromium takes others, and then no request of the page is ever sent.
func isHeader(name, value string) bool {
	const others = "!#$%&'*+-.^_`|~" // of tokens, RFC 9110, section 5.6.2
	token := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r) {
			return r
		}
		return -1
	}
	return name != "" && strings.Map(token, name) == name && !strings.ContainsAny(value, "\r\n\x00")
}

// MaxPixels is the largest coordinate or distance in CSS pixels that input can have, in each direction. No page is as large.
const MaxPixels = 1_000_000_000

// ParsePoint parses a point, as x,y in CSS pixels.
func ParsePoint(s string) (x, y float64, err error) {
	left, right, ok := strings.Cut(s, ",")
	x, errX := strconv.ParseFloat(strings.TrimSpace(left), 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(right), 64)
	if !ok || errX != nil || errY != nil || !(math.Abs(x) <= MaxPixels && math.Abs(y) <= MaxPixels) { // false for NaN
		return 0, 0, Invalid(plain.Quote(s)+" is not a place", "Give x,y in CSS pixels, such as 120,40.")
	}
	return x, y, nil
}

// Viewport is the size of a page in CSS pixels and the number of device pixels to one of them.
type Viewport struct {
	Width, Height int
	Scale         float64 // 1 when none was given
}

// The largest side of a viewport in CSS pixels, which is the limit of Chromium's surfaces, and the largest scale.
const (
	maxSide  = 16384
	maxScale = 10
)

// ParseViewport parses WIDTHxHEIGHT or WIDTHxHEIGHT@SCALE. Sides are 1 to maxSide, the scale is over 0 and at most
// maxScale.
func ParseViewport(s string) (Viewport, error) {
	v := Viewport{Scale: 1}
	refuse := func(hint string) error { return Invalid(plain.Quote(s)+" is not a viewport", hint) }
	bad := func() (Viewport, error) {
		return Viewport{}, refuse("Write WIDTHxHEIGHT or WIDTHxHEIGHT@SCALE, such as 1280x720 or 390x844@3.")
	}
	size, scale, scaled := strings.Cut(s, "@")
	w, h, ok := strings.Cut(strings.ToLower(size), "x")
	if !ok {
		return bad()
	}
	var err error
	if v.Width, err = strconv.Atoi(w); err != nil && !errors.Is(err, strconv.ErrRange) {
		return bad()
	}
	if v.Height, err = strconv.Atoi(h); err != nil && !errors.Is(err, strconv.ErrRange) {
		return bad()
	}
	if scaled {
		if v.Scale, err = strconv.ParseFloat(scale, 64); err != nil && !errors.Is(err, strconv.ErrRange) {
			return bad()
		}
	}
	switch {
	case min(v.Width, v.Height) < 1 || max(v.Width, v.Height) > maxSide:
		return Viewport{}, refuse("Each side is 1 to " + strconv.Itoa(maxSide) + " pixels.")
	case !(v.Scale > 0 && v.Scale <= maxScale):
		return Viewport{}, refuse("The scale is over 0 and at most " + strconv.Itoa(maxScale) + ".")
	}
	return v, nil
}

// ParseDialogRule parses a rule for dialogs that is written in one line, with words quoted as in a shell.
func ParseDialogRule(line string) (policy.DialogRule, error) {
	words, err := shell.Split(line)
	if err != nil {
		return policy.DialogRule{}, Invalid("The rule cannot be read: " + err.Error())
	}
	r, err := policy.ParseDialogRule(words)
	if err != nil {
		return policy.DialogRule{}, Invalid(err.Error(), "Write accept, dismiss or ask, then conditions: accept kind=confirm message='Delete *'.")
	}
	return r, nil
}

// SplitArgs splits a list of browser switches: at line ends, and at a comma only where another switch follows, since
// commas are part of many switches ("--window-size=800,600").
func SplitArgs(s string) []string {
	var out []string
	for line := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '\n' || r == '\r' }) {
		start := 0
		for i := 0; i < len(line); i++ {
			if line[i] == ',' && strings.HasPrefix(strings.TrimLeft(line[i+1:], " \t"), "--") {
				out = appendTrimmed(out, line[start:i])
				start = i + 1
			}
		}
		out = appendTrimmed(out, line[start:])
	}
	return out
}

func appendTrimmed(list []string, s string) []string {
	if s = strings.TrimSpace(s); s != "" {
		list = append(list, s)
	}
	return list
}

func SplitCSV(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		out = appendTrimmed(out, part)
	}
	return out
}

// split turns one given value of a flag into the values it stands for.
func (m Multi) split(s string) []string {
	switch m {
	case CSV:
		return SplitCSV(s)
	case Lines:
		return SplitArgs(s)
	case Items:
		return splitItems(s)
	}
	return []string{s}
}

// longestName is the greatest number of characters in the name of a session or namespace (agent-browser's).
const longestName = 128

// CheckName checks the name of a session or namespace: 1 to 128 Unicode letters, digits, "-" and "_".
func CheckName(s string) error {
	bad := s == "" || utf8.RuneCountInString(s) > longestName
	for _, r := range s {
		if r != '-' && r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == utf8.RuneError {
			bad = true
		}
	}
	if bad {
		return &Error{Code: InvalidSessionName, Message: plain.Quote(s) + " cannot be a session name",
			Hint: "Use 1 to " + strconv.Itoa(longestName) + " letters, digits, - and _."}
	}
	return nil
}

// check returns the value in its stored form, or why it is invalid.
func (k Kind) check(s string, choices []string) (string, error) {
	if len(choices) > 0 {
		return checkChoice(s, choices)
	}
	switch k {
	case URL:
		return NormalizeURL(s)
	case Duration:
		_, err := ParseDuration(s)
		return s, err
	case Selector:
		_, err := ParseSelector(s)
		return s, err
	case Endpoint:
		return s, checkEndpoint(s)
	case Size, Device, Geolocation, Timezone, Locale:
		return k.checkEmulated(s)
	case Name:
		return s, CheckName(s)
	case Plugin:
		_, err := ParsePlugin(s)
		return s, err
	case PluginName:
		return s, CheckPluginName(s)
	case DialogRule:
		_, err := ParseDialogRule(s)
		return s, err
	}
	if err := k.checkText(s); err != nil {
		return "", err
	}
	return s, nil
}

// checkChoice returns the choice that equals a value in any case.
func checkChoice(s string, choices []string) (string, error) {
	for _, c := range choices {
		if strings.EqualFold(c, s) {
			return c, nil
		}
	}
	return "", &Error{Code: InvalidArgument, Message: plain.Quote(s) + " is not one of: " + strings.Join(choices, ", "),
		Suggestions: spelling.Nearest(s, choices)}
}

// checkText checks a value of the kinds that are stored as they are given.
func (k Kind) checkText(s string) error {
	switch k {
	case Bool:
		if s != "true" && s != "false" {
			return Invalid(plain.Quote(s) + " is neither true nor false")
		}
	case Int:
		if _, err := strconv.Atoi(s); err != nil {
			return Invalid(plain.Quote(s) + " is not a whole number")
		}
	case Float:
		if f, err := strconv.ParseFloat(s, 64); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return Invalid(plain.Quote(s) + " is not a number")
		}
	case Key, Path:
		if s == "" || strings.IndexByte(s, 0) >= 0 {
			return Invalid("An empty " + k.String() + " cannot be used")
		}
	case JSON:
		var m map[string]string
		if err := json.Unmarshal([]byte(s), &m); err != nil || m == nil {
			return Fail(InvalidJSON, plain.Quote(s)+` is not a JSON object of strings, such as {"X-Trace":"1"}`)
		}
		for _, name := range slices.Sorted(maps.Keys(m)) {
			if !isHeader(name, m[name]) {
				return Invalid(plain.Quote(name)+" cannot be a header with this value", "A name has letters, digits and -, a value one line.")
			}
		}
	case DialogAnswer:
		if _, err := policy.ParseDialogAnswer(s); err != nil {
			return Invalid(err.Error())
		}
	case Permission:
		if _, err := policy.ParsePermissions([]string{s}); err != nil {
			return Invalid(err.Error())
		}
	case Domain:
		if _, err := policy.ParseDomains([]string{s}); err != nil {
			return Invalid(err.Error())
		}
	case Credential:
		if _, err := policy.ParseCredential(s); err != nil {
			return Invalid(err.Error(), "Write user:password, or user:password@https://host for one origin, in which * stands for anything.")
		}
	}
	return nil
}

func checkEndpoint(s string) error {
	if n, err := strconv.Atoi(s); err == nil && n > 0 && n <= 65535 {
		return nil
	}
	if scheme, rest, ok := strings.Cut(s, "://"); ok {
		switch strings.ToLower(scheme) {
		case "ws", "wss", "http", "https":
			return checkHost(s, rest)
		}
	}
	return Invalid(plain.Quote(s)+" is not the address of a browser", "Give its debugging port, or a ws://, wss://, http:// or https:// address.")
}

// Check splits one given value of the flag and checks it against the kind. It returns the values in their stored form.
// Config uses it for values from files and the environment.
func (f *Flag) Check(value string) ([]string, error) {
	if f.Empty && value == "" {
		return []string{""}, nil
	}
	var kept []string
	for _, part := range f.Multi.split(value) {
		part, err := f.Kind.check(part, f.Choices)
		if err != nil && f.Secret {
			return nil, Fail(InvalidJSON, "The value of --"+f.Name+` is not a JSON object of strings, such as {"Authorization":"Bearer …"}`)
		}
		if err != nil {
			return nil, err
		}
		if err := f.inRange(part); err != nil {
			return nil, err
		}
		kept = append(kept, part)
	}
	return kept, nil
}

func (f *Flag) inRange(s string) error {
	if f.Kind != Int || f.Min == 0 && f.Max == 0 {
		return nil
	}
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < f.Min:
		return Invalid(plain.Quote(s) + " is too small; the minimum is " + strconv.Itoa(f.Min))
	case f.Max != 0 && n > f.Max:
		return Invalid(plain.Quote(s) + " is too large; the maximum is " + strconv.Itoa(f.Max))
	}
	return nil
}
