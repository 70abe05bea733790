package video

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of the screencast
	"maps"
	"math"
	"sync"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/fault"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Recording is a recording in progress. Its methods may be called from any goroutine.
type Recording struct {
	// Options are those it was started with, with defaults filled in.
	Options Options
	// Tab is the tab that is recorded.
	Tab model.TargetID

	recorder *Recorder
	browser  *supervisor.Browser
	conn     *cdp.Conn
	session  *cdp.Session // captures
	out      *output

	pictures chan shot
	captions chan string
	stop     chan struct{}
	done     chan struct{}
	endOnce  sync.Once
	cut      error  // why it ended before it was stopped; written before stop is closed
	ending   ending // written before stop is closed

	mu       sync.Mutex
	begun    time.Time          // guarded by mu: when the first picture came
	chapters []Chapter          // guarded by mu
	judges   map[string]Judge   // guarded by mu; a new map for each change
	verdicts map[string]verdict // guarded by mu: by what the tab showed
	progress string             // guarded by mu: what is being done after the end; empty before

	// Of the goroutine.
	encoder  *encoder
	file     *file
	size     image.Point
	scale    float64 // pixels of the picture for a CSS pixel
	first    float64 // timestamp of the first picture, in seconds
	received time.Time
	last     time.Duration // of the last frame written
	keyAt    time.Duration // of the last key frame
	pending  []byte        // the picture that waits for its turn
	pendAt   time.Duration
	caption  string
	fades    time.Time // when the caption goes
	over     drawn     // over the last frame
	result   Result
	err      error
}

var (
	errTabGone      = errors.New("the tab was closed")
	errEncoderStuck = fmt.Errorf("the encoder did not answer within %s", encodeLimit)
)

// captionTime is how long a caption is shown.
const captionTime = 2 * time.Second

// Start begins to record a tab. It returns when the first picture has come and the encoder is ready for it.
func (r *Recorder) Start(ctx context.Context, b *supervisor.Browser, tab *model.Tab, o Options) (*Recording, error) {
	out, err := newOutput(o.Path)
	if err != nil {
		return nil, err
	}
	rec := &Recording{
		Options: o, Tab: tab.ID, recorder: r, browser: b, conn: b.Conn(), session: b.Session(tab.Session), out: out,
		judges: maps.Clone(o.Judges), verdicts: map[string]verdict{},
		pictures: make(chan shot, inFlight+1), captions: make(chan string, 8), stop: make(chan struct{}), done: make(chan struct{}),
	}
	if err := rec.begin(ctx); err != nil {
		return nil, errors.Join(err, rec.abandon())
	}
	//nolint:contextcheck // it goes on when the command has ended
	go fault.Guarded(context.WithoutCancel(ctx), rec.run)()
	return rec, nil
}

// begin captures the first picture, whose size is that of the video, while the encoder's page is opened.
func (rec *Recording) begin(ctx context.Context) error {
	var wg sync.WaitGroup
	var noEncoder error
	wg.Go(fault.Guarded(ctx, func() { rec.encoder, noEncoder = rec.recorder.encoder(ctx, rec.browser) }))
	p, err := rec.firstPicture(ctx)
	wg.Wait()
	if err := errors.Join(err, noEncoder); err != nil {
		return err
	}
	if err := rec.startEncoder(ctx); err != nil {
		return err
	}
	rec.recorder.keepCodec(rec.size, rec.encoder.codec)
	if rec.file, err = newFile(rec.out.file, rec.encoder.codec, rec.size.X, rec.size.Y); err != nil {
		return err
	}
	rec.first = p.at
	rec.last, rec.keyAt = -time.Millisecond, -keyFrameEvery
	rec.pending = p.jpeg // run encodes it
	rec.mu.Lock()
	rec.begun = rec.received
	rec.mu.Unlock()
	return nil
}

