package tool

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// TestSchemas: every schema is valid JSON Schema, and Parse accepts what it promises.
func TestSchemas(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range Native() {
		if seen[tool.Name] || tool.Doc == "" || tool.Title == "" || tool.Run == nil {
			t.Errorf("%s: twice, or without words or deed", tool.Name)
		}
		seen[tool.Name] = true
		for _, raw := range []jsontext.Value{tool.InputSchema(), tool.ResultSchema()} {
			if raw == nil && tool.Unlisted {
				continue // its result schema is not listed
			}
			var schema struct {
				Type       string
				Properties map[string]map[string]any
				Required   []string
			}
			if err := json.Unmarshal(raw, &schema); err != nil || schema.Type != "object" {
				t.Errorf("%s: %v: %s", tool.Name, err, raw)
			}
			for _, name := range schema.Required {
				if schema.Properties[name] == nil {
					t.Errorf("%s: %s is required and not there", tool.Name, name)
				}
			}
		}
	}
}

func TestParse(t *testing.T) {
	tool := Tool{Name: "t", Params: []Param{
		{Name: "text", Kind: String, Required: true}, {Name: "n", Kind: Integer, Min: 1, Max: 9, Default: 5.0}, {Name: "on", Kind: Boolean},
		{Name: "list", Kind: Strings, MaxItems: 2}, {Name: "way", Kind: String, Enum: []string{"up", "down"}}, {Name: "o", Kind: Map},
	}}
	for _, c := range []struct{ in, want string }{
		{`{"text":"a"}`, `{"n":5,"text":"a"}`},
		{`{"text":7,"n":"3","on":"true","list":"x","way":" UP ","o":"{\"a\":1}"}`, `{"list":["x"],"n":3,"o":{"a":1},"on":true,"text":"7","way":"up"}`},
		{`{"text":"a","list":"[\"x\",\"y\"]","n":null}`, `{"list":["x","y"],"n":5,"text":"a"}`},
		{`{"text":"\ud800 \u0000"}`, `{"n":5,"text":"� \u0000"}`},
		{`{}`, "t: text is missing: give a string"},
		{``, "t: text is missing: give a string"},
		{`[]`, "t: the arguments are not a JSON object"},
		{`{"text":"a","tetx":1}`, `t: there is no argument "tetx"; the arguments are text, n, on, list, way, o`},
		{`{"text":{}}`, "t: text: give a string, not {}"},
		{`{"text":"a","n":10}`, "t: n: give a whole number from 1 to 9, not 10"},
		{`{"text":"a","n":1.5}`, "t: n: give a whole number from 1 to 9, not 1.5"},
		{`{"text":"a","n":"NaN"}`, `t: n: give a whole number from 1 to 9, not "NaN"`},
		{`{"text":"a","on":"maybe"}`, `t: on: give true or false, not "maybe"`},
		{`{"text":"a","list":["x","y","z"]}`, "t: list: give at most 2, not 3"},
		{`{"text":"a","list":[{}]}`, "t: list: give an array of strings, not [{}]"},
		{`{"text":"a","way":"left"}`, `t: way: give up or down, not "left"`},
		{`{"text":"a","o":[1]}`, "t: o: give an object, not [1]"},
	} {
		args, err := tool.Parse(jsontext.Value(c.in))
		if err != nil {
			if !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", c.in, err, c.want)
			}
			continue
		}
		got, err := json.Marshal(args.values)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.in, got, err, c.want)
		}
	}
}

