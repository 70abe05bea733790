package replay_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/replay"
)

// The recordings of the supervisor's tests serve here, too.
func recorded(name string) string {
	return filepath.Join("..", "supervisor", "testdata", "recordings", name+".jsonl.gz")
}

func file(t *testing.T, path, at string, events bool) *replay.Result {
	t.Helper()
	var until replay.Moment
	if at != "" {
		var err error
		if until, err = replay.ParseMoment(at); err != nil {
			t.Fatal(err)
		}
	}
	res, err := replay.File(path, until, events)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestMoments(t *testing.T) {
	for text, want := range map[string]replay.Moment{"#340": {Step: 340}, "2.5s": {Time: 2500 * time.Millisecond}, "1500": {Time: 1500 * time.Millisecond}} {
		got, err := replay.ParseMoment(text)
		if err != nil || got.Step != want.Step || got.Time != want.Time {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "#", "#-1", "#2.5", "soon"} {
		var known *api.Error
		if got, err := replay.ParseMoment(text); !errors.As(err, &known) || known.Code != api.InvalidArgument {
			t.Errorf("%q is %+v, %v", text, got, err)
		}
	}
}

// TestEveryMoment stops a recording after each of its steps: the step is that, the time
// goes on, and events are those up to there.
func TestEveryMoment(t *testing.T) {
	path := recorded("TestBeforeUnload")
	whole := file(t, path, "", true)
	if whole.Step < 20 || len(whole.Events) < 10 || whole.Damage != nil {
		t.Fatalf("the whole recording has %d steps and %d events, damage %v", whole.Step, len(whole.Events), whole.Damage)
	}
	var before *replay.Result
	for step := uint64(1); step <= whole.Step; step++ {
		until, err := replay.ParseMoment("#" + strconv.FormatUint(step, 10))
		if err != nil {
			t.Fatal(err)
		}
		res, err := replay.File(path, until, true)
		if err != nil {
			t.Fatal(err)
		}
		if res.Step != step {
			t.Fatalf("stopped at step %d, wanted %d", res.Step, step)
		}
		if before != nil && (res.At < before.At || len(res.Events) < len(before.Events)) {
			t.Fatalf("step %d is at %v with %d events, the one before at %v with %d", step, res.At, len(res.Events), before.At, len(before.Events))
		}
		for i := range res.Events {
			if res.Events[i].Step > step || res.Events[i].Seq != whole.Events[i].Seq {
				t.Fatalf("step %d has the event %+v", step, res.Events[i])
			}
		}
		before = res
	}
	if before.Text() != whole.Text() {
		t.Errorf("the last step says\n%s\nand the end\n%s", before.Text(), whole.Text())
	}
	half := file(t, path, (whole.At / 2).String(), false)
	if half.At > whole.At/2 || half.Step == 0 || half.Step >= whole.Step || half.Events != nil {
		t.Errorf("half of it ends at %v, step %d of %d, with %d events", half.At, half.Step, whole.Step, len(half.Events))
	}
	if none := file(t, path, "#0", false); none.Step != 0 || len(none.State.Tabs) != 0 {
		t.Errorf("before its first step there are %d tabs", len(none.State.Tabs))
	}
}

// TestReplayedState checks dialogs, frames, crashes and tabs of a replay in data and text.
func TestReplayedState(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		check func(data *replay.Shown) bool
	}{
		{"TestBeforeUnload", []string{"beforeunload", "closed by agent"}, func(d *replay.Shown) bool {
			last := d.RecentDialogs
			return len(last) > 0 && last[0].Type == "beforeunload" && last[0].TargetID != ""
		}},
		{"TestFrameTreeIsTrue", []string{"own process", "frame "}, func(d *replay.Shown) bool {
			return slices.ContainsFunc(d.Tabs, func(tab replay.Tab) bool { return tab.Frames != nil && len(tab.Frames.Children) > 0 })
		}},
		{"TestPopupCrashAndClose", []string{"closed t"}, func(d *replay.Shown) bool { return len(d.Gone) > 0 }},
		{"TestBrowserGone", []string{"the connection ended"}, func(d *replay.Shown) bool { return d.Closed != nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			res := file(t, recorded(c.name), "", true)
			text := res.Text()
			for _, want := range c.texts {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			if data := res.Data(); !c.check(data) {
				t.Errorf("the data are %+v", data)
			}
		})
	}
}

// TestDamage: a file that is no recording is refused; a truncated one is replayed as far as it can be read.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, content := range map[string][]byte{"text": []byte("no recording\n"), "packed": {0x1f, 0x8b, 1, 2, 3}} {
		var known *api.Error
		if _, err := replay.File(write(name, content), replay.Moment{}, false); !errors.As(err, &known) || known.Code != api.InvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
	var known *api.Error
	if _, err := replay.File(filepath.Join(dir, "missing"), replay.Moment{}, false); !errors.As(err, &known) || known.Code != api.FileNotFound {
		t.Errorf("missing: %v", err)
	}
	raw, err := os.ReadFile(recorded("TestBeforeUnload"))
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	old := bytes.Replace(plain, []byte(`"v":2`), []byte(`"v":1`), 1)
	if _, err := replay.File(write("old", old), replay.Moment{}, false); !errors.As(err, &known) || known.Code != api.InvalidArgument ||
		!strings.Contains(known.Message, "has format 1, and this usher reads format 2") {
		t.Errorf("another format: %v", err)
	}
	whole := file(t, write("plain", plain), "", false)
	cut := file(t, write("cut", plain[:len(plain)*2/3]), "", false)
	if whole.Damage != nil || cut.Damage == nil || cut.Damage.Line < 10 || cut.Step == 0 || cut.Step >= whole.Step {
		t.Errorf("of %d steps a cut recording has %d, damage %v", whole.Step, cut.Step, cut.Damage)
	}
}
