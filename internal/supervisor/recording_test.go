package supervisor_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/recording"
	"github.com/usher-browser/usher/internal/wire"
)

// recorded is the recording of a test, in memory. Every test over a real browser makes one and replays it at its end.
type recorded struct {
	*wire.Recorder
	out *memory
}

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (*memory) Close() error { return nil }

func record(t *testing.T) *recorded {
	t.Helper()
	out := &memory{}
	return &recorded{wire.NewRecorder(out, 0), out}
}

// samples are states seen during a test, which the replay must reach as well.
var samples struct {
	mu sync.Mutex
	of map[testing.TB]map[uint64]*model.State // guarded by mu: by State.Seq
}

func sample(t testing.TB, s *model.State) {
	samples.mu.Lock()
	defer samples.mu.Unlock()
	if samples.of == nil {
		samples.of = map[testing.TB]map[uint64]*model.State{}
	}
	if samples.of[t] == nil {
		samples.of[t] = map[uint64]*model.State{}
	}
	if len(samples.of[t]) < 200 {
		samples.of[t][s.Seq] = s
	}
}

var keep = flag.Bool("keep", false, "keep the recordings of this run as the corpus of the fold; see make recordings")

// keepFor writes the inputs of the fold from a recording, without what was sent and without replies.
func (r *recorded) keepFor(t *testing.T) {
	t.Helper()
	var out bytes.Buffer
	to, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(r.out.Bytes()) {
		var f wire.Frame
		if err := json.Unmarshal(line, &f); err != nil {
			t.Fatal(err)
		}
		if f.Dir == wire.DirOut {
			continue
		}
		if env, err := wire.Peek(f.Msg); f.Dir == wire.DirIn && (err != nil || env.Method == "") {
			continue
		}
		if _, err := to.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	name := strings.NewReplacer("/", "-", " ", "_").Replace(t.Name())
	if err := os.WriteFile(filepath.Join("testdata", "recordings", name+".jsonl.gz"), out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// check replays the recording and compares the result with the browser's state at its end, and with the samples.
func (r *recorded) check(t *testing.T, b *supervisor.Browser) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Errorf("the recording: %v", err)
		return
	}
	if *keep {
		r.keepFor(t)
	}
	if t.Failed() {
		path := filepath.Join(t.ArtifactDir(), "recording.jsonl")
		if err := os.WriteFile(path, r.out.Bytes(), 0o600); err == nil {
			t.Logf("the recording of this run, for `usher replay --events`, is at %s if -artifacts was given", path)
		}
	}
	samples.mu.Lock()
	seen := samples.of[t]
	delete(samples.of, t)
	samples.mu.Unlock()
	replay := &recording.Replay{}
	compared, all := 0, len(seen)
	err := replay.Read(bytes.NewReader(r.out.Bytes()), func(time.Duration, uint64) bool {
		if live := seen[replay.Step()]; live != nil {
			delete(seen, live.Seq)
			compared++
			same(t, live, replay.State())
		}
		return false
	})
	if err != nil {
		t.Errorf("the recording cannot be read: %v", err)
	}
	same(t, b.State(), replay.State())
	if compared < all-1 { // the last may be the end
		t.Errorf("%d of %d samples were met", compared, all)
	}
}

func same(t *testing.T, live, replayed *model.State) {
	t.Helper()
	if a, b := statetest.Text(t, live), statetest.Text(t, replayed); a != b {
		t.Errorf("at step %d the replay comes to another state:\nlive\n%s\nreplayed\n%s", live.Seq, a, b)
	}
}
