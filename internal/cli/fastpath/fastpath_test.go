package fastpath

import (
	"go/build"
	"slices"
	"testing"

	"github.com/usher-browser/usher/internal/api/exchange"
)

// TestImports keeps the road before main bare: every package here delays the moment at which it may be taken. Package net is
// for systems where the program has no other way to a socket.
func TestImports(t *testing.T) {
	const here = "github.com/usher-browser/usher/internal/"
	allowed := []string{"errors", "embed", "io", "os", "strconv", "time", "syscall", "unicode/utf8", "unsafe", here + "api/frame", here + "api/exchange"}
	for _, dir := range []string{".", "../../api/exchange", "../../api/frame", "../../../cmd/usher/first"} {
		for _, system := range []string{"linux", "darwin"} {
			context := build.Default
			context.GOOS = system
			p, err := context.ImportDir(dir, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range p.Imports {
				if !slices.Contains(allowed, path) && path != here+"cli/fastpath" {
					t.Errorf("%s imports %s on %s, which the client's first steps must do without", dir, path, system)
				}
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
		if got := buildID(text); got != want {
			t.Errorf("%q has id %q, want %q", text, got, want)
		}
	}
}

func TestProgramOf(t *testing.T) {
	for path, want := range map[string]bool{"/usr/bin/usher": true, "agent-browser": true, "usher.exe": true, "fastpath.test": false, "": false} {
		if _, ok := programOf(path); ok != want {
			t.Errorf("%q: %v", path, ok)
		}
	}
	if r := First(); r.Outcome != exchange.Skipped {
		t.Error("the test binary talked to a daemon")
	}
}

func TestAsksVersion(t *testing.T) {
	for _, c := range []struct {
		argv []string
		json string
		want bool
	}{
		{[]string{"--version"}, "", true}, {[]string{"-V"}, "", true}, {[]string{"version"}, "", true},
		{[]string{"--version"}, "1", false}, {[]string{"--version", "--json"}, "", false}, {[]string{"help", "version"}, "", false}, {nil, "", false},
	} {
		if got := asksVersion(c.argv, func(string) string { return c.json }); got != c.want {
			t.Errorf("%q with JSON %q: %v", c.argv, c.json, got)
		}
	}
}
