// Package record has the commands that record a tab as a video.
package record

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/verb"
)

// Started is the result of `record start` and `record restart`.
type Started struct {
	Started   bool `json:"started,omitzero"`
	Restarted bool `json:"restarted,omitzero"` // in place of started, for `record restart`
	// Path is the video that is being written; it is complete after `record stop`.
	Path string `json:"path"`
	// FPS is the most frames per second.
	FPS          int  `json:"fps"`
	Cursor       bool `json:"cursor"`       // the mouse pointer is drawn
	Captions     bool `json:"captions"`     // commands are shown
	ContactSheet bool `json:"contactSheet"` // a contact sheet will be saved
	// PreviousPath is the video that restart completed.
	PreviousPath string `json:"previousPath,omitzero"`
}

// Stopped is the result of `record stop`.
type Stopped struct {
	Path string `json:"path"`
	FPS  int    `json:"fps"`
	// Frames is the number of frames in the file, CapturedFrames of pictures that the browser sent.
	Frames         int `json:"frames"`
	CapturedFrames int `json:"capturedFrames"`
	// WithheldFrames is the number of pictures of pages that are refused, which are not in the file.
	WithheldFrames int     `json:"withheldFrames,omitzero"`
	Duration       float64 `json:"duration"` // seconds
	Width          int     `json:"width"`    // pixels
	Height         int     `json:"height"`   // pixels
	// ContactSheetPath is a PNG of the visible changes, ContactSheetPictures their number.
	ContactSheetPath     string `json:"contactSheetPath,omitzero"`
	ContactSheetPictures int    `json:"contactSheetPictures,omitzero"`
	// Chapters are also in the WebVTT file ChaptersPath.
	Chapters     []video.Chapter `json:"chapters,omitempty"`
	ChaptersPath string          `json:"chaptersPath,omitzero"`
}

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"record start":   run.Handle(start),
		"record stop":    run.Handle(stop),
		"record restart": run.Handle(restart),
		"record chapter": run.Handle(chapter),
	}}
}

func start(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Started], error) {
	if rec := e.Background.Recording(); rec != nil {
		select {
		case <-rec.Done(): // it was cut off, and nobody needs to be told to stop it
		default:
			return run.Reply[*Started]{}, api.Errorf(api.InvalidArgument, "%s is being recorded already", rec.Options.Path).
				WithHint("End it with `record stop`, or begin the next one with `record restart PATH`.")
		}
	}
	res, err := begin(ctx, e, c)
	if err != nil {
		return run.Reply[*Started]{}, err
	}
	res.Data.Started = true
	return res, nil
}

func restart(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Started], error) {
	if err := mayWrite(e, c); err != nil {
		return run.Reply[*Started]{}, err
	}
	previous := ""
	if e.Background.Recording() != nil {
		old, err := e.Background.StopRecording(ctx, e.Progress)
		if err != nil {
			return run.Reply[*Started]{}, err
		}
		previous = old.Path
	}
	res, err := begin(ctx, e, c)
	if err != nil {
		return run.Reply[*Started]{}, err
	}
	res.Data.Restarted, res.Data.PreviousPath = true, previous
	switch {
	case previous == "":
	case e.Settings.Compatible:
		res.Text = strings.Replace(res.Text, "Recording started", "Recording restarted", 1) + " (previous saved to " + previous + ")"
	default:
		res.Text = "✓ Recording saved to " + previous + "\n" + res.Text
	}
	return res, nil
}

// mayWrite checks the path before anything is done.
func mayWrite(e *run.Env, c *verb.Call) error {
	path := e.Path(c.Str("path"))
	if err := video.CheckPath(path); err != nil {
		return err
	}
	if err := e.MaySave("record", path); err != nil {
		return err
	}
	return media.CheckOutputPath(path)
}

