package tool

import (
	"bytes"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// FailureOutput is the type of the results of calls that failed, of every tool.
func FailureOutput() reflect.Type { return reflect.TypeFor[failure]() }

// unpack makes the data of a result from its value, which has to be of the type that the tool declares.
func (t *Tool) unpack(r *Result) error {
	if r.Value == nil {
		return nil
	}
	if is := pointed(reflect.TypeOf(r.Value)); is != t.Output && is != FailureOutput() {
		return api.Errorf(api.Internal, "%s: the result is a %s, and %v is declared", t.Name, is, t.Output)
	}
	r.Data = membersOf(r.Value)
	return nil
}

// membersOf are the members of the JSON object that a struct becomes.
func membersOf(value any) Object {
	var out Object
	dec := jsontext.NewDecoder(bytes.NewReader(encoded(value)), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
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
		panic("tool: " + err.Error()) // what encoded made is JSON
	}
	return out
}

// paramsOf describes the members of a struct for the schema of results. The tag schema:"-" leaves one out, and at an embedded
// struct schema:"a,b" all but those; schema:"array" and schema:"object" say what a [jsontext.Value] is.
func paramsOf(of reflect.Type) (params []Param) {
	for _, f := range reflect.VisibleFields(of) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "": // its members follow
		case option == "embed":
			for _, p := range paramsOf(pointed(f.Type)) {
				if listed(of, f, p.Name) {
					params = append(params, p)
				}
			}
		case listed(of, f, name):
			params = append(params, Param{Name: name, Kind: kindIn(f), Required: name == "success"})
		}
	}
	return params
}

// listed reports whether a member that is the field f, or embedded by it, belongs into the schema. The outermost tag decides.
func listed(of reflect.Type, f reflect.StructField, name string) bool {
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

// kindIn is the kind of a member in the schema.
func kindIn(f reflect.StructField) Kind {
	t := pointed(f.Type)
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

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}
