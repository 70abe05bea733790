package verb

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/verb/shell"
)

// Call is a parsed and checked command. Every value in it has passed the check of its kind, so the accessors cannot fail.
//
// The accessors take the name of an argument, a flag of the verb, or a global flag. A name the verb does not have is a
// mistake in the calling code and panics.
type Call struct {
	Verb    *Verb
	Mode    Mode
	Word    string  // the first word as typed, which may be a synonym: "goto"
	Form    string  // which variant it is, for verbs that have several; see the verb's help
	Globals Globals // the global flags that were given, and only those

	values  map[string][]string
	table   *Table
	ignored []string
}

// Typed returns the command's name as typed, for messages: of one word it may be a synonym ("scrollinto").
func (c *Call) Typed() string {
	if c.Word == "" || strings.Contains(c.Verb.Name, " ") {
		return c.Verb.Name
	}
	return c.Word
}

// Set sets an argument or flag to values, for the rules of a verb; no values remove it.
func (c *Call) Set(name string, values ...string) {
	if len(values) == 0 {
		delete(c.values, name)
		return
	}
	c.values[name] = values
}

// Move moves the values of one argument or flag to another, for the rules of a verb.
func (c *Call) Move(from, to string) {
	c.values[to] = c.values[from]
	delete(c.values, from)
}

// Give gives the call a global flag, for the rules of a verb: the verb with its arguments stands for the flag. A flag of
// that name on the command line must have the same value.
func (c *Call) Give(name, value string) *Error {
	f := GlobalFlag(name)
	if f == nil {
		panic("verb: there is no global flag " + strconv.Quote(name))
	}
	kept, err := f.Check(value)
	if err != nil {
		return AsError(err).About("--"+name, value)
	}
	if have, given := c.Globals.values[name]; given && !slices.Equal(have, kept) {
		return Invalid("--" + name + " and " + c.Verb.Name + " give different values")
	}
	c.Globals.values[name] = kept
	return nil
}

// TakesStdin reports whether the call reads standard input: its only way in, or a flag whose name ends with stdin.
func (c *Call) TakesStdin() bool {
	return c.Verb.Is(ReadsStdin) && (c.Form == FormStdin || slices.ContainsFunc(c.Verb.Flags, func(f Flag) bool {
		return f.Kind == Bool && strings.HasSuffix(f.Name, "stdin") && c.Bool(f.Name)
	}))
}

// Starts reports whether the command starts a browser when the session has none.
func (c *Call) Starts() bool {
	return c.Verb.Is(Starts) || c.Verb.Prepares != nil && c.Verb.Prepares(c)
}

// Always is the Prepares of a verb every call of which starts a browser.
func Always(*Call) bool { return true }

// Table returns the table of the call's verb.
func (c *Call) Table() *Table { return c.table }

// check applies the rule of the verb, for conditions on several arguments or flags.
func (c *Call) check() *Error {
	if c.Verb.Check == nil {
		return nil
	}
	return c.Verb.Check(c)
}

// Globals are the global flags given in one command. A flag that is absent here means "keep the session's value";
// package config handles defaults and configured values.
type Globals struct{ values map[string][]string }

// Has reports whether the global flag was given.
func (g Globals) Has(name string) bool { _, ok := g.values[name]; return ok }

// List returns the values given for the flag, or nil.
func (g Globals) List(name string) []string { return g.values[name] }

// Over returns the flags of g, and those of base that g does not have.
func (g Globals) Over(base Globals) Globals {
	both := maps.Clone(base.values)
	if both == nil {
		both = map[string][]string{}
	}
	maps.Copy(both, g.values)
	return Globals{both}
}

// Names returns the flags that were given, in the order of the table.
func (g Globals) Names() []string {
	var out []string
	for i := range GlobalFlags() {
		if n := GlobalFlags()[i].Name; g.Has(n) {
			out = append(out, n)
		}
	}
	return out
}

// Has reports whether the value was given, whatever its default is.
func (c *Call) Has(name string) bool {
	if _, ok := c.values[name]; ok {
		return true
	}
	c.lookup(name)
	return findFlag(c.Verb.Flags, name) == nil && c.Globals.Has(name)
}

// Str returns the value, the default of its flag, or "".
func (c *Call) Str(name string) string {
	values, def := c.lookup(name)
	if len(values) == 0 {
		return def
	}
	return values[len(values)-1]
}

// Rest is Str for an argument that takes the rest of the line as text.
func (c *Call) Rest(name string) string { return c.Str(name) }

