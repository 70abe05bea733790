package supervisor

import (
	"maps"
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/headers"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// SetHeaders sets the extra headers of a context for the origin of a URL, in place of the earlier ones.
func (b *Browser) SetHeaders(c model.ContextID, address string, values map[string]string) {
	b.setHeaders(c, model.Origin(address), values)
}

// SetHeadersEverywhere sets the extra headers of a context for all origins, in place of the earlier ones.
func (b *Browser) SetHeadersEverywhere(c model.ContextID, values map[string]string) {
	b.setHeaders(c, headers.Everywhere, values)
}

func (b *Browser) setHeaders(c model.ContextID, origin string, values map[string]string) {
	in := &headers.SetHeaders{Context: c, Origin: origin, Names: slices.Sorted(maps.Keys(values))}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.headers[c] == nil {
		b.headers[c] = map[string]map[string]string{}
	}
	b.headers[c][in.Origin] = maps.Clone(values)
	b.apply(fold.Input{Command: in})
	b.publish()
}

// Headers returns the extra headers of a context for a URL: those of its origin before those for all.
func (b *Browser) Headers(c model.ContextID, address string) map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]string{}
	maps.Copy(out, b.headers[c][headers.Everywhere])
	maps.Copy(out, b.headers[c][model.Origin(address)])
	return out
}
