package frame

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

func TestRequestRoundTrip(t *testing.T) {
	want := &Request{
		V: Version, Op: OpRun, ID: "1", Program: "usher", Build: "b\"1\\", Cwd: "/tmp/ä\n\x01\x7f",
		Argv: []string{"fill", "@e1", "", "-5", "\u2028 \U0001F600 <b>"}, Env: []string{"USHER_HOME=/x y", "NO_COLOR=", "USHER_A=b=c"},
		Verb: "fill", Values: map[string][]string{"selector": {"@e1"}, "text": {"a=b\n"}, "upload-root": {"/x", "/y"}}, Preset: []string{"upload-root"}, Tab: "t2",
		TTY: Terminal{In: true, Err: true, Color: true, Width: 120}, PeerUID: -1,
	}
	raw, bad, ok := AppendRequest(nil, want)
	if !ok {
		t.Fatalf("refused: %s", bad)
	}
	got, err := NewReader(bytes.NewReader(raw), 8).Request()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if v, ok := got.LookupEnv("NO_COLOR"); v != "" || !ok {
		t.Error("an empty variable is not a missing one")
	}
	if got.Getenv("USHER_HOME") != "/x y" || got.Getenv("USHER") != "" {
		t.Error("environment lookup")
	}
}

func TestRequestRefusesBytes(t *testing.T) {
	for bad, r := range map[string]*Request{
		"argument 2":    {Op: OpRun, Argv: []string{"a", "\xff"}},
		"cwd":           {Op: OpRun, Cwd: "/\xc3"},
		"tab":           {Op: OpRun, Verb: "back", Tab: "\xff"},
		"preset":        {Op: OpRun, Verb: "fill", Preset: []string{"\xff"}},
		"value of text": {Op: OpRun, Verb: "fill", Values: map[string][]string{"text": {"\xff"}}},
	} {
		if _, got, ok := AppendRequest(nil, r); ok || got != bad {
			t.Errorf("%q, %v; want %q refused", got, ok, bad)
		}
	}
	raw, _, ok := AppendRequest(nil, &Request{Op: OpRun, Env: []string{"USHER_X=\xff", "USHER_Y=1"}})
	if !ok || strings.Contains(string(raw), "USHER_X") || !strings.Contains(string(raw), "USHER_Y=1") {
		t.Errorf("%q", raw)
	}
}

func TestFrameRoundTrip(t *testing.T) {
	for _, f := range []Frame{
		{Kind: Out, Size: 5}, {Kind: Err, Size: 0}, {Kind: Input, Size: 1 << 40}, {Kind: WantInput}, {Kind: InputEnd, Text: "is a directory"},
		{Kind: Progress, Text: "50 % \"of\"\n"}, {Kind: Exit, Status: 130}, {Kind: Exit, Status: -1, Text: "it failed", Hint: "Try again."},
		{Kind: Cancel}, {Kind: Local}, {Kind: Alive},
		{Kind: Refused, Code: "daemon_version", Text: "other build", Build: "v1", PID: 42, Sessions: 2},
	} {
		raw := Append([]byte("before"), f)
		got, err := NewReader(bytes.NewReader(raw[len("before"):]), 8).Next()
		if err != nil || got != f {
			t.Errorf("%q: got %+v, %v; want %+v", raw, got, err, f)
		}
	}
	raw := Append(nil, Frame{Kind: Progress, Text: "a\xffb"})
	if got, err := NewReader(bytes.NewReader(raw), 64).Next(); err != nil || got.Text != "a\uFFFDb" {
		t.Errorf("bytes that are no text: %+v, %v", got, err)
	}
}

