package program_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/command"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/toolset"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/view"
)

//go:generate go test -run TestDocsOfResults -update

var update = flag.Bool("update", false, "rewrite docs/results.md")

const module = "github.com/usher-browser/usher/"

// TestEveryCommandHasAResult: the handlers and the grammar have the same commands, and results are structs.
func TestEveryCommandHasAResult(t *testing.T) {
	t.Parallel()
	for _, f := range command.Families() {
		for name, h := range f.Handlers {
			if !slices.ContainsFunc(f.Grammar.Verbs, func(v verb.Verb) bool { return v.Name == name }) {
				t.Errorf("%s is carried out and stands in no grammar", name)
			}
			if s := structOf(h.Result); s.Kind() != reflect.Struct {
				t.Errorf("the result of %s is a %s", name, s)
			}
		}
		for i := range f.Grammar.Verbs {
			v := &f.Grammar.Verbs[i]
			h, ok := f.Handlers[v.Name]
			if !ok {
				t.Errorf("nothing carries %s out", v.Name)
			} else if v.Is(verb.ReportsChanges) && !h.Result.Implements(reflect.TypeFor[run.OutcomeData]()) {
				t.Errorf("%s has --changes, and its result %s has no outcome to tell them in", v.Name, h.Result)
			}
		}
	}
}

// TestEveryDataHasAType: every command has a type of data, except `mcp serve`.
func TestEveryDataHasAType(t *testing.T) {
	t.Parallel()
	for _, v := range program.Table().All() {
		if of := program.Result(v.Name); (of == nil) != (v.Name == "mcp serve") {
			t.Errorf("the data of %s are a %v", v.Name, of)
		}
	}
}

// TestDocsOfResults writes docs/results.md from the types and their comments.
func TestDocsOfResults(t *testing.T) {
	page := resultsPage(t)
	const path = "../../docs/results.md"
	if *update {
		if err := os.WriteFile(path, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(have) != page {
		t.Errorf("%s is not what the types make; run go generate ./internal/program", path)
	}
}

// reference writes the page.
type reference struct {
	t      *testing.T
	b      strings.Builder
	source map[string]map[string]*ast.TypeSpec // by package directory, then by name
	docs   map[*ast.TypeSpec]string
	shared []reflect.Type // named types of members, described behind the commands
}

func resultsPage(t *testing.T) string {
	r := &reference{t: t, source: map[string]map[string]*ast.TypeSpec{}, docs: map[*ast.TypeSpec]string{}}
	r.b.WriteString("# Results\n\nMade from the types of the results by `go generate ./internal/program`; do not edit.\n\n" +
		"With `--json` a command prints `{\"success\": true, \"data\": ...}`; this page lists what `data` holds. Members marked with `?` are\n" +
		"absent when there is nothing to tell. Members of *Outcome* stand beside the others, not below a name. The results of\n" +
		"the tools of agents are [below](#tools).\n")
	for _, g := range verb.Groups() {
		first := true
		for _, v := range program.Table().All() {
			of := program.Result(v.Name)
			if v.Group != g || of == nil {
				continue
			}
			if first {
				fmt.Fprintf(&r.b, "\n## %s\n", g)
				first = false
			}
			r.command(v.Name, of)
		}
	}
	r.tools()
	r.b.WriteString("\n## Types\n")
	for i := 0; i < len(r.shared); i++ { // members name further types
		fmt.Fprintf(&r.b, "\n### %s\n\n%s\n", typeName(r.shared[i]), r.doc(r.shared[i]))
		r.members(r.shared[i])
	}
	return r.b.String()
}

func (r *reference) command(name string, of reflect.Type) {
	fmt.Fprintf(&r.b, "\n### %s\n\n", name)
	if of.Kind() == reflect.Slice {
		r.b.WriteString("An array.\n\n")
	}
	s := structOf(of)
	r.b.WriteString(r.doc(s) + "\n")
	r.members(s)
}

// tools writes the results of the tools of agents.
func (r *reference) tools() {
	r.b.WriteString("\n## Tools\n\nWhat a tool gives back as structured content. Each result has the member `success`, true unless the call failed.\n" +
		"A call that failed has this result:\n")
	r.members(tool.FailureOutput())
	for _, t := range toolset.Native() {
		fmt.Fprintf(&r.b, "\n### %s\n", t.Name)
		if text := r.doc(t.Output); text != "Of "+t.Name+"." {
			fmt.Fprintf(&r.b, "\n%s\n", text)
		}
		r.members(t.Output)
	}
}

// members writes the table of a struct's members.
func (r *reference) members(of reflect.Type) {
	r.b.WriteString("\n| member | type | meaning |\n|---|---|---|\n")
	for _, f := range reflect.VisibleFields(of) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case len(f.Index) > 1, name == "-" || name == "" && !embeds(f), f.Anonymous && f.Name == "Success":
			continue
		case embeds(f):
			s := structOf(f.Type)
			r.share(s)
			lead := "the members"
			if f.Type.Kind() == reflect.Pointer {
				lead = "all or none of the members"
			}
			fmt.Fprintf(&r.b, "| | %s of [%s](#%s) | |\n", lead, typeName(s), strings.ToLower(typeName(s)))
			continue
		}
		kind := f.Type
		if strings.HasPrefix(options, "omit") {
			name, kind = name+"?", pointed(kind) // it is never null
		}
		fmt.Fprintf(&r.b, "| `%s` | %s | %s |\n", name, r.kind(kind), strings.ReplaceAll(r.fieldDoc(of, f.Name), "|", "\\|"))
	}
}

