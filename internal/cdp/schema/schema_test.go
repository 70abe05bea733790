package schema

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite methods.txt from the sources of cdproto")

// TestTable keeps methods.txt what the protocol description in the module cdproto says.
func TestTable(t *testing.T) {
	lines := describe(t)
	if len(lines) < 500 {
		t.Fatalf("only %d commands were found", len(lines))
	}
	text := "# Made by go generate from the sources of cdproto; see parse for what a line means.\n" + strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile("methods.txt", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text != methodsText {
		t.Error("methods.txt is not what cdproto says; run go generate ./internal/cdp/schema")
	}
}

// TestKnown looks at commands whose description is well known.
func TestKnown(t *testing.T) {
	evaluate := Find("Runtime.evaluate")
	if evaluate == nil || evaluate.Param(UniqueContext) == nil || evaluate.Param(Context) == nil || evaluate.Param(Frame) != nil {
		t.Errorf("Runtime.evaluate: %+v", evaluate)
	}
	if m := Find("Page.createIsolatedWorld"); m == nil || m.Param(Frame) == nil || !m.Param(Frame).Required {
		t.Errorf("Page.createIsolatedWorld: %+v", m)
	}
	if m := Find("Page.navigate"); m == nil || m.Param(Frame) == nil || m.Param(Frame).Required || !m.Direct {
		t.Errorf("Page.navigate: %+v", m)
	}
	if m := Find("Page.captureScreenshot"); m == nil || !slices.Equal(m.Binary, []string{"data"}) || m.Param(Frame) != nil {
		t.Errorf("Page.captureScreenshot: %+v", m)
	}
	if m := Find("Network.getResponseBody"); m == nil || !slices.Equal(m.Binary, []string{"body"}) {
		t.Errorf("Network.getResponseBody: %+v", m)
	}
	if m := Find("DOM.getOuterHTML"); m == nil || m.Param(RemoteObject) == nil {
		t.Errorf("DOM.getOuterHTML: %+v", m)
	}
	if m := Find("Target.createTarget"); m == nil || m.Param(BrowserContext) == nil {
		t.Errorf("Target.createTarget: %+v", m)
	}
	if Find("Page.nothing") != nil || Find("Page") != nil {
		t.Error("a command that is none was found")
	}
	if !slices.Contains(Domains(), "Runtime") || !slices.Contains(Names("Runtime"), "Runtime.evaluate") || slices.Contains(Names("Runtime"), "Page.enable") {
		t.Error("domains or their commands are wrong")
	}
	for line := range strings.Lines(directText) {
		if name := strings.TrimSpace(line); !strings.HasPrefix(name, "#") && Find(name) == nil {
			t.Errorf("direct.txt names %q, which is no command", name)
		}
	}
}

// describe reads the commands out of the Go sources that cdproto generates from the protocol's own files.
func describe(t *testing.T) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/chromedp/cdproto").Output()
	if err != nil {
		t.Fatalf("find cdproto: %v", err)
	}
	var lines []string
	err = filepath.WalkDir(string(bytes.TrimSpace(out)), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		lines = append(lines, commands(file)...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// commands finds constants such as
//
//	CommandEvaluate = "Runtime.evaluate"
//
// and the structures of the same name that hold parameters and result.
func commands(file *ast.File) []string {
	structs, names := map[string]*ast.StructType{}, map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok {
				structs[n.Name.Name] = s
			}
		case *ast.ValueSpec:
			for i, name := range n.Names {
				if what, ok := strings.CutPrefix(name.Name, "Command"); ok && i < len(n.Values) {
					if lit, ok := n.Values[i].(*ast.BasicLit); ok {
						names[what] = strings.Trim(lit.Value, `"`)
					}
				}
			}
		}
		return true
	})
	var lines []string
	for what, name := range names {
		line := name
		for _, f := range fields(structs[what+"Params"]) {
			line += " " + f.name + f.mark()
		}
		arrow := " >"
		for _, f := range fields(structs[what+"Result"]) {
			if f.kind == "[]byte" {
				line, arrow = line+arrow+" "+f.name, ""
			}
		}
		lines = append(lines, line)
	}
	return lines
}

type field struct {
	name, kind string
	required   bool
}

func fields(s *ast.StructType) []field {
	if s == nil {
		return nil
	}
	var out []field
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" {
			continue
		}
		out = append(out, field{name: name, kind: typeName(f.Type), required: !strings.Contains(options, "omit")})
	}
	return out
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	}
	return fmt.Sprintf("%T", e)
}

// mark returns what stands behind a parameter's name: ! or ~ for required or not, and the letter of its kind.
func (f field) mark() string {
	kind := ""
	switch strings.TrimPrefix(f.kind, "[]") {
	case "FrameID":
		kind = "f"
	case "ExecutionContextID":
		kind = "c"
	case "RemoteObjectID", "NodeID", "BackendNodeID", "ScriptID", "StyleSheetID", "CallFrameID":
		kind = "t"
	case "BrowserContextID":
		kind = "j"
	}
	if f.name == "uniqueContextId" {
		kind = "u"
	}
	switch {
	case f.required:
		return "!" + kind
	case kind != "":
		return "~" + kind
	}
	return ""
}
