package tool

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// setData sets r.Data from r.Value. It fails if the value has another type than the tool declares.
func (t *Tool) setData(r *Result) error {
	if r.Value == nil {
		return nil
	}
	if is := deref(reflect.TypeOf(r.Value)); is != t.Output && is != FailureOutput() {
		return api.Errorf(api.Internal, "%s: the result is a %s, and %v is declared", t.Name, is, t.Output)
	}
	r.Data = membersOf(r.Value)
	return nil
}

// membersOf returns the JSON members of a struct, in order.
func membersOf(value any) Object {
	var out Object
	dec := jsontext.NewDecoder(bytes.NewReader(Encode(value)), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	_, err := dec.ReadToken() // {
	for err == nil && dec.PeekKind() == '"' {
		var name jsontext.Token
		var member jsontext.Value
		if name, err = dec.ReadToken(); err != nil {
			break
		}
		text := name.String()
		if member, err = dec.ReadValue(); err == nil {
			out.Set(text, member.Clone())
		}
	}
	if err != nil {
		panic("tool: " + err.Error()) // Encode returned invalid JSON
	}
	return out
}

// paramsOf describes the members of a struct for the output schema. The tag schema:"-" omits a field. On an embedded
// struct, schema:"a,b" omits all members but those. schema:"array" and schema:"object" give the type of a
// [jsontext.Value].
func paramsOf(of reflect.Type) (params []Param) {
	for _, f := range reflect.VisibleFields(of) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "": // VisibleFields lists its members
		case option == "embed":
			for _, p := range paramsOf(deref(f.Type)) {
				if inSchema(of, f, p.Name) {
					params = append(params, p)
				}
			}
		case inSchema(of, f, name):
			params = append(params, Param{Name: name, Kind: fieldKind(f), Required: name == "success"})
		}
	}
	return params
}

// inSchema reports whether the member called name, which is the field f or embedded by it, is in the schema. The
// outermost tag decides.
func inSchema(of reflect.Type, f reflect.StructField, name string) bool {
	for i := range f.Index {
		at := of.FieldByIndex(f.Index[:i+1])
		tag, ok := at.Tag.Lookup("schema")
		switch embeds := at.Anonymous || strings.HasSuffix(at.Tag.Get("json"), ",embed"); {
		case ok && embeds:
			return slices.Contains(strings.Split(tag, ","), name)
		case ok:
			return tag != "-"
		}
	}
	return true
}

// fieldKind returns the kind of a field in the schema.
func fieldKind(f reflect.StructField) Kind {
	t := deref(f.Type)
	switch {
	case f.Tag.Get("schema") == "array":
		return Array
	case f.Tag.Get("schema") == "object":
		return Map
	case t == reflect.TypeFor[jsontext.Value]():
		return Any
	}
	switch t.Kind() {
	case reflect.String:
		return String
	case reflect.Bool:
		return Boolean
	case reflect.Float64:
		return Number
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return Strings
		}
		return Array
	case reflect.Struct, reflect.Map:
		return Map
	case reflect.Interface:
		return Any
	}
	return Integer
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
