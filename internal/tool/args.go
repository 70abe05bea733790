package tool

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// Args are the validated arguments of a call, with defaults filled in.
type Args struct {
	// Raw is the JSON object as received. Tools of other programs get it unchanged.
	Raw    jsontext.Value
	values map[string]any
}

// Str returns a string argument, "" if absent.
func (a Args) Str(name string) string { s, _ := a.values[name].(string); return s }

// Bool returns a boolean argument, false if absent.
func (a Args) Bool(name string) bool { b, _ := a.values[name].(bool); return b }

// Num returns a numeric argument, 0 if absent.
func (a Args) Num(name string) float64 { n, _ := a.values[name].(float64); return n }

// Int returns a numeric argument as an int, truncated.
func (a Args) Int(name string) int { return int(a.Num(name)) }

// Strings returns an argument of kind [Strings], nil if absent.
func (a Args) Strings(name string) []string { s, _ := a.values[name].([]string); return s }

// JSON returns an argument of kind Map, Array or Any, nil if absent.
func (a Args) JSON(name string) jsontext.Value { v, _ := a.values[name].(jsontext.Value); return v }

// Value returns an argument as the Go type of its kind: string, bool, float64, []string or [jsontext.Value].
func (a Args) Value(name string) (value any, ok bool) { value, ok = a.values[name]; return value, ok }

// Has reports whether the argument was given or has a default.
func (a Args) Has(name string) bool { _, ok := a.values[name]; return ok }

// maxArguments bounds the JSON of a call's arguments, in bytes.
const maxArguments = 10 << 20

// Parse validates the arguments of a call against the schema. Models often write a number or boolean as a string, a
// string as a number, one value in place of a list, or an object as a string of JSON. Such values are converted if the
// conversion is unambiguous. Errors have the code [api.InvalidArgument] and name the argument and the expected type.
func (t *Tool) Parse(raw jsontext.Value) (Args, error) {
	a := Args{Raw: raw, values: map[string]any{}}
	if len(raw) == 0 || raw.Kind() == 'n' {
		a.Raw = jsontext.Value("{}")
	}
	if len(raw) > maxArguments {
		return a, t.argumentError("the arguments have %d bytes; the maximum is %d", len(raw), maxArguments)
	}
	if t.Schema != nil {
		return a, nil
	}
	var given map[string]jsontext.Value
	if err := json.Unmarshal(a.Raw, &given, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return a, t.argumentError("the arguments are not a JSON object: %v", err)
	}
	for name := range given {
		if !slices.ContainsFunc(t.Params, func(p Param) bool { return p.Name == name }) {
			return a, t.unknownArgument(name)
		}
	}
	for i := range t.Params {
		p := &t.Params[i]
		v, ok := given[p.Name]
		if !ok || v.Kind() == 'n' {
			if p.Required {
				return a, t.argumentError("%s is missing: %s", p.Name, p.expected())
			}
			if p.Default != nil {
				a.values[p.Name] = p.Default
			}
			continue
		}
		value, err := p.Decode(v)
		if err != nil {
			return a, t.argumentError("%s: %v", p.Name, err)
		}
		a.values[p.Name] = value
	}
	return a, nil
}

func (t *Tool) argumentError(format string, args ...any) error {
	return api.Errorf(api.InvalidArgument, t.Name+": "+format, args...)
}

func (t *Tool) unknownArgument(name string) error {
	if len(t.Params) == 0 {
		return t.argumentError("there is no argument %.80q; the tool has none", name)
	}
	var known []string
	for i := range t.Params {
		known = append(known, t.Params[i].Name)
	}
	return t.argumentError("there is no argument %.80q; the arguments are %s", name, strings.Join(known, ", "))
}

// expected describes the expected value in an error message.
func (p *Param) expected() string {
	switch {
	case len(p.Enum) > 0:
		return "give " + Alternatives(p.Enum)
	case p.Kind == Strings:
		return "give an array of strings"
	case p.Kind == Array:
		return "give an array"
	case p.Kind == Map:
		return "give an object"
	case p.Kind == Boolean:
		return "give true or false"
	case p.Kind == Integer, p.Kind == Number:
		what := "give a number"
		if p.Kind == Integer {
			what = "give a whole number"
		}
		if p.Min != 0 || p.Max != 0 {
			what += fmt.Sprintf(" from %v to %v", p.Min, p.Max)
		}
		return what
	}
	return "give a string"
}