// embeds reports whether a field's members are members of the object itself.
func embeds(f reflect.StructField) bool {
	name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name == "" && (f.Anonymous || options == "embed")
}

func (r *reference) kind(t reflect.Type) string {
	switch {
	case t.String() == "jsontext.Value" || t.Kind() == reflect.Interface:
		return "any"
	case t == reflect.TypeFor[view.RefList](): // writes itself
		return "object of " + r.kind(reflect.TypeFor[view.RefData]()) + ", by ref"
	case t.String() == "time.Time":
		return "time (RFC 3339)"
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() != reflect.Struct {
			return r.kind(t.Elem()) + " or null"
		}
		return r.kind(t.Elem())
	case reflect.Slice:
		return "array of " + r.kind(t.Elem())
	case reflect.Map:
		return "object of " + r.kind(t.Elem()) + ", by name"
	case reflect.Struct:
		r.share(t)
		return "[" + typeName(t) + "](#" + strings.ToLower(typeName(t)) + ")"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "number"
}

func (r *reference) share(t reflect.Type) {
	if !slices.Contains(r.shared, t) {
		r.shared = append(r.shared, t)
	}
}

// typeName returns the name under which a type is listed: the package and the name. Two packages may use the same name, except those of
// the tools. A package of results counts as the one above it.
func typeName(t reflect.Type) string {
	pkg := filepath.Base(strings.TrimSuffix(t.PkgPath(), "/results"))
	if strings.HasPrefix(t.PkgPath(), module+"internal/tool/") {
		pkg = "tool"
	}
	if pkg == "api" || pkg == "run" {
		return t.Name()
	}
	return upper(pkg) + upper(t.Name())
}

func upper(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// spec returns the source of a type.
func (r *reference) spec(t reflect.Type) *ast.TypeSpec {
	dir, ours := strings.CutPrefix(t.PkgPath(), module)
	if !ours {
		r.t.Fatalf("%s is no type of ours", t)
	}
	if r.source[dir] == nil {
		r.source[dir] = r.parse(filepath.Join("..", "..", filepath.FromSlash(dir)))
	}
	s := r.source[dir][t.Name()]
	if s == nil {
		r.t.Fatalf("%s has no source in %s", t, dir)
	}
	return s
}

func (r *reference) parse(dir string) map[string]*ast.TypeSpec {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		r.t.Fatal(err)
	}
	out := map[string]*ast.TypeSpec{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				if s, ok := s.(*ast.TypeSpec); ok {
					out[s.Name.Name] = s
					r.docs[s] = s.Doc.Text()
					if s.Doc == nil {
						r.docs[s] = g.Doc.Text()
					}
				}
			}
		}
	}
	return out
}

// doc returns the comment of a type, without the type's name at the beginning.
func (r *reference) doc(t reflect.Type) string {
	text := oneLine(r.docs[r.spec(t)])
	if text == "" {
		r.t.Fatalf("%s has no comment", t)
	}
	for _, lead := range []string{" is the result of ", " are the results of "} {
		if _, rest, ok := strings.Cut(text, lead); ok && strings.HasPrefix(text, t.Name()) {
			return "Of " + rest
		}
	}
	return upper(text)
}

func (r *reference) fieldDoc(t reflect.Type, name string) string {
	fields, ok := r.spec(t).Type.(*ast.StructType)
	if !ok {
		return ""
	}
	for _, f := range fields.Fields.List {
		if slices.ContainsFunc(f.Names, func(id *ast.Ident) bool { return id.Name == name }) {
			return oneLine(f.Doc.Text() + " " + f.Comment.Text())
		}
	}
	return ""
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
