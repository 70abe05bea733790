package run

import (
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// mostOrigins bounds the remembered origins of a session; those noted first are forgotten first.
const mostOrigins = 1000

// NoteOrigins remembers origins that have stored something, such as those of a loaded state.
func (w *BrowserContext) NoteOrigins(list ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.noteOrigins(list)
}

func (w *BrowserContext) noteOrigins(list []string) {
	for _, o := range list {
		if !strings.HasPrefix(o, "http") || slices.Contains(w.origins, o) {
			continue
		}
		if len(w.origins) >= mostOrigins {
			w.origins = slices.Delete(w.origins, 0, 1)
		}
		w.origins = append(w.origins, o)
	}
}

// Origins returns the origins of websites that may have stored something in the session: those of all frames, present
// and, as far as the events that are kept tell, past, and those noted. The browser has no list of them.
func (w *BrowserContext) Origins() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	const all = 1 << 20
	changes, _ := w.Browser.Stream(w.Context).After(w.scanned, all)
	var seen []string
	for i := range changes {
		c := &changes[i]
		w.scanned = c.Seq
		if c.Kind == model.TabNavigated || c.Kind == model.FrameNavigated {
			seen = append(seen, model.Origin(c.URL))
		}
	}
	for _, t := range w.Tabs() {
		for f := range t.InOrder() {
			seen = append(seen, f.Origin, model.Origin(f.URL))
		}
	}
	w.noteOrigins(seen)
	return slices.Clone(w.origins)
}
