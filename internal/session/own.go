package session

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/ops"
	"github.com/usher-browser/usher/internal/verb"
)

// own returns the behaviour of a verb that is about sessions rather than about a
// page, or nil.
func (s *Session) own(name string) func(context.Context, Command) (ops.Result, error) {
	switch name {
	case "close":
		return s.closeVerb
	case "session list":
		return s.listVerb
	case "session info":
		return s.infoVerb
	case "batch":
		return s.batchVerb
	}
	return nil
}

func (s *Session) closeVerb(ctx context.Context, cmd Command) (ops.Result, error) {
	if cmd.Call.Bool("all") {
		names, err := s.reg.CloseAll(ctx, s.key.namespace)
		if err != nil {
			return ops.Result{}, err
		}
		return ops.Result{Data: map[string]any{"closed": true, "sessions": names}, Text: fmt.Sprintf("✓ %d closed", len(names))}, nil
	}
	h, _ := s.workspace()
	if err := s.Close(ctx); err != nil {
		return ops.Result{}, err
	}
	res := ops.Result{Data: map[string]any{"closed": true}, Text: "✓ Browser closed"}
	if cmd.Settings.Mode == verb.AgentBrowser {
		res.Data = map[string]any{"closed": true, "restoreStatus": "not_configured", "saveStatus": "not_configured"}
	}
	switch {
	case h == nil:
		res.Text = "✓ Session " + s.name + " has no browser to close"
	case h.options.attached():
		res.Text = "✓ Session " + s.name + " ended; the attached browser keeps running"
	}
	return res, nil
}

func (s *Session) listVerb(_ context.Context, cmd Command) (ops.Result, error) {
	current := cmd.Settings.Str("session")
	names := s.reg.Names(s.key.namespace)
	lines := []string{}
	for _, n := range names {
		mark := "  "
		if n == current {
			mark = "→ "
		}
		lines = append(lines, mark+n)
	}
	text := strings.Join(lines, "\n")
	if len(names) == 0 {
		text = "No sessions"
	}
	return ops.Result{Data: map[string]any{"sessions": names}, Text: text}, nil
}

func (s *Session) infoVerb(_ context.Context, cmd Command) (ops.Result, error) {
	info := s.info()
	info["pid"], info["version"], info["socketDir"] = os.Getpid(), s.reg.opts.Version, s.reg.opts.RunDir
	info["namespace"] = nil
	if s.key.namespace != "" {
		info["namespace"] = s.key.namespace
	}
	if cmd.Settings.Mode == verb.AgentBrowser {
		info["runtime"], info["runtimeError"] = info["browser"], nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "session  %s\nactive   %v\ndaemon   pid %d", s.name, info["active"], info["pid"])
	for _, k := range []string{"url", "tabs", "startedAt", "lastUrl"} {
		if v, ok := info[k]; ok && v != "" {
			fmt.Fprintf(&b, "\n%-8s %v", k, v)
		}
	}
	if c, ok := info["connection"].(map[string]any); ok && c["state"] != "connected" {
		fmt.Fprintf(&b, "\nlost     the connection to the browser, since %v: %v; usher connects again by itself", c["since"], c["cause"])
	}
	if br, ok := info["browser"].(map[string]any); ok {
		fmt.Fprintf(&b, "\nbrowser  %v, pid %v, shared by %v", br["product"], br["pid"], br["sessions"])
		if br["crashed"] == true {
			b.WriteString("; it is gone: `open <url>` starts another")
		}
	}
	return ops.Result{Data: info, Text: b.String()}, nil
}

// BatchData marks the result of a batch: a bare array in JSON.
type BatchData struct {
	Rows   []map[string]any
	Failed int
}

func (s *Session) batchVerb(ctx context.Context, cmd Command) (ops.Result, error) {
	rows, err := batchRows(cmd)
	if err != nil {
		return ops.Result{}, err
	}
	var out BatchData
	out.Rows = make([]map[string]any, 0, len(rows))
	var text []string
	for i, words := range rows {
		if ctx.Err() != nil {
			return ops.Result{}, api.Errorf(api.Cancelled, "batch: cancelled after %d of %d commands", i, len(rows))
		}
		res, err := s.batchRow(ctx, cmd, words)
		row := map[string]any{"success": err == nil, "error": nil, "result": nil}
		if cmd.Call.Bool("omit-command") {
			row["index"] = i
		} else {
			row["command"] = words
		}
		if err != nil {
			e := api.AsError(err)
			out.Failed++
			row["error"], row["code"] = e.Sentence(), string(e.Code)
			if len(e.Data) > 0 {
				row["result"] = e.Data
			}
			text = append(text, "✗ "+e.Sentence())
		} else {
			row["result"] = res.Data
			if res.Warning != "" {
				row["warning"] = res.Warning
			}
			text = append(text, res.Text)
		}
		out.Rows = append(out.Rows, row)
		if err != nil && cmd.Call.Bool("bail") {
			break
		}
	}
	return ops.Result{Data: &out, Text: strings.Join(text, "\n")}, nil
}

// batchRows reads the commands from the arguments or from standard input.
func batchRows(cmd Command) ([][]string, error) {
	if !cmd.Call.Has("commands") {
		data, err := io.ReadAll(cmd.Stdin)
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "batch: read standard input: %w", err)
		}
		rows, err := verb.BatchFromInput(data)
		if err != nil {
			return nil, err
		}
		return rows, nil
	}
	var rows [][]string
	for i, line := range cmd.Call.List("commands") {
		words, err := verb.SplitWords(line)
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "batch: command %d: %w", i+1, err)
		}
		rows = append(rows, words)
	}
	return rows, nil
}

func (s *Session) batchRow(ctx context.Context, cmd Command, words []string) (ops.Result, error) {
	call, err := verb.Parse(words, cmd.Settings.Mode)
	if err != nil {
		return ops.Result{}, err
	}
	name := call.Verb.Name
	if name == "batch" || call.Verb.Is(verb.Local) {
		return ops.Result{}, api.Errorf(api.InvalidArgument, "%s cannot be used in a batch", name)
	}
	row := cmd
	row.Call, row.Stdin, row.Emit = call, strings.NewReader(""), nil
	if row.Guard == nil && guards(cmd.Settings) {
		row.Guard = cmd.Settings
	}
	if len(call.Globals.Names()) > 0 {
		set, err := config.Load(config.Source{Mode: cmd.Settings.Mode, Env: cmd.Env, Cwd: cmd.Cwd, Flags: call.Globals})
		if err != nil {
			return ops.Result{}, err
		}
		row.Settings = set
		if set.From("session") == config.Flags {
			return s.reg.Run(ctx, row)
		}
	}
	return s.run(ctx, row)
}
