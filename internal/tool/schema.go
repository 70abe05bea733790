package tool

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the type of a parameter in the JSON Schema.
type Kind uint8

// The kinds of values.
const (
	String Kind = iota
	Boolean
	Integer
	Number
	Strings // an array of strings
	Array   // an array of anything
	Map     // an object
	Any
)

// schemaType returns the value of the JSON Schema keyword type.
func (k Kind) schemaType() string {
	switch k {
	case Boolean:
		return "boolean"
	case Integer:
		return "integer"
	case Number:
		return "number"
	case Strings, Array:
		return "array"
	case Map:
		return "object"
	}
	return "string"
}

// Param describes an argument of a tool, or a member of its result.
type Param struct {
	Name string
	Kind Kind
	// Doc is the description for the model; empty if the name suffices.
	Doc string
	// Required marks an argument that must be given.
	Required bool
	// Enum lists the allowed values of a string.
	Enum []string
	// Brief omits enum, bounds and default from the schema, for a parameter that another tool of the list describes.
	Brief bool
	// Default is the value of an absent argument; nil means the zero value of the kind.
	Default any
	// Min and Max bound a number; if both are 0 there is no bound.
	Min, Max float64
	// MaxItems bounds an array; 0 means no bound.
	MaxItems int
	// Schema is the JSON Schema of an object whose members are described, too.
	Schema jsontext.Value
}

// InputSchema returns the JSON Schema of the arguments.
func (t *Tool) InputSchema() jsontext.Value {
	if t.Schema != nil {
		return t.Schema
	}
	return schemaOf(t.Params)
}

// ResultSchema returns the JSON Schema of the result for the list of tools, or nil if the list has none for this tool.
func (t *Tool) ResultSchema() jsontext.Value {
	if t.OutputSchema != nil || t.Schema != nil || t.Output == nil || t.Unlisted {
		return t.OutputSchema
	}
	return schemaOf(paramsOf(t.Output))
}

func schemaOf(params []Param) jsontext.Value {
	properties, required := Object{}, []string{}
	for i := range params {
		p := &params[i]
		properties.Set(p.Name, p.schema())
		if p.Required {
			required = append(required, p.Name)
		}
	}
	// OpenAI's API refuses an object without properties, and with it the whole list of tools.
	schema := Object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		schema.Set("required", required)
	}
	return Encode(schema)
}

func (p *Param) schema() Object {
	var s Object
	if p.Schema != nil {
		s = membersOf(p.Schema)
		if p.Doc != "" {
			s.Set("description", p.Doc)
		}
		return s
	}
	if p.Kind != Any {
		s.Set("type", p.Kind.schemaType())
	}
	if p.Doc != "" {
		s.Set("description", p.Doc)
	}
	if p.Brief {
		return s
	}
	if len(p.Enum) > 0 {
		s.Set("enum", p.Enum)
	}
	if p.Kind == Strings {
		s.Set("items", Object{{"type", "string"}})
	}
	if p.MaxItems > 0 {
		s.Set("maxItems", p.MaxItems)
	}
	if p.Min != 0 || p.Max != 0 {
		s.Set("minimum", p.Min)
		s.Set("maximum", p.Max)
	}
	if p.Default != nil && p.Default != false {
		s.Set("default", p.Default)
	}
	return s
}

// marshalTo writes a value with the JSON options of all results.
func marshalTo(enc *jsontext.Encoder, v any) error {
	return json.MarshalEncode(enc, v, json.Deterministic(true), json.FormatNilSliceAsNull(false),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Encode returns the JSON of a value. It panics if the value cannot be encoded.
func Encode(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("tool: " + err.Error()) // values are strings, numbers and valid JSON
	}
	return raw
}

// JSON returns the encoded object.
func (o Object) JSON() jsontext.Value { return Encode(o) }
