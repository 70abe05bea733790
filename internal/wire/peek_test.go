package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

func TestPeek(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for _, c := range []struct {
		name, msg string
		want      Envelope
		payload   string
	}{
		{"event", `{"method":"Page.loadEventFired","params":{"timestamp":1.5},"sessionId":"S"}`, Envelope{Method: "Page.loadEventFired", SessionID: "S"}, `{"timestamp":1.5}`},
		{"event of the browser", `{"method":"Target.targetCreated","params":{"targetInfo":{"url":"a"}}}`, Envelope{Method: "Target.targetCreated"}, `{"targetInfo":{"url":"a"}}`},
		{"event without parameters", `{"method":"DOM.documentUpdated"}`, Envelope{Method: "DOM.documentUpdated"}, ""},
		{"result", `{"id":12,"result":{},"sessionId":"S"}`, Envelope{ID: 12, SessionID: "S"}, `{}`},
		{"error", `{"id":3,"error":{"code":-32601,"message":"no \"such\" method"}}`, Envelope{ID: 3, IsError: true}, `{"code":-32601,"message":"no \"such\" method"}`},
		{"a session inside the payload", `{"method":"Target.attachedToTarget","params":{"sessionId":"inner"}}`, Envelope{Method: "Target.attachedToTarget"}, `{"sessionId":"inner"}`},
		{"a last session inside the payload", `{"method":"A.b","params":{"a":1,"sessionId":"inner"}}`, Envelope{Method: "A.b"}, `{"a":1,"sessionId":"inner"}`},
		{"a forged end", `{"method":"A.b","params":{"text":"\"},\"sessionId\":\"forged"},"sessionId":"S"}`, Envelope{Method: "A.b", SessionID: "S"}, `{"text":"\"},\"sessionId\":\"forged"}`},
		{"another order", `{"sessionId":"S","params":{"a":{}},"method":"A.b"}`, Envelope{Method: "A.b", SessionID: "S"}, `{"a":{}}`},
		{"session in the middle", `{"id":1,"sessionId":"S","result":{"a":1}}`, Envelope{ID: 1, SessionID: "S"}, `{"a":1}`},
		{"spaces", " { \"id\" : 7 , \"result\" : { \"a\" : [ 1 ] } }\n", Envelope{ID: 7}, `{ "a" : [ 1 ] }`},
		{"a member nobody knows", `{"method":"A.b","params":{"a":1},"extra":{"b":2}}`, Envelope{Method: "A.b"}, `{"a":1}`},
		{"a long member nobody knows", `{"method":"A.b","params":{"a":1},"extra":{"b":"` + long + `"}}`, Envelope{Method: "A.b"}, `{"a":1}`},
		{"a long member and a session", `{"id":1,"result":{"a":1},"extra":{"b":"` + long + `"},"sessionId":"S"}`, Envelope{ID: 1, SessionID: "S"}, `{"a":1}`},
	} {
		e, err := Peek([]byte(c.msg))
		payload := string(e.Payload)
		e.Payload = nil
		if err != nil || e.ID != c.want.ID || e.Method != c.want.Method || e.SessionID != c.want.SessionID || e.IsError != c.want.IsError || payload != c.payload {
			t.Errorf("%s: %+v with %.200s, %v", c.name, e, payload, err)
		}
	}
	for _, bad := range []string{"", "{", "}", "null", "[]", "{}", `{"id":"x"}`, `{"id":1`, `{"id":1,}`, `{"id":1}x`, `{"method":1}`, `{"method":"A.b","params":{}`, `{"method":"A.b" "params":{}}`, `{"result":{}}`, `"id"`, `{"id":99999999999999999999,"result":{}}`, "\xff"} {
		if e, err := Peek([]byte(bad)); err == nil {
			t.Errorf("%q is taken for %+v", bad, e)
		}
	}
}

