package upload

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/verb"
)

// Dropped is the result of `drop`.
type Dropped struct {
	Selector string   `json:"selector"` // the element, as given
	Dropped  []string `json:"dropped"`  // names of the files
	api.Outcome
}

// drop drops files onto an element.
func drop(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Dropped], error) {
	t, err := e.Target(c, "selector")
	if err != nil {
		return run.Reply[*Dropped]{}, err
	}
	doing := "drop on " + c.Str("selector")
	paths, err := Uploads(ctx, e, c.List("files"))
	if err != nil {
		return run.Reply[*Dropped]{}, e.Explain(fmt.Errorf("%s: %w", doing, err), doing)
	}
	data := &Dropped{Selector: c.Str("selector")}
	for _, path := range paths {
		data.Dropped = append(data.Dropped, filepath.Base(path))
	}
	return run.ActOn(ctx, e, doing, data, func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
		return a.Drop(ctx, t, paths...)
	})
}
