package toolset

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/tool"
)

// Bounds of the tools of another program.
const (
	// MaxTools bounds the number of tools of one program.
	MaxTools  = 256
	maxDoc    = 4 << 10
	maxTitle  = 200
	maxSchema = 64 << 10
	maxName   = 64 // limit of MCP clients, in bytes
)

// ExternalTool returns a tool of another program. Title and doc are cut to their bounds. A name or schema that MCP
// clients would refuse is an error.
func ExternalTool(name, title, doc string, schema jsontext.Value) (*tool.Tool, error) {
	for _, c := range name {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return nil, errors.New("clients accept only letters, digits, - and _ in names")
		}
	}
	if name == "" || len(name) > maxName {
		return nil, fmt.Errorf("as %s its name does not have 1 to %d characters, as clients require", Truncate(name, 100), maxName)
	}
	var head struct {
		Type jsontext.Value `json:"type"`
	}
	switch err := json.Unmarshal(schema, &head); {
	case len(schema) > maxSchema:
		return nil, fmt.Errorf("its schema has %d bytes; the maximum is %d", len(schema), maxSchema)
	case err != nil || string(head.Type) != `"object"`:
		return nil, errors.New("its schema is not that of an object")
	}
	return &tool.Tool{Name: name, Title: Truncate(title, maxTitle), Doc: Truncate(doc, maxDoc), Schema: schema}, nil
}

// Truncate returns text cut to at most n bytes, with U+FFFD in place of invalid UTF-8.
func Truncate(text string, n int) string {
	return tool.Cut(strings.ToValidUTF8(text, "\uFFFD"), n)
}

// ConvertTools converts the list of another program to tools. Duplicates, errors of make, and tools beyond [MaxTools]
// are omitted; notes says which, and why.
func ConvertTools[T any](list []T, name func(T) string, make func(T) (*tool.Tool, error)) (tools []tool.Tool, notes []string) {
	seen := map[string]bool{}
	for _, t := range list {
		made, err := make(t)
		switch {
		case err != nil:
			notes = append(notes, fmt.Sprintf("%.80q: %v", name(t), err))
		case seen[made.Name]:
			notes = append(notes, fmt.Sprintf("%.80q is listed twice", name(t)))
		case len(tools) == MaxTools:
			notes = append(notes, fmt.Sprintf("there are more than %d", MaxTools))
		default:
			seen[made.Name] = true
			tools = append(tools, *made)
		}
	}
	return tools, notes
}
