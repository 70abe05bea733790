package message

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	var stream bytes.Buffer
	sent := []*Message{
		{Type: Start, Start: &Settings{Facade: "() => ({})", Memory: 1 << 28, Idle: 5}},
		{Type: Run, Run: &Code{Code: "return '€'", Name: "run.js", Timeout: 1e9, Config: jsontext.Value(`{"a":1}`), Events: true}},
		{Type: Call, ID: 7, Name: "click", Value: jsontext.Value(`[1]`)},
		{Type: Call, ID: 8, Name: "tab.click", Label: "page.click"},
		{Type: Answer, ID: -8, Value: jsontext.Value(`{"a":"€"}`)},
		{Type: Answer, ID: 1 << 40},
		{Type: Answer, ID: 7, Error: &Error{Message: "no", Code: "c", Hint: "h", Data: jsontext.Value(`{}`)}},
		{Type: Output, Output: &Shown{Kind: "image", Data: []byte{0, 255}, MIMEType: "image/png"}},
		{Type: Result, Result: &Outcome{Value: jsontext.Value(`1`), Text: "1", Waiting: []Waiting{{"click", 3}}, Last: true}},
		{Type: Event, Name: strings.Repeat("x", 3<<20)},
	}
	for _, m := range sent {
		if err := Write(&stream, m); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range sent {
		got, err := Read(&stream)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := Read(&stream); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// TestNext reads messages from what has come so far.
func TestNext(t *testing.T) {
	t.Parallel()
	want := &Message{Type: Call, ID: 7, Name: "click", Value: jsontext.Value(`[1]`)}
	frame, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	for n := range frame {
		if m, size, err := Next(frame[:n]); m != nil || size != 0 || err != nil {
			t.Fatalf("of %d bytes: %v, %d, %v", n, m, size, err)
		}
	}
	got, size, err := Next(append(frame, 0, 0))
	clear(frame)
	if diff := cmp.Diff(want, got); diff != "" || size != len(frame) || err != nil {
		t.Errorf("%d, %v: %s", size, err, diff)
	}
	if _, _, err := Next([]byte("\x7f\xff\xff\xff")); err == nil {
		t.Error("a message over the limit is read")
	}
	if _, _, err := Next([]byte("\x00\x00\x00\x02[]")); err == nil {
		t.Error("what is no message is read")
	}
}

func TestBadMessages(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"\x00\x00":                                  "unexpected EOF",
		"\x00\x00\x00\x05{}":                        "read a message of 5 bytes: unexpected EOF",
		"\x7f\xff\xff\xff":                          "more than the limit",
		"\x03\xff\xff\xff{}":                        "unexpected EOF",
		"\x00\x00\x00\x02[]":                        "read a message",
		"\x00\x00\x00\x00":                          "read a message",
		"\x00\x00\x00\x03{}x":                       "read a message",
		"\x00\x00\x00\x0a{\"type\":1}":              "read a message",
		"\x00\x00\x00\x11{\"type\":\"x\",\"id\":.}": "read a message",
		"\x00\x00\x00\x01c":                         "cut off",
		"\x00\x00\x00\x02a\xff":                     "cut off",
		"\x00\x00\x00\x04c\x02\x05x":                "cut off",
		"\x00\x00\x00\x04c\x02\x01x":                "cut off",
		"\x00\x00\x00\x04a\x02{]":                   "not JSON",
	} {
		if m, err := Read(strings.NewReader(input)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v and %v, want %q", input, m, err, want)
		}
	}
	for _, m := range []*Message{{Type: Call, Value: jsontext.Value("{")}, {Type: Answer, Value: jsontext.Value(" ")}} {
		if err := Write(io.Discard, m); err == nil {
			t.Errorf("%s is written as JSON", m.Value)
		}
	}
	if err := Write(io.Discard, &Message{Name: strings.Repeat("x", MaxSize)}); err == nil {
		t.Error("a message over the limit was written")
	}
}

// FuzzRead: a stream of any bytes gives messages that can be written and read again, and then an error.
func FuzzRead(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x0f{\"type\":\"call\"}\x00"))
	f.Add([]byte("\x00\x00\x00\x1f{\"type\":\"result\",\"result\":{}}  "))
	f.Add([]byte("\x00\x00\x00\x07c\x02\x01x\x00{}\x00\x00\x00\x03a\x021"))
	f.Add(binary.BigEndian.AppendUint32(nil, MaxSize))
	f.Fuzz(func(t *testing.T, stream []byte) {
		for r := bytes.NewReader(stream); ; {
			m, err := Read(r)
			if err != nil {
				return
			}
			frame, err := Encode(m)
			if err != nil {
				t.Fatalf("%+v cannot be written: %v", m, err)
			}
			if _, err := Read(bytes.NewReader(frame)); err != nil {
				t.Fatalf("%s cannot be read: %v", frame, err)
			}
		}
	})
}