// begin opens the address, if there is one, and starts the recording.
func begin(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Started], error) {
	var res run.Reply[*Started]
	if err := mayWrite(e, c); err != nil {
		return res, err
	}
	threshold := c.Float("contact-sheet-threshold")
	if threshold <= 0 || threshold > 1 {
		return res, api.Errorf(api.InvalidArgument, "--contact-sheet-threshold %g is not above 0 and at most 1", threshold)
	}
	if c.Has("url") {
		page, err := navigate.Navigate(ctx, e, c.Str("url"))
		if err != nil {
			return res, err
		}
		res.Warning = page.Warning
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	e.Show(e.Tab)
	tab, err := e.CurrentTab()
	if err != nil {
		return res, err
	}
	o := video.Options{
		Path: e.Path(c.Str("path")), FPS: c.Int("fps"), Captions: c.Bool("captions"),
		ContactSheet: c.Bool("contact-sheet"), Threshold: threshold, Judges: e.FilmJudges(tab.ID),
	}
	if c.Bool("cursor") {
		actor := e.Actor(e.Tab)
		o.Pointer = func() video.Pointer {
			if p := actor.Pointer(); p != nil {
				return video.Pointer{X: p.At.X, Y: p.At.Y, Pressed: p.Pressed, Known: true}
			}
			return video.Pointer{}
		}
	}
	if _, err := e.Background.StartRecording(ctx, tab, o); err != nil {
		return res, e.Explain(err, "record start")
	}
	res.Data = &Started{Path: o.Path, FPS: o.FPS, Cursor: o.Pointer != nil, Captions: o.Captions, ContactSheet: o.ContactSheet}
	res.Text = fmt.Sprintf("✓ Recording started: %s (%d fps)", o.Path, o.FPS)
	return res, nil
}

func stop(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[*Stopped], error) {
	var res run.Reply[*Stopped]
	got, err := e.Background.StopRecording(ctx, e.Progress)
	if err != nil {
		return res, err
	}
	if got.Frames == 0 {
		return res, api.Errorf(api.CaptureFailed, "record stop: %s has no picture: the browser ended before it sent one", got.Path).
			With("path", got.Path).WithHint("Open the page again and begin another recording.")
	}
	res.Data = &Stopped{
		Path: got.Path, FPS: got.FPS, Frames: got.Frames, CapturedFrames: got.Captured, WithheldFrames: got.Withheld, Duration: got.Duration.Seconds(),
		Width: got.Width, Height: got.Height, ContactSheetPath: got.ContactSheet, ContactSheetPictures: got.Pictures,
		Chapters: got.Chapters, ChaptersPath: got.ChapterFile,
	}
	res.Text = fmt.Sprintf("✓ Recording saved to %s (%.1f s, %d frames)", got.Path, got.Duration.Seconds(), got.Frames)
	for _, path := range []string{got.ContactSheet, got.ChapterFile} {
		if path != "" {
			res.Text += "\n  " + path
		}
	}
	if got.Withheld > 0 {
		res.Warning = fmt.Sprintf("%d pictures are not in the recording: %v", got.Withheld, got.Refused)
	}
	if got.Cut != nil {
		res.Warning = api.JoinWarnings(res.Warning, fmt.Sprintf("the recording ended after %.1f s: %v", got.Duration.Seconds(), got.Cut))
	}
	return res, nil
}

// chapter names the part of the video that begins now.
func chapter(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[video.Chapter], error) {
	var res run.Reply[video.Chapter]
	rec := e.Background.Recording()
	if rec == nil {
		return res, api.Errorf(api.InvalidArgument, "no recording is in progress").WithHint("Start one with `record start PATH.webm`.")
	}
	title := strings.Join(strings.Fields(c.Str("title")), " ")
	if title == "" {
		return res, api.Errorf(api.InvalidArgument, "the title of a chapter is empty")
	}
	res.Data = rec.Chapter(title)
	res.Text = fmt.Sprintf("✓ Chapter at %.1f s: %s", res.Data.Start, title)
	return res, nil
}
