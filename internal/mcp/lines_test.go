package mcp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestLines: a line that is no message is answered, and what comes behind it is read.
func TestLines(t *testing.T) {
	ping := func(id int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id) }
	const request, parse = `"code":-32600,`, `"code":-32700,`
	for _, c := range []struct {
		line    string
		answers []string // parts of the only answer; none for a message
	}{
		{ping(1), nil},
		{" " + ping(2) + "\r", nil},
		{`[` + ping(3) + `]`, nil},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil},
		{`{"id":"a"}`, []string{`"id":"a"`, request, "not one message of JSON-RPC 2.0"}},
		{`{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{`"id":null`, request}},
		{`{"jsonrpc":"1.0","id":4,"method":"ping"}`, []string{`"id":4`, request}},
		{`7`, []string{`"id":null`, parse}},
		{`{"jsonrpc":"2.0","id":5,"method":"ping"} {}`, []string{`"id":5`, parse, "no JSON text"}},
		{strings.Repeat("x", 2*mcp.DefaultMaxLineLength), []string{`"id":null`, parse, "more than"}},
	} {
		var out bytes.Buffer
		l := &lines{in: bufio.NewReader(strings.NewReader("\n" + c.line + "\n" + ping(9))), out: &out, calls: &arrivals{}}
		got, err := io.ReadAll(l)
		if err != nil {
			t.Fatal(err)
		}
		want := ping(9) + "\n"
		if c.answers == nil {
			want = strings.TrimSpace(c.line) + "\n" + want
		}
		if string(got) != want || strings.Count(out.String(), "\n") != min(1, len(c.answers)) {
			t.Errorf("%.60q reads as %.90q, answered %.200q", c.line, got, out.String())
		}
		for _, part := range c.answers {
			if !strings.Contains(out.String(), part) {
				t.Errorf("%.60q is answered %.200q, want %s", c.line, out.String(), part)
			}
		}
	}
}
