package run

import (
	"context"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Recording returns the video that is being recorded, or that was cut off and not stopped yet; nil if there is none.
func (w *BrowserContext) Recording() *video.Recording {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.recording
}

// StartRecording records a tab.
func (w *BrowserContext) StartRecording(ctx context.Context, tab *model.Tab, o video.Options) (*video.Recording, error) {
	rec, err := w.Video.Start(ctx, w.Browser, tab, o)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.recording = rec
	return rec, nil
}

// StopRecording stops the recording and waits for its files. The error is [api.InvalidArgument] if there is none.
func (w *BrowserContext) StopRecording(ctx context.Context) (*video.Result, error) {
	w.mu.Lock()
	rec := w.recording
	w.recording = nil
	w.mu.Unlock()
	if rec == nil {
		return nil, api.Errorf(api.InvalidArgument, "no recording is in progress").WithHint("Start one with `record start PATH.webm`.")
	}
	return rec.Stop(ctx)
}

// FinishRecording stops the recording, if there is one, before the session ends.
func (w *BrowserContext) FinishRecording(ctx context.Context) error {
	if w.Recording() == nil {
		return nil
	}
	_, err := w.StopRecording(ctx)
	return err
}

// caption shows a command in the recording of its tab. Only the command and what it acts on are shown, not what it
// enters: that may be a password.
func (e *Env) caption(c *verb.Call) {
	rec := e.Recording()
	if rec == nil || !rec.Options.Captions || rec.Tab != e.Tab {
		return
	}
	text := c.Verb.Name
	for _, arg := range c.Verb.Args {
		if (arg.Kind == verb.Selector || arg.Kind == verb.URL) && c.Has(arg.Name) {
			text += " " + c.Str(arg.Name)
		}
	}
	rec.Caption(text)
}
