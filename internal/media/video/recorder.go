package video

import (
	"context"
	"image"
	"sync"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Recorder passes the pictures of a browser's pages to its recordings. It is an observer of the browser.
type Recorder struct {
	// Idle is how long an encoder waits for another recording. To start one takes as long as to start a renderer process, and
	// one that waits has the memory of a renderer.
	Idle time.Duration

	mu         sync.Mutex
	recordings map[string]*Recording  // guarded by mu: by the CDP session that captures
	codecs     map[image.Point]string // guarded by mu: what the browser encodes pictures of a size with
	idle       *encoder               // guarded by mu: of the last recording, for the next; nil for none
	idleEnd    *time.Timer            // guarded by mu: closes idle
}

// encoder returns the encoder that was kept, or a new one, which is not started.
func (r *Recorder) encoder(ctx context.Context, b *supervisor.Browser) (*encoder, error) {
	r.mu.Lock()
	e := r.idle
	r.idle = nil
	r.mu.Unlock()
	if e != nil {
		return e, nil
	}
	return openEncoder(ctx, b)
}

// keep keeps an encoder for the next recording, or closes it if it is of no use.
func (r *Recorder) keep(e *encoder, useful bool) {
	if !useful {
		e.close()
		return
	}
	e.forget()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.idle != nil {
		r.idle.close()
	}
	if r.idleEnd != nil {
		r.idleEnd.Stop()
	}
	r.idle = e
	r.idleEnd = time.AfterFunc(r.Idle, func() { r.drop(e) })
}

// drop closes an encoder if it is still the one that is kept.
func (r *Recorder) drop(e *encoder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.idle == e {
		r.idle = nil
		e.close()
	}
}

// maxCodecs is how many sizes a recorder keeps the codec of.
const maxCodecs = 100

// codecFor returns the codec for a size, empty if it is not known yet.
func (r *Recorder) codecFor(size image.Point) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.codecs[size]
}

func (r *Recorder) keepCodec(size image.Point, codec string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.codecs == nil || len(r.codecs) >= maxCodecs {
		r.codecs = map[image.Point]string{}
	}
	r.codecs[size] = codec
}

// NewRecorder returns the recorder of one browser.
func NewRecorder() *Recorder {
	return &Recorder{Idle: 30 * time.Second, recordings: map[string]*Recording{}}
}

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
