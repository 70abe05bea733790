package wire_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/wire"
)

// sink is a file in memory.
type sink struct {
	mu     sync.Mutex
	buf    bytes.Buffer // guarded by mu
	closed bool         // guarded by mu
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

// lines replays a recording as "dir msg" lines.
func lines(t *testing.T, recording []byte) []string {
	t.Helper()
	var got []string
	last := int64(-1)
	if err := wire.Replay(bytes.NewReader(recording), func(f wire.Frame) bool {
		if f.At < last {
			t.Errorf("frame at %d after one at %d", f.At, last)
		}
		last = f.At
		if f.Dir != wire.DirBegin {
			got = append(got, f.Dir+" "+string(f.Msg))
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestRecordAndReplay(t *testing.T) {
	a, b := cdptest.Memory()
	out := &sink{}
	recorder := wire.NewRecorder(out, 0)
	rec := recorder.Wrap(a)
	sends := []string{`{"id":1,"method":"A.b"}`, `{"id":2,"method":"A.c","params":{"text":"<html>&\u2028 é"}}`}
	gets := []string{"{\"id\":1,\n\"result\":{}}", `{"method":"A.d","params":{"x":[1,2]},"sessionId":"S"}`}
	for i := range sends {
		if err := rec.Write([]byte(sends[i])); err != nil {
			t.Fatal(err)
		}
		if msg, err := b.Read(); err != nil || string(msg) != sends[i] {
			t.Fatalf("passed on as %q, %v", msg, err)
		}
		if err := b.Write([]byte(gets[i])); err != nil {
			t.Fatal(err)
		}
		if msg, err := rec.Read(); err != nil || string(msg) != gets[i] {
			t.Fatalf("read as %q, %v", msg, err)
		}
	}
	recorder.Event(time.Now(), "A.d", []byte(`{"x":[1,2]}`), "S") // the consumer's word
	if err := errors.Join(rec.Close(), recorder.Close(), recorder.Close()); err != nil || !out.closed {
		t.Fatal(err, out.closed)
	}
	got := lines(t, out.buf.Bytes())
	want := []string{"out " + sends[0], "in " + `{"id":1,"result":{}}`, "out " + sends[1], "in " + gets[1]}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("replayed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	n := 0
	if err := wire.Replay(bytes.NewReader(out.buf.Bytes()), func(wire.Frame) bool { n++; return n < 2 }); err != nil || n != 2 {
		t.Errorf("stopped after %d frames, %v", n, err)
	}
}

func TestDamagedRecording(t *testing.T) {
	const good = `{"at":1,"dir":"in","msg":{}}` + "\n"
	for text, want := range map[string]string{
		good + "rubbish\n" + good:                "line 2 cannot be read",
		good + good + `{"at":3,"dir":"in","ms`:   "line 3, the last, is cut short",
		good + `{"at":3,"msg":{}}` + "\n" + good: "line 2 cannot be read",
	} {
		n := 0
		err := wire.Replay(strings.NewReader(text), func(wire.Frame) bool { n++; return true })
		var damage *wire.DamageError
		if !errors.As(err, &damage) || !strings.Contains(err.Error(), want) || n != damage.Line-1 {
			t.Errorf("%q: %v after %d frames, want %q", text, err, n, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }
func (full) Close() error              { return nil }

func TestFailedRecordingKeepsTheConnection(t *testing.T) {
	a, b := cdptest.Memory()
	recorder := wire.NewRecorder(full{}, 0)
	rec := recorder.Wrap(a)
	for range 3 {
		msg := message(0, 8<<10)
		if err := rec.Write(msg); err != nil {
			t.Fatal(err)
		}
		if got, err := b.Read(); err != nil || !bytes.Equal(got, msg) {
			t.Fatal("the message did not pass")
		}
	}
	rec.Close()
	if err := recorder.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("close says %v", err)
	}
}

// A recording at its limit ends with a line that says so, and stays readable.
func TestRecordingEndsAtItsLimit(t *testing.T) {
	out := &sink{}
	r := wire.NewRecorder(out, 2000)
	for range 100 {
		r.Note(time.Now(), wire.DirIn, []byte(`{"method":"A.b","params":{"text":"`+strings.Repeat("x", 100)+`"}}`))
	}
	if _, err := r.Status(); err == nil {
		t.Error("the status does not say that it ended")
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "limit of 2000 bytes") {
		t.Errorf("close says %v", err)
	}
	got := lines(t, out.buf.Bytes())
	if n := len(got); n < 5 || n > 15 || !strings.HasPrefix(got[n-1], `end "the recording has reached its limit`) {
		t.Errorf("%d lines, the last %q", n, got[n-1])
	}
}

// What was noted reaches the file by itself, without Close: a process that is
// killed leaves whole lines behind.
func TestRecordingIsWrittenAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	r := wire.NewRecorder(f, 0)
	defer r.Close()
	r.Note(time.Now(), wire.DirIn, []byte(`{"method":"A.b"}`))
	for ctx := t.Context(); ; {
		text, err := os.ReadFile(path)
		if err != nil || ctx.Err() != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(string(text), "\"A.b\"}}\n") {
			return
		}
	}
}
