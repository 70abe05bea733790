package commands

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// field is a field of a tool's arguments.
type field struct {
	name     string
	required bool
	as       string   // the type, in place of that of the argument or flag
	targets  []string // what it becomes: an argument, a flag or a global flag; of several, the first that the command has
}

// The types of fields that differ from those of their argument or flag.
const (
	asInteger  = "integer"
	asNumber   = "number"
	asNot      = "not"      // a boolean, for a flag with the opposite meaning
	asSwitch   = "switch"   // a boolean, for on and off
	asFeature  = "feature"  // a media feature, with the values of the global flag of its name
	asObject   = "object"   // a JSON object, for its text
	asCommands = "commands" // lists of words, for command lines
)

// word is the target of a field that is the second word of the command.
const word = "."

// newField parses a field of the table: its name; "!" if it is required though the argument or flag is not; ":" and a type; "=" and the
// target, or several separated by "|". The default target is the name with dashes.
func newField(text string) field {
	head, target, _ := strings.Cut(text, "=")
	name, as, _ := strings.Cut(head, ":")
	f := field{as: as}
	f.name, f.required = strings.CutSuffix(name, "!")
	if target == "" {
		target = dashed(f.name)
	}
	f.targets = strings.Split(target, "|")
	return f
}

// dashed returns a name in the spelling of flags: "new-tab" for "newTab".
func dashed(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// value is what a field becomes: an argument or a flag.
type value struct {
	name     string
	kind     verb.Kind
	list     bool
	required bool
	choices  []string
	min, max int
}

// in returns the first target that the command has.
func (f *field) in(v *verb.Verb) (value, bool) {
	for _, target := range f.targets {
		for i := range v.Args {
			if a := &v.Args[i]; a.Name == target {
				return value{name: a.Name, kind: a.Kind, list: a.Variadic, required: a.Required, choices: a.Choices}, true
			}
		}
		for i := range v.Flags {
			if v.Flags[i].Name == target {
				return ofFlag(&v.Flags[i]), true
			}
		}
		if g := verb.GlobalFlag(target); g != nil {
			return ofFlag(g), true
		}
	}
	return value{}, false
}

func ofFlag(f *verb.Flag) value {
	return value{name: f.Name, kind: f.Kind, list: f.Multi == verb.Repeat, choices: f.Choices, min: f.Min, max: f.Max}
}

// param returns the field as a parameter.
func (f *field) param(of value) tool.Param {
	p := tool.Param{Name: f.name, Kind: kindOf(of), Required: f.required || of.required, Enum: of.choices, Min: float64(of.min), Max: float64(of.max)}
	switch f.as {
	case asInteger:
		p.Kind = tool.Integer
	case asNumber:
		p.Kind = tool.Number
	case asNot, asSwitch:
		p.Kind, p.Enum = tool.Boolean, nil
	case asObject:
		p.Kind = tool.Map
	case asFeature:
		p.Kind, p.Enum = tool.String, verb.GlobalFlag(dashed(f.name)).Choices
	case asCommands:
		p.Kind = tool.Array
		p.Schema = jsontext.Value(`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`)
	}
	if p.Kind != tool.Integer && p.Kind != tool.Number || p.Max == 0 {
		p.Min, p.Max = 0, 0
	}
	return p
}

func kindOf(of value) tool.Kind {
	switch {
	case of.list:
		return tool.Strings
	case of.kind == verb.Bool:
		return tool.Boolean
	case of.kind == verb.Int, of.kind == verb.Duration:
		return tool.Integer
	case of.kind == verb.Float:
		return tool.Number
	case of.kind == verb.JSON:
		return tool.Map
	}
	return tool.String
}

// texts returns the values of an argument or flag for what was given in the field.
func (f *field) texts(given any) ([]string, error) {
	switch g := given.(type) {
	case []string:
		return g, nil
	case float64:
		return []string{strconv.FormatFloat(g, 'f', -1, 64)}, nil
	case bool:
		switch f.as {
		case asSwitch:
			if g {
				return []string{"on"}, nil
			}
			return []string{"off"}, nil
		case asNot:
			g = !g
		}
		return []string{strconv.FormatBool(g)}, nil
	case jsontext.Value:
		if f.as == asCommands {
			return commandLines(g)
		}
		return []string{string(g)}, nil
	}
	text := given.(string)
	if name := dashed(f.name); f.as == asFeature && name != "color-scheme" {
		text = name + "=" + text
	}
	return []string{text}, nil
}

// commandLines returns the lines of commands that are given as lists of words.
func commandLines(list jsontext.Value) ([]string, error) {
	var commands [][]string
	if err := json.Unmarshal(list, &commands, jsontext.AllowInvalidUTF8(true)); err != nil || len(commands) == 0 ||
		slices.ContainsFunc(commands, func(words []string) bool { return len(words) == 0 }) {
		return nil, api.Errorf(api.InvalidArgument, `commands: give an array of commands, each an array of words: [["open","https://example.com"],["snapshot"]]`)
	}
	lines := make([]string, len(commands))
	for i, words := range commands {
		lines[i] = shell.Join(words)
	}
	return lines, nil
}
