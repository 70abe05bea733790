package element

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// apiError returns an error of the layers below as an *api.Error.
func (e *action) apiError(err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	what := e.what()
	b := e.actor.browser
	if blocked := b.Blocked(err, e.actor.tab); blocked != nil && blocked.Unresponsive == nil {
		return failure.Blocked(b, what, blocked)
	} else if blocked != nil {
		return e.unresponsive(what, blocked)
	}
	switch {
	case errors.Is(err, errSlow):
		if u := b.Probe(context.Background(), e.actor.tab, slice); u != nil {
			return e.unresponsive(what, &model.BlockedError{Tab: e.actor.tab, Unresponsive: u, For: time.Since(u.Since)})
		}
		return api.Errorf(api.Timeout, "%s: %w", what, err)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fmt.Errorf("%s: %w", what, err)
	case world.DocumentGone(err):
		return api.Errorf(api.FrameDetached, "%s: the page or frame was replaced during the call: %w", what, err)
	case errors.Is(err, geometry.ErrNoBox):
		return api.Errorf(api.ElementNotVisible, "%s: its frame is not visible: %w", what, err).
			WithHint("Make the frame visible first, for example by opening the menu or section that contains it.")
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Whether input was sent to a page that does not answer: the page handles it when it runs again.
const (
	nothingSent = "nothing was sent to it"
	inputSent   = "the input was sent, and may take effect later"
)

// unresponsive returns the error for a page that does not answer, with what is known of the input.
func (e *action) unresponsive(what string, blocked *model.BlockedError) error {
	err := failure.Unresponsive(e.actor.browser, what, blocked)
	if e.input != "" {
		err.Message += "; " + e.input
		err = err.With("input_sent", e.input == inputSent)
	}
	return err
}

// what returns the action as text: "click #buy".
func (e *action) what() string {
	if e.target.By == "" {
		return e.verb
	}
	return e.verb + " " + e.target.String()
}

// apiErrorOrNil is apiError, and nil for no error.
func (e *action) apiErrorOrNil(err error) error {
	if err == nil {
		return nil
	}
	return e.apiError(err)
}
