// Package tool holds the tools that agents call: what each is called, takes and gives
// back, and how it is carried out through the local protocol. A tool is data and one
// small function; which tools an agent is offered is the business of package toolset,
// and how a call travels that of package mcp.
package tool

import (
	"context"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Tool is one thing an agent can call.
type Tool struct {
	// Name is unique among all tools: lower-case words joined by underscores.
	Name string
	// Title is for people, in a list of switches.
	Title string
	// Doc tells the model what the tool does and when to use it. Every list of tools
	// carries it, so each word is paid for again and again.
	Doc string
	// Params are the arguments in the order in which the schema lists them.
	Params []Param
	// Output is the struct that the JSON of its results is made from; nil for a tool of another program. It has the member
	// success. A failure has the type [FailureOutput] instead.
	Output reflect.Type
	// Unlisted leaves the schema of Output out of the list of tools, which is to be short.
	Unlisted bool
	// Traits say what a call does to the world.
	Traits Traits
	// Schema replaces what Params would give, for a tool of another program. Its
	// arguments are then that program's to check.
	Schema, OutputSchema jsontext.Value
	// Behind is the name under which another program has the tool, where it stands in under this one.
	Behind string
	// Missing says why the tool cannot work now, "" when it can. It does no I/O; nil
	// means always.
	Missing func(*Host) string
	// Run carries a call out, for Call. Its error is told to the model; a *Result with Failed
	// set is a failure that has more to say.
	Run func(ctx context.Context, h *Host, a Args) (*Result, error)
}

// Traits say what a call does, for clients that ask a person before some calls.
type Traits uint8

const (
	// ReadOnly tools change nothing.
	ReadOnly Traits = 1 << iota
	// Destructive tools may undo or overwrite what was there.
	Destructive
	// Idempotent tools may be called twice with the effect of once.
	Idempotent
	// OpenWorld tools deal with what is outside this machine.
	OpenWorld
	// UsesRoots tools reach the directories of Host.Roots.
	UsesRoots
	// TellsPages tools give back what pages say: see [Tool.Call].
	TellsPages
)

// Is reports whether all the given traits are there.
func (t Traits) Is(want Traits) bool { return t&want == want }

// Result is what a call came to.
type Result struct {
	// Value is a struct of the type [Tool.Output], or a pointer to one; nil for a tool of another program.
	Value any
	// Data are the members of Value in their order, made harmless. [Tool.Call] sets them.
	Data Object
	// Text is the result as a model reads it best; empty where that is Data itself. Of a tool that tells what pages say it is
	// only what is ours, and Page the rest.
	Text string
	// Page is what a page says, which [Tool.Call] sets in marks behind Text; empty where that is Data.
	Page string
	// Images follow the text.
	Images []Image
	// Failed marks a failure.
	Failed bool
}

// Image is a picture of a result.
type Image struct {
	MIMEType string
	Bytes    []byte
}

// Object is a JSON object whose members keep their order.
type Object []Member

// Member is a member of an Object.
type Member struct {
	Name  string
	Value any
}

// Set appends a member.
func (o *Object) Set(name string, value any) { *o = append(*o, Member{name, value}) }

// MarshalJSONTo implements the interface of package json.
func (o Object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := enc.WriteToken(jsontext.String(m.Name)); err != nil {
			return err
		}
		if err := encode(enc, m.Value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// words joins names for an error: a, b or c.
func words(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}
