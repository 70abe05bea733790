package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api/client"
	"github.com/usher-browser/usher/internal/tool"
)

// TestCallsInOrder: calls that a client sends without waiting are made in that order where they change something, readers come after what
// changes, and calls that answer what others wait for come at once.
func TestCallsInOrder(t *testing.T) {
	var mu sync.Mutex
	var made []string
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		made = append(made, text)
	}
	answered := make(chan struct{})
	number := []tool.Param{{Name: "n", Kind: tool.Integer, Required: true}}
	tools := []tool.Tool{
		{Name: "change", Doc: "changes", Params: number, Lane: tool.OneLane, Run: func(_ context.Context, _ *tool.Host, a tool.Args) (*tool.Result, error) {
			if a.Int("n") == 0 {
				<-answered
			}
			note(fmt.Sprint("change ", a.Int("n")))
			return &tool.Result{Text: "done"}, nil
		}},
		{Name: "read", Doc: "reads", Params: number, Lane: tool.OneLane, Traits: tool.ReadOnly, Run: func(_ context.Context, _ *tool.Host, a tool.Args) (*tool.Result, error) {
			note(fmt.Sprint("read ", a.Int("n")))
			return &tool.Result{Text: "done"}, nil
		}},
		{Name: "answer", Doc: "answers", Params: number, Run: func(context.Context, *tool.Host, tool.Args) (*tool.Result, error) {
			note("answer")
			close(answered)
			return &tool.Result{Text: "done"}, nil
		}},
	}
	s := New(Options{Version: "test", Tools: tools, Host: tool.Host{Daemon: &client.Client{Socket: filepath.Join(t.TempDir(), "none")}, ArtifactDir: t.TempDir()}})
	in, send := io.Pipe()
	receive, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context(), overStdio(in, out, &s.arrivals)) }()
	answers := bufio.NewScanner(receive)
	write := func(lines ...string) {
		if _, err := io.WriteString(send, strings.Join(lines, "\n")+"\n"); err != nil {
			t.Error(err)
		}
	}
	write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`)
	answers.Scan()
	const calls = 40
	lines := []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`}
	call := func(id int, name string, n int) {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`, id, name, n))
	}
	for n := range calls {
		call(100+n, "change", n)
		call(200+n, "read", n)
	}
	lines = append(lines, `{"jsonrpc":"2.0","id":300,"method":"tools/call","params":{"name":"none"}}`, `{"jsonrpc":"2.0","id":301,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":105}}`)
	call(302, "answer", 0)
	go write(lines...)
	for seen := map[int]bool{}; len(seen) < 2*calls+2; { // a call that was cancelled may have no answer
		if !answers.Scan() {
			t.Fatalf("the server has ended: %v", answers.Err())
		}
		var answer struct {
			ID int `json:"id"`
		}
		if err := json.Unmarshal(answers.Bytes(), &answer); err != nil {
			t.Fatalf("%s: %v", answers.Bytes(), err)
		}
		if answer.ID != 105 {
			seen[answer.ID] = true
		}
	}
	_ = send.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if made[0] != "answer" || made[1] != "change 0" {
		t.Errorf("first came %q", made[:2])
	}
	last := -1
	for _, what := range made[1:] {
		var n int
		if _, err := fmt.Sscanf(what, "change %d", &n); err == nil {
			if n <= last {
				t.Errorf("change %d came after change %d", n, last)
			}
			last = n
		}
	}
	for n := range calls {
		change, read := slices.Index(made, fmt.Sprint("change ", n)), slices.Index(made, fmt.Sprint("read ", n))
		if n != 5 && (change < 0 || read < change) {
			t.Errorf("read %d came before change %d: %d, %d", n, n, read, change)
		}
	}
}
