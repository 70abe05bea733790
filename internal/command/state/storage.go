package state

import (
	"context"
	"errors"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// area is a storage area of an origin.
type area string

const (
	local   area = "local"
	session area = "session"
)

// Stored is the result of `storage local` and `storage session`. Which members there are depends on the operation.
type Stored struct {
	// Entries are all entries, for a call without a key.
	Entries *map[string]string `json:"data,omitzero"`
	Key     string             `json:"key,omitzero"`
	Value   jsontext.Value     `json:"value,omitzero"` // of the key; null if there is no such key
	Set     bool               `json:"set,omitzero"`
	Removed bool               `json:"removed,omitzero"` // there was such a key
	Cleared bool               `json:"cleared,omitzero"`
	Origin  string             `json:"origin,omitzero"` // whose storage it is
}

// storageOf returns the command of a storage area.
func storageOf(kind area) func(context.Context, *run.Env, *verb.Call) (run.Reply[*Stored], error) {
	return func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Stored], error) {
		ctx, stop := e.Guard(ctx)
		defer stop()
		tab, err := e.CurrentTab()
		if err != nil {
			return run.Reply[*Stored]{}, err
		}
		frame := tab.Frames[e.Scope(e.Tab)]
		if frame == nil {
			return run.Reply[*Stored]{}, api.Errorf(api.FrameDetached, "%s: the frame is gone from the page", c.Verb.Name)
		}
		call := storageCall{e: e, kind: kind, frame: frame.ID}
		reply, err := call.run(ctx, c)
		var refused *refusedError
		if errors.As(err, &refused) {
			err = noStorage(c.Verb.Name+" of "+frame.URL, err).With("url", frame.URL)
		}
		return reply, e.Explain(err, c.Verb.Name)
	}
}

func (s *storageCall) run(ctx context.Context, c *verb.Call) (run.Reply[*Stored], error) {
	switch c.Form {
	case formGet:
		return s.get(ctx, c.Str("key"))
	case formSet:
		return s.set(ctx, c.Str("key"), c.Str("value"))
	case formRemove:
		return s.remove(ctx, c.Str("key"))
	case formClear:
		return s.clear(ctx)
	}
	return s.all(ctx)
}

func (s *storageCall) all(ctx context.Context) (run.Reply[*Stored], error) {
	var got struct {
		Origin  string  `json:"origin"`
		Entries []Entry `json:"entries"`
	}
	if err := s.call(ctx, "list", nil, &got); err != nil {
		return run.Reply[*Stored]{}, err
	}
	entries := map[string]string{}
	var lines []string
	for _, e := range got.Entries {
		entries[e.Name] = e.Value
		lines = append(lines, e.Name+": "+e.Value)
	}
	if len(lines) == 0 {
		lines = []string{"No storage entries"}
	}
	return s.reply(&Stored{Entries: &entries, Origin: got.Origin}, strings.Join(lines, "\n"))
}

func (s *storageCall) get(ctx context.Context, key string) (run.Reply[*Stored], error) {
	var got struct {
		Origin string  `json:"origin"`
		Value  *string `json:"value"`
	}
	if err := s.call(ctx, "get", map[string]any{"key": key}, &got); err != nil {
		return run.Reply[*Stored]{}, err
	}
	text := "No entry " + key
	if got.Value != nil {
		text = *got.Value
	}
	if s.e.Settings.Compatible {
		text = key + ": " + orNull(got.Value)
	}
	raw, err := jsonv2.Marshal(got.Value, lenient())
	if err != nil {
		return run.Reply[*Stored]{}, api.Errorf(api.Internal, "storage: %w", err)
	}
	return s.reply(&Stored{Key: key, Value: raw, Origin: got.Origin}, text)
}

// orNull is a value as agent-browser prints it: null if there is none.
func orNull(value *string) string {
	if value == nil {
		return "null"
	}
	return *value
}

func (s *storageCall) set(ctx context.Context, key, text string) (run.Reply[*Stored], error) {
	var got struct {
		Origin string `json:"origin"`
	}
	if err := s.call(ctx, "set", map[string]any{"key": key, "value": text}, &got); err != nil {
		return run.Reply[*Stored]{}, err
	}
	return s.reply(&Stored{Set: true, Origin: got.Origin}, run.Done)
}

func (s *storageCall) remove(ctx context.Context, key string) (run.Reply[*Stored], error) {
	var got struct {
		Origin  string `json:"origin"`
		Removed bool   `json:"removed"`
	}
	if err := s.call(ctx, "remove", map[string]any{"key": key}, &got); err != nil {
		return run.Reply[*Stored]{}, err
	}
	text := run.Done
	if !got.Removed {
		text = "No entry " + key
	}
	return s.reply(&Stored{Key: key, Removed: got.Removed, Origin: got.Origin}, text)
}

func (s *storageCall) clear(ctx context.Context) (run.Reply[*Stored], error) {
	var got struct {
		Origin  string `json:"origin"`
		Removed int    `json:"removed"`
	}
	if err := s.call(ctx, "clear", nil, &got); err != nil {
		return run.Reply[*Stored]{}, err
	}
	return s.reply(&Stored{Cleared: true, Origin: got.Origin}, "✓ "+strings.ToUpper(string(s.kind[:1]))+string(s.kind[1:])+" storage of "+got.Origin+" cleared")
}
