// Package video records what a tab shows as a WebM file.
//
// Chromium captures the pictures (Page.startScreencast) and encodes them (WebCodecs, in a blank page that belongs to no
// session); the file is composed here. No other program is needed.
package video

import (
	"context"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Options of a recording.
type Options struct {
	// Path is the file, which has to end in .webm or .mp4. An existing file is replaced when the recording is complete.
	Path string
	// FPS is the most pictures per second, 1 to 60. A page that does not change needs none.
	FPS int
	// Pointer, if set, returns where the mouse is, which is then drawn.
	Pointer func() Pointer
	// Captions are for the caller, who shows commands with [Recording.Caption].
	Captions bool
	// ContactSheet makes a picture of all visible changes, Path with .png in place of its extension.
	ContactSheet bool
	// Threshold is the ratio of changed pixels from which a change is on the contact sheet, above 0 to 1.
	Threshold float64
	// Judges are those of [Recording.SetJudge] from the beginning.
	Judges map[string]Judge
}

// Judge returns why the tab may not be recorded as it is in a state of the browser; nil if it may.
type Judge func(ctx context.Context, s *model.State) error

// Pointer is the state of the mouse.
type Pointer struct {
	X, Y    float64 // CSS pixels of the viewport
	Pressed bool
	Known   bool // the mouse was used
}

// Chapter is a named part of a recording. It ends where the next begins.
type Chapter struct {
	Title string  `json:"title"`
	Start float64 `json:"start"` // seconds
}

// Result describes a finished recording.
type Result struct {
	Path string
	FPS  int
	// Frames is the number of pictures in the file, Captured of those that the browser sent.
	Frames, Captured int
	// Withheld is the number of pictures that a judge kept out of the file, and Refused its reason for the last.
	Withheld      int
	Refused       error
	Duration      time.Duration
	Width, Height int
	// ContactSheet is the path of the contact sheet, empty for none, and Pictures how many it has.
	ContactSheet string
	Pictures     int
	// Chapters are also in a WebVTT file, whose path is ChapterFile.
	Chapters    []Chapter
	ChapterFile string
	// Cut is why the recording ended before it was stopped; nil if it was stopped.
	Cut error
}

// errNoFrames is for recordings of a page that was never drawn.
var errNoFrames = api.Errorf(api.CaptureFailed, "record: the browser sent no picture of the page")