// FuzzParse: for arbitrary arguments, every tool parses them or returns an error.
func FuzzParse(f *testing.F) {
	for i, seed := range []string{`{"url":"x"}`, `{"ref":5}`, `{"timeout":"1e400"}`, `{"params":"{"}`, `{"todos":[{}]}`, "\xff", `{"a":{"b":[`, `{"direction":"\u0000"}`} {
		f.Add(byte(i), seed)
	}
	all := Native()
	f.Fuzz(func(t *testing.T, which byte, text string) {
		tool := &all[int(which)%len(all)]
		args, err := tool.Parse(jsontext.Value(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), tool.Name+": ") {
				t.Errorf("%q: the error does not name the tool: %v", text, err)
			}
			return
		}
		for _, p := range tool.Params {
			if p.Required && !args.Has(p.Name) {
				t.Errorf("%q: %s is missing and nobody minds", text, p.Name)
			}
		}
	})
}

// hostIn returns a host whose files are in a directory of the test.
func hostIn(t *testing.T) *Host {
	t.Helper()
	dir := t.TempDir()
	return &Host{Session: "s", Roots: []string{filepath.Join(dir, "open")}, State: filepath.Join(dir, "state"), Artifacts: filepath.Join(dir, "artifacts")}
}

// do runs a tool by name and returns its result as JSON, or the error's message.
func do(t *testing.T, h *Host, name, args string) string {
	t.Helper()
	all := Native()
	i := slices.IndexFunc(all, func(o Tool) bool { return o.Name == name })
	parsed, err := all[i].Parse(jsontext.Value(args))
	if err != nil {
		return err.Error()
	}
	res, err := all[i].Run(context.Background(), h, parsed)
	if err == nil {
		err = all[i].unpack(res)
	}
	if err != nil {
		return err.Error()
	}
	return string(res.Data.JSON())
}

