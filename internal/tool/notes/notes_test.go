package notes

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/tooltest"
)

func TestTodo(t *testing.T) {
	h := tooltest.Host(t)
	steps := []struct{ args, want string }{
		{`{}`, `{"success":true,"todos":[],"open":0}`},
		{`{"todos":[{"id":"1","content":"a"},{"id":"2","content":"b","status":"completed"}]}`,
			`{"success":true,"todos":[{"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"completed"}],"open":1}`},
		{`{"todos":[{"id":"1","content":"a","status":"completed"}],"merge":true}`,
			`{"success":true,"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"completed"}],"open":0}`},
		{`{"todos":[{"id":"3"}]}`, "todo: todos: entry 1 needs id and content"},
		{`{"todos":[{"id":"3","content":"c","status":"later"}]}`, "todo: todos: entry 3: status is pending, in_progress, completed or cancelled"},
		{`{"todos":[3]}`, "todo: todos: give objects"},
	}
	for _, s := range steps {
		if got := tooltest.Call(t, Tools(), h, "todo", s.args); !strings.HasPrefix(got, s.want) {
			t.Errorf("%s: %s\nwant %s", s.args, got, s.want)
		}
	}
}

func TestMemory(t *testing.T) {
	h := tooltest.Host(t)
	for _, s := range []struct{ args, want string }{
		{`{"action":"read"}`, `{"success":true,"entries":[]}`},
		{`{"action":"add","content":"likes tea"}`, `{"success":true,"entries":["likes tea"]}`},
		{`{"action":"add","content":"likes tea"}`, `{"success":true,"entries":["likes tea"]}`},
		{`{"action":"add","content":"likes cake"}`, `{"success":true,"entries":["likes tea","likes cake"]}`},
		{`{"action":"replace","old_text":"likes","content":"x"}`, "memory: several notes contain"},
		{`{"action":"replace","old_text":"tea","content":"likes coffee"}`, `{"success":true,"entries":["likes coffee","likes cake"]}`},
		{`{"action":"remove","old_text":"soup"}`, "memory: no note contains"},
		{`{"action":"remove","old_text":"cake"}`, `{"success":true,"entries":["likes coffee"]}`},
		{`{"action":"read","target":"user"}`, `{"success":true,"entries":[]}`},
		{`{"action":"add"}`, "memory: add needs content"},
	} {
		if got := tooltest.Call(t, Tools(), h, "memory", s.args); !strings.HasPrefix(got, s.want) {
			t.Errorf("%s: %s\nwant %s", s.args, got, s.want)
		}
	}
	file := filepath.Join(h.StateDir, "memory", "memory.json")
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := tooltest.Call(t, Tools(), h, "memory", `{"action":"add","content":"y"}`); !strings.Contains(got, "left as it is") {
		t.Errorf("over a broken file: %s", got)
	}
}
