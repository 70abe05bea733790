package dirs

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func homeName() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

func TestOf(t *testing.T) {
	home := filepath.Join(string(filepath.Separator), "h")
	if runtime.GOOS == "windows" {
		home = `C:\h`
	}
	j := filepath.Join
	for _, c := range []struct {
		name      string
		env       []string
		namespace string
		other     bool
		want      Dirs
	}{
		{"plain", []string{homeName(), home}, "", false, Dirs{Home: j(home, ".usher"), Run: j(home, ".usher", "run"),
			Artifacts: j(home, ".usher", "artifacts"), Config: j(home, ".usher")}},
		{"namespace", []string{homeName(), home}, "n", false, Dirs{Home: j(home, ".usher"), Run: j(home, ".usher", "run", "namespaces", "n"),
			Artifacts: j(home, ".usher", "namespaces", "n", "artifacts"), Config: j(home, ".usher")}},
		{"moved", []string{homeName(), home, "USHER_HOME", j(home, "u")}, "", false, Dirs{Home: j(home, "u"), Run: j(home, "u", "run"),
			Artifacts: j(home, "u", "artifacts"), Config: j(home, "u"), Cache: j(home, "u", "cache")}},
		{"socket directory", []string{homeName(), home, "USHER_SOCKET_DIR", j(home, "s")}, "", false, Dirs{Home: j(home, ".usher"), Run: j(home, "s"),
			Artifacts: j(home, ".usher", "artifacts"), Config: j(home, ".usher")}},
		{"the other tool's socket directory is not ours", []string{homeName(), home, "AGENT_BROWSER_SOCKET_DIR", j(home, "s")}, "", false,
			Dirs{Home: j(home, ".usher"), Run: j(home, ".usher", "run"), Artifacts: j(home, ".usher", "artifacts"), Config: j(home, ".usher")}},
		{"by the other name", []string{homeName(), home, "AGENT_BROWSER_SOCKET_DIR", j(home, "s")}, "", true, Dirs{Home: j(home, ".usher"), Run: j(home, "s"),
			Artifacts: j(home, ".agent-browser", "tmp"), Config: j(home, ".agent-browser")}},
		{"by the other name, in a namespace", []string{homeName(), home}, "n", true, Dirs{Home: j(home, ".usher"), Run: j(home, ".usher", "run", "namespaces", "n"),
			Artifacts: j(home, ".agent-browser", "tmp", "namespaces", "n"), Config: j(home, ".agent-browser")}},
		{"cache", []string{homeName(), home, "XDG_CACHE_HOME", j(home, "c")}, "", false, Dirs{Home: j(home, ".usher"), Run: j(home, ".usher", "run"),
			Artifacts: j(home, ".usher", "artifacts"), Config: j(home, ".usher"), Cache: j(home, "c", "usher")}},
	} {
		got, err := Of(environment(c.env...), c.namespace, c.other)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.want.Cache == "" {
			got.Cache = "" // depends on the system
		}
		c.want.State = filepath.Join(c.want.Config, "state")
		switch {
		case c.other && c.namespace != "":
			c.want.State = filepath.Join(c.want.Config, "sessions", "namespaces", c.namespace)
		case c.other:
			c.want.State = filepath.Join(c.want.Config, "sessions")
		case c.namespace != "":
			c.want.State = filepath.Join(c.want.State, "namespaces", c.namespace)
		}
		c.want.Socket = filepath.Join(c.want.Run, SocketName)
		if got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", c.name, got, c.want)
		}
	}
}

func TestFileName(t *testing.T) {
	long := strings.Repeat("日", 127)
	a, b := FileName(long+"本"), FileName(long+"日")
	if a == b || len(a) > 255 || !utf8.ValidString(a) || !strings.HasPrefix(a, "日日") {
		t.Errorf("%q and %q", a, b)
	}
	if got := FileName("shop-1"); got != "shop-1" {
		t.Errorf("%q", got)
	}
}

func TestLongSocketPathMoves(t *testing.T) {
	long := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	a, err := Of(environment("USHER_HOME", long), "", false)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Of(environment("USHER_HOME", long), "other", false)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Of(environment("USHER_HOME", long), "", false)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Socket) > socketLimit || a.Socket == b.Socket || a != again {
		t.Errorf("%s and %s", a.Socket, b.Socket)
	}
	if a.Run != filepath.Join(long, "run") || a.Artifacts != filepath.Join(long, "artifacts") {
		t.Errorf("the socket took %s and %s with it", a.Run, a.Artifacts)
	}
}

func TestMakeRun(t *testing.T) {
	d := Dirs{Run: filepath.Join(t.TempDir(), "a", "run")}
	for range 2 {
		if err := d.MakeRun(); err != nil {
			t.Fatal(err)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(d.Run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.MakeRun(); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(d.Run)
	if err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v; want 0700", fi.Mode(), err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := (Dirs{Run: file}).MakeRun(); err == nil {
		t.Error("a file passes for a directory")
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(d.Run, link); err != nil {
		t.Fatal(err)
	}
	if err := (Dirs{Run: link}).MakeRun(); err == nil {
		t.Error("a link passes for a directory; whoever owns the link could point it elsewhere")
	}
}
