package verb

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb/shell"
)

// Parse parses the words of a command line, without the program's own name, into a checked Call, or returns an *Error.
//
// Global flags may be anywhere; flags of a verb are after its name. A flag takes its value as the next word or after an
// equals sign; a bool may be followed by a literal true or false. After the word -- nothing is a flag. Where an
// argument is text (fill, type, keyboard, eval, values of select), words with a dash that are no known flag belong to
// the text. -h or --help turns any command into help for it, -V or --version into version, and no words at all into
// help.
func (t *Table) Parse(argv []string, mode Mode) (*Call, error) {
	p := parser{table: t, words: argv, mode: mode, globals: map[string][]string{}, values: map[string][]string{}}
	call, err := p.parse()
	if err != nil {
		e := AsError(err)
		if p.verb != nil && e.Call == nil {
			e.Call = p.unchecked()
		}
		return nil, e
	}
	return call, nil
}

type parser struct {
	table   *Table
	words   []string
	at      int
	mode    Mode
	literal bool // -- was seen: nothing that follows is a flag
	help    bool
	version bool

	verb    *Verb
	fam     *Family
	word    string
	globals map[string][]string
	values  map[string][]string
	pos     []string

	second  bool     // the verb was named with its second word
	gaps    []int    // of pos: the places of arguments that an ignored flag took
	ignored []string // see [Call.Ignored]
}

func (p *parser) parse() (*Call, error) {
	if err := p.command(); err != nil {
		return nil, err
	}
	if p.version {
		return p.local("version", nil), nil
	}
	if p.verb == nil { // no command word, or only the first of two together with --help
		var topic []string
		if p.fam != nil {
			topic = []string{p.fam.Name}
		}
		return p.local("help", topic), nil
	}
	err := p.rest()
	if v := p.fallback(); v != nil {
		p.verb = v
	}
	// Help is given even for a line with mistakes, once the verb is known.
	switch {
	case p.version:
		return p.local("version", nil), nil
	case p.help:
		return p.local("help", strings.Fields(p.verb.Name)), nil
	case err != nil:
		return nil, err
	}
	if err := p.assign(); err != nil {
		return nil, err
	}
	c := p.call()
	if err := c.check(); err != nil {
		err.Usage, err.Call = p.verb.Usage(p.mode), c
		return nil, err
	}
	return c, nil
}

// call returns what was read so far as a call.
func (p *parser) call() *Call {
	return &Call{Verb: p.verb, Mode: p.mode, Word: p.word, Globals: Globals{p.globals}, values: p.values, table: p.table, ignored: p.ignored}
}

func (p *parser) local(name string, topic []string) *Call {
	c := &Call{Verb: p.table.Find(name), Mode: p.mode, Word: name, Globals: Globals{p.globals}, values: map[string][]string{}, table: p.table}
	if len(topic) > 0 {
		c.values["topic"] = topic
	}
	return c
}

// command reads up to the words that name the verb. It leaves verb nil when there are none.
func (p *parser) command() error {
	word, ok, err := p.nextCommandWord(nil)
	if err != nil || !ok {
		return err
	}
	p.word = word
	p.fam = p.table.Family(word)
	if p.fam == nil {
		if p.verb = p.table.Find(word); p.verb == nil || strings.Contains(word, " ") {
			p.verb = nil
			return p.table.unknownCommand(word, p.mode)
		}
		return nil
	}
	second, ok, err := p.nextCommandWord(p.fam)
	switch {
	case err != nil:
		p.verb = p.table.Find(p.fam.Bare)
		return err
	case p.help && !ok:
		return nil
	case !ok && p.fam.Bare != "":
		p.verb = p.table.Find(p.fam.Bare)
		return nil
	case !ok:
		return &Error{Code: MissingArgument, Message: plain.Quote(word) + " needs a second word", Word: word, Accepted: p.table.SubWords(p.fam.Name),
			Usage: p.mode.Program() + " " + word + " <" + strings.Join(p.table.SubWords(p.fam.Name), "|") + ">"}
	}
	if v := p.table.Find(p.fam.Name + " " + second); v != nil {
		p.verb, p.second = v, true
		return nil
	}
	if p.fam.Fallback != "" {
		p.verb = p.table.Find(p.fam.Fallback)
		p.pos = append(p.pos, second)
		return nil
	}
	e := p.table.unknownSubcommand(p.fam.Name, second)
	e.Usage = p.mode.Program() + " " + word + " <" + strings.Join(p.table.SubWords(p.fam.Name), "|") + ">"
	return e
}

