package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// Todo returns the tool of the toolset todo: a task list, kept in a file per session name.
func Todo() []Tool {
	return []Tool{{Name: "todo", Title: "Task list",
		Doc: "Read the task list, or write it: todos replaces the list, with merge the entries of the same id. status: pending, in_progress, completed, cancelled.",
		Params: []Param{{Name: "todos", Kind: Array, Doc: "objects with id, content and status"},
			{Name: "merge", Kind: Boolean, Default: false}},
		Output: reflect.TypeFor[todoResult](),
		Traits: Idempotent, Run: todo}}
}

var taskStates = []string{"pending", "in_progress", "completed", "cancelled"}

// keeping serialises reading and writing of the files, because one process may serve several agents.
var keeping sync.Mutex

// Bounds of the files.
const (
	maxTasks  = 200
	maxMemory = 20_000 // bytes of each memory
)

func todo(_ context.Context, h *Host, a Args) (*Result, error) {
	keeping.Lock()
	defer keeping.Unlock()
	var list []task
	file := h.note("todo.json")
	if err := load(file, &list); err != nil {
		return nil, err
	}
	if raw := a.JSON("todos"); raw != nil {
		given, err := tasksOf(raw)
		if err != nil {
			return nil, err
		}
		if !a.Bool("merge") {
			list = nil
		}
		for _, t := range given {
			if i := slices.IndexFunc(list, func(o task) bool { return o.ID == t.ID }); i >= 0 {
				list[i] = t
			} else {
				list = append(list, t)
			}
		}
		if len(list) > maxTasks {
			return nil, api.Errorf(api.InvalidArgument, "todo: the list would have %d entries; at most %d are kept", len(list), maxTasks)
		}
		if err := save(file, list); err != nil {
			return nil, err
		}
	}
	open := 0
	for _, t := range list {
		if t.Status == "pending" || t.Status == "in_progress" {
			open++
		}
	}
	return &Result{Value: todoResult{succeeded, list, open}}, nil
}

func tasksOf(raw jsontext.Value) ([]task, error) {
	var given []task
	if err := json.Unmarshal(raw, &given, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "todo: todos: give objects with id, content and status: %w", err)
	}
	for i := range given {
		t := &given[i]
		if t.ID == "" || t.Content == "" {
			return nil, api.Errorf(api.InvalidArgument, "todo: todos: entry %d needs id and content", i+1)
		}
		if t.Status == "" {
			t.Status = "pending"
		}
		if !slices.Contains(taskStates, t.Status) {
			return nil, api.Errorf(api.InvalidArgument, "todo: todos: entry %s: status is %s, not %.60q", t.ID, words(taskStates), t.Status)
		}
		t.Content = cut(t.Content, 2000)
	}
	return given, nil
}

// Memory returns the tool of the toolset memory: notes that persist across sessions.
func Memory() []Tool {
	return []Tool{{Name: "memory", Title: "Memory",
		Doc: "Notes that persist across sessions: your own (memory) and about the person (user). read lists them; add, replace and remove change one.",
		Params: []Param{{Name: "action", Kind: String, Required: true, Enum: []string{"read", "add", "replace", "remove"}},
			{Name: "target", Kind: String, Enum: []string{"memory", "user"}, Default: "memory"},
			{Name: "content", Kind: String}, {Name: "old_text", Kind: String, Doc: "text of the note to change"}},
		Output: reflect.TypeFor[memoryResult](), Run: memory}}
}

func memory(_ context.Context, h *Host, a Args) (*Result, error) {
	keeping.Lock()
	defer keeping.Unlock()
	file := filepath.Join(h.State, "memory", a.Str("target")+".json")
	list := []string{}
	if err := load(file, &list); err != nil {
		return nil, err
	}
	action, content := a.Str("action"), strings.TrimSpace(a.Str("content"))
	if (action == "add" || action == "replace") && content == "" {
		return nil, api.Errorf(api.InvalidArgument, "memory: %s needs content", action)
	}
	at := -1
	if action == "replace" || action == "remove" {
		var err error
		if at, err = entryWith(list, a.Str("old_text")); err != nil {
			return nil, err
		}
	}
	switch action {
	case "add":
		if !slices.Contains(list, content) {
			list = append(list, content)
		}
	case "replace":
		list[at] = content
	case "remove":
		list = slices.Delete(list, at, at+1)
	}
	if size := len(strings.Join(list, "\n")); size > maxMemory {
		return nil, api.Errorf(api.InvalidArgument, "memory: the notes would have %d bytes; at most %d are kept", size, maxMemory).
			WithHint("Remove or shorten older notes first.")
	}
	if action != "read" {
		if err := save(file, list); err != nil {
			return nil, err
		}
	}
	return &Result{Value: memoryResult{succeeded, list}}, nil
}

// entryWith returns the index of the only note that contains text. No match, or several, is an error.
func entryWith(list []string, text string) (int, error) {
	if text == "" {
		return -1, api.Errorf(api.InvalidArgument, "memory: identify the note with old_text")
	}
	found := -1
	for i, entry := range list {
		if !strings.Contains(entry, text) {
			continue
		}
		if found >= 0 {
			return -1, api.Errorf(api.InvalidArgument, "memory: several notes contain %.80q; give more text of the note", text)
		}
		found = i
	}
	if found < 0 {
		return -1, api.Errorf(api.InvalidArgument, "memory: no note contains %.80q; list them with read", text)
	}
	return found, nil
}

// note returns the path of a file that belongs to the browser session's name.
func (h *Host) note(name string) string { return filepath.Join(h.State, "notes", h.Session, name) }

// load decodes a file that save wrote. If the file does not exist, into is unchanged.
func load(file string, into any) error {
	raw, err := dirs.ReadPrivate(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read what was kept: %w", notRead(err))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return api.Errorf(api.FileNotFound, "what was kept in %s cannot be read, and is left as it is: %w", file, err)
	}
	return nil
}

// notRead gives an error of the operating system a code. A [dirs.Insecure] has one already.
func notRead(err error) error {
	var insecure *dirs.Insecure
	if errors.As(err, &insecure) {
		return err
	}
	return api.Errorf(api.FileNotFound, "%w", err)
}

// save writes value as JSON to a private file, atomically.
func save(file string, value any) error {
	if err := dirs.MakePrivate(filepath.Dir(file)); err != nil {
		return fmt.Errorf("keep it: %w", err)
	}
	if err := dirs.WriteSecret(file, append(encoded(value), '\n')); err != nil {
		return api.Errorf(api.FileWriteFailed, "keep it: %w", err)
	}
	return nil
}
