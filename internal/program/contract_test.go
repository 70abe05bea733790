package program_test

import (
	"encoding"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/view"
)

// TestToolsReadWhatCommandsWrite compares the members that tools read of the data of commands with the types of those data. A
// member that no command writes decodes to nothing, without an error.
func TestToolsReadWhatCommandsWrite(t *testing.T) {
	t.Parallel()
	reads := tool.Queries()
	if len(reads) == 0 {
		t.Fatal("the tools declare nothing that they read")
	}
	for _, r := range reads {
		written := program.Result(r.Verb)
		if written == nil {
			t.Errorf("a tool reads the data of %q, which is no command with data", r.Verb)
			continue
		}
		for _, problem := range unwritten(r.Data, written, r.Verb) {
			t.Error(problem)
		}
	}
}

// TestUnwritten checks the comparison itself.
func TestUnwritten(t *testing.T) {
	t.Parallel()
	type inner struct {
		Name string `json:"name"`
	}
	type written struct {
		Sessions []string `json:"sessions"`
		Inner    *inner   `json:"inner"`
	}
	type objects struct {
		Sessions []inner `json:"sessions"`
	}
	type missing struct {
		Inner struct {
			ID string `json:"id"`
		} `json:"inner"`
	}
	type good struct {
		Sessions []string `json:"sessions"`
		Inner    inner    `json:"inner"`
	}
	for _, c := range []struct {
		read reflect.Type
		bad  int
	}{{reflect.TypeFor[objects](), 1}, {reflect.TypeFor[missing](), 1}, {reflect.TypeFor[good](), 0}} {
		if got := unwritten(c.read, reflect.TypeFor[written](), "x"); len(got) != c.bad {
			t.Errorf("%s: %q, want %d problems", c.read, got, c.bad)
		}
	}
}

// unwritten lists the members of the type read that the type written does not have, or has with another type.
func unwritten(read, written reflect.Type, path string) (problems []string) {
	read, written = pointed(read), pointed(written)
	if free(read) || free(written) {
		return nil
	}
	if written == reflect.TypeFor[view.RefList]() { // writes itself, as an object by ref
		written = reflect.TypeFor[map[string]view.RefData]()
	}
	if kindOf(read) != kindOf(written) {
		return []string{path + ": " + read.String() + " is read, and " + written.String() + " is written"}
	}
	switch read.Kind() {
	case reflect.Slice, reflect.Map:
		return unwritten(read.Elem(), written.Elem(), path+"[]")
	case reflect.Struct:
		for name, of := range membersOf(read) {
			if there, ok := membersOf(written)[name]; ok {
				problems = append(problems, unwritten(of, there, path+"."+name)...)
			} else {
				problems = append(problems, path+"."+name+" is read, and "+written.String()+" has no such member")
			}
		}
	}
	return problems
}

// membersOf returns the types of the JSON members of a struct, by name.
func membersOf(of reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(of) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
			members[name] = f.Type
		}
	}
	return members
}

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// free reports whether a type holds any JSON, or writes itself as a text.
func free(t reflect.Type) bool {
	if t.Kind() == reflect.Interface || t.String() == "jsontext.Value" || t == reflect.TypeFor[view.RefList]() {
		return t != reflect.TypeFor[view.RefList]()
	}
	return t.Implements(reflect.TypeFor[json.MarshalerTo]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// kindOf returns the kind of JSON value a type becomes.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice, reflect.Array:
		return "array"
	case reflect.Struct, reflect.Map:
		return t.Kind().String()
	}
	return "number"
}
