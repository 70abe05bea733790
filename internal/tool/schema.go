package tool

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind is the JSON type of a value.
type Kind uint8

// The kinds.
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

// schemaType is the word of JSON Schema.
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

// Param is an argument of a tool, or a member of its result.
type Param struct {
	Name string
	Kind Kind
	// Doc is for the model; empty where the name says it all.
	Doc string
	// Required arguments have no default.
	Required bool
	// Enum lists the values allowed, of strings.
	Enum []string
	// Brief leaves what is allowed out of the schema, where another tool of the list tells it.
	Brief bool
	// Default is used when the argument is absent; nil means the kind's zero.
	Default any
	// Min and Max bound a number; both zero means no bounds.
	Min, Max float64
	// MaxItems bounds an array; 0 means no bound.
	MaxItems int
}

// InputSchema is the JSON Schema of the arguments.
func (t *Tool) InputSchema() jsontext.Value {
	if t.Schema != nil {
		return t.Schema
	}
	return schemaOf(t.Params)
}

// ResultSchema is the JSON Schema of the result in a list of tools, nil for none.
func (t *Tool) ResultSchema() jsontext.Value {
	if t.OutputSchema != nil || t.Schema != nil || t.Output == nil || t.Unlisted {
		return t.OutputSchema
	}
	return schemaOf(paramsOf(t.Output))
}

func schemaOf(params []Param) jsontext.Value {
	var properties Object
	required := []string{}
	for i := range params {
		p := &params[i]
		properties.Set(p.Name, p.schema())
		if p.Required {
			required = append(required, p.Name)
		}
	}
	schema := Object{{"type", "object"}}
	if len(properties) > 0 {
		schema.Set("properties", properties)
	}
	if len(required) > 0 {
		schema.Set("required", required)
	}
	return encoded(schema)
}

func (p *Param) schema() Object {
	var s Object
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

// encode writes a value as every result is written.
func encode(enc *jsontext.Encoder, v any) error {
	return json.MarshalEncode(enc, v, json.Deterministic(true), json.FormatNilSliceAsNull(false),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// encoded is the JSON of what always has one.
func encoded(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true), json.FormatNilSliceAsNull(false),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("tool: " + err.Error()) // texts, numbers, and JSON that was read
	}
	return raw
}

// JSON is the object as text.
func (o Object) JSON() jsontext.Value { return encoded(o) }
