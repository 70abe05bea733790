// Package tool defines what a tool of agents is: name, arguments, result, and the function that runs it by sending
// commands to the daemon. The packages below it have the tools. Package toolset decides which of them an agent is
// offered; package mcp serves them.
package tool

import (
	"context"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Tool is a tool that an agent can call.
type Tool struct {
	// Name is unique among all tools: lower-case words joined by underscores.
	Name string
	// Title is a short name for people, shown by `usher tools`.
	Title string
	// Doc is the description for the model: what the tool does and when to use it. It is part of every list of tools,
	// so each word costs tokens in every conversation.
	Doc string
	// Params are the arguments, in the order of the schema.
	Params []Param
	// Output is the struct type of the result, with the member success; nil for a tool of another program. A failed
	// call has the type [FailureOutput] instead.
	Output reflect.Type
	// Unlisted omits the output schema from the list of tools, to keep the list short.
	Unlisted bool
	// Hidden omits the tool from the list of tools; it can be called nevertheless.
	Hidden bool
	// Traits describe the effects of a call.
	Traits Traits
	// Schema and OutputSchema replace the schemas made of Params and Output, for a tool of another program. That
	// program validates the arguments itself.
	Schema, OutputSchema jsontext.Value
	// ProvidedBy is the full name, mcp__SERVER__TOOL, of a tool of an MCP server that is configured to provide Name.
	ProvidedBy string
	// Unavailable returns why the tool cannot work for this host at present, or "" if it can. It does no I/O. If nil,
	// the tool always works.
	Unavailable func(*Host) string
	// Lane returns which calls a call with these arguments waits for, if a client sends it without waiting for theirs: in a lane, calls that
	// change something are made one after the other, and those of ReadOnly tools after them. ordered is false for a call that waits for none. If
	// Lane is nil, no call waits.
	Lane func(arguments jsontext.Value) (lane string, ordered bool)
	// Run runs a call; use [Tool.Call]. Its error is reported to the model by [Failure]. It returns a Result with
	// Failed set if a failure has more data.
	Run func(ctx context.Context, h *Host, a Args) (*Result, error)
}

// Traits are flags that describe the effects of a call. MCP clients decide by them when to ask the person.
type Traits uint8

const (
	// ReadOnly: the call changes nothing.
	ReadOnly Traits = 1 << iota
	// Destructive: the call may delete or overwrite something.
	Destructive
	// Idempotent: a repeated call has no further effect.
	Idempotent
	// OpenWorld: the call reaches other machines.
	OpenWorld
	// UsesRoots: the call uses Host.Roots.
	UsesRoots
	// PageContent: the result contains content of pages, which [Tool.Call] puts between marks.
	PageContent
)

// Is reports whether t has all the given traits.
func (t Traits) Is(want Traits) bool { return t&want == want }

// OneLane is a Lane for calls that all wait for each other.
func OneLane(jsontext.Value) (lane string, ordered bool) { return "", true }

// LaneBy returns a Lane for calls that are told apart by an argument.
func LaneBy(argument string) func(jsontext.Value) (lane string, ordered bool) {
	return func(arguments jsontext.Value) (string, bool) {
		var named map[string]jsontext.Value
		_ = json.Unmarshal(arguments, &named) // others than an object are refused later
		return string(named[argument]), true
	}
}

// Result is the result of a call.
type Result struct {
	// Value is a struct of the type [Tool.Output] or [FailureOutput], or a pointer to one; nil for a tool of another
	// program.
	Value any
	// Data are the members of Value in order, without invisible characters. [Tool.Call] sets them.
	Data Object
	// Text is the result as text for the model; if empty, the JSON of Data is used. With the trait PageContent it
	// contains usher's text only; page content is in Page.
	Text string
	// Page is page content, which [Tool.Call] appends to Text between marks. If empty, the JSON of Data is used.
	Page string
	// Images are sent after the text.
	Images []Image
	// Blocks, if not nil, are texts of pages and images in their order, in place of Page and Images. [Tool.Call] puts the
	// texts between marks.
	Blocks []Block
	// Failed reports that the call failed.
	Failed bool
}

// Block is a text or an image.
type Block struct {
	Text string
	// Own marks a text of usher, which stands outside of the marks.
	Own   bool
	Image *Image
}

// Image is an image in a result, such as a PNG.
type Image struct {
	MIMEType string
	Bytes    []byte
}

// Object is a JSON object with ordered members.
type Object []Member

// Member is a member of an [Object].
type Member struct {
	Name  string
	Value any
}

// Set appends a member. It does not check for duplicates.
func (o *Object) Set(name string, value any) { *o = append(*o, Member{name, value}) }

// MarshalJSONTo implements [json.MarshalerTo].
func (o Object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o {
		if err := enc.WriteToken(jsontext.String(m.Name)); err != nil {
			return err
		}
		if err := marshalTo(enc, m.Value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// Alternatives joins names for an error message: "a, b or c".
func Alternatives(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// WithPageContent adds the trait [PageContent] to each tool and returns them.
func WithPageContent(tools []Tool) []Tool {
	for i := range tools {
		tools[i].Traits |= PageContent
	}
	return tools
}

// Success is the first member of every result. It is true unless the call failed.
type Success struct {
	OK bool `json:"success"`
}

// Succeeded is the first member of the result of a call that succeeded.
var Succeeded = Success{true}
