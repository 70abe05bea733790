package host

import (
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/session/options"
	"github.com/usher-browser/usher/internal/wire"
)

// fullDisk is a file to which nothing can be written.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }
func (fullDisk) Close() error              { return nil }

// TestRecordingThatEndsEarlyIsReportedOnce: on a full disk the recording ends and the browser continues.
func TestRecordingThatEndsEarlyIsReportedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &Host{Options: options.Launch{Record: "/full/run.jsonl"}, record: wire.NewRecorder(fullDisk{}, 0)}
		h.record.Note(time.Now(), "in", []byte("{}"))
		synctest.Wait() // for the writer
		if got := h.RecordingNotice(); !strings.Contains(got, "/full/run.jsonl ended") || !strings.Contains(got, "no space left on device") {
			t.Errorf("it is told as %q", got)
		}
		if got := h.RecordingNotice(); got != "" {
			t.Errorf("told again: %q", got)
		}
		_ = h.record.Close() // it failed before
	})
}
