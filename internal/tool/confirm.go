package tool

import (
	"context"
	"errors"

	"github.com/usher-browser/usher/internal/api"
)

// Confirm asks the person whether a tool may be called so. nil if it may. Where nobody can be asked it may not, and neither
// where the arguments cannot be shown as a whole.
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

// question is what the person reads. It is not redacted: the person is to see what will be done.
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
