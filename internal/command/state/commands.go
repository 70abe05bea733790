package state

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/verb"
)

// SavedAs is the result of `state save`.
type SavedAs struct {
	Saved   bool   `json:"saved"`
	Path    string `json:"path"`
	Cookies int    `json:"cookies,omitzero"` // how many; absent for none
	Origins int    `json:"origins,omitzero"` // how many have stored something
}

// Loaded is the result of `state load`.
type Loaded struct {
	Loaded  bool   `json:"loaded"`
	Path    string `json:"path"`
	Cookies int    `json:"cookies,omitzero"` // how many the file has, those included that have expired; absent for none
	Origins int    `json:"origins,omitzero"` // how many the file has
	// SkippedOrigins are those whose storage was not loaded.
	SkippedOrigins []string `json:"skippedOrigins"`
}

func save(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*SavedAs], error) {
	text := c.Str("file")
	if err := guardPath(e, "state save", text); err != nil {
		return run.Reply[*SavedAs]{}, err
	}
	keys, path := keysOf(e), e.Path(text)
	if !isName(text) {
		if err := media.CheckOutputPath(path); err != nil {
			return run.Reply[*SavedAs]{}, err
		}
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	got, err := Collect(ctx, e.BrowserContext, skipper(ctx, e))
	if err != nil {
		return run.Reply[*SavedAs]{}, failedTo(e, "state save", err)
	}
	if isName(text) {
		path, err = SaveAs(e.Settings.StateDir, text, &got.Saved, keys)
	} else {
		if real, linked := filepath.EvalSymlinks(path); linked == nil {
			path = real
		}
		err = Write(path, &got.Saved, keys)
	}
	if err != nil {
		return run.Reply[*SavedAs]{}, err
	}
	data := &SavedAs{Saved: true, Path: path}
	if !e.Settings.Compatible {
		data.Cookies, data.Origins = len(got.Cookies), len(got.Origins)
	}
	reply := run.Reply[*SavedAs]{
		Data: data,
		Text: "✓ State saved to " + path + " (" + got.summary() + ")",
	}
	if e.Settings.Compatible { // scripts take the path from the end of the line
		reply.Text = "✓ State saved to " + path + "\n  " + got.summary()
	}
	reply.Warning = got.warning()
	return reply, nil
}

func load(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Loaded], error) {
	text := c.Str("file")
	if err := guardPath(e, "state load", text); err != nil {
		return run.Reply[*Loaded]{}, err
	}
	path := existing(e, text)
	s, err := Read(ctx, path, keysOf(e))
	if err != nil {
		return run.Reply[*Loaded]{}, err
	}
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	skipped, err := Load(ctx, e.BrowserContext, s, skipper(ctx, e))
	if err != nil {
		return run.Reply[*Loaded]{}, e.Explain(fmt.Errorf("part of the state is loaded: %w", err), "state load")
	}
	data := &Loaded{Loaded: true, Path: path, SkippedOrigins: append([]string{}, skipped.Origins...)}
	if !e.Settings.Compatible {
		data.Cookies, data.Origins = len(s.Cookies), len(s.Origins)
	}
	return run.Reply[*Loaded]{
		Data:    data,
		Text:    "✓ State loaded from " + path + " (" + s.summary() + ")",
		Warning: skipped.Warning(),
	}, nil
}
