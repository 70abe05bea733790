// Package console shows values and errors of pages as the console of a browser does.
package console

import (
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Value is the part of Runtime.RemoteObject that a console shows.
type Value struct {
	Type           string         `json:"type,omitzero"`
	Subtype        string         `json:"subtype,omitzero"`
	ClassName      string         `json:"className,omitzero"`
	Value          jsontext.Value `json:"value,omitzero"`
	Unserializable string         `json:"unserializableValue,omitzero"`
	Description    string         `json:"description,omitzero"`
	ObjectID       string         `json:"objectId,omitzero"`
	Preview        *preview       `json:"preview,omitzero"`
}

type preview struct {
	Type        string     `json:"type"`
	Subtype     string     `json:"subtype"`
	Description string     `json:"description"`
	Overflow    bool       `json:"overflow"`
	Properties  []property `json:"properties"`
	Entries     []entry    `json:"entries"`
}

type property struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Subtype string   `json:"subtype"`
	Value   string   `json:"value"`
	Preview *preview `json:"valuePreview"`
}

type entry struct {
	Key   *preview `json:"key"`
	Value *preview `json:"value"`
}

// Read decodes a RemoteObject; what cannot be decoded shows as nothing.
func Read(raw jsontext.Value) Value {
	var o Value
	if jsonv2.Unmarshal(raw, &o, jsontext.AllowInvalidUTF8(true)) != nil {
		return Value{}
	}
	return o
}

// maxArg is the largest size, in bytes, of one argument that is stored as the protocol sent it.
const maxArg = 64 << 10

// Shorten returns raw, or, if that is very large, the same object with its texts cut and without its preview. o is the
// decoded object.
func Shorten(raw jsontext.Value, o *Value) jsontext.Value {
	if len(raw) <= maxArg {
		return raw
	}
	short := *o
	short.Preview = nil
	short.Description = model.Cut(short.Description, maxArg/2)
	short.ClassName = model.Cut(short.ClassName, 1<<10)
	short.Unserializable = model.Cut(short.Unserializable, 1<<10)
	if s, ok := o.text(); ok {
		// Of all values only a string can be large.
		v, err := jsontext.AppendQuote(nil, model.Cut(s, maxArg/2))
		if err != nil {
			v = nil // invalid UTF-8; the rendered line still has it
		}
		short.Value = v
	} else {
		short.Value = nil
	}
	out, err := jsonv2.Marshal(&short, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return jsontext.Value(`{"type":"undefined"}`)
	}
	return out
}

// text returns the value of a string object.
func (o *Value) text() (string, bool) {
	var s string
	if o.Type != "string" || jsonv2.Unmarshal(o.Value, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return "", false
	}
	return s, true
}

// Line formats the arguments of a console call by the Console Standard (§2.2 Formatter): the first argument may be a
// format, the rest follows, separated by spaces. Once the text has more than most bytes, further arguments are left out.
func Line(args []Value, most int) string {
	if len(args) == 0 {
		return ""
	}
	var b strings.Builder
	var rest []Value
	if f, ok := args[0].text(); ok {
		rest = writeFormat(&b, f, args[1:])
	} else {
		b.WriteString(args[0].show(false))
		rest = args[1:]
	}
	for i := range rest {
		b.WriteByte(' ')
		b.WriteString(rest[i].show(false))
		if b.Len() > most {
			break
		}
	}
	return b.String()
}

// writeFormat writes f with its specifiers replaced and returns the arguments
// they did not use.
func writeFormat(b *strings.Builder, f string, args []Value) []Value {
	for {
		i := strings.IndexByte(f, '%')
		if i < 0 || i == len(f)-1 {
			b.WriteString(f)
			return args
		}
		b.WriteString(f[:i])
		spec := f[i+1]
		switch {
		case spec == '%':
			b.WriteByte('%')
		case strings.IndexByte("sdifoOc", spec) < 0 || len(args) == 0:
			b.WriteByte('%')
			f = f[i+1:]
			continue
		default:
			writeSpecifier(b, spec, &args[0])
			args = args[1:]
		}
		f = f[i+2:]
	}
}

func writeSpecifier(b *strings.Builder, spec byte, o *Value) {
	switch spec {
	case 's':
		b.WriteString(o.show(false))
	case 'd', 'i', 'f':
		b.WriteString(o.number(spec))
	case 'o', 'O':
		b.WriteString(o.show(true))
	case 'c': // a style: nothing to read
	}
}

