package read

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/revisions"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

// Revised is the result of `snapshot --delta` under the program name agent-browser.
type Revised struct {
	Origin   string             `json:"origin"`
	Snapshot revisions.Revision `json:"snapshot"`
}

// numbersRevisions reports whether a call gets its result in agent-browser's form of deltas.
func numbersRevisions(e *run.Env, c *verb.Call) bool {
	return e.Settings.Compatible && (c.Bool("delta") || c.Bool("full"))
}

// withRevisions wraps snapshot: a delta in agent-browser's form is made of the whole outline.
func withRevisions(h run.Handler) run.Handler {
	plain := h.Run
	h.Run = func(ctx context.Context, e *run.Env, c *verb.Call) (run.Result, error) {
		res, err := plain(ctx, e, c)
		shot, is := res.Data.(*view.Data)
		if err != nil || !is || !numbersRevisions(e, c) {
			return res, err
		}
		refs := make(map[string]revisions.Node, len(shot.Refs))
		for _, r := range shot.Refs {
			refs[fmt.Sprintf("e%d", r.Number)] = revisions.Node{Name: r.Name, Role: r.Role}
		}
		options := fmt.Sprint(c.Bool("interactive"), c.Bool("compact"), c.Int("depth"), c.Bool("urls"), c.Str("selector"), e.Scope(e.Tab))
		revised := &Revised{Origin: shot.Origin, Snapshot: e.Revisions.Next(string(e.Tab), options, shot.Snapshot, refs, c.Bool("full"))}
		res.Data = revised
		res.Text, err = revised.text(res.Text)
		return res, err
	}
	return h
}

// text is agent-browser's: the outline of a full revision, one line if nothing changed, or the change in JSON.
func (r *Revised) text(outline string) (string, error) {
	switch r.Snapshot.Kind {
	case "full":
		return outline, nil
	case "unchanged":
		return fmt.Sprintf("unchanged (revision %d)", r.Snapshot.Revision), nil
	}
	raw, err := json.Marshal(r.Snapshot)
	if err != nil {
		return "", api.Errorf(api.Internal, "encode what changed: %w", err)
	}
	change := jsontext.Value(raw)
	if err := change.Format(jsontext.ReorderRawObjects(true), jsontext.WithIndent("  "), jsontext.Multiline(true)); err != nil {
		return "", api.Errorf(api.Internal, "encode what changed: %w", err)
	}
	return string(change), nil
}