// fallback returns the verb for the second word of a family that came after flags, which were taken for those of the verb
// of the bare word; nil if there is none with these flags.
func (p *parser) fallback() *Verb {
	if len(p.pos) == 0 || p.second || p.fam == nil || p.fam.Fallback == "" || p.verb.Name != p.fam.Bare || len(p.verb.Args) > 0 {
		return nil
	}
	v := p.table.Find(p.fam.Fallback)
	for name := range p.values {
		if !slices.ContainsFunc(v.Flags, func(f Flag) bool { return f.Name == name }) {
			return nil
		}
	}
	return v
}

// unchecked returns what was read of a line with a mistake as a call: the words not yet assigned are so without a check.
func (p *parser) unchecked() *Call {
	for i := range p.verb.Args {
		if a := p.verb.Args[i].Name; i < len(p.pos) && p.values[a] == nil {
			p.values[a] = p.pos[i : i+1]
		}
	}
	return p.call()
}

// nextCommandWord skips global flags and returns the next word that is not one.
func (p *parser) nextCommandWord(fam *Family) (string, bool, error) {
	for p.at < len(p.words) {
		w := p.words[p.at]
		p.at++
		if !p.literal && w == "--" {
			p.literal = true
			continue
		}
		if p.literal || !looksLikeFlag(w) {
			return w, true, nil
		}
		done, err := p.flag(w, nil)
		switch {
		case err != nil:
			return "", false, err
		case !done && fam != nil && fam.Bare != "":
			p.at-- // it is a flag of the verb of the bare word
			return "", false, nil
		case !done:
			return "", false, p.unknownFlag(w, nil)
		}
	}
	return "", false, nil
}

