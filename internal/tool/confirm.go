package tool

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// maxAsked bounds what a person is shown of one argument, in bytes.
const maxAsked = 500

// Confirm asks the person whether a tool may be called so. nil if it may. Where nobody can be asked it may not.
func (h *Host) Confirm(ctx context.Context, t *Tool, a Args) error {
	if h.Person == nil {
		return api.Errorf(api.NotConfirmed, "%s: the person wants to be asked before it is called, and this client cannot ask (it has no elicitation)", t.Name).
			WithHint("Ask in your answer; whoever keeps the configuration can take it out of confirm_tools.")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The agent wants to call %s", t.Name)
	if t.Title != "" {
		fmt.Fprintf(&b, " (%s)", t.Title)
	}
	b.WriteString(a.shown())
	given, ok, err := h.Person.Ask(ctx, b.String(), []Param{{Name: "decision", Kind: String, Required: true, Enum: []string{"allow", "deny"}}})
	if err != nil {
		return api.Errorf(api.NotConfirmed, "%s: the person could not be asked: %w", t.Name, err)
	}
	if given["decision"] != "allow" || !ok {
		return api.Errorf(api.NotConfirmed, "%s: the person was asked and did not allow this call", t.Name)
	}
	return nil
}

// shown are the arguments as the model wrote them, a line each. They are not
// redacted: the person is to see what will be done.
func (a Args) shown() string {
	dec := jsontext.NewDecoder(bytes.NewReader(a.Raw), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return "\n" + cut(string(a.Raw), maxAsked)
	}
	var b strings.Builder
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		text := string(value)
		fmt.Fprintf(&b, "\n%s: %s", cut(key, maxAsked), cut(text, maxAsked))
		if len(text) > maxAsked {
			fmt.Fprintf(&b, " (%d bytes in all)", len(text))
		}
	}
	return b.String()
}