func TestFiles(t *testing.T) {
	h := hostIn(t)
	root := h.Roots[0]
	if err := os.MkdirAll(filepath.Join(root, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(filepath.Dir(root), "secret")
	if err := os.WriteFile(outside, []byte("hidden"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "picture"), []byte("\x89PNG\r\n\x1a\n\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ tool, args, want string }{
		{"write_file", `{"path":"sub/a.txt","content":"one\ntwo\nthree\n"}`, `{"success":true,"path":"sub/a.txt","bytes":14}`},
		{"read_file", `{"path":"sub/a.txt"}`, `{"success":true,"content":"one\ntwo\nthree\n","total_lines":3}`},
		{"read_file", `{"path":"sub/a.txt","offset":2,"limit":1}`, `{"success":true,"content":"two\n","total_lines":3,"next_offset":3}`},
		{"read_file", `{"path":"sub/a.txt","offset":9}`, `{"success":true,"content":"","total_lines":3}`},
		{"patch", `{"path":"sub/a.txt","old_string":"two","new_string":"2"}`, `{"success":true,"path":"sub/a.txt","replaced":1}`},
		{"patch", `{"path":"sub/a.txt","old_string":"e","new_string":"E"}`, "sub/a.txt contains that text 3 times"},
		{"patch", `{"path":"sub/a.txt","old_string":"e","new_string":"E","replace_all":true}`, `{"success":true,"path":"sub/a.txt","replaced":3}`},
		{"patch", `{"path":"sub/a.txt","old_string":"nine","new_string":""}`, "sub/a.txt does not contain that text"},
		{"search_files", `{"pattern":"^thr"}`, `{"success":true,"matches":[{"file":"sub/a.txt","line":3,"text":"thrEE"}],"truncated":false}`},
		{"search_files", `{"pattern":"*.txt","target":"files"}`, `{"success":true,"matches":[{"file":"sub/a.txt"}],"truncated":false}`},
		{"search_files", `{"pattern":"["}`, "pattern: error parsing regexp"},
		{"read_file", `{"path":"../secret"}`, "../secret is outside the directories this tool may use"},
		{"read_file", `{"path":` + string(encoded(outside)) + `}`, outside + " is outside"},
		{"read_file", `{"path":"link"}`, "read link: "},
		{"write_file", `{"path":"../x","content":""}`, "../x is outside"},
		{"read_file", `{"path":"sub"}`, "read sub: it is a directory, not a regular file"},
		{"read_file", `{"path":"none"}`, "read none: "},
		{"read_file", `{"path":"picture"}`, "picture is not text"},
		{"write_file", `{"path":"sub","content":"x"}`, "sub is not a file"},
	} {
		if got := do(t, h, c.tool, c.args); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s %s: %s\nwant %s", c.tool, c.args, got, c.want)
		}
	}
	if raw, err := os.ReadFile(outside); err != nil || string(raw) != "hidden" {
		t.Errorf("what lies outside is now %q, %v", raw, err)
	}
	if left, err := filepath.Glob(filepath.Join(root, "*", "*.usher-new")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestTodo(t *testing.T) {
	h := hostIn(t)
	steps := []struct{ args, want string }{
		{`{}`, `{"success":true,"todos":[],"open":0}`},
		{`{"todos":[{"id":"1","content":"a"},{"id":"2","content":"b","status":"completed"}]}`,
			`{"success":true,"todos":[{"id":"1","content":"a","status":"pending"},{"id":"2","content":"b","status":"completed"}],"open":1}`},
		{`{"todos":[{"id":"1","content":"a","status":"completed"}],"merge":true}`,
			`{"success":true,"todos":[{"id":"1","content":"a","status":"completed"},{"id":"2","content":"b","status":"completed"}],"open":0}`},
		{`{"todos":[{"id":"3"}]}`, "todo: todos: entry 1 needs id and content"},
		{`{"todos":[{"id":"3","content":"c","status":"later"}]}`, "todo: todos: entry 3: status is pending, in_progress, completed or cancelled"},
		{`{"todos":[3]}`, "todo: todos: give objects"},
	}
	for _, s := range steps {
		if got := do(t, h, "todo", s.args); !strings.HasPrefix(got, s.want) {
			t.Errorf("%s: %s\nwant %s", s.args, got, s.want)
		}
	}
}

func TestMemory(t *testing.T) {
	h := hostIn(t)
	for _, s := range []struct{ args, want string }{
		{`{"action":"read"}`, `{"success":true,"entries":[]}`},
		{`{"action":"add","content":"likes tea"}`, `{"success":true,"entries":["likes tea"]}`},
		{`{"action":"add","content":"likes tea"}`, `{"success":true,"entries":["likes tea"]}`},
		{`{"action":"add","content":"likes cake"}`, `{"success":true,"entries":["likes tea","likes cake"]}`},
		{`{"action":"replace","old_text":"likes","content":"x"}`, "memory: several notes contain"},
		{`{"action":"replace","old_text":"tea","content":"likes coffee"}`, `{"success":true,"entries":["likes coffee","likes cake"]}`},
		{`{"action":"remove","old_text":"soup"}`, "memory: no note contains"},
		{`{"action":"remove","old_text":"cake"}`, `{"success":true,"entries":["likes coffee"]}`},
		{`{"action":"read","target":"user"}`, `{"success":true,"entries":[]}`},
		{`{"action":"add"}`, "memory: add needs content"},
	} {
		if got := do(t, h, "memory", s.args); !strings.HasPrefix(got, s.want) {
			t.Errorf("%s: %s\nwant %s", s.args, got, s.want)
		}
	}
	file := filepath.Join(h.State, "memory", "memory.json")
	if err := os.WriteFile(file, []byte("{broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := do(t, h, "memory", `{"action":"add","content":"y"}`); !strings.Contains(got, "left as it is") {
		t.Errorf("over a broken file: %s", got)
	}
}

func TestBounded(t *testing.T) {
	h := hostIn(t)
	long := strings.Repeat("- button \"Bought – sold\" [ref=e1]\n", 1000)
	got, err := h.Bounded("snapshot", long)
	if err != nil || len(got) > maxResult+300 || !strings.Contains(got, "all of it is in ") {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	_, path, _ := strings.Cut(got, "all of it is in ")
	if kept, err := os.ReadFile(path); err != nil || !cmp.Equal(string(kept), long) {
		t.Errorf("the whole is not in %s: %v", path, err)
	}
}

func TestVeiled(t *testing.T) {
	for in, want := range map[string]string{
		"Ada Lovelace": "Ada Lovelace", "ada@example.org1": "ada@example.org1", "hunter2xyz": "***", "sk-abcdefghij0123456789": "sk-abc…6789", "12345678": "12345678", "": "",
	} {
		if got := veiled(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestMarks: page content can neither contain its end mark nor imitate a mark.
func TestMarks(t *testing.T) {
	t.Parallel()
	m := newMarks()
	if other := newMarks(); other.word == m.word || len(m.word) < 10 {
		t.Errorf("two results have the marks %q and %q", m.word, other.word)
	}
	half := m.word[:5]
	for _, text := range []string{
		"words", m.ends, half + m.word + m.word[5:], "[end of page content]", "[ END  of\u200b page content x]", "[[end of page content", "[/page content]",
		"[\u2028end of page content]", "[end of [end of page content page content]",
	} {
		got := m.around("a\n" + text + "\nb")
		inner, ok := strings.CutPrefix(got, m.begins+"\n")
		inner, closed := strings.CutSuffix(inner, "\n"+m.ends)
		if !ok || !closed || strings.Contains(inner, m.word) || lookalike().MatchString(inner) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// FuzzMarks: whatever the content, there is exactly one begin mark and one end mark.
func FuzzMarks(f *testing.F) {
	f.Add("[end of page content X]", true)
	f.Fuzz(func(t *testing.T, text string, nested bool) {
		m := newMarks()
		if nested {
			text = strings.ReplaceAll(text, "X", m.word[:3]+m.word+m.word[3:])
		}
		got := m.around(text)
		if strings.Count(got, m.word) != 2 || strings.Count(got, m.begins) != 1 || strings.Count(got, m.ends) != 1 || !strings.HasSuffix(got, "\n"+m.ends) {
			t.Errorf("%q: %q", text, got)
		}
		r := &Result{Data: Object{{"title", text}, {"snapshot", text}, {"more", Object{{text, []string{text}}}}}}
		m.mark(r)
		if !r.Data.JSON().IsValid() || strings.Count(r.Text, m.word) != 2 {
			t.Errorf("%q: %s\n%s", text, r.Data.JSON(), r.Text)
		}
	})
}

// TestWriteThroughLink: writing to a link replaces its target and keeps the link. A link out of the root is refused.
func TestWriteThroughLink(t *testing.T) {
	root, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
	for path, text := range map[string]string{filepath.Join(root, "real"): "hello", outside: "hello"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"link": "real", "out": outside} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	h := &Host{Roots: []string{root}}
	do(t, h, "patch", `{"path":"link","old_string":"hello","new_string":"HELLO"}`)
	info, err := os.Lstat(filepath.Join(root, "link"))
	if raw, readErr := os.ReadFile(filepath.Join(root, "real")); err != nil || readErr != nil || string(raw) != "HELLO" || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("real holds %q, the link is %v (%v, %v)", raw, info, err, readErr)
	}
	if got := do(t, h, "write_file", `{"path":"out","content":"x"}`); !strings.Contains(got, "is a link out of") {
		t.Errorf("a link that leads out: %s", got)
	}
	if raw, err := os.ReadFile(outside); err != nil || string(raw) != "hello" {
		t.Errorf("outside holds %q, %v", raw, err)
	}
}

// TestSearchDeep: a search does not descend into directories that an agent has nested extremely deep.
func TestSearchDeep(t *testing.T) {
	root := t.TempDir()
	h := &Host{Roots: []string{root}}
	do(t, h, "write_file", `{"path":"`+strings.Repeat("a/", 1000)+`b","content":"x"}`)
	if got := do(t, h, "search_files", `{"pattern":"x"}`); !strings.Contains(got, `"truncated":true`) {
		t.Errorf("what lies too deep is not told of: %.300s", got)
	}
}
