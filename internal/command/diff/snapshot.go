package diff

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

// Snapshot is the result of `diff snapshot`. Additions, Removals and Unchanged are numbers of lines.
type Snapshot struct {
	Lines
	Diff string `json:"diff"` // unified; empty if nothing changed
}

// mostBaseline is the largest file with a snapshot, in bytes.
const mostBaseline = 64 << 20

func diffSnapshot(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Snapshot], error) {
	before, opt, warning, err := baseline(ctx, e, c)
	if err != nil {
		return run.Reply[Snapshot]{}, err
	}
	shot, busy, err := look(ctx, e, c, opt)
	if err != nil {
		return run.Reply[Snapshot]{}, err
	}
	l, text := compare(read.Outline(e, before), read.Outline(e, shot.Text))
	return run.Reply[Snapshot]{Data: Snapshot{Lines: l, Diff: text}, Text: l.text(text, e.Settings.Compatible),
		Warning: api.JoinWarnings(warning, api.JoinWarnings(busy, read.Missing(e.Browser.State(), shot)))}, nil
}

// text is the difference for people. Scripts read agent-browser's counts by their words, which are always plural.
func (l Lines) text(unified string, compatible bool) string {
	switch {
	case compatible && !l.Changed:
		return "✓ No changes detected"
	case compatible:
		return fmt.Sprintf("%s\n\n%d additions, %d removals, %d unchanged", unified, l.Additions, l.Removals, l.Unchanged)
	}
	if !l.Changed {
		return fmt.Sprintf("No changes (%s)", run.Plural(l.Unchanged, "line"))
	}
	return fmt.Sprintf("%s\n\n%s, %s, %d unchanged", unified, run.Plural(l.Additions, "addition"), run.Plural(l.Removals, "removal"), l.Unchanged)
}

// baseline returns the outline to compare with, and the options with which the page is to be read.
func baseline(ctx context.Context, e *run.Env, c *verb.Call) (text string, opt view.Options, warning string, err error) {
	opt = optionsOf(c)
	if c.Has("baseline") {
		text, err = readBaseline(ctx, e, c.Str("baseline"))
		return text, opt, "", err
	}
	last, ok := e.Viewer.LastGiven(e.Tab)
	if !ok {
		return "", opt, "there is no earlier snapshot of this tab: every line counts as added. Take one with `snapshot` first, or give --baseline", nil
	}
	if !c.Has("selector") && !c.Bool("interactive") && !c.Bool("compact") && !c.Has("depth") && e.Frame == "" {
		opt = last.Options
		opt.Delta, opt.Find, opt.Budget, opt.Whole = false, "", 0, 0
	}
	return last.Text, opt, "", nil
}

func optionsOf(c *verb.Call) view.Options {
	return view.Options{Interactive: c.Bool("interactive"), Compact: c.Bool("compact"), Depth: c.Int("depth")}
}

// look takes the snapshot to compare.
func look(ctx context.Context, e *run.Env, c *verb.Call, opt view.Options) (*view.Snapshot, string, error) {
	if c.Has("selector") {
		if err := read.ScopeOf(ctx, e, c, &opt); err != nil {
			return nil, "", err
		}
	}
	if opt.Frame == "" || e.Browser.State().Frame(opt.Frame) == nil {
		opt.Frame = e.Scope(e.Tab)
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	if _, err := e.CurrentTab(); err != nil {
		return nil, "", err
	}
	shot, busy, err := read.Peek(ctx, e, opt)
	if err != nil {
		return nil, "", read.SnapshotError(e, err, c)
	}
	return shot, busy, nil
}

// readBaseline reads a file with the output of snapshot: its lines that are rows of an outline.
func readBaseline(ctx context.Context, e *run.Env, path string) (string, error) {
	data, err := readFile(ctx, e, path, mostBaseline)
	if err != nil {
		return "", err
	}
	var rows []string
	for row := range strings.Lines(string(data)) {
		if row = strings.TrimRight(row, "\r\n"); strings.HasPrefix(strings.TrimLeft(row, " "), "- ") {
			rows = append(rows, row)
		}
	}
	if rows == nil && strings.TrimSpace(string(data)) != view.EmptyPage {
		return "", api.Errorf(api.InvalidArgument, "--baseline %s: the file has no snapshot", path).With("path", path).
			WithHint("Save one with `snapshot > FILE`, without --json.")
	}
	return strings.Join(rows, "\n"), nil
}

// readFile reads a file that the caller named.
func readFile(ctx context.Context, e *run.Env, path string, most int64) ([]byte, error) {
	at := e.Path(path)
	if e.Sites != nil {
		if err := e.ProtectedFiles().Read(at); err != nil {
			return nil, fmt.Errorf("--baseline: %w", err)
		}
	}
	data, err := files.Read(ctx, at, most)
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "--baseline: read %s: %w", path, err).With("path", at)
	}
	return data, nil
}