// rest reads the flags and the words that follow the verb's name.
func (p *parser) rest() error {
	var first error
	for p.at < len(p.words) {
		w := p.words[p.at]
		p.at++
		if !p.literal && w == "--" {
			p.literal = true
			continue
		}
		if p.literal || !looksLikeFlag(w) {
			p.pos = append(p.pos, w)
			continue
		}
		done, err := p.flag(w, p.verb)
		switch {
		case err != nil:
		case !done && p.takesDash():
			p.pos = append(p.pos, w)
		case !done && p.ignore(w):
		case !done:
			err = p.unknownFlag(w, p.verb)
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// looksLikeFlag reports whether a word has the form -x or --xyz; negative numbers, a lone dash and text such as "-
// item" do not.
func looksLikeFlag(w string) bool {
	if len(w) < 2 || w[0] != '-' {
		return false
	}
	c := w[1]
	if c == '-' && len(w) > 2 {
		c = w[2]
	}
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// takesDash reports whether the next positional argument accepts a word that begins with a dash.
func (p *parser) takesDash() bool {
	args := p.verb.Args
	n := len(p.pos)
	if n < len(args) {
		return args[n].Raw
	}
	if len(args) == 0 {
		return false
	}
	last := args[len(args)-1]
	return last.Raw && (last.Rest || last.Variadic)
}

// flag reads one flag and its value. It returns false when neither the verb nor the globals have it.
func (p *parser) flag(w string, v *Verb) (bool, error) {
	name, inline, hasInline := strings.Cut(w, "=")
	switch name {
	case "-h", "--help":
		p.help = true
		return true, nil
	case "-V", "--version":
		p.version = true
		return true, nil
	}
	if v != nil {
		for i := range v.Flags {
			if v.Flags[i].matches(name) {
				return true, p.value(&v.Flags[i], p.values, name, inline, hasInline)
			}
		}
	}
	for i := range lineFlags() {
		if f := &lineFlags()[i]; f.matches(name) {
			return true, p.value(f, p.globals, name, inline, hasInline)
		}
	}
	if v != nil && !hasInline && p.bundle(w, v) {
		return true, nil
	}
	return false, nil
}

func (f *Flag) matches(name string) bool {
	if long, ok := strings.CutPrefix(name, "--"); ok {
		return long == f.Name || slices.Contains(f.Aliases, long)
	}
	return f.Short != "" && name == "-"+f.Short
}

// bundle reads several one-letter bools written as one word, such as -ic, and reports whether it is one.
func (p *parser) bundle(w string, v *Verb) bool {
	if strings.HasPrefix(w, "--") || len(w) < 3 {
		return false
	}
	var found []string
letters:
	for _, r := range w[1:] {
		for i := range v.Flags {
			if f := &v.Flags[i]; f.Kind == Bool && f.Short == string(r) {
				found = append(found, f.Name)
				continue letters
			}
		}
		return false
	}
	for _, name := range found {
		p.values[name] = []string{"true"}
	}
	return true
}

// value reads the value of a flag from behind the equals sign or from the next word, checks it and stores it.
func (p *parser) value(f *Flag, into map[string][]string, as, inline string, hasInline bool) error {
	v := inline
	switch {
	case hasInline:
	case f.Kind == Bool:
		v = "true"
		if p.at < len(p.words) && (p.words[p.at] == "true" || p.words[p.at] == "false") {
			v = p.words[p.at]
			p.at++
		}
	case p.at < len(p.words) && p.isValue(f, p.words[p.at]):
		v = p.words[p.at]
		p.at++
	case f.Optional:
		into[f.Name] = []string{""}
		return nil
	default:
		msg := as + " needs a value: " + f.Doc
		hint := ""
		if p.at < len(p.words) {
			msg = as + " needs a value, and " + plain.Quote(p.words[p.at]) + " is a flag"
			hint = "Write " + as + "=" + shell.Join(p.words[p.at:p.at+1]) + " to mean it."
		}
		return &Error{Code: MissingArgument, Message: msg, Hint: hint, At: "--" + f.Name, Accepted: f.Choices, Usage: p.usage()}
	}
	if f.Restricts && f.Multi == CSV && len(SplitCSV(v)) == 0 && p.mode != AgentBrowser { // such as a variable that is not set
		return &Error{Code: InvalidArgument, Message: as + " is empty and would restrict nothing", Hint: "Leave it out if that is meant.", At: "--" + f.Name, Usage: p.usage()}
	}
	if err := giveFlag(f, into, []string{v}); err != nil {
		err.Usage = p.usage()
		return err
	}
	return nil
}

// isValue reports whether the word after a flag is its value. Values may begin with a dash; only a word that is itself a known
// flag is taken for a forgotten value.
func (p *parser) isValue(f *Flag, next string) bool {
	if f.Optional && f.Scope != PerCall && (p.verb != nil || p.fam != nil || p.table.Find(next) != nil || p.table.Family(next) != nil) {
		return false // a global flag: the word is the command, or belongs to it
	}
	if f.Raw || !looksLikeFlag(next) {
		return next != "--" || f.Raw
	}
	if f.Optional {
		return false
	}
	name, _, _ := strings.Cut(next, "=")
	if name == "-h" || name == "--help" || name == "-V" || name == "--version" {
		return false
	}
	known := func(g Flag) bool { return g.matches(name) }
	return !slices.ContainsFunc(lineFlags(), known) && (p.verb == nil || !slices.ContainsFunc(p.verb.Flags, known))
}

// assign assigns the words to arguments.
func (p *parser) assign() error {
	words := p.pos
	for i := range p.verb.Args {
		a := &p.verb.Args[i]
		var mine []string
		switch {
		case len(words) == 0:
			if a.Required && (!a.Rest || p.verb.Name != "fill" || p.mode != AgentBrowser) {
				return p.missing(a)
			}
			continue
		case slices.Contains(p.gaps, len(p.pos)-len(words)):
			words = words[1:]
			continue
		case a.Rest:
			mine, words = []string{strings.Join(words, " ")}, nil
		case a.Variadic:
			mine, words = words, nil
		default:
			mine, words = words[:1], words[1:]
		}
		kept := make([]string, len(mine))
		for j, w := range mine {
			var err error
			if kept[j], err = a.Kind.check(w, a.Choices); err != nil {
				return p.refused("<"+a.Name+">", w, err)
			}
		}
		p.values[a.Name] = kept
	}
	if len(words) > 0 && p.mode == AgentBrowser && p.ignoresWords() {
		p.ignored = append(p.ignored, words...)
		return nil
	}
	if len(words) > 0 {
		return &Error{Code: InvalidArgument, Message: plain.Quote(words[0]) + " is one argument too many for " + p.verb.Name, Word: words[0], Usage: p.usage()}
	}
	return nil
}

func (p *parser) missing(a *Arg) error {
	return &Error{Code: MissingArgument, Message: p.verb.Name + " needs <" + a.Name + ">: " + a.Doc, At: "<" + a.Name + ">", Accepted: a.Choices, Usage: p.usage()}
}

// refused completes the error of a value's check with the position of the value.
func (p *parser) refused(position, value string, err error) error {
	e := at(position, value, err)
	e.Usage = p.usage()
	return e
}

func (p *parser) usage() string {
	if p.verb == nil {
		return ""
	}
	return p.verb.Usage(p.mode)
}
