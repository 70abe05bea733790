package video

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/media"
)

// output is the file that is written. A new WebM file is written at its path from the beginning, so that it plays even
// if usher is killed. Where the path is taken, or the file is to be converted, it is a hidden file in the same directory.
type output struct {
	path string
	file *os.File
}

// newOutput creates the file. Errors are [api.InvalidArgument] for the extension, [api.FileWriteFailed] otherwise.
func newOutput(path string) (*output, error) {
	if err := CheckPath(path); err != nil {
		return nil, err
	}
	if err := media.CheckOutputPath(path); err != nil {
		return nil, err
	}
	if !isMP4(path) {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, media.Shared)
		if err == nil {
			return &output{path, f}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, writeFailed(path, err)
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".usher-*.webm")
	if err != nil {
		return nil, writeFailed(path, err)
	}
	mode := media.Shared &^ 0o022
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := f.Chmod(mode); err != nil {
		return nil, errors.Join(writeFailed(path, err), f.Close(), os.Remove(f.Name()))
	}
	return &output{path, f}, nil
}

func isMP4(path string) bool { return strings.EqualFold(filepath.Ext(path), ".mp4") }

// CheckPath checks that the extension of a path is one that can be written here: .webm, or .mp4 if ffmpeg is installed.
func CheckPath(path string) error {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".webm":
		return nil
	case ".mp4":
		if _, err := exec.LookPath("ffmpeg"); err != nil {
			return api.Errorf(api.InvalidArgument, "record: .mp4 needs ffmpeg, which is not on PATH").WithHint("Record a .webm file, which needs nothing, or install ffmpeg.")
		}
		return nil
	default:
		return api.Errorf(api.InvalidArgument, "record: the path %s has to end in .webm or .mp4", path)
	}
}

func writeFailed(path string, err error) error {
	return api.Errorf(api.FileWriteFailed, "write %s: %w", path, err).With("path", path)
}

// drop removes the file of a recording that has no frame.
func (o *output) drop() error {
	if err := o.file.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	return os.Remove(o.file.Name())
}

// complete puts the finished file at its path.
func (o *output) complete(ctx context.Context, c conversion) error {
	switch name := o.file.Name(); {
	case name == o.path:
		return nil
	case isMP4(o.path):
		return c.convert(ctx, name, o.path)
	default:
		if err := os.Rename(name, o.path); err != nil {
			return writeFailed(o.path, err)
		}
		return nil
	}
}

// conversion is what the making of an H.264 file depends on.
type conversion struct {
	fps   int
	lasts time.Duration
	doing func(string) // gets how far it is
}

// convert makes an H.264 file of a WebM file, and removes that. Its frame rate is constant, because WebM tells ffmpeg none
// and it would guess one, and its colours have the limited range, which every player knows.
func (c conversion) convert(ctx context.Context, from, to string) error {
	c.doing("the MP4 file is made")
	var log strings.Builder
	part := strings.TrimSuffix(from, ".webm") + ".mp4"
	cmd := exec.CommandContext(ctx, "ffmpeg", "-nostdin", "-v", "error", "-y", "-progress", "pipe:1", "-i", from,
		"-vf", "scale=out_range=tv,format=yuv420p", "-color_range", "tv", "-r", strconv.Itoa(c.fps), "-c:v", "libx264", "-preset", "veryfast", "-movflags", "+faststart", part)
	cmd.Stdout = &progressReader{c}
	cmd.Stderr = &limited{to: &log, left: 2000}
	if err := cmd.Run(); err != nil {
		_ = os.Remove(part)
		return api.Errorf(api.FileWriteFailed, "ffmpeg could not convert the recording: %w: %s", err, strings.TrimSpace(log.String())).
			With("path", from).WithHint("The recording is in %s, as WebM.", from)
	}
	if err := os.Rename(part, to); err != nil {
		return writeFailed(to, err)
	}
	return os.Remove(from)
}

// progressReader reads what ffmpeg prints with -progress: lines of the form key=value.
type progressReader struct{ conversion }

func (r *progressReader) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		text, is := strings.CutPrefix(strings.TrimSpace(line), "out_time_us=")
		if at, err := strconv.ParseInt(text, 10, 64); is && err == nil && at > 0 { // N/A before the first frame
			done := time.Duration(at) * time.Microsecond
			r.doing(fmt.Sprintf("the MP4 file is made: %.0f of %.0f s", min(done, r.lasts).Seconds(), r.lasts.Seconds()))
		}
	}
	return len(b), nil
}

// limited passes on the first bytes of what is written.
type limited struct {
	to   io.Writer
	left int
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(l.left, len(b))
	l.left -= n
	if _, err := l.to.Write(b[:n]); err != nil {
		return 0, err
	}
	return len(b), nil
}

// beside returns the path of a file that belongs to the recording.
func beside(path, ending string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ending }

// writeChapters writes chapters as WebVTT, for <track kind="chapters">.
func writeChapters(path string, chapters []Chapter, end float64) error {
	return media.Write(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "WEBVTT\n"); err != nil {
			return err
		}
		for i, c := range chapters {
			until := end
			if i+1 < len(chapters) {
				until = chapters[i+1].Start
			}
			if _, err := fmt.Fprintf(w, "\n%s --> %s\n%s\n", vttTime(c.Start), vttTime(max(until, c.Start+0.001)), cueText(c.Title)); err != nil {
				return err
			}
		}
		return nil
	})
}

// vttTime writes a time as hh:mm:ss.ttt.
func vttTime(seconds float64) string {
	ms := int64(seconds*1000 + 0.5)
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// cueText makes a title one line of a WebVTT cue.
func cueText(title string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(strings.Join(strings.Fields(title), " "))
}
