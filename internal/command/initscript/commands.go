package initscript

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

// Added is the result of `addinitscript`.
type Added struct {
	Identifier string `json:"identifier"` // for `removeinitscript`
}

// Removed is the result of `removeinitscript`.
type Removed struct {
	Identifier string `json:"identifier"`
	Removed    bool   `json:"removed"` // always true
}

// List is the result of `initscripts`.
type List struct {
	Scripts []Entry `json:"scripts"` // in the order in which they run
}

// Entry is an init script.
type Entry struct {
	Identifier string `json:"identifier"`
	// From is the file or the option that it comes from; absent for a script given as words or on standard input.
	From  string `json:"from,omitzero"`
	Size  int    `json:"size"`  // in bytes
	Start string `json:"start"` // its beginning, in one line; empty for a built-in script
}

// startLength bounds Entry.Start, in characters.
const startLength = 80

func add(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Added], error) {
	s := supervisor.InitScript{Source: c.Str("script")}
	name := "addinitscript"
	switch {
	case c.Has("file"):
		s.From = e.Path(c.Str("file"))
		name = c.Str("file")
		if e.Sites != nil {
			if err := e.ProtectedFiles().Read(s.From); err != nil {
				return run.Reply[*Added]{}, fmt.Errorf("addinitscript --file: %w", err)
			}
		}
		source, err := Read(ctx, s.From)
		if err != nil {
			return run.Reply[*Added]{}, api.Errorf(api.FileNotFound, "addinitscript --file: read %s: %w", name, err).With("path", s.From)
		}
		s.Source = source
	case c.Bool("stdin"):
		source, err := io.ReadAll(io.LimitReader(e.Stdin, most+1))
		if err != nil {
			return run.Reply[*Added]{}, api.Errorf(api.InvalidArgument, "addinitscript --stdin: read standard input: %w", err)
		}
		if len(source) > most {
			return run.Reply[*Added]{}, api.Errorf(api.TooLarge, "addinitscript --stdin: the script is larger than %d MB", most>>20)
		}
		s.Source = string(source)
	}
	if strings.TrimSpace(s.Source) == "" {
		return run.Reply[*Added]{}, api.Errorf(api.InvalidArgument, "%s: the script is empty", name)
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Added]{}, err
	}
	if err := Check(ctx, e.Browser, tab, s.Source, name); err != nil {
		return run.Reply[*Added]{}, e.Explain(err, "addinitscript")
	}
	id, err := e.Browser.AddInitScript(ctx, e.Context, s)
	if err != nil {
		return run.Reply[*Added]{}, e.Explain(err, "addinitscript")
	}
	return run.Reply[*Added]{Data: &Added{Identifier: id}, Text: "✓ Init script " + id + " added; it runs in documents that load from now on"}, nil
}

func remove(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Removed], error) {
	id := c.Str("id")
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	found, err := e.Browser.RemoveInitScript(ctx, e.Context, id)
	switch {
	case err != nil:
		return run.Reply[*Removed]{}, e.Explain(err, "removeinitscript")
	case !found:
		return run.Reply[*Removed]{}, api.Errorf(api.InvalidArgument, "removeinitscript: the session has no init script %s; %s", plain.Quote(id), known(e)).
			WithHint("`initscripts` lists them.")
	}
	return run.Reply[*Removed]{Data: &Removed{Identifier: id, Removed: true}, Text: run.Done}, nil
}

// known lists the ids of the session's init scripts for an error.
func known(e *run.Env) string {
	var ids []string
	for _, s := range e.Browser.InitScripts(e.Context) {
		ids = append(ids, s.ID)
	}
	if len(ids) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(ids, ", ")
}

func list(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[*List], error) {
	data := &List{Scripts: []Entry{}}
	var lines []string
	for _, s := range e.Browser.InitScripts(e.Context) {
		if s.BuiltIn {
			data.Scripts = append(data.Scripts, Entry{Identifier: s.ID, From: s.From, Size: len(s.Source)})
			lines = append(lines, "["+s.ID+"] "+s.From)
			continue
		}
		start := run.OneLine(strings.Join(strings.Fields(s.Source), " "))
		if short := []rune(start); len(short) > startLength {
			start = string(short[:startLength]) + "…"
		}
		data.Scripts = append(data.Scripts, Entry{Identifier: s.ID, From: s.From, Size: len(s.Source), Start: start})
		line := "[" + s.ID + "] "
		if s.From != "" {
			line += s.From + ": "
		}
		lines = append(lines, line+start+fmt.Sprintf(" (%d bytes)", len(s.Source)))
	}
	if len(lines) == 0 {
		lines = []string{"No init scripts"}
	}
	return run.Reply[*List]{Data: data, Text: strings.Join(lines, "\n")}, nil
}
