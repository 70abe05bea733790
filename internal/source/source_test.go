package source_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/source"
)

// one maps the first character of the first line to the first of a.ts.
const one = `{"version":3,"sources":["a.ts"],"names":["total"],"mappings":"AAAAA"}`

func TestMap(t *testing.T) {
	t.Parallel()
	m, err := source.ParseMap("http://x.test/js/app.js.map", []byte(one))
	if err != nil {
		t.Fatal(err)
	}
	p, found, err := m.Original(0, 0)
	if err != nil || !found || p != (source.Position{File: "http://x.test/js/a.ts", Name: "total", Line: 1, Column: 1}) {
		t.Errorf("%+v %v %v", p, found, err)
	}
	if _, found, err := m.Original(7, 0); found || err != nil {
		t.Errorf("a line that is not there: %v %v", found, err)
	}
}

// TestBadMaps: a page may give any map; none ends the daemon or fills its memory.
func TestBadMaps(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing":               ``,
		"no JSON":               `<!doctype html>`,
		"version 2":             `{"version":2,"sources":["a"],"mappings":"AAAA"}`,
		"no mappings":           `{"version":3,"sources":[],"mappings":""}`,
		"a section of itself":   `{"version":3,"sections":[{"offset":{"line":0,"column":0},"url":"app.js.map"}]}`,
		"a section of sections": `{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":{"version":3,"sections":[]}}]}`,
		"too many positions":    `{"version":3,"sources":["a"],"mappings":"` + strings.Repeat(";", 5<<20) + `"}`,
		"more than 32 MB":       `{"version":3,"sources":["a"],"mappings":"AAAA"}` + strings.Repeat(" ", 32<<20),
	} {
		if _, err := source.ParseMap("http://x.test/app.js.map", []byte(text)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, text := range map[string]string{
		"a source that is not there": `{"version":3,"sources":["a"],"mappings":"AEAA"}`,
		"a name that is not there":   `{"version":3,"sources":["a"],"names":[],"mappings":"AAAAG"}`,
		"no digits of base64vlq":     `{"version":3,"sources":["a"],"mappings":"!!!!"}`,
		"a negative source":          `{"version":3,"sources":["a"],"mappings":"ADAA"}`,
	} {
		m, err := source.ParseMap("", []byte(text))
		if err != nil {
			continue
		}
		if p, found, err := m.Original(0, 0); err == nil && found && p.File != "a" {
			t.Errorf("%s: %+v", name, p)
		}
	}
	// A file that is its own source is one step, not many.
	m, err := source.ParseMap("http://x.test/app.js.map", []byte(`{"version":3,"sources":["app.js"],"mappings":"AAAA"}`))
	if err != nil {
		t.Fatal(err)
	}
	if p, found, _ := m.Original(0, 0); !found || p.File != "http://x.test/app.js" {
		t.Errorf("its own source: %+v %v", p, found)
	}
}

func FuzzMap(f *testing.F) {
	f.Add(one, 0, 0)
	f.Add(`{"version":3,"sections":[{"offset":{"line":0,"column":0},"map":`+one+`}]}`, 0, 3)
	f.Fuzz(func(_ *testing.T, text string, line, column int) {
		if m, err := source.ParseMap("http://x.test/", []byte(text)); err == nil {
			_, _, _ = m.Original(line, column)
		}
	})
}

func TestDecodeData(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(one)): one,
		"data:application/json,%7B%7D":          "{}",
		"data:application/json;base64,e30%3D":   "{}",
		"data:application/json;charset=x,plain": "plain",
	} {
		if got, err := source.DecodeData(address); err != nil || string(got) != want {
			t.Errorf("%.60s: %q %v", address, got, err)
		}
	}
	for _, address := range []string{"http://x.test/", "data:none", "data:;base64,***"} {
		if got, err := source.DecodeData(address); err == nil {
			t.Errorf("%s: %q", address, got)
		}
	}
}

