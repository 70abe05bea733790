// Package config determines the settings of a command: built-in defaults, then the user's file, then the project's
// file, then the environment, then the flags; later layers take precedence. It records the layer of each value, because
// a value that was not given means "keep the session's value" and only a given one may be compared with a running
// browser.
//
// Settings are the global flags of package verb under the same names; there is no second list of them. YAML is parsed
// only when a file exists.
package config

import (
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/device"
	"github.com/usher-browser/usher/internal/verb"
)

// Layer is the origin of a value; a later layer takes precedence over an earlier one.
type Layer uint8

// The layers in order.
const (
	Default Layer = iota
	UserFile
	ProjectFile
	NamedFile // --config or the environment variable for it; replaces both files before
	Environment
	Flags
)

// String names the layer as messages do.
func (l Layer) String() string {
	return [...]string{"default", "user file", "project file", "configuration file", "environment", "flags"}[l]
}

// Source is the input that settings are determined from.
type Source struct {
	Mode  verb.Mode
	Env   func(name string) (string, bool) // the environment of the command, not of the daemon
	Cwd   string                           // the directory the command was given in, absolute
	Flags verb.Globals
}

// Value is a setting with its origin.
type Value struct {
	Name  string   // the global flag
	Words []string // one, or several for a flag that accumulates
	From  Layer
	Where string // the file and line, the environment variable, or the flag
}

// Settings are the effective values for one command. The accessors take the name of a global flag; an unknown name
// panics, since it is a mistake in the calling code.
type Settings struct {
	Mode     verb.Mode
	Warnings []string // what was ignored and why, one sentence each without a full stop

	values map[string]Value
}

// Error is an error in the configuration.
type Error struct {
	Code    string // invalid_config, or unsupported for a requested protection that does not exist
	Message string // without a final full stop
	Hint    string // the next step; may be empty
	Path    string // the file, if the error is in one
	Line    int    // counted from 1; 0 when there is no line
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.located()
	}
	return e.located() + ". " + e.Hint
}

// Coded returns the error with its code of package api.
func (e *Error) Coded() (code, message, hint string, data map[string]any) {
	if e.Path != "" {
		data = map[string]any{"path": e.Path}
		if e.Line > 0 {
			data["line"] = e.Line
		}
	}
	return e.Code, e.located(), e.Hint, data
}

// located returns the message behind the file and line.
func (e *Error) located() string {
	switch {
	case e.Path == "":
		return e.Message
	case e.Line == 0:
		return e.Path + ": " + e.Message
	}
	return e.Path + ":" + strconv.Itoa(e.Line) + ": " + e.Message
}

// The codes of an Error, as package api lists them.
const (
	invalidConfig = "invalid_config"
	unsupported   = "unsupported"
)

// Load determines the settings. The error is an *Error.
func Load(src Source) (*Settings, error) {
	s := &Settings{Mode: src.Mode, values: map[string]Value{}}
	if err := refuseUnbuilt(src); err != nil {
		return nil, err
	}
	if err := s.addFiles(src); err != nil {
		return nil, err
	}
	if err := s.addEnvironment(src); err != nil {
		return nil, err
	}
	for _, name := range src.Flags.Names() {
		f := verb.GlobalFlag(name)
		v := Value{Name: name, Words: src.Flags.List(name), From: Flags, Where: "--" + name}
		if err := s.add(f, v, src, src.Cwd); err != nil {
			return nil, err
		}
	}
	s.mergeDialogSettings()
	s.mergeDevice()
	s.mergeAuthorities()
	return s, nil
}

// mergeDevice gives the settings that a device stands for their values, except those that are given themselves in the
// same or a later layer.
func (s *Settings) mergeDevice() {
	v := s.lookup("device")
	if v.From == Default {
		return
	}
	words := map[string]string{
		"viewport": verb.Unemulated, "screen": verb.Unemulated, "user-agent": verb.Unemulated, "mobile": "false", "touch": "false",
	}
	if d, ok := device.Find(s.Str("device")); ok {
		words["viewport"], words["screen"], words["user-agent"] = d.Viewport(), d.Screen(), d.UserAgent
		words["mobile"], words["touch"] = strconv.FormatBool(d.Mobile), strconv.FormatBool(d.Touch)
	}
	for name, word := range words {
		if s.From(name) < v.From {
			s.values[name] = Value{Name: name, Words: []string{word}, From: v.From, Where: v.Where}
		}
	}
}

