// Package elicitation asks the person by MCP elicitation: to allow a call, and for an agent that calls the tool
// clarify.
package elicitation

import (
	"context"
	"errors"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// Confirm asks the person to allow a call of t, and returns nil if they do. It returns an error with the code
// [api.NotConfirmed] if they deny it, if the client cannot ask, or if the arguments cannot be shown completely.
func Confirm(ctx context.Context, h *tool.Host, t *tool.Tool, a tool.Args) error {
	if h.Person == nil {
		return api.Errorf(api.NotConfirmed, "%s: this tool needs the person's confirmation, and this client cannot ask (it does not support elicitation)", t.Name).
			WithHint("Ask in your answer; the owner of the configuration can remove it from confirm_tools.")
	}
	question, err := question(t, a)
	if errors.Is(err, errTooLong) {
		return api.Errorf(api.NotConfirmed, "%s: this tool needs the person's confirmation, and its arguments are too long to show (over %d bytes or %d lines)",
			t.Name, maxPrompt, maxLines).WithHint("Call it with less at a time.")
	}
	if err != nil {
		return api.Errorf(api.NotConfirmed, "%s: this tool needs the person's confirmation, and its arguments cannot be shown: %w", t.Name, err).
			WithHint("Write each argument once, as plain JSON.")
	}
	given, ok, err := h.Person.Ask(ctx, question, []tool.Param{{Name: "decision", Kind: tool.String, Required: true, Enum: []string{"allow", "deny"}}})
	if err != nil {
		return api.Errorf(api.NotConfirmed, "%s: the person could not be asked: %w", t.Name, err)
	}
	if given["decision"] != "allow" || !ok {
		return api.Errorf(api.NotConfirmed, "%s: the person was asked and did not allow this call", t.Name)
	}
	return nil
}

// question returns the text that the person reads. Secrets in it are not redacted: the person must see what the call
// would do.
func question(t *tool.Tool, a tool.Args) (string, error) {
	var p prompt
	p.line("The agent wants to call %s.", t.Name)
	switch {
	case t.Schema != nil && t.Title != "":
		p.line("It is a tool of another program, which calls it %s.", Quote(t.Title, 200))
	case t.Schema != nil:
		p.line("It is a tool of another program.")
	case t.Title != "":
		p.line("What it does: %s.", t.Title)
	}
	if t.ProvidedBy != "" {
		p.line("This name is provided by %s.", t.ProvidedBy)
	}
	p.line("All arguments:")
	p.arguments(t, a)
	return p.String(), p.err
}