func TestRedactQuery(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"http://a.test/b?token=x&page=2#k=v": "http://a.test/b?token=[REDACTED]&page=[REDACTED]",
		"http://u:p@a.test/b":                "http://a.test/b",
		"https://a.test?secret":              "https://a.test?[REDACTED]",
		"http://a.test/b@c/d":                "http://a.test/b@c/d",
		"/api?x=1":                           "/api?x=[REDACTED]",
		"data:text/html,secret":              "data:text/html",
		"http://a.test/":                     "http://a.test/",
	} {
		if got := source.RedactQuery(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// write makes files below a directory.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t *testing.T, dir string, most int) *source.Workspace {
	t.Helper()
	w, err := source.OpenWorkspace(t.Context(), dir, most)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	return w
}

func TestWorkspace(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	write(t, outside, map[string]string{"Secret.tsx": "function Row() {}", "dir/Row.tsx": "function Row() {}"})
	write(t, dir, map[string]string{
		"src/Row.tsx":             "// a row\n  export default function Row(props) {}\n",
		"src/rows.ts":             "export const Row = memo(x);\nconst NotRow = 1; Row();\n",
		"src/Class.jsx":           "class Row extends Component {}",
		"src/huge.ts":             "function Row() {}" + strings.Repeat(" ", 1<<20),
		"src/a/index.ts":          "",
		"src/b/index.ts":          "",
		"node_modules/x/Row.js":   "function Row() {}",
		"dist/Row.js":             "function Row() {}",
		"src/api.ts":              "fetch('/api/orders/' + id)",
		"src/notes.txt":           "function Row() {}",
		".git/hooks/function.js":  "function Row() {}",
		"packages/p/build/Row.ts": "function Row() {}",
	})
	for name, to := range map[string]string{"src/link.tsx": filepath.Join(outside, "Secret.tsx"), "src/linked": filepath.Join(outside, "dir"), "loop": dir} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	w := open(t, dir, source.DefaultFiles)
	hits, err := w.Component(t.Context(), "Row", 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hits {
		got = append(got, fmt.Sprintf("%s:%d:%d", h.File, h.Line, h.Column))
	}
	slices.Sort(got)
	if want := []string{"src/Class.jsx:1:7", "src/Row.tsx:2:27", "src/rows.ts:1:14"}; !slices.Equal(got, want) {
		t.Errorf("declarations: %v, want %v", got, want)
	}
	limits := strings.Join(w.Limitations, "\n")
	if !strings.Contains(limits, "symbolic links") || !strings.Contains(limits, "larger than 1024 KB") {
		t.Errorf("limitations: %s", limits)
	}
	if hits, err := w.Component(t.Context(), "R(o", 10); err != nil || len(hits) != 0 {
		t.Errorf("a name that is no name: %v %v", hits, err)
	}
	literals, err := w.Literals(t.Context(), []string{"http://x.test/api", "/api/orders/"}, 10)
	if err != nil || len(literals) != 1 || literals[0] != (source.Hit{File: "src/api.ts", Line: 1, Column: 8, Of: 1}) {
		t.Errorf("literals: %+v %v", literals, err)
	}
	for name, want := range map[string]string{
		"webpack:///./src/Row.tsx": "src/Row.tsx", "http://x.test/assets/src/a/index.ts": "src/a/index.ts", "../../src/rows.ts": "src/rows.ts",
		`C:\work\src\Row.tsx`: "src/Row.tsx", "index.ts": "", "Secret.tsx": "", "/etc/passwd": "",
	} {
		if got, _ := w.Resolve(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if few := open(t, dir, 2); !strings.Contains(strings.Join(few.Limitations, ""), "only 2") {
		t.Errorf("%v", few.Limitations)
	}
	if _, err := source.OpenWorkspace(t.Context(), filepath.Join(dir, "nothing"), 1); err == nil {
		t.Error("a workspace that is not there")
	}
}
