package verb

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

func (p *parser) unknownFlag(w string, v *Verb) error {
	name, _, _ := strings.Cut(w, "=")
	var known []string
	add := func(flags []Flag) {
		for i := range flags {
			if !flags[i].Hidden {
				known = append(known, "--"+flags[i].Name)
			}
		}
	}
	e := &Error{Code: UnknownFlag, Word: name}
	if slices.Contains(MissingFlags(), strings.TrimLeft(name, "-")) {
		e.Message = plain.Quote(name) + " is a flag of agent-browser that usher does not implement"
		return e
	}
	if v == nil {
		add(lineFlags())
		e.Message = plain.Quote(name) + " is not a global flag"
		e.Hint = "Flags of a command follow its name."
	} else {
		add(v.Flags)
		add(lineFlags())
		e.Message = v.Name + " has no flag " + plain.Quote(name)
		e.Usage = v.Usage(p.mode)
	}
	e.Suggestions = spelling.NearestOrBeginning(name, known)
	if name == "-v" {
		e.Hint = "The version is -V or --version."
	}
	return e
}

// Daemon is the one first word that is not in the table, because it controls the process that reads the table; package
// cli handles it.
const Daemon = "daemon"

// Unknown returns the error for the name of a command that is not in the table. The first of two words may be right.
func (t *Table) Unknown(name string, mode Mode) *Error {
	first, second, _ := strings.Cut(strings.ToLower(name), " ")
	if f := t.Family(first); f != nil && second != "" {
		return t.unknownSubcommand(first, second)
	}
	return t.unknownCommand(name, mode)
}

func (t *Table) unknownSubcommand(first, second string) *Error {
	subs := t.SubWords(first)
	return &Error{Code: UnknownSubcommand, Message: plain.Quote(first+" "+second) + " is not a command", Word: second, Accepted: subs,
		Suggestions: prefixed(first+" ", spelling.Nearest(second, subs))}
}

func (t *Table) unknownCommand(word string, mode Mode) *Error {
	if mode == Usher && strings.EqualFold(word, Daemon) {
		return &Error{Code: UnknownCommand, Message: Daemon + " controls the process that runs the commands, so it is used in a shell only", Word: word,
			Hint: "Run `usher " + Daemon + "` there."}
	}
	e := &Error{Code: UnknownCommand, Message: plain.Quote(word) + " is not a command", Word: word}
	if m := t.synonym(strings.ToLower(word)); m != "" {
		e.Suggestions = []string{m}
	} else {
		known := t.FirstWords()
		if mode == Usher {
			known = append(known, Daemon)
		}
		e.Suggestions = spelling.NearestOrBeginning(word, known)
	}
	if len(e.Suggestions) == 0 {
		e.Hint = "Run " + mode.Program() + " help for the list."
	}
	return e
}

// synonym maps words of other tools to the verb that does the same here.
func (t *Table) synonym(word string) string {
	switch word {
	case "visit", "go", "browse", "load":
		return "open"
	case "go-back", "goback":
		return "back"
	case "go-forward", "goforward":
		return "forward"
	case "tap":
		return "click"
	case "doubleclick", "double-click":
		return "dblclick"
	case "input", "set-value", "setvalue":
		return "fill"
	case "evaluate", "js", "exec", "run":
		return "eval"
	case "refresh":
		return "reload"
	case "tree", "state", "accessibility", "dom":
		return "snapshot"
	case "shot", "capture", "photo":
		return "screenshot"
	case "sleep", "waitfor", "pause":
		return "wait"
	case "href", "location", "address":
		return "get url"
	case "attribute":
		return "get attr"
	case "innertext", "textcontent":
		return "get text"
	case "innerhtml", "content", "source":
		return "get html"
	case "tabs", "tab-select", "tab-switch", "switch-tab":
		return "tab list"
	case "sessions", "list":
		return "session list"
	case "cookie-list", "cookie-get", "cookie-set", "cookie-delete", "cookie-clear":
		return "cookies " + strings.Replace(word[len("cookie-"):], "list", "get", 1)
	case "localstorage-list", "localstorage-get", "localstorage-set", "localstorage-delete", "localstorage-clear":
		return "storage local"
	case "sessionstorage-list", "sessionstorage-get", "sessionstorage-set", "sessionstorage-delete", "sessionstorage-clear":
		return "storage session"
	case "resize":
		return "set viewport"
	case "set-color-scheme", "set-reduced-motion", "set-forced-colors", "set-contrast":
		return "set media"
	case "route", "route-list":
		return "network route"
	case "unroute":
		return "network unroute"
	case "network-state-set", "offline":
		return "set offline"
	case "tracing-start", "tracing-stop":
		return "trace " + word[len("tracing-"):]
	case "video-start", "video-stop":
		return "record " + word[len("video-"):]
	case "recording-start", "recording-stop":
		return "codegen " + word[len("recording-"):]
	case "run-code":
		return "run"
	case "attach":
		return "connect"
	case "close-all", "kill-all":
		return "close --all"
	case "requests":
		return "network requests"
	case "accept", "dismiss":
		return "dialog " + word
	case "logs", "log":
		return "console"
	case "wheel":
		return "mouse wheel"
	case "config", "configuration", "settings":
		return "help config"
	case "stop", "kill":
		return "close"
	}
	for _, fam := range []string{"get", "is"} {
		if slices.Contains(t.SubWords(fam), word) {
			return fam + " " + word
		}
	}
	return t.joinedCommand(word)
}

// joinedCommand finds the command of two words that was written as one, in either order: geturl, get-title, tab_new,
// new-tab.
func (t *Table) joinedCommand(word string) string {
	bare := strings.NewReplacer("-", "", "_", "", ".", "").Replace
	word = bare(word)
	for i := range t.All() {
		first, second, two := strings.Cut(t.All()[i].Name, " ")
		if two && (bare(first+second) == word || bare(second+first) == word) {
			return t.All()[i].Name
		}
	}
	return ""
}

// FirstWords returns every word a command line may begin with.
func (t *Table) FirstWords() []string {
	var out []string
	for i := range t.All() {
		v := &t.All()[i]
		first, _, _ := strings.Cut(v.Name, " ")
		if !slices.Contains(out, first) {
			out = append(out, first)
		}
		out = append(out, v.Synonyms...)
	}
	return out
}

// SubWords returns the second words of a family.
func (t *Table) SubWords(fam string) []string {
	var out []string
	for i := range t.All() {
		// The name of a family is not made into a prefix for each verb: help asks for every family.
		if second, ok := strings.CutPrefix(t.All()[i].Name, fam); ok && len(second) > 1 && second[0] == ' ' {
			out = append(out, second[1:])
		}
	}
	return out
}

func prefixed(prefix string, words []string) []string {
	for i := range words {
		words[i] = prefix + words[i]
	}
	return words
}