// TestReader reads a stream that arrives byte by byte.
func TestReader(t *testing.T) {
	var stream []byte
	stream = Append(stream, Frame{Kind: Out, Size: 3})
	stream = append(stream, "abc"...)
	stream = appendHeader(stream, 'q', 4) // of a kind that a newer build has
	stream = append(stream, "skip"...)
	start := len(stream)
	stream = appendHeader(stream, Exit, 0)
	stream = appendField(stream, "later", strings.Repeat("x", 100))
	stream = closeHeader(appendField(stream, "status", "7"), start)
	r := NewReader(iotest.OneByteReader(bytes.NewReader(stream)), 16)
	var out strings.Builder
	for _, want := range []Frame{{Kind: Out, Size: 3}, {Kind: 'q'}, {Kind: Exit, Status: 7}} {
		f, err := r.Next()
		if err == nil {
			err = r.Copy(&out, f.Size)
		}
		if err != nil || f != want {
			t.Fatalf("%+v, %v, want %+v", f, err, want)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) || out.String() != "abc" {
		t.Errorf("%v, %q", err, &out)
	}
}

func TestReaderRefuses(t *testing.T) {
	field := func(text string) []byte { return closeHeader(append(appendHeader(nil, Exit, 0), text...), 0) }
	var syntax *SyntaxError
	var long *TooLong
	for name, c := range map[string]struct {
		in   []byte
		want any
	}{
		"cut off in the header": {[]byte("x\x00"), io.ErrUnexpectedEOF},
		"cut off in the fields": {appendHeader(nil, Exit, 5), io.ErrUnexpectedEOF},
		"half a length":         {field("\x00\x00\x00"), &syntax},
		"a field too long":      {field("\x00\x00\x00\x02a"), &syntax},
		"a field of 4 GB":       {field("\xff\xff\xff\xffa=b"), &syntax},
		"a field without value": {field("\x00\x00\x00\x06status"), &syntax},
		"no number":             {field("\x00\x00\x00\x09status=1x"), &syntax},
		"no text":               {field("\x00\x00\x00\x0amessage=\xff\xff"), &syntax},
		"too many fields":       {appendHeader(nil, Exit, MaxFields+1), &long},
		"an impossible size":    {[]byte("o\xff\xff\xff\xff\xff\xff\xff\xff"), &syntax},
		"lines":                 {[]byte("{}\n"), &syntax},
		"HTTP":                  {[]byte("HTTP/1.1 400 Bad Request\r\n"), &syntax},
	} {
		f, err := NewReader(bytes.NewReader(c.in), 16).Next()
		target, isError := c.want.(error)
		if err == nil || isError && !errors.Is(err, target) || !isError && !errors.As(err, c.want) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

func TestRequestRefuses(t *testing.T) {
	noOp := closeHeader(appendField(appendHeader(nil, Run, 0), "v", "1"), 0)
	for _, in := range []string{"", string(noOp), "x\x00\x00\x00\x00\x00\x00\x00\x00", `{"v":1,"op":"run"}` + "\n"} {
		if r, err := NewReader(strings.NewReader(in), 16).Request(); err == nil {
			t.Errorf("%q gave %+v", in, r)
		}
	}
	// A client of any protocol version can stop a daemon.
	stop := appendField(appendField(appendField(appendHeader(nil, Run, 0), "v", "9"), "op", OpStop), "later", "x")
	if r, err := NewReader(bytes.NewReader(closeHeader(stop, 0)), 16).Request(); err != nil || r.Op != OpStop || r.V != 9 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestWantEnv(t *testing.T) {
	for pair, want := range map[string]bool{
		"USHER_HOME=/x": true, "AGENT_BROWSER_SESSION": true, "HTTPS_PROXY=a=b": true, "NO_COLOR=": true,
		"AWS_SECRET_ACCESS_KEY=x": false, "XUSHER_A=": false, "HOMEBREW=": false, "": false,
	} {
		if WantEnv(pair) != want {
			t.Errorf("WantEnv(%q) is %v", pair, !want)
		}
	}
}

// TestCredentialsOfAWSStay: they are sent for the provider that uses them only.
func TestCredentialsOfAWSStay(t *testing.T) {
	for _, c := range []struct {
		argv, env []string
		want      bool
	}{
		{[]string{"open", "x"}, []string{"AWS_SECRET_ACCESS_KEY=x", "USHER_PROVIDER=kernel"}, false},
		{[]string{"open", "x", "-p", "agentcore"}, nil, true},
		{[]string{"--provider=agentcore", "open"}, nil, true},
		{[]string{"open"}, []string{"AGENT_BROWSER_PROVIDER=agentcore"}, true},
		{[]string{"close"}, []string{"AGENTCORE_REGION=us-west-2"}, true},
	} {
		if NamesAWS(c.argv, c.env) != c.want {
			t.Errorf("%q, %q: %v", c.argv, c.env, !c.want)
		}
	}
	for pair, want := range map[string]bool{"AWS_SECRET_ACCESS_KEY=x": true, "AWS_PROFILE=x": true, "AWS_SECRET_ACCESS_KEYS=x": false, "AWS_X=": false} {
		if WantAWS(pair) != want {
			t.Errorf("WantAWS(%q) is %v", pair, !want)
		}
	}
}

// FuzzReader reads arbitrary input: it ends with an error or at the end of the stream, and what it accepted is valid
// UTF-8.
func FuzzReader(f *testing.F) {
	f.Add(Append(Append(nil, Frame{Kind: Refused, Code: "c", Text: "t", PID: 1}), Frame{Kind: Out, Size: 3}))
	f.Add(Append(nil, Frame{Kind: Exit, Status: -1, Hint: "h"}))
	f.Fuzz(func(t *testing.T, data []byte) {
		for r := NewReader(bytes.NewReader(data), 16); ; {
			frame, err := r.Next()
			if err == nil {
				err = r.Copy(io.Discard, frame.Size)
			}
			if err != nil {
				return
			}
			if again, err := NewReader(bytes.NewReader(Append(nil, frame)), 16).Next(); isKnown(frame.Kind) && (err != nil || again != frame) {
				t.Fatalf("%+v became %+v, %v", frame, again, err)
			}
		}
	})
}

func isKnown(kind Kind) bool { return strings.ContainsRune("cizwoepxfla", rune(kind)) }

// FuzzRequest encodes the requests that it decoded.
func FuzzRequest(f *testing.F) {
	raw, _, _ := AppendRequest(nil, &Request{Op: OpRun, Argv: []string{"a\n\U0001F600", ""}, Env: []string{"USHER_A=1"}, Cwd: "/"})
	f.Add(raw[HeaderSize:])
	raw, _, _ = AppendRequest(nil, &Request{Op: OpRun, Verb: "back", Values: map[string][]string{"changes": {"delta", ""}}, Tab: "t1"})
	f.Add(raw[HeaderSize:])
	f.Fuzz(func(t *testing.T, data []byte) {
		request, err := ParseRequest(data)
		if err != nil {
			return
		}
		for _, word := range append(request.Argv, request.Cwd, request.Build) {
			if !utf8.ValidString(word) {
				t.Fatalf("accepted %q", word)
			}
		}
		request.TTY = Terminal{Width: request.TTY.Width} // unknown bits are dropped
		again, bad, ok := AppendRequest(nil, request)
		if !ok {
			t.Fatalf("cannot write back %s of %q", bad, data)
		}
		if got, err := ParseRequest(again[HeaderSize:]); err != nil || !reflect.DeepEqual(got, request) {
			t.Fatalf("%q became %+v, %v; was %+v", again, got, err, request)
		}
	})
}

func TestWantsJSON(t *testing.T) {
	for _, c := range []struct {
		r    Request
		want bool
	}{
		{Request{Argv: []string{"get", "title", "--json"}}, true},
		{Request{Argv: []string{"--json", "false", "get", "title"}}, false},
		{Request{Argv: []string{"get", "title"}, Env: []string{"USHER_JSON=1"}}, true},
		{Request{Argv: []string{"get", "title"}, Env: []string{"USHER_JSON=false"}}, false},
		{Request{Argv: []string{"get", "title"}, Env: []string{"USHER_JSON=1"}, Program: "agent-browser"}, false},
		{Request{Env: []string{"AGENT_BROWSER_JSON=yes"}, Program: "agent-browser"}, true},
		{Request{Verb: "get title", Values: map[string][]string{"json": {"true"}}}, true},
		{Request{Verb: "get title", Values: map[string][]string{"json": {"false"}}, Env: []string{"USHER_JSON=1"}}, false},
	} {
		if c.r.WantsJSON() != c.want {
			t.Errorf("%+v: %v", c.r, !c.want)
		}
	}
}