// startEncoder starts the encoder. One that was kept may have ended meanwhile; then there is a new one.
func (rec *Recording) startEncoder(ctx context.Context) error {
	threshold := 0.0
	if rec.Options.ContactSheet {
		threshold = rec.Options.Threshold
	}
	f, codec, kept := format{rec.size, rec.Options.FPS}, rec.recorder.codecFor(rec.size), rec.encoder.object != ""
	err := rec.encoder.start(ctx, f, threshold, codec)
	if err == nil || !kept || ctx.Err() != nil {
		return err
	}
	rec.encoder.close()
	if rec.encoder, err = openEncoder(ctx, rec.browser); err != nil {
		return err
	}
	return rec.encoder.start(ctx, f, threshold, codec)
}

// resizeLimit is how long a recording waits at its start for a picture of a page that was just resized, to which Chromium
// sends the old page first, reduced to fit. The next picture follows as soon as the page is drawn.
const resizeLimit = 2 * time.Second

var errResizing = errors.New("the page is being resized")

// firstPicture starts the screencast and waits for a picture that shows the whole page.
func (rec *Recording) firstPicture(ctx context.Context) (picture, error) {
	if err := rec.recorder.capture(ctx, rec.session, rec); err != nil {
		return picture{}, fmt.Errorf("start the screencast: %w", err)
	}
	p, size, err := rec.nextPicture(ctx)
	if err != nil {
		return picture{}, err
	}
	soon, cancel := context.WithTimeoutCause(ctx, resizeLimit, errResizing)
	defer cancel()
	for !p.fills(size) {
		next, nextSize, err := rec.nextPicture(soon)
		if errors.Is(err, errResizing) {
			break
		} else if err != nil {
			return picture{}, err
		}
		p, size = next, nextSize
	}
	rec.size = image.Pt(max(2, size.X&^1), max(2, size.Y&^1)) // video codecs halve the resolution of colour
	if p.width > 0 {
		rec.scale = float64(size.X) / p.width
	}
	return p, nil
}

// nextPicture waits for a picture that may be recorded, and returns it with its size in pixels.
func (rec *Recording) nextPicture(ctx context.Context) (picture, image.Point, error) {
	var taken shot
	select {
	case taken = <-rec.pictures:
	case <-rec.stop:
		return picture{}, image.Point{}, rec.cut
	case <-ctx.Done():
		return picture{}, image.Point{}, errors.Join(errNoFrames, context.Cause(ctx))
	}
	p, err := rec.decode(taken.params)
	if err != nil {
		return picture{}, image.Point{}, err
	}
	if err := rec.judged(ctx, taken.state); err != nil {
		return picture{}, image.Point{}, err
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(p.jpeg))
	if err != nil {
		return picture{}, image.Point{}, fmt.Errorf("read the first picture: %w", err)
	}
	return p, image.Pt(size.Width, size.Height), nil
}

// picture is one picture of the screencast.
type picture struct {
	jpeg          []byte
	at            float64 // seconds
	width, height float64 // of the page, in CSS pixels; 0 if unknown
}

// fills reports whether a picture of that size in pixels has the proportions of the page, to a pixel.
func (p picture) fills(size image.Point) bool {
	if p.width <= 0 || p.height <= 0 {
		return true
	}
	return math.Abs(float64(size.X)*p.height/p.width-float64(size.Y)) <= 1.5
}

