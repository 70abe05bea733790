package code

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/order"
	"github.com/usher-browser/usher/internal/verb"
)

// recoverLimit bounds how long a tab is looked after when code was stopped.
const recoverLimit = 10 * time.Second

// recoverTab makes the tab usable again after code that was stopped from outside: a script that it started in the page, and
// which keeps the page busy, would hold up everything that follows.
func recoverTab(ctx context.Context, s Session, o *order.Order, res *script.Result) {
	if !res.TimedOut && ctx.Err() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recoverLimit)
	defer cancel()
	// The command fails if a dialog blocks the tab or it is closed: that is for the caller to find.
	ended, err := s.Command(ctx, Command{Tab: string(o.Tab), Name: "tab interrupt", Values: verb.Values{}, Limit: recoverLimit, Limited: true})
	var still *api.Error
	if errors.As(err, &still) && still.Code == api.RendererUnresponsive && res.Err != nil && res.Err.Hint == "" {
		res.Err.Hint = still.Message + ". " + still.NextStep()
		return
	}
	if err == nil && res.Err != nil && res.Err.Hint == "" && stopped(ended) {
		res.Err.Hint = "A script kept the page busy, and was terminated. The tab can be used again."
	}
}

// stopped reports whether `tab interrupt` terminated a script. Its data may have been redacted, and encoded for that.
func stopped(r run.Result) bool {
	var data struct {
		Stopped []jsontext.Value `json:"stopped"`
	}
	raw, err := json.Marshal(r.Data)
	return err == nil && json.Unmarshal(raw, &data) == nil && len(data.Stopped) > 0
}
