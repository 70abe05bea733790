package tool

import (
	"context"
	"errors"

	"github.com/usher-browser/usher/internal/api"
)

// Confirm asks the person to allow a call of t, and returns nil if they do. It returns an error with the code
// [api.NotConfirmed] if they deny it, if the client cannot ask, or if the arguments cannot be shown completely.
func (h *Host) Confirm(ctx context.Context, t *Tool, a Args) error {
	if h.Person == nil {
		return api.Errorf(api.NotConfirmed, "%s: this tool needs the person's confirmation, and this client cannot ask (it does not support elicitation)", t.Name).
			WithHint("Ask in your answer; the owner of the configuration can remove it from confirm_tools.")
	}
	question, err := t.question(a)
	if errors.Is(err, errTooMuch) {
		return api.Errorf(api.NotConfirmed, "%s: this tool needs the person's confirmation, and its arguments are too long to show (over %d bytes or %d lines)",
			t.Name, maxShown, maxLines).WithHint("Call it with less at a time.")
	}
	if err != nil {
		return api.Errorf(api.NotConfirmed, "%s: this tool needs the person's confirmation, and its arguments cannot be shown: %w", t.Name, err).
			WithHint("Write each argument once, as plain JSON.")
	}
	given, ok, err := h.Person.Ask(ctx, question, []Param{{Name: "decision", Kind: String, Required: true, Enum: []string{"allow", "deny"}}})
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
func (t *Tool) question(a Args) (string, error) {
	var s shown
	s.line("The agent wants to call %s.", t.Name)
	switch {
	case t.Schema != nil && t.Title != "":
		s.line("It is a tool of another program, which calls it %s.", inOneLine(t.Title, 200))
	case t.Schema != nil:
		s.line("It is a tool of another program.")
	case t.Title != "":
		s.line("What it does: %s.", t.Title)
	}
	if t.Behind != "" {
		s.line("This name is provided by %s.", t.Behind)
	}
	s.line("All arguments:")
	s.arguments(t, a)
	return s.String(), s.err
}