// List returns every value of a variadic argument or a repeatable flag.
func (c *Call) List(name string) []string {
	values, def := c.lookup(name)
	if values == nil && def != "" {
		return SplitCSV(def)
	}
	return values
}

// Bool returns the value of a flag; absent means its default.
func (c *Call) Bool(name string) bool { return c.Str(name) == "true" }

// Int returns the value as a whole number; 0 when absent without a default.
func (c *Call) Int(name string) int {
	n, err := strconv.Atoi(orZero(c.Str(name)))
	must(err, name)
	return n
}

// Float returns the value as a number; 0 when absent without a default.
func (c *Call) Float(name string) float64 {
	f, err := strconv.ParseFloat(orZero(c.Str(name)), 64)
	must(err, name)
	if math.IsInf(f, 0) {
		panic("verb: " + name + " is not finite")
	}
	return f
}

// Dur returns the value as a time span; 0 when absent without a default.
func (c *Call) Dur(name string) time.Duration {
	d, err := ParseDuration(orZero(c.Str(name)))
	must(err, name)
	return d
}

// Target returns the value as a parsed selector. The value must have been given.
func (c *Call) Target(name string) Target {
	t, err := ParseSelector(c.Str(name))
	must(err, name)
	return t
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}

// must panics if a value cannot be parsed as the requested type: Parse has checked every value against its kind, so the
// caller requested another type than that of the table.
func must(err error, name string) {
	if err != nil {
		panic("verb: " + name + " is not of the type asked for: " + err.Error())
	}
}

func (c *Call) lookup(name string) (values []string, def string) {
	if v, ok := c.values[name]; ok {
		return v, ""
	}
	for i := range c.Verb.Args {
		if c.Verb.Args[i].Name == name {
			return nil, ""
		}
	}
	if f := findFlag(c.Verb.Flags, name); f != nil {
		return nil, f.Default
	}
	if f := findFlag(GlobalFlags(), name); f != nil {
		return c.Globals.values[f.Name], f.Default
	}
	panic("verb: " + c.Verb.Name + " has no argument or flag " + strconv.Quote(name))
}

func findFlag(flags []Flag, name string) *Flag {
	for i := range flags {
		if flags[i].Name == name {
			return &flags[i]
		}
	}
	return nil
}

// Argv renders the call as words that Parse reads back as the same call: the globals, the name, the flags, and the arguments.
func (c *Call) Argv() []string {
	out := append(c.Globals.Argv(), strings.Fields(c.Verb.Name)...)
	out = append(out, flagWords(c.Verb.Flags, c.values)...)
	var words []string
	dash := false
	for i := range c.Verb.Args {
		for _, w := range c.values[c.Verb.Args[i].Name] {
			words = append(words, w)
			dash = dash || strings.HasPrefix(w, "-")
		}
	}
	// A flag with an optional value, or a bool, would consume the first word.
	if dash || len(words) > 0 && (words[0] == "true" || words[0] == "false" || hasBareOptional(out)) {
		out = append(out, "--")
	}
	return append(out, words...)
}

// Values returns the values of the flags that were given, by name. Callers must not change them.
func (g Globals) Values() Values { return g.values }

// Argv renders the flags as words, which may stand before any command.
func (g Globals) Argv() []string { return flagWords(GlobalFlags(), g.values) }

// Without returns the flags except those named.
func (g Globals) Without(names ...string) Globals {
	values := maps.Clone(g.values)
	for _, n := range names {
		delete(values, n)
	}
	return Globals{values}
}

// Replaced returns the flags with each value of one replaced.
func (g Globals) Replaced(name string, with func(string) string) Globals {
	values := maps.Clone(g.values)
	list := make([]string, 0, len(values[name]))
	for _, v := range values[name] {
		list = append(list, with(v))
	}
	values[name] = list
	return Globals{values}
}

func flagWords(table []Flag, values map[string][]string) (out []string) {
	for i := range table {
		f := &table[i]
		for _, v := range values[f.Name] {
			if f.Optional && v == "" {
				out = append(out, "--"+f.Name)
			} else {
				out = append(out, "--"+f.Name+"="+v)
			}
		}
	}
	return out
}

func hasBareOptional(words []string) bool {
	last := words[len(words)-1]
	return strings.HasPrefix(last, "--") && !strings.Contains(last, "=")
}

// String returns the command line without the program's name, with words quoted where a shell needs it.
func (c *Call) String() string { return shell.Join(c.Argv()) }
