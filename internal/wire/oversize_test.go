package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestOversize passes messages over a pipe that are too large, each followed by one that is not.
func TestOversize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, before, after string
		fill                int
		want                string // empty for the message itself
	}{
		{"an event", `{"method":"Runtime.consoleAPICalled","params":{"x":"`, `"},"sessionId":"S"}`, MaxEvent,
			`{"method":"Usher.eventsLost","params":{"method":"Runtime.consoleAPICalled","size":33554503},"sessionId":"S"}`},
		{"an event of the browser", `{"method":"Target.x","params":{"x":"`, `"}}`, MaxEvent,
			`{"method":"Usher.eventsLost","params":{"method":"Target.x","size":33554471}}`},
		{"an event that fits", `{"method":"A.b","params":{"x":"`, `"}}`, 1 << 20, ""},
		{"a reply that fits", `{"id":7,"result":{"x":"`, `"}}`, MaxEvent, ""},
		{"a reply", `{"id":7,"result":{"x":"`, `"},"sessionId":"S"}`, MaxReply,
			`{"id":7,"error":{"code":-32020,"message":"the browser's answer has 128 MB, and at most 128 MB are taken"},"sessionId":"S"}`},
		{"what is no message of the protocol", `[`, `]`, MaxEvent, `{"method":"Usher.eventsLost","params":{"method":"unknown","size":33554434}}`},
	} {
		in, out := io.Pipe()
		go func() {
			piece := strings.Repeat("x", 1<<20)
			_, _ = io.WriteString(out, c.before)
			for n := c.fill; n > 0; n -= len(piece) {
				_, _ = io.WriteString(out, piece[:min(n, len(piece))])
			}
			_, _ = io.WriteString(out, c.after+"\x00{\"id\":8,\"result\":{}}\x00")
		}()
		p := Pipe(in, out)
		got, err := p.Read()
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want == "" && (len(got) != len(c.before)+c.fill+len(c.after) || !bytes.HasPrefix(got, []byte(c.before)) || !bytes.HasSuffix(got, []byte(c.after))):
			t.Errorf("%s came as %d bytes, %.100s", c.name, len(got), got)
		case c.want != "" && string(got) != c.want:
			t.Errorf("%s came as %.300s", c.name, got)
		}
		if next, err := p.Read(); err != nil || string(next) != `{"id":8,"result":{}}` {
			t.Errorf("behind %s came %.100s, %v", c.name, next, err)
		}
		_ = p.Close()
	}
}

// FuzzOversize makes of the two ends of a message that is too large one that can be read.
func FuzzOversize(f *testing.F) {
	f.Add([]byte(`{"method":"A.b","params":{`), []byte(`},"sessionId":"S"}`))
	f.Add([]byte(`{"id":12345678901234567890,`), []byte(`"}`))
	f.Add([]byte("0"), []byte(`,"sessionId":"}`))
	f.Add([]byte("{\"method\":\"\x01\xff\","), []byte(`,"sessionId":"\""}`))
	f.Fuzz(func(t *testing.T, head, tail []byte) {
		c := collector{kept: head, tail: append([]byte{}, tail...), size: MaxReply + 1}
		if got := c.bytes(); !jsontext.Value(got).IsValid(jsontext.AllowInvalidUTF8(true)) {
			t.Errorf("%q and %q make %q", head, tail, got)
		}
	})
}