// Decode converts a JSON value to the Go type of the parameter's kind.
func (p *Param) Decode(v jsontext.Value) (any, error) {
	switch p.Kind {
	case String:
		return p.decodeString(v)
	case Boolean:
		switch strings.ToLower(strings.Trim(string(v), `" `)) {
		case "true", "yes", "1":
			return true, nil
		case "false", "no", "0":
			return false, nil
		}
	case Integer, Number:
		return p.decodeNumber(v)
	case Strings:
		return p.decodeStrings(v)
	case Array, Map:
		want := jsontext.Kind('[')
		if p.Kind == Map {
			want = '{'
		}
		if v.Kind() == '"' { // JSON inside a string
			if inner := jsontext.Value(DecodeString(v)); inner.IsValid() {
				v = inner
			}
		}
		switch {
		case v.Kind() == want:
			return v, nil
		case p.Kind == Array && v.Kind() == '{': // one for a list of one
			return jsontext.Value("[" + string(v) + "]"), nil
		}
	case Any:
		return v, nil
	}
	return nil, p.mismatch(v)
}

// mismatch returns the error for a value of the wrong kind. The value is quoted, cut to 60 bytes.
func (p *Param) mismatch(v jsontext.Value) error {
	shown := string(v)
	if len(shown) > 60 {
		cut := 60
		for !utf8.RuneStart(shown[cut]) {
			cut--
		}
		shown = shown[:cut] + "…"
	}
	return fmt.Errorf("%s, not %s", p.expected(), shown)
}

// DecodeString decodes a JSON string. Control characters are kept; invalid UTF-8 is replaced by U+FFFD.
func DecodeString(v jsontext.Value) string {
	var s string
	// v was split from a valid object, so it is valid.
	_ = json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true))
	return strings.ToValidUTF8(s, "\uFFFD")
}

func (p *Param) decodeString(v jsontext.Value) (any, error) {
	var s string
	switch v.Kind() {
	case '"':
		s = DecodeString(v)
	case '0', 't', 'f':
		s = string(v)
	default:
		return nil, p.mismatch(v)
	}
	if len(p.Enum) == 0 {
		return s, nil
	}
	for _, e := range p.Enum {
		if strings.EqualFold(e, strings.TrimSpace(s)) {
			return e, nil
		}
	}
	return nil, p.mismatch(v)
}

func (p *Param) decodeNumber(v jsontext.Value) (any, error) {
	n, err := strconv.ParseFloat(strings.Trim(string(v), `" `), 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) || p.Kind == Integer && n != math.Trunc(n) {
		return nil, p.mismatch(v)
	}
	if (p.Min != 0 || p.Max != 0) && (n < p.Min || n > p.Max) {
		return nil, p.mismatch(v)
	}
	return n, nil
}

func (p *Param) decodeStrings(v jsontext.Value) (any, error) {
	if v.Kind() == '"' { // one value, or JSON inside a string
		text := DecodeString(v)
		if inner := jsontext.Value(text); strings.HasPrefix(strings.TrimSpace(text), "[") && inner.IsValid() {
			v = inner
		} else {
			return []string{text}, nil
		}
	}
	var list []jsontext.Value
	if v.Kind() != '[' || json.Unmarshal(v, &list, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil, p.mismatch(v)
	}
	if p.MaxItems > 0 && len(list) > p.MaxItems {
		return nil, fmt.Errorf("give at most %d, not %d", p.MaxItems, len(list))
	}
	out := make([]string, 0, len(list))
	for _, item := range list {
		switch item.Kind() {
		case '"':
			out = append(out, DecodeString(item))
		case '0', 't', 'f':
			out = append(out, string(item))
		default:
			return nil, p.mismatch(v)
		}
	}
	return out, nil
}