// decode reads a picture and acknowledges it, upon which the browser sends another one.
func (rec *Recording) decode(raw []byte) (picture, error) {
	var p struct {
		Data     string `json:"data"`
		Number   int64  `json:"sessionId"`
		Metadata struct {
			Timestamp float64 `json:"timestamp"`
			Width     float64 `json:"deviceWidth"`
			Height    float64 `json:"deviceHeight"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		return picture{}, fmt.Errorf("read a picture of the screencast: %w", err)
	}
	rec.session.Post(page.CommandScreencastFrameAck, page.ScreencastFrameAckParams{SessionID: p.Number}, nil)
	jpeg, err := base64.StdEncoding.DecodeString(p.Data)
	if err != nil {
		return picture{}, fmt.Errorf("read a picture of the screencast: %w", err)
	}
	rec.result.Captured++
	rec.received = time.Now()
	return picture{jpeg, p.Metadata.Timestamp, p.Metadata.Width, p.Metadata.Height}, nil
}

// interval is the least time between two frames.
func (rec *Recording) interval() time.Duration { return time.Second / time.Duration(rec.Options.FPS) }

// run records until the recording is stopped or its tab has gone.
func (rec *Recording) run() {
	defer close(rec.done)
	ctx := context.Background()
	tick := time.NewTicker(rec.interval())
	defer tick.Stop()
	if err := rec.turn(ctx); err != nil { // the first picture
		rec.end(err)
	}
	for !rec.stopped() {
		var err error
		select {
		case taken := <-rec.pictures:
			err = rec.take(ctx, taken)
		case text := <-rec.captions:
			rec.caption, rec.fades = text, time.Now().Add(captionTime)
		case <-tick.C:
			err = rec.turn(ctx)
		case <-rec.conn.Done():
			rec.end(errors.New("the connection to the browser ended"))
		case <-rec.stop:
		}
		if err != nil {
			rec.end(err)
		}
	}
	rec.finish(ctx)
}

// stopped reports whether the recording is to end.
func (rec *Recording) stopped() bool {
	select {
	case <-rec.stop:
		return true
	default:
		return false
	}
}

// take holds a picture until it is time for the next frame.
func (rec *Recording) take(ctx context.Context, taken shot) error {
	p, err := rec.decode(taken.params)
	if err != nil {
		return err
	}
	if rec.withholds(ctx, taken.state) {
		return nil
	}
	rec.pending, rec.pendAt = p.jpeg, rec.timeOf(p)
	if rec.pendAt >= rec.last+rec.interval()-time.Millisecond {
		return rec.encodePending(ctx)
	}
	return nil
}

// timeOf returns the time of a picture in the video, which is behind that of the last frame.
func (rec *Recording) timeOf(p picture) time.Duration {
	return max(time.Duration((p.at-rec.first)*float64(time.Second)), rec.last+time.Millisecond)
}

func (rec *Recording) encodePending(ctx context.Context) error {
	jpeg := rec.pending
	rec.pending = nil
	return rec.encode(ctx, jpeg, rec.pendAt)
}

// turn encodes the picture that waits, or the last one again if what is drawn over it has changed.
func (rec *Recording) turn(ctx context.Context) error {
	switch {
	case rec.pending != nil:
		return rec.encodePending(ctx)
	case rec.overlay() != rec.over:
		return rec.encode(ctx, nil, rec.now())
	}
	return nil
}

// now returns the time in the video.
func (rec *Recording) now() time.Duration {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	return time.Since(rec.begun)
}

// drawn is what is drawn over a picture, comparable.
type drawn struct {
	pointer Pointer
	caption string
}

// encodeLimit is how long the browser may take to encode one frame. It takes some milliseconds.
const encodeLimit = 10 * time.Second

// encode writes a frame; without a picture the last one again.
func (rec *Recording) encode(ctx context.Context, jpeg []byte, at time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, encodeLimit, errEncoderStuck)
	defer cancel()
	at = max(at, rec.last+time.Millisecond).Truncate(time.Millisecond)
	key := at-rec.keyAt >= keyFrameEvery
	over := rec.overlay()
	frame, err := rec.encoder.frame(ctx, jpeg, at.Microseconds(), key, over.in(rec.scale))
	if err != nil || frame == nil {
		return err
	}
	rec.over, rec.last = over, at
	if frame.Key {
		rec.keyAt = at
	}
	if err := rec.file.write(at, frame.Key, frame.Data); err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", rec.Options.Path, err)
	}
	rec.result.Frames++
	return nil
}
