package record

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the grammar of the commands that record a video.
func grammar() verb.Set {
	args := []verb.Arg{
		{Name: "path", Kind: verb.Path, Required: true, Doc: "the file: .webm, or .mp4 if ffmpeg is installed"},
		{Name: "url", Kind: verb.URL, Doc: "an address to open first"},
	}
	flags := []verb.Flag{
		{Name: "fps", Kind: verb.Int, Value: "1-60", Min: 1, Max: 60, Default: "30", Doc: "the most frames per second; a still page needs none"},
		{Name: "cursor", Kind: verb.Bool, Doc: "draw the mouse pointer"},
		{Name: "captions", Kind: verb.Bool, Doc: "show each command that acts, without the text it enters"},
		{Name: "contact-sheet", Kind: verb.Bool, Doc: "also save a PNG of the visible changes, beside the video"},
		{Name: "contact-sheet-threshold", Kind: verb.Float, Value: "0-1", Default: "0.05", Doc: "the ratio of changed pixels that counts as a change"},
	}
	const marks = verb.Starts | verb.SavesFiles
	return verb.Set{Families: []verb.Family{{Name: "record", Summary: "record a tab as a video"}}, Verbs: []verb.Verb{
		{Name: "record start", Summary: "begin to record the active tab",
			Help: "Records this tab as it is, until record stop, or until the tab or the session is closed. Chromium encodes the video, so ffmpeg\n" +
				"is needed for .mp4 only. Cursor and captions are drawn in the video, not in the page. A file cut off by a crash plays up to there.\n" +
				"Pages that --allowed-domains or --site-guard refuse are left out: the video shows the last picture before them.",
			Args: args, Flags: flags, Examples: []string{"record start demo.webm", "record start demo.webm example.com --cursor --captions", "record start demo.webm --contact-sheet"},
			Next: []string{"record stop"}, Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: marks},
		{Name: "record stop", Summary: "end the recording and complete the file", Examples: []string{"record stop"},
			Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: verb.NeedsBrowser | verb.Control},
		{Name: "record restart", Summary: "end the recording, if any, and begin another one", Args: args, Flags: flags,
			Examples: []string{"record restart take2.webm"}, Next: []string{"record stop"}, Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: marks},
		{Name: "record chapter", Summary: "begin a chapter of the recording",
			Help: "Chapters are saved as WebVTT beside the video, for <track kind=\"chapters\">.",
			Args: []verb.Arg{{Name: "title", Required: true, Doc: "its title"}}, Examples: []string{`record chapter "Check out"`},
			Group: verb.GroupDebug, Category: verb.CatSnapshot, Marks: verb.NeedsBrowser | verb.Control},
	}}
}
