package verb

import (
	"slices"
	"strconv"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Values are the inputs of a call: the texts of arguments, flags of the verb and global flags, by name. A boolean is
// "true" or "false". An argument or flag with several values has several texts; of a flag with one value the last text
// is used.
type Values map[string][]string

// Set sets one value: text, a boolean, a whole number, a number or a list of texts. Other types are a mistake in the
// calling code and panic.
func (v Values) Set(name string, value any) {
	switch value := value.(type) {
	case string:
		v[name] = []string{value}
	case bool:
		v[name] = []string{strconv.FormatBool(value)}
	case int:
		v[name] = []string{strconv.Itoa(value)}
	case float64:
		v[name] = []string{strconv.FormatFloat(value, 'f', -1, 64)}
	case []string:
		v[name] = slices.Clone(value)
	default:
		panic("verb: no value of an argument: " + name)
	}
}

// NewCall creates a call of a verb from its name and values, for callers without a command line: no text is parsed as a
// flag. It checks them as [Table.Parse] does and returns an *[Error].
func (t *Table) NewCall(name string, values Values, mode Mode) (*Call, error) {
	v := t.words[name]
	if v == nil || v.Name != name {
		return nil, t.Unknown(name, mode)
	}
	c := &Call{Verb: v, Mode: mode, Word: name, Globals: Globals{map[string][]string{}}, values: map[string][]string{}, table: t}
	for given, texts := range values {
		if err := c.give(given, texts); err != nil {
			err.Usage = v.Usage(mode)
			return nil, err
		}
	}
	for i := range v.Args {
		if a := &v.Args[i]; a.Required && len(c.values[a.Name]) == 0 {
			return nil, &Error{Code: MissingArgument, Message: v.Name + " needs <" + a.Name + ">: " + a.Doc, Accepted: a.Choices, Usage: v.Usage(mode)}
		}
	}
	if err := c.check(); err != nil {
		err.Usage = v.Usage(mode)
		return nil, err
	}
	return c, nil
}

// give checks and stores the values of one argument or flag.
func (c *Call) give(name string, texts []string) *Error {
	for i := range c.Verb.Args {
		if a := &c.Verb.Args[i]; a.Name == name {
			return c.giveArg(a, texts)
		}
	}
	if f := findFlag(c.Verb.Flags, name); f != nil {
		return giveFlag(f, c.values, texts)
	}
	if f := findFlag(lineFlags(), name); f != nil {
		return giveFlag(f, c.Globals.values, texts)
	}
	var known []string
	for i := range c.Verb.Args {
		known = append(known, c.Verb.Args[i].Name)
	}
	for i := range c.Verb.Flags {
		if !c.Verb.Flags[i].Hidden {
			known = append(known, c.Verb.Flags[i].Name)
		}
	}
	return &Error{Code: UnknownFlag, Message: c.Verb.Name + " has no argument or flag " + plain.Quote(name), Suggestions: spelling.Nearest(name, known)}
}

func (c *Call) giveArg(a *Arg, texts []string) *Error {
	if len(texts) > 1 && !a.Variadic {
		return Invalid("<" + a.Name + ">: " + strconv.Itoa(len(texts)) + " values are given; it accepts one")
	}
	kept := make([]string, len(texts))
	for i, text := range texts {
		var err error
		if kept[i], err = a.Kind.check(text, a.Choices); err != nil {
			return at("<"+a.Name+">", text, err)
		}
	}
	if len(kept) > 0 {
		c.values[a.Name] = kept
	}
	return nil
}

func giveFlag(f *Flag, into map[string][]string, texts []string) *Error {
	for _, text := range texts {
		if f.Optional && text == "" {
			into[f.Name] = []string{""}
			continue
		}
		kept, err := f.Check(text)
		switch {
		case err != nil:
			return at("--"+f.Name, text, err)
		case f.Multi == Once:
			into[f.Name] = kept
		case len(kept) > 0:
			into[f.Name] = append(into[f.Name], kept...)
		}
	}
	return nil
}

// at completes the error of a value's check with the position of the value.
func at(position, value string, err error) *Error {
	e := AsError(err).About(position, value)
	e.Message = position + ": " + e.Message
	return e
}
