package step

import (
	"regexp"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/mistakes"
)

// Command returns a command of the tool's own in a session. The words are always valid.
func Command(h Host, namespace, session string, words ...string) Row {
	call, err := h.Table().Parse(words, verb.Usher)
	if err != nil {
		panic("agenttool: " + strings.Join(words, " ") + ": " + err.Error())
	}
	if failed := call.Give("session", session); failed != nil {
		panic("agenttool: " + failed.Error())
	}
	if namespace != "" {
		if failed := call.Give("namespace", namespace); failed != nil {
			panic("agenttool: " + failed.Error())
		}
	}
	return Row{Call: call}
}

// Invalid returns the error of an input that cannot be used. Nothing has been done then.
func Invalid(format string, args ...any) error {
	return api.Errorf(api.InvalidArgument, format, args...)
}

// operators are what only a shell understands.
var operators = []string{"&&", "||", "|", ";", ">", ">>", "<"}

// FlagError is an error of a flag's value.
type FlagError struct {
	err  *api.Error
	Flag result.InvalidValueFlag
}

// Error implements error.
func (e *FlagError) Error() string { return e.err.Error() }

// Unwrap returns the error with its code.
func (e *FlagError) Unwrap() error { return e.err }

// Prepare reads a command line. stdin is what it may read; nil for nothing.
func Prepare(h Host, words []string, stdin *string) (Row, error) {
	if len(words) == 0 {
		return Row{}, Invalid("args must have at least one word: the command.")
	}
	for _, w := range words {
		switch {
		case slices.Contains(operators, w):
			return Row{}, Invalid("args has the shell operator %s. Each call runs one command; use batch, or job, for several.", w)
		case w == "--session-mode" || strings.HasPrefix(w, "--session-mode="):
			return Row{}, Invalid("--session-mode is no flag of a command: give the field sessionMode beside args.")
		}
	}
	if err := valueFlags(words); err != nil {
		return Row{}, err
	}
	words, moved := evalStdin(own(words), stdin)
	if moved != nil {
		stdin = moved
	}
	call, err := mistakes.Parse(h.Table(), words, verb.Usher)
	if err != nil {
		return Row{}, err
	}
	if err := refused(h, call); err != nil {
		return Row{}, err
	}
	row := Row{Call: call}
	if stdin == nil && call.TakesStdin() && call.Verb.Name != "batch" {
		return Row{}, Invalid("%s reads standard input, and none is given: give the field stdin beside args.", call.Verb.Name)
	}
	if stdin != nil {
		if !call.TakesStdin() && call.Verb.Name != "batch" {
			return Row{}, Invalid("stdin is for batch, eval --stdin and auth save --password-stdin; %s does not read it.", call.Verb.Name)
		}
		row.Stdin = *stdin
	}
	return row, nil
}

// valueFlags checks that each global flag that needs a value has one, because a flag that takes the next flag as its value hides it.
func valueFlags(words []string) error {
	seen := map[string]bool{}
	for i, w := range words {
		if w == "--" {
			return nil
		}
		name, value, inline := strings.Cut(w, "=")
		var flag *verb.Flag
		switch {
		case strings.HasPrefix(name, "--"):
			flag = verb.GlobalFlag(strings.TrimPrefix(name, "--"))
		case w == "-p":
			flag = verb.GlobalFlag("provider")
		}
		if flag == nil || flag.Kind == verb.Bool || flag.Optional {
			continue
		}
		fail := func(reason, received, text string) error {
			return &FlagError{api.Errorf(api.InvalidArgument, "%s: %s.", name, text), result.InvalidValueFlag{Flag: name, Index: i, Reason: reason, ReceivedToken: received}}
		}
		if flag.Name == "session" || flag.Name == "namespace" {
			if seen[flag.Name] {
				return Invalid("args has --%s twice.", flag.Name)
			}
			seen[flag.Name] = true
		}
		next := value
		if !inline {
			if i+1 >= len(words) {
				return fail("missing-value", "", "the value is missing")
			}
			next = words[i+1]
			if strings.HasPrefix(next, "-") && flag.Name != "args" && !flag.Raw {
				return fail("unexpected-flag", next, "the value is missing: "+next+" follows")
			}
		}
		if strings.TrimSpace(next) == "" && !flag.Empty {
			return fail("missing-value", next, "the value is blank")
		}
	}
	return nil
}

// own replaces flags of the reference that its CLI does not know.
func own(words []string) []string {
	if !slices.Contains(words, "snapshot") {
		return words
	}
	words = slices.Clone(words)
	for i, w := range words {
		switch {
		case w == "--diff":
			words[i] = "--delta"
		case w == "--search" && i+1 < len(words):
			words[i], words[i+1] = "--find", regexp.QuoteMeta(words[i+1])
		}
	}
	return words
}

// evalStdin moves the words after `eval --stdin` to standard input, if that is not given.
func evalStdin(words []string, stdin *string) ([]string, *string) {
	at := slices.Index(words, "--stdin")
	if stdin != nil || at < 0 || at == len(words)-1 || !slices.Contains(words[:at], "eval") {
		return words, nil
	}
	text := strings.Join(words[at+1:], " ")
	return words[:at+1], &text
}

// refused returns an error for a command or a flag with which an agent could loosen what protects the person, or start a program.
func refused(h Host, call *verb.Call) error {
	if !h.Guarded() {
		return nil
	}
	return call.RefusedToAgents()
}
