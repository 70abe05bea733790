package warm

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"strconv"
	"testing"
)

// TestImports keeps the road before main bare: every import here delays the
// moment at which this package may be initialised.
func TestImports(t *testing.T) {
	allowed := map[string]bool{"errors": true, "io": true, "os": true, "strconv": true, "time": true, "syscall": true, "unsafe": true,
		"github.com/usher-browser/usher/internal/api/line": true}
	for _, name := range []string{"warm.go", "build.go", "dial_unix.go", "os_linux.go", "os_darwin.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err != nil || !allowed[path] {
				t.Errorf("%s imports %s, which the client's first steps must do without", name, path)
			}
		}
	}
}

func TestBuild(t *testing.T) {
	first := Build()
	if first == "" || first != Build() {
		t.Errorf("this binary is %q", first)
	}
	note := "\x04\x00\x00\x00\x09\x00\x00\x00\x04\x00\x00\x00Go\x00\x00a/b/c/def"
	for text, want := range map[string]string{
		note:                                   "def",
		"xx" + note:                            "def",
		"\x7fELF \xff Go build ID: \"a/xyz\" ": "xyz",
		"\x04\x00\x00\x00\xff\xff\x00\x00\x04\x00\x00\x00Go\x00\x00a": "",
		"": "",
	} {
		if got := buildID([]byte(text)); got != want {
			t.Errorf("%q has id %q, want %q", text, got, want)
		}
	}
}

func TestReader(t *testing.T) {
	long := bytes.Repeat([]byte("x"), 200)
	r := reader{conn: bytes.NewReader(append(append([]byte("{}\n"), long...), "\n123456rest\n"...)), buf: make([]byte, 8)}
	for _, want := range []string{"{}", string(long)} {
		if got, err := r.line(); err != nil || string(got) != want {
			t.Fatalf("%q, %v", got, err)
		}
	}
	var out bytes.Buffer
	if err := r.copy(&out, 6); err != nil || out.String() != "123456" {
		t.Errorf("%q, %v", &out, err)
	}
	if got, err := r.line(); err != nil || string(got) != "rest" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := r.line(); err == nil {
		t.Error("no end")
	}
}

func TestProgramOf(t *testing.T) {
	for path, want := range map[string]bool{"/usr/bin/usher": true, "agent-browser": true, "usher.exe": true, "warm.test": false, "": false} {
		if _, ok := programOf(path); ok != want {
			t.Errorf("%q: %v", path, ok)
		}
	}
	if os.Args[0] != "" && Early.Outcome != Skipped {
		t.Error("the test binary talked to a daemon")
	}
}
