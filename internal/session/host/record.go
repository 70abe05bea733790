package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/wire"
)

// Recording is the file of --record.
type Recording struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	Ended string `json:"ended,omitzero"` // why it ended before the browser
}

// startRecording opens the file of --record. It contains every secret the pages and the commands exchange, so its mode
// is 0600; an existing file is not overwritten.
func (h *Host) startRecording() error {
	path := h.Options.Record
	if path == "" {
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return api.Errorf(api.FileWriteFailed, "--record %s: the file exists", path).
			WithHint("A recording never overwrites a file: use another name, or remove the file.")
	case err != nil:
		return api.Errorf(api.FileWriteFailed, "--record: %w", err)
	}
	h.record = wire.NewRecorder(f, 0)
	return nil
}

// recorded wraps the connection with the recorder, if there is one.
func (h *Host) recorded(c wire.Conn) wire.Conn {
	if h.record == nil {
		return c
	}
	return h.record.Wrap(c)
}

// endRecording writes the remaining records. It may be called twice.
func (h *Host) endRecording() error {
	if h.record == nil {
		return nil
	}
	return h.record.Close()
}

// dropRecording removes the recording of a browser that did not start.
func (h *Host) dropRecording() error {
	if h.record == nil {
		return nil
	}
	return errors.Join(h.record.Close(), os.Remove(h.Options.Record))
}

// Recording returns the state of the recording for `session info`, nil if there is none.
func (h *Host) Recording() *Recording {
	if h.record == nil {
		return nil
	}
	size, ended := h.record.Status()
	out := &Recording{Path: h.Options.Record, Bytes: size}
	if ended != nil {
		out.Ended = ended.Error()
	}
	return out
}

// RecordingNotice reports once that the recording has ended before the browser, and why.
func (h *Host) RecordingNotice() string {
	if h.record == nil {
		return ""
	}
	size, ended := h.record.Status()
	h.mu.Lock()
	defer h.mu.Unlock()
	if ended == nil || h.endReported {
		return ""
	}
	h.endReported = true
	return fmt.Sprintf("the recording %s ended after %d bytes: %v; later events are not recorded", h.Options.Record, size, ended)
}
