package code

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// touch touches a point of the viewport and lets go, or does what type says of that. For an action policy it is a click, as the command tap is.
func (o operation) touch(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		X    float64 `json:"x"`
		Y    float64 `json:"y"`
		Type string  `json:"type"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "touchscreen.tap: %w", err)
	}
	for _, kind := range []string{"touchStart", "touchMove", "touchEnd"} {
		if p.Type != "" && p.Type != kind || p.Type == "" && kind == "touchMove" {
			continue
		}
		points := []map[string]any{}
		if kind != "touchEnd" {
			points = append(points, map[string]any{"x": p.X, "y": p.Y})
		}
		event := map[string]any{"type": kind, "touchPoints": points}
		text, err := json.Marshal(event)
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "touchscreen.tap: %w", err)
		}
		limit, _ := o.limit(nil)
		_, err = o.session.Command(ctx, Command{
			Tab: string(o.tab), Name: "cdp", Limit: limit, Category: verb.CatClick,
			Values: verb.Values{"method": {"Input.dispatchTouchEvent"}, "params": {string(text)}},
		})
		if err != nil {
			return nil, err
		}
	}
	return o.state(ctx, nil)
}
