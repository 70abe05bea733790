package video

import (
	"context"
	"sync"

	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Recorder passes the pictures of a browser's pages to its recordings. It is an observer of the browser.
type Recorder struct {
	mu         sync.Mutex
	recordings map[string]*Recording // guarded by mu: by the CDP session that captures
}

// NewRecorder returns the recorder of one browser.
func NewRecorder() *Recorder { return &Recorder{recordings: map[string]*Recording{}} }

// Tap passes one event on.
func (r *Recorder) Tap(ev cdp.Event, _ model.TargetID, _ func(model.Change)) {
	switch ev.Method {
	case "Page.screencastFrame":
		if rec := r.find(ev.SessionID); rec != nil {
			select {
			case rec.pictures <- shot{ev.Params, rec.browser.State()}:
			default: // more than Chromium sends without acknowledgement; the next picture shows the same and more
			}
		}
	case "Target.detachedFromTarget":
		var p struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(ev.Params, &p) != nil {
			return // as for the model, an event that cannot be read has not happened
		}
		if rec := r.find(p.SessionID); rec != nil {
			rec.end(errTabGone)
		}
	}
}

func (r *Recorder) find(session string) *Recording {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recordings[session]
}

// capture makes the browser send pictures of the page of a CDP session to a recording.
func (r *Recorder) capture(ctx context.Context, s *cdp.Session, rec *Recording) error {
	r.mu.Lock()
	r.recordings[s.ID()] = rec
	r.mu.Unlock()
	_, err := cdp.Do(ctx, s, page.StartScreencast, page.StartScreencastParams{
		Format: page.StartScreencastFormatJpeg, Quality: new(int64(90)), MaxFramesInFlight: inFlight, SendLastFrame: new(true),
	})
	if err != nil {
		r.forget(s)
	}
	return err
}

// inFlight is how many pictures Chromium sends before the first is acknowledged.
const inFlight = 2

// forget ends capturing.
func (r *Recorder) forget(s *cdp.Session) {
	r.mu.Lock()
	delete(r.recordings, s.ID())
	r.mu.Unlock()
	s.Post(page.CommandStopScreencast, nil, nil)
}