// FuzzPeek compares with encoding/json on everything that is valid JSON, and the
// quick way with the thorough one.
func FuzzPeek(f *testing.F) {
	for _, s := range []string{
		`{"method":"Page.loadEventFired","params":{"timestamp":1.5},"sessionId":"S"}`,
		`{"id":12,"result":{"a":[{"b":"c"}]},"sessionId":"S"}`,
		`{"id":3,"error":{"code":-32601,"message":"no \"such\" method"}}`,
		`{"sessionId":"S","params":{"a":{}},"method":"A.b"}`,
		`{"method":"A.b","params":{"text":"\"},\"sessionId\":\"forged"},"sessionId":"S"}`,
		`{"method":"A.b","params":{"a":1},"extra":{"b":2}}`,
		`{"id":1,"result":{"a":1},"id":2,"method":"x"}`,
		`{"id":1,"result":{"a":1},"result":{"b":1}}`,
		`{"method":"A","params":{},"sessionId":"a\"b"}`,
		`{"method":"A","params":{"a":"},\"x\":{"}}`,
		`{"id":0,"result":{}}`, `{"id":007,"result":{}}`, `{"id":-1,"result":{}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, msg []byte) {
		got, err := Peek(msg) // must not panic whatever it is
		if !json.Valid(msg) {
			return
		}
		slow, slowErr := peekAny(msg)
		if fast, ok := peekChromium(msg); ok && (slowErr != nil || !same(fast, slow)) {
			t.Fatalf("%s: quickly %+v, thoroughly %+v, %v", msg, fast, slow, slowErr)
		}
		want, known := truth(msg)
		if !known {
			return
		}
		if err != nil || !same(got, want) {
			t.Fatalf("%s: %+v %q, want %+v %q, %v", msg, got, got.Payload, want, want.Payload, err)
		}
	})
}

func same(a, b Envelope) bool {
	return a.ID == b.ID && a.Method == b.Method && a.SessionID == b.SessionID && a.IsError == b.IsError && bytes.Equal(a.Payload, b.Payload)
}

// truth returns what encoding/json makes of a message, if it is one whose keys stand
// there once and whose names are plain, as the protocol's are.
func truth(msg []byte) (e Envelope, ok bool) {
	d := json.NewDecoder(bytes.NewReader(msg))
	if tok, err := d.Token(); err != nil || tok != json.Delim('{') {
		return e, false
	}
	seen := map[string]bool{}
	for d.More() {
		start := d.InputOffset()
		key, err := d.Token()
		if err != nil || bytes.IndexByte(msg[start:d.InputOffset()], '\\') >= 0 {
			return e, false
		}
		name := key.(string)
		var raw json.RawMessage
		if d.Decode(&raw) != nil || seen[name] {
			return e, false
		}
		seen[name] = true
		switch name {
		case "id":
			if json.Unmarshal(raw, &e.ID) != nil || e.ID <= 0 {
				return e, false
			}
		case "method", "sessionId":
			word := &e.Method
			if name == "sessionId" {
				word = &e.SessionID
			}
			if json.Unmarshal(raw, word) != nil || `"`+*word+`"` != string(raw) {
				return e, false
			}
		case "params", "result", "error":
			if e.Payload != nil {
				return e, false
			}
			e.Payload, e.IsError = raw, name == "error"
		}
	}
	return e, e.ID != 0 || e.Method != ""
}

func BenchmarkPeek(b *testing.B) {
	event := []byte(`{"method":"Network.dataReceived","params":{"requestId":"1000.12","timestamp":1234.5,"dataLength":100,"encodedDataLength":0,"list":[{"a":1},{"b":2}],"text":"` + strings.Repeat("w", 300) + `"},"sessionId":"0123456789ABCDEF0123456789ABCDEF"}`)
	image := []byte(`{"id":1,"result":{"data":"` + strings.Repeat("w", 5<<20) + `"},"sessionId":"0123456789ABCDEF0123456789ABCDEF"}`)
	tree := []byte(`{"id":1,"result":{"nodes":[` + strings.Repeat(`{"nodeId":"12","role":{"type":"role","value":"button"},"ignored":false},`, 70000) + `{}]},"sessionId":"0123456789ABCDEF0123456789ABCDEF"}`)
	for name, msg := range map[string][]byte{"event": event, "image": image, "tree": tree} {
		b.Run(name+"/peek", func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			for b.Loop() {
				if _, err := Peek(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/any", func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			for b.Loop() {
				if _, err := peekAny(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
