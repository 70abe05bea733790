package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAgentDisconnects: what an agent was doing whose server was killed is given up in the browser, and those that are
// there go on.
func TestAgentDisconnects(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil)
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	for name, script := range map[string]string{
		"a script that waits": "void fetch('/echo'), new Promise(() => {})",
		"an endless script":   "void navigator.sendBeacon('/echo'); for (;;) {}",
	} {
		b, server := a.another()
		before, ended := len(site.Requests("/echo")), make(chan error, 1)
		go func() {
			_, err := b.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_console", Arguments: map[string]any{"expression": script}})
			ended <- err
		}()
		for deadline := time.Now().Add(cdptest.Timeout); len(site.Requests("/echo")) == before; time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("%s: it did not begin", name)
			}
		}
		if err := server.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Errorf("%s: the call succeeded", name)
		}
		_ = b.Close() // its server is gone
		if got := a.must("browser_console", map[string]any{"expression": "document.title"}); got["result"] != "Small" {
			t.Errorf("%s: the page is %v", name, got)
		}
		if said := shell("--session", "shared", "get", "title"); !strings.Contains(said, "Small") {
			t.Errorf("%s: the command line says %s", name, said)
		}
	}
}

// TestTwoAgentsInOneSession: two agents work in one session at a time. Each gets its own results and the changes since
// its own last snapshot, and either may answer the other's dialog.
func TestTwoAgentsInOneSession(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	b, _ := a.another()
	defer b.Close()
	page := a.must("browser_navigate", map[string]any{"url": site.URL("/forms")})
	var both sync.WaitGroup
	for who, one := range []agent{a, b} {
		both.Go(func() {
			for n := range 25 {
				want := float64(1000*who + n)
				if got := one.must("browser_console", map[string]any{"expression": fmt.Sprintf("new Promise(done => setTimeout(() => done(%v), %d))", want, n%3)}); got["result"] != want {
					t.Errorf("agent %d asked for %v and was told %v", who, want, got["result"])
				}
			}
		})
	}
	both.Wait()
	b.must("browser_snapshot", nil)
	a.must("browser_click", map[string]any{"ref": a.refOf(page["snapshot"], `checkbox "Checkbox"`), "changes": "none"})
	for who, one := range []agent{a, b} {
		if got := one.must("browser_snapshot", map[string]any{"delta": true}); got["delta"] != true || !strings.Contains(got["snapshot"].(string), `checkbox "Checkbox" [checked=true`) {
			t.Errorf("agent %d is told of the change: %v, %.300v", who, got["why_whole"], got["snapshot"])
		}
	}
	asked := make(chan error, 1)
	go func() {
		_, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_console", Arguments: map[string]any{"expression": "confirm('sure?')"}})
		asked <- err
	}()
	var pending []any
	for len(pending) == 0 {
		pending, _ = b.must("browser_snapshot", nil)["pending_dialogs"].([]any)
	}
	b.must("browser_dialog", map[string]any{"action": "accept"})
	if err := <-asked; err != nil { // its result has the dialog, or the dialog's answer
		t.Errorf("whose dialog it was: %v", err)
	}
	if got := b.must("browser_snapshot", nil); got["pending_dialogs"] != nil {
		t.Errorf("the dialog is still there: %v", got)
	}
}