// number renders an argument for %d, %i (an integer) or %f.
func (o *Value) number(spec byte) string {
	word := o.Unserializable
	switch {
	case o.Type == "number" && word == "":
		word = string(o.Value)
	case o.Type == "bigint":
		return word
	case o.Type == "string":
		s, _ := o.text()
		word = leadingNumber(strings.TrimSpace(s))
	}
	x, err := strconv.ParseFloat(word, 64)
	switch {
	case err != nil || x != x:
		return "NaN"
	case spec == 'f' || strings.Contains(word, "Infinity"):
		return word
	}
	return strconv.FormatFloat(float64(int64(x)), 'f', -1, 64)
}

// leadingNumber returns the part of s that parseFloat would read.
func leadingNumber(s string) string {
	end, seenDot := 0, false
	for end < len(s) {
		c := s[end]
		switch {
		case c >= '0' && c <= '9', end == 0 && (c == '-' || c == '+'):
		case c == '.' && !seenDot:
			seenDot = true
		default:
			return s[:end]
		}
		end++
	}
	return s
}

// show renders an argument: texts bare unless quoted, objects by their preview.
func (o *Value) show(quoted bool) string {
	switch o.Type {
	case "string":
		s, _ := o.text()
		if quoted {
			return quote(s)
		}
		return s
	case "undefined":
		return "undefined"
	case "number", "bigint", "boolean":
		if o.Unserializable != "" {
			return o.Unserializable
		}
		return string(o.Value)
	case "symbol", "function":
		return o.Description
	}
	switch {
	case o.Subtype == "null":
		return "null"
	case o.Preview != nil && !plain(o.Subtype):
		var b strings.Builder
		o.Preview.write(&b, o.ClassName)
		return b.String()
	}
	return o.Description
}

// plain reports whether a kind of object is best shown by its description: the stack of an error, the source of a
// pattern, the text of a date, the tag of an element.
func plain(subtype string) bool {
	switch subtype {
	case "error", "regexp", "date", "node", "promise", "proxy", "weakmap", "weakset", "trustedtype":
		return true
	}
	return false
}

// write shows a preview as Chromium's console does: {key: 'value'}, [1, 2],
// Map(1) {'k' => 'v'}.
func (p *preview) write(b *strings.Builder, class string) {
	array := p.Subtype == "array" || p.Subtype == "typedarray"
	open, end := "{", "}"
	if array {
		open, end = "[", "]"
	}
	switch {
	case p.Subtype == "array" && strings.HasPrefix(p.Description, "Array("), p.Subtype == "" && (p.Description == "Object" || class == "Object"):
	case p.Description != "":
		b.WriteString(p.Description)
		b.WriteByte(' ')
	}
	b.WriteString(open)
	comma := ""
	for i := range p.Entries {
		b.WriteString(comma)
		comma = ", "
		if e := &p.Entries[i]; e.Key != nil {
			e.Key.writeInner(b)
			b.WriteString(" => ")
			e.Value.writeInner(b)
		} else {
			e.Value.writeInner(b)
		}
	}
	for i := range p.Properties {
		pr := &p.Properties[i]
		if len(p.Entries) > 0 && pr.Name == "size" {
			continue // stands in the description already
		}
		if p.Subtype == "typedarray" && !isIndex(pr.Name) {
			continue // buffer, byteLength and the like are the same for all
		}
		b.WriteString(comma)
		comma = ", "
		if !array || !isIndex(pr.Name) {
			b.WriteString(pr.Name)
			b.WriteString(": ")
		}
		pr.write(b)
	}
	if p.Overflow {
		b.WriteString(comma)
		b.WriteString("…")
	}
	b.WriteString(end)
}

func (p *preview) writeInner(b *strings.Builder) {
	switch {
	case p == nil:
	case p.Type == "string":
		b.WriteString(quote(p.Description))
	case p.Type == "object" && (len(p.Properties) > 0 || len(p.Entries) > 0):
		p.write(b, "")
	default:
		b.WriteString(p.Description)
	}
}

func (p *property) write(b *strings.Builder) {
	switch {
	case p.Type == "string":
		b.WriteString(quote(p.Value))
	case p.Type == "accessor":
		b.WriteString("(…)")
	case p.Type == "function":
		b.WriteString("ƒ")
	case p.Preview != nil && !plain(p.Subtype):
		p.Preview.write(b, "")
	case p.Type == "object" && p.Value == "Object":
		b.WriteString("{…}")
	default:
		b.WriteString(p.Value)
	}
}

func isIndex(name string) bool {
	_, err := strconv.ParseUint(name, 10, 32)
	return err == nil
}

// quote puts a text in single quotes, as consoles do inside objects.
func quote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`).Replace(s) + "'"
}
