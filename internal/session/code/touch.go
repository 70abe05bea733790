package code

import (
	"context"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// touch touches a point of the viewport. For an action policy it is a click, as the command tap is.
func (o operation) touch(ctx context.Context, params jsontext.Value) (any, error) {
	var p struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "touchscreen.tap: %w", err)
	}
	for _, event := range []map[string]any{
		{"type": "touchStart", "touchPoints": []map[string]any{{"x": p.X, "y": p.Y}}},
		{"type": "touchEnd", "touchPoints": []map[string]any{}},
	} {
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
