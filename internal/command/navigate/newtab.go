package navigate

import (
	"context"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// NewTab opens a tab and makes it the tab of this verb.
func NewTab(ctx context.Context, e *run.Env, window bool) (*model.Tab, error) {
	t, err := e.NewTab(ctx, window)
	if err != nil {
		return nil, e.Explain(err, "open a tab")
	}
	e.Tab = t.ID
	return t, nil
}
