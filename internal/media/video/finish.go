package video

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// in converts the positions to pixels of the picture.
func (d drawn) in(scale float64) overlay {
	over := overlay{Caption: d.caption}
	if d.pointer.Known {
		over.Cursor = &cursor{X: d.pointer.X * scale, Y: d.pointer.Y * scale, Pressed: d.pointer.Pressed}
	}
	return over
}

// overlay returns what is to be drawn over the picture now.
func (rec *Recording) overlay() (d drawn) {
	if rec.Options.Pointer != nil {
		d.pointer = rec.Options.Pointer()
	}
	if time.Now().Before(rec.fades) {
		d.caption = rec.caption
	}
	return d
}

// Caption shows a line of text for two seconds. It never waits: while frames are encoded slowly, a caption may be left out.
func (rec *Recording) Caption(text string) {
	select {
	case rec.captions <- text:
	default:
	}
}

// Chapter begins a chapter.
func (rec *Recording) Chapter(title string) Chapter {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	c := Chapter{Title: title, Start: time.Since(rec.begun).Seconds()}
	rec.chapters = append(rec.chapters, c)
	return c
}

// Done is closed when the file is complete.
func (rec *Recording) Done() <-chan struct{} { return rec.done }

// Stop ends the recording, waits for the file and returns what is in it. progress gets a line each second. The wait ends
// with ctx; the file is completed nevertheless.
func (rec *Recording) Stop(ctx context.Context, progress func(string)) (*Result, error) {
	rec.end(nil)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-rec.done:
			return &rec.result, rec.err
		case <-tick.C:
			rec.mu.Lock()
			now := rec.progress
			rec.mu.Unlock()
			progress("record: " + cmp.Or(now, "the last pictures are encoded"))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// doing sets what Stop reports.
func (rec *Recording) doing(what string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	rec.progress = what
}

// ending is the tab as it is when the recording is stopped.
type ending struct {
	at      time.Duration
	state   *model.State
	picture *cdp.Pending[page.CaptureScreenshotResult] // nil if none is taken
}

// end makes the recording finish; cut is why, or nil if a person wants it. Then it asks for the last picture, which the tab draws
// while the frames before it are encoded.
func (rec *Recording) end(cut error) {
	rec.endOnce.Do(func() {
		rec.cut = cut
		rec.ending = ending{at: rec.now(), state: rec.browser.State()}
		if cut == nil && rec.ending.state.Tabs[rec.Tab] != nil {
			rec.ending.picture = cdp.Start(rec.session, page.CaptureScreenshot, page.CaptureScreenshotParams{
				Format: page.CaptureScreenshotFormatJpeg, Quality: new(int64(90)), OptimizeForSpeed: new(true),
			})
		}
		close(rec.stop)
	})
}

// finishLimit is how long the browser may take for the last frame and the contact sheet.
const finishLimit = 20 * time.Second

// finish writes the last frame and completes the files.
func (rec *Recording) finish(ctx context.Context) {
	defer func() { rec.recorder.keep(rec.encoder, rec.cut == nil && rec.err == nil) }()
	limited, cancel := context.WithTimeout(ctx, finishLimit)
	defer cancel()
	end := min(rec.ending.at, rec.now())
	rec.catchUp(limited, end)
	rec.recorder.forget(rec.session)
	// The last picture lasts until now. A browser that has ended encodes nothing more; what is in the file stays.
	var last error
	if rec.pending != nil {
		last = rec.encodePending(limited)
	}
	if rec.last < end.Truncate(time.Millisecond) {
		last = errors.Join(last, rec.encode(limited, nil, end))
	}
	if rec.cut == nil {
		rec.cut = last
	}
	rec.err = rec.complete(limited, ctx)
}

// lastPictureLimit is how long the tab may take to show what it is at the end. A tab behind a dialog shows nothing.
const lastPictureLimit = 2 * time.Second

// catchUp makes the picture of the tab as it is at the end the one that waits for its turn. Pictures of the screencast come late
// when encoding is slow: those that are on their way stand in only if the tab gives no picture.
func (rec *Recording) catchUp(ctx context.Context, end time.Duration) {
	for queued := true; queued; {
		select {
		case taken := <-rec.pictures:
			rec.takeLate(ctx, taken, end)
		default:
			queued = false
		}
	}
	if rec.ending.picture == nil || rec.withholds(ctx, rec.ending.state) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastPictureLimit)
	defer cancel()
	if shown, err := rec.ending.picture.Wait(ctx); err == nil {
		rec.pending, rec.pendAt = shown.Data, end
	}
}

// nearEnd is the time before the end in which a picture shows what the last one shows, too.
const nearEnd = 100 * time.Millisecond

// takeLate encodes a picture that waited when the recording was stopped; one that is as late as the last picture only stands in for it.
func (rec *Recording) takeLate(ctx context.Context, taken shot, end time.Duration) {
	p, err := rec.decode(taken.params)
	if err != nil || rec.withholds(ctx, taken.state) {
		return
	}
	rec.pending, rec.pendAt = p.jpeg, rec.timeOf(p)
	if rec.pendAt < rec.last+rec.interval()-time.Millisecond || rec.pendAt > end-nearEnd {
		rec.pendAt = end
	} else if err := rec.encodePending(ctx); err != nil && rec.cut == nil {
		rec.cut = err
	}
}

// complete closes the file and writes what belongs to it.
func (rec *Recording) complete(limited, ctx context.Context) error {
	res := &rec.result
	res.Path, res.FPS, res.Cut = rec.Options.Path, rec.Options.FPS, rec.cut
	res.Width, res.Height, res.Duration = rec.size.X, rec.size.Y, rec.last
	if err := rec.file.close(); err != nil {
		return writeFailed(rec.Options.Path, err)
	}
	if err := rec.out.complete(ctx, conversion{fps: rec.Options.FPS, lasts: rec.last, doing: rec.doing}); err != nil {
		return err
	}
	rec.mu.Lock()
	res.Chapters = rec.chapters
	rec.mu.Unlock()
	if len(res.Chapters) > 0 {
		path := beside(rec.Options.Path, ".vtt")
		if err := writeChapters(path, res.Chapters, res.Duration.Seconds()); err != nil {
			return err
		}
		res.ChapterFile = path
	}
	if !rec.Options.ContactSheet {
		return nil
	}
	rec.doing("the contact sheet is made")
	png, pictures, err := rec.encoder.sheet(limited)
	if err != nil {
		return api.Errorf(api.CaptureFailed, "the recording is in %s, but there is no contact sheet: %w", res.Path, err)
	}
	res.ContactSheet, res.Pictures = beside(rec.Options.Path, ".png"), pictures
	return media.Write(res.ContactSheet, func(w io.Writer) error { _, err := w.Write(png); return err })
}

// abandon removes what a recording that did not begin has left.
func (rec *Recording) abandon() error {
	rec.recorder.forget(rec.session)
	if rec.encoder != nil {
		rec.encoder.close()
	}
	if rec.file != nil {
		return errors.Join(rec.file.close(), rec.out.drop())
	}
	return rec.out.drop()
}
