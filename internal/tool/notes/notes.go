// Package notes has the tools of agents that keep notes in files: the toolsets todo and memory.
package notes

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
	"github.com/usher-browser/usher/internal/tool"
)

// todoTools returns the tool of the toolset todo: a task list, kept in a file per session name.
func todoTools() []tool.Tool {
	return []tool.Tool{{Name: "todo", Title: "Task list",
		Doc: "Read the task list, or write it: todos replaces the list, with merge the entries of the same id. status: pending, in_progress, completed, cancelled.",
		Params: []tool.Param{{Name: "todos", Kind: tool.Array, Doc: "objects with id, content and status"},
			{Name: "merge", Kind: tool.Boolean, Default: false}},
		Output: reflect.TypeFor[todoResult](),
		Traits: tool.Idempotent, Run: todo}}
}

var taskStatuses = []string{"pending", "in_progress", "completed", "cancelled"}

// filesLock serialises reading and writing of the files, because one process may serve several agents.
var filesLock sync.Mutex

// Bounds of the files.
const (
	maxTasks  = 200
	maxMemory = 20_000 // bytes of each memory
)

func todo(_ context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	filesLock.Lock()
	defer filesLock.Unlock()
	var list []task
	file := sessionFile(h, "todo.json")
	if err := load(file, &list); err != nil {
		return nil, err
	}
	if raw := a.JSON("todos"); raw != nil {
		given, err := decodeTasks(raw)
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
	return &tool.Result{Value: todoResult{tool.Succeeded, list, open}}, nil
}

func decodeTasks(raw jsontext.Value) ([]task, error) {
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
		if !slices.Contains(taskStatuses, t.Status) {
			return nil, api.Errorf(api.InvalidArgument, "todo: todos: entry %s: status is %s, not %.60q", t.ID, tool.Alternatives(taskStatuses), t.Status)
		}
		t.Content = tool.Cut(t.Content, 2000)
	}
	return given, nil
}

// memoryTools returns the tool of the toolset memory: notes that persist across sessions.
func memoryTools() []tool.Tool {
	return []tool.Tool{{Name: "memory", Title: "Memory",
		Doc: "Notes that persist across sessions: your own (memory) and about the person (user). read lists them; add, replace and remove change one.",
		Params: []tool.Param{{Name: "action", Kind: tool.String, Required: true, Enum: []string{"read", "add", "replace", "remove"}},
			{Name: "target", Kind: tool.String, Enum: []string{"memory", "user"}, Default: "memory"},
			{Name: "content", Kind: tool.String}, {Name: "old_text", Kind: tool.String, Doc: "text of the note to change"}},
		Output: reflect.TypeFor[memoryResult](), Run: memory}}
}

func memory(_ context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	filesLock.Lock()
	defer filesLock.Unlock()
	file := filepath.Join(h.StateDir, "memory", a.Str("target")+".json")
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
		if at, err = findNote(list, a.Str("old_text")); err != nil {
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
	return &tool.Result{Value: memoryResult{tool.Succeeded, list}}, nil
}

// findNote returns the index of the only note that contains text. No match, or several, is an error.
func findNote(list []string, text string) (int, error) {
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

// sessionFile returns the path of a file that belongs to the browser session's name.
func sessionFile(h *tool.Host, name string) string {
	return filepath.Join(h.StateDir, "notes", h.Session, name)
}

// load decodes a file that save wrote. If the file does not exist, into is unchanged.
func load(file string, into any) error {
	raw, err := dirs.ReadPrivate(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read what was kept: %w", withCode(err))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return api.Errorf(api.FileNotFound, "what was kept in %s cannot be read, and is left as it is: %w", file, err)
	}
	return nil
}

// withCode gives an error of the operating system a code. A [dirs.Insecure] has one already.
func withCode(err error) error {
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
	if err := dirs.WriteSecret(file, append(tool.Encode(value), '\n')); err != nil {
		return api.Errorf(api.FileWriteFailed, "keep it: %w", err)
	}
	return nil
}

// todoResult is the result of todo.
type todoResult struct {
	tool.Success
	Tasks []task `json:"todos"`
	Open  int    `json:"open"` // number of pending and in_progress entries
}

// task is one entry of a task list.
type task struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"`
}

// memoryResult is the result of memory.
type memoryResult struct {
	tool.Success
	Entries []string `json:"entries"` // all notes after the call
}

// Tools returns the tools of the toolsets todo and memory, which keep files in Host.StateDir.
func Tools() []tool.Tool { return append(todoTools(), memoryTools()...) }
