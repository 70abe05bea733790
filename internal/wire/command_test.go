package wire_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/wire"
)

func TestParseCommand(t *testing.T) {
	for _, c := range []struct {
		in, out string
		err     error
	}{
		{`{"id":1,"method":"A.b"}`, `{"id":1,"method":"A.b"}`, nil},
		{` { "sessionId" : "S-1" , "params" : { "a":[1,"}"] } , "method":"A.b" , "id" : 7 } `, `{"id":7,"method":"A.b","params":{ "a":[1,"}"] },"sessionId":"S-1"}`, nil},
		{`{"id":1,"method":"A.b","extra":{"id":2},"params":{}}`, `{"id":1,"method":"A.b","params":{}}`, nil},
		{`{"id":1,"method":"A.b","params":{"s":"\ud800"}}`, `{"id":1,"method":"A.b","params":{"s":"\ud800"}}`, nil},
		{``, "", wire.ErrNotJSON},
		{`{"id":1,"method":"A.b"}{}`, "", wire.ErrNotJSON},
		{"{\"id\":1,\"method\":\"A.b\",\"params\":{\"s\":\"\x00\"}}", "", wire.ErrNotJSON},
		{"{\"id\":1,\"method\":\"A.b\",\"params\":{\"s\":\"\xff\"}}", "", wire.ErrNotJSON},
		{`[1]`, "", wire.ErrNotCommand},
		{`{"method":"A.b"}`, "", wire.ErrNotCommand},
		{`{"id":1}`, "", wire.ErrNotCommand},
		{`{"id":1.5,"method":"A.b"}`, "", wire.ErrNotCommand},
		{`{"id":"1","method":"A.b"}`, "", wire.ErrNotCommand},
		{`{"id":2147483648,"method":"A.b"}`, "", wire.ErrNotCommand},
		{`{"id":-1,"method":"A.b"}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"Ab"}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"A.b\","}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"A.b","params":[]}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"A.b","sessionId":""}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"A.b","sessionId":"a","sessionId":"b"}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"A.b","\u0073essionId":"b"}`, "", wire.ErrNotCommand},
		{`{"id":1,"method":"A.b","params":` + strings.Repeat(`{"a":`, 250) + "1" + strings.Repeat("}", 250) + "}", "", wire.ErrNotCommand},
	} {
		got, err := wire.ParseCommand([]byte(c.in))
		if !errors.Is(err, c.err) || err == nil && string(got.Append(nil)) != c.out {
			t.Errorf("%.80q: %q, %v", c.in, got.Append(nil), err)
		}
	}
}

// FuzzParseCommand puts what was read together again: it is one valid message, which is read alike.
func FuzzParseCommand(f *testing.F) {
	for _, s := range []string{`{"id":1,"method":"A.b","params":{"x":"}\"{"},"sessionId":"S"}`, `{"id":1,"id":2}`, `{"\u0069d":1,"method":"A.b"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		c, err := wire.ParseCommand(msg)
		if err != nil {
			return
		}
		c.SessionID = "OTHER"
		text := c.Append(nil)
		if !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) || bytes.IndexByte(text, 0) >= 0 {
			t.Fatalf("%q becomes %q", msg, text)
		}
		again, err := wire.ParseCommand(text)
		if err != nil || again.ID != c.ID || again.Method != c.Method || again.SessionID != "OTHER" || !bytes.Equal(again.Params, c.Params) {
			t.Fatalf("%q becomes %q: %+v %v", msg, text, again, err)
		}
	})
}

// TestEnvelopeAppend writes what was read of the browser's messages.
func TestEnvelopeAppend(t *testing.T) {
	for _, msg := range []string{
		`{"id":3,"result":{"a":1},"sessionId":"S"}`, `{"id":3,"error":{"code":1,"message":"m"}}`, `{"method":"A.b","params":{"a":"}"},"sessionId":"S"}`,
	} {
		env, err := wire.Peek([]byte(msg))
		if err != nil || string(env.Append(nil)) != msg {
			t.Errorf("%s: %s, %v", msg, env.Append(nil), err)
		}
	}
}
