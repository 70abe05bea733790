package raw

import (
	"math"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// inReach returns an error for an input event at a point, or over a distance, that no page has. Chromium keeps them in 32 bits: it never
// answers such an event, nor any that comes after it in the tab.
func inReach(call *rawCall) error {
	if !strings.HasPrefix(call.method, "Input.") {
		return nil
	}
	var params map[string]any
	_ = jsonv2.Unmarshal(call.params, &params) // the browser says what is wrong with them
	at, n := beyond("", params, maxDepth)
	if at == "" {
		return nil
	}
	return api.Errorf(api.InvalidArgument, "cdp %s: %s: %v is beyond every page; nothing was sent", call.method, at, n).
		WithHint("Numbers are CSS pixels, from -%d to %d.", verb.MaxPixels, verb.MaxPixels)
}

// places are the parameters of input events that are points and distances. Others may be large: times, and the ids of touches.
var places = []string{"x", "y", "deltaX", "deltaY", "radiusX", "radiusY", "xDistance", "yDistance", "xOverscroll", "yOverscroll"}

// beyond returns the place and value of a point or distance that is too large; the place is empty for none.
func beyond(at string, value any, left int) (string, float64) {
	switch v := value.(type) {
	case float64:
		if math.Abs(v) > verb.MaxPixels && slices.Contains(places, at[strings.LastIndexByte(at, '.')+1:]) {
			return at, v
		}
	case map[string]any:
		for name, member := range v {
			if left > 0 {
				if found, n := beyond(strings.TrimPrefix(at+"."+name, "."), member, left-1); found != "" {
					return found, n
				}
			}
		}
	case []any:
		for i, item := range v {
			if left > 0 {
				if found, n := beyond(at+"["+strconv.Itoa(i)+"]", item, left-1); found != "" {
					return found, n
				}
			}
		}
	}
	return "", 0
}