// mergeAuthorities lets no-ca-cert replace a ca-cert of an earlier layer, or of the same one.
func (s *Settings) mergeAuthorities() {
	if none := s.lookup("no-ca-cert"); s.Bool("no-ca-cert") && none.From >= s.From("ca-cert") {
		s.values["ca-cert"] = Value{Name: "ca-cert", Words: []string{""}, From: none.From, Where: none.Where}
	}
}

// mergeDialogSettings makes one setting of the two about dialogs: no-auto-dialog is agent-browser's name of the policy
// must_respond. Where both are given the later layer applies, and in the same layer the policy, which is more specific.
func (s *Settings) mergeDialogSettings() {
	if never := s.lookup("no-auto-dialog"); s.Bool("no-auto-dialog") && never.From > s.From("dialog-policy") {
		s.values["dialog-policy"] = Value{Name: "dialog-policy", Words: []string{"must_respond"}, From: never.From, Where: never.Where}
	}
}

// add stores a checked value, with its paths made absolute.
func (s *Settings) add(f *verb.Flag, v Value, src Source, base string) error {
	if f.Own && v.From != UserFile {
		s.warn("ignored ", v.Where, ": only your own configuration file can set ", f.Section)
		return nil
	}
	if f.Kind == verb.Path || f.Kind == verb.Plugin {
		words := make([]string, len(v.Words))
		for i, w := range v.Words {
			var err error
			if f.Kind == verb.Plugin {
				words[i], err = placed(w, base, src)
			} else {
				words[i], err = resolvePath(f.Name, w, base, src)
			}
			if err != nil {
				return &Error{Code: invalidConfig, Message: v.Where + ": " + err.Error()}
			}
		}
		v.Words = words
	}
	s.values[f.Name] = v
	return nil
}

// With returns the settings with another value of a flag, as if the command line had it. where is what said so.
func (s *Settings) With(name, word, where string) *Settings {
	out := *s
	out.values = maps.Clone(s.values)
	out.values[name] = Value{Name: name, Words: []string{word}, From: Flags, Where: where}
	return &out
}

// lookup returns the value in force; absent ones carry the default and the layer Default.
func (s *Settings) lookup(name string) Value {
	if v, ok := s.values[name]; ok {
		return v
	}
	f := verb.GlobalFlag(name)
	if f == nil {
		panic("config: there is no setting " + strconv.Quote(name))
	}
	v := Value{Name: name}
	if f.Default != "" {
		v.Words = []string{f.Default}
	}
	return v
}

// Given reports whether any layer above the defaults set the value. A value that was not given means "keep the
// session's value".
func (s *Settings) Given(name string) bool { return s.lookup(name).From != Default }

// Has is Given.
func (s *Settings) Has(name string) bool { return s.Given(name) }

// Value returns the value with its origin.
func (s *Settings) Value(name string) Value { return s.lookup(name) }

// From returns the layer of the value.
func (s *Settings) From(name string) Layer { return s.lookup(name).From }

// Str returns the value, or "".
func (s *Settings) Str(name string) string {
	if w := s.lookup(name).Words; len(w) > 0 {
		return w[len(w)-1]
	}
	return ""
}

// List returns every value of a flag that accumulates.
func (s *Settings) List(name string) []string { return s.lookup(name).Words }

// Bool returns the value of a switch.
func (s *Settings) Bool(name string) bool { return s.Str(name) == "true" }

// Int returns the value as a whole number; 0 when there is none.
func (s *Settings) Int(name string) int {
	w := s.Str(name)
	if w == "" {
		return 0
	}
	n, err := strconv.Atoi(w)
	if err != nil {
		panic("config: " + name + " is not a number")
	}
	return n
}

// Dur returns the value as a time span; 0 when there is none.
func (s *Settings) Dur(name string) time.Duration {
	w := s.Str(name)
	if w == "" {
		return 0
	}
	d, err := verb.ParseDuration(w)
	if err != nil {
		panic("config: " + name + " is not a time span")
	}
	return d
}

// All returns the values that were given, in the order of the table, for reports on the origins of settings.
func (s *Settings) All() []Value {
	var out []Value
	flags := verb.GlobalFlags()
	for i := range flags {
		if v, ok := s.values[flags[i].Name]; ok {
			out = append(out, v)
		}
	}
	return out
}

// InScope returns the given values whose change takes effect in that scope, for example everything fixed at launch.
func (s *Settings) InScope(scope verb.Scope) []Value {
	var out []Value
	for _, v := range s.All() {
		if verb.GlobalFlag(v.Name).Scope == scope {
			out = append(out, v)
		}
	}
	return out
}

func (s *Settings) warn(parts ...string) { s.Warnings = append(s.Warnings, strings.Join(parts, "")) }
