package core

import (
	"slices"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// Decode decodes an event's parameters and reports whether it could; it drops an event of an unknown shape, because a
// later Chromium may change its events.
func Decode(ev *cdp.Event, into any) bool {
	return jsonv2.Unmarshal(ev.Params, into, jsontext.AllowInvalidUTF8(true)) == nil
}

// AppendBounded appends and drops the oldest beyond n.
func AppendBounded[T any](list []T, v T, n int) []T {
	list = append(list, v)
	if len(list) > n {
		list = slices.Delete(list, 0, len(list)-n)
	}
	return list
}
