package line

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRequestRoundTrip(t *testing.T) {
	want := &Request{
		V: Version, Op: OpRun, ID: "1", Program: "usher", Build: "b\"1\\", Cwd: "/tmp/ä\n\x01\x7f",
		Argv: []string{"fill", "@e1", "", "-5", "\u2028 \U0001F600 <b>"}, Env: []string{"USHER_HOME=/x y", "NO_COLOR="},
		TTY: Terminal{In: true, Err: true, Color: true, Width: 120}, PeerUID: -1,
	}
	raw, bad, ok := AppendRequest(nil, want)
	if !ok {
		t.Fatalf("refused: %s", bad)
	}
	if strings.Count(string(raw), "\n") != 1 || raw[len(raw)-1] != '\n' {
		t.Fatalf("not one line: %q", raw)
	}
	got, err := ParseRequest(raw)
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
		"argument 2": {Op: OpRun, Argv: []string{"a", "\xff"}},
		"cwd":        {Op: OpRun, Cwd: "/\xc3"},
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
		{Kind: Out, Size: 5}, {Kind: Err, Size: 0}, {Kind: Stdin, Size: 1 << 40}, WantStdin, {Kind: Stdin, Text: "is a directory"},
		{Kind: Progress, Text: "50 % \"of\"\n"}, {Kind: Exit, Size: 130}, {Kind: Cancel}, {Kind: Local}, {Kind: Alive}, {Kind: Unknown},
		{Kind: Refused, Code: "daemon_version", Text: "other build", Build: "v1", PID: 42, Sessions: 2},
	} {
		raw := AppendFrame(nil, f)
		got, err := ParseFrame(raw)
		if err != nil || got != f {
			t.Errorf("%s: got %+v, %v; want %+v", raw, got, err, f)
		}
	}
}

func TestParseFrame(t *testing.T) {
	for in, ok := range map[string]bool{
		`{}`: true,
		` { "later" : [1,{"a":[]},-0.5e+3,null,true,"\ud83d\ude00"] , "exit" : 1 } `: true,
		`{"exit":-1}`:                  true,
		``:                             false,
		`{`:                            false,
		`{"exit":}`:                    false,
		`{"exit":1.5}`:                 false,
		`{"exit":01}`:                  false,
		`{"out":-1}`:                   false,
		`{"out":99999999999999999999}`: false,
		`{"out":"5"}`:                  false,
		`{"out":1} {`:                  false,
		`{"a":"\x"}`:                   false,
		`{"a":"\u12"}`:                 false,
		"{\"a\":\"\n\"}":               false,
		"{\"a\":\"\xff\"}":             false,
		`{"a":1,}`:                     false,
		`[1]`:                          false,
		`GET / HTTP/1.1`:               false,
		`{"a":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + `}`: false,
	} {
		if _, err := ParseFrame([]byte(in)); (err == nil) != ok {
			t.Errorf("%.60q: error %v, want ok %v", in, err, ok)
		}
	}
}

func TestParseRequestRefuses(t *testing.T) {
	for _, in := range []string{`{}`, `{"v":1,"op":"run","argv":"x"}`, `{"v":1,"op":"run","argv":[1]}`} {
		if r, err := ParseRequest([]byte(in)); err == nil {
			t.Errorf("%s gave %+v", in, r)
		}
	}
	// A daemon can be told to leave by a client of any protocol version.
	if r, err := ParseRequest([]byte(`{"v":9,"op":"stop","later":{}}`)); err != nil || r.Op != OpStop || r.V != 9 {
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

// FuzzParse holds the two parsers against encoding/json: they accept nothing it
// refuses, and read strings as it does.
func FuzzParse(f *testing.F) {
	raw, _, _ := AppendRequest(nil, &Request{Op: OpRun, Argv: []string{"a\n\U0001F600"}, Env: []string{"USHER_A=1"}, Cwd: "/"})
	f.Add(raw)
	f.Add(AppendFrame(nil, Frame{Kind: Refused, Code: "c", Text: "t", PID: 1}))
	f.Add([]byte(`{"out":3,"x":{"y":[1,2.5e-7,"\ud800\u00e9\/"]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		frame, frameErr := ParseFrame(data)
		request, requestErr := ParseRequest(data)
		if frameErr != nil && requestErr != nil {
			return
		}
		if !utf8.Valid(data) {
			t.Fatalf("accepted invalid UTF-8 %q", data)
		}
		if !json.Valid(data) {
			t.Fatalf("accepted %q, which is not JSON", data)
		}
		if frameErr == nil && frame.Size < 0 && frame != WantStdin && frame.Kind != Exit && frame.Kind != Unknown && frame.Kind != Stdin {
			t.Fatalf("a negative size in %q: %+v", data, frame)
		}
		if requestErr == nil {
			again, bad, ok := AppendRequest(nil, request)
			if !ok {
				t.Fatalf("cannot write back %s of %q", bad, data)
			}
			got, err := ParseRequest(again)
			if request.Op == OpRun && len(request.Argv)+len(request.Env) > 0 && (err != nil || !reflect.DeepEqual(got.Argv, append([]string{}, request.Argv...)) ||
				!reflect.DeepEqual(got.Env, append([]string{}, request.Env...)) || got.Cwd != request.Cwd) {
				t.Fatalf("%q became %+v, %v; was %+v", again, got, err, request)
			}
		}
	})
}

// FuzzString holds AppendString against encoding/json's reader.
func FuzzString(f *testing.F) {
	f.Add("a\"\\\x00\x1f\n\xff\u2028é")
	f.Fuzz(func(t *testing.T, s string) {
		var got string
		raw := AppendString(nil, s)
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		if want := strings.ToValidUTF8(s, "\xff"); utf8.ValidString(s) && got != want {
			t.Fatalf("%q came back as %q", s, got)
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
	} {
		if c.r.WantsJSON() != c.want {
			t.Errorf("%+v: %v", c.r, !c.want)
		}
	}
}
