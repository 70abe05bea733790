package supervisor

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// The corpus are recordings of tests over a real browser, kept by `make recordings`:
// of each what the fold reads, compressed, and beside it the course that the fold made
// of it. A change of the fold that changes a course shows as a difference of text.
const corpusDir = "testdata/recordings"

var update = flag.Bool("update", false, "write the courses of the recordings anew")

// recordings lists the corpus.
func recordings(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(corpusDir, "*.jsonl.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings in %s: %v; make recordings makes them", corpusDir, err)
	}
	return files
}

func openRecording(t testing.TB, path string) io.Reader {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// TestCorpus folds every recording: the state is consistent after each input, and
// the course is the one that is kept.
func TestCorpus(t *testing.T) {
	for _, path := range recordings(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl.gz"), func(t *testing.T) {
			var course strings.Builder
			r := &Replay{}
			r.Change = func(c model.Change) {
				fmt.Fprintf(&course, "%5d %8.3f %s\n", r.Step(), c.At.Sub(r.Start()).Seconds(), c.Sentence(oneLine))
			}
			err := r.Read(openRecording(t, path), func(time.Duration, uint64) bool {
				if err := wrong(r.State()); err != nil {
					t.Errorf("after step %d: %v", r.Step(), err)
				}
				return t.Failed()
			})
			if err != nil {
				t.Fatal(err)
			}
			course.WriteString("\n" + endText(t, r.State()))
			golden := strings.TrimSuffix(path, ".jsonl.gz") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(course.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(course.String(), "\n")); d != "" {
				t.Errorf("the fold makes another course of it (-kept +now); if that is right, go test ./internal/supervisor -run TestCorpus -update\n%s", d)
			}
		})
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// endText is the state at the end of a recording, a value a line.
func endText(t testing.TB, s *model.State) string {
	t.Helper()
	var out bytes.Buffer
	whole := text(t, s)
	end := json.NewDecoder(strings.NewReader(whole))
	var state any
	if err := end.Decode(&state); err != nil {
		t.Fatal(err)
	}
	raw, err := json.MarshalIndent(withoutZeros(state), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	out.Write(raw)
	out.WriteString("\n" + whole[end.InputOffset():] + "\n")
	return out.String()
}

// withoutZeros drops from a decoded JSON value what says nothing.
func withoutZeros(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			e = withoutZeros(e)
			switch e := e.(type) {
			case nil:
				delete(v, k)
				continue
			case map[string]any:
				if len(e) == 0 {
					delete(v, k)
					continue
				}
			case []any:
				if len(e) == 0 {
					delete(v, k)
					continue
				}
			}
			if e == false || e == "" || e == 0.0 || e == "0001-01-01T00:00:00Z" {
				delete(v, k)
				continue
			}
			v[k] = e
		}
	case []any:
		for i := range v {
			v[i] = withoutZeros(v[i])
		}
	}
	return v
}

// FuzzCorpus folds recordings with inputs that are lost, come twice, or come late:
// whatever a browser that behaves in a new way may send, in the neighbourhood of what
// browsers do send.
func FuzzCorpus(f *testing.F) {
	var all [][]Input
	for _, path := range recordings(f) {
		var list []Input
		r := &Replay{model: NewModel(false, "")}
		err := wire.Replay(openRecording(f, path), func(line wire.Frame) bool {
			in, err := r.input(&line)
			if err != nil {
				f.Fatal(err)
			}
			if in != nil {
				in.At = r.start.Add(time.Duration(line.At) * time.Microsecond)
				list = append(list, *in)
			}
			return true
		})
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, list)
	}
	for i := range all {
		f.Add([]byte{byte(i), 1, 10, 0, 2, 20, 0, 3, 30, 5})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		list := slices.Clone(all[int(data[0])%len(all)])
		list = list[:min(len(list), 400)]
		for p := (&pick{data[1:min(len(data), 200)]}); len(p.data) > 0; {
			what, at, by := p.n(4), p.n(256)*len(list)/256, 1+p.n(40)
			if len(list) == 0 {
				return
			}
			switch in := list[at]; what {
			case 0: // lost
				list = slices.Delete(list, at, at+1)
			case 1: // twice
				list = slices.Insert(list, min(at+by, len(list)), in)
			case 2: // late
				list = slices.Delete(list, at, at+1)
				list = slices.Insert(list, min(at+by, len(list)), in)
			case 3: // the connection is cut, and comes back
				list = slices.Insert(list, at, Input{At: in.At, Command: &Lost{Cause: io.ErrUnexpectedEOF}})
				list = slices.Insert(list, min(at+by, len(list)), Input{At: in.At, Command: &Connected{}})
			}
		}
		m := NewModel(false, "nonce")
		for i := range list {
			before := slices.Clone(m.cur.Dialogs)
			m.Apply(list[i])
			err := wrong(m.cur)
			if err == nil {
				err = m.wrongLink(&list[i], before)
			}
			if err != nil {
				text, _ := json.Marshal(list[i])
				t.Fatalf("after input %d, %s: %v", i, text, err)
			}
		}
	})
}

// TestRecordedCommandsAreWrittenAsBefore: what a recording says of a command is what this program would write of it, byte for byte.
func TestRecordedCommandsAreWrittenAsBefore(t *testing.T) {
	lines := 0
	for _, path := range recordings(t) {
		err := wire.Replay(openRecording(t, path), func(line wire.Frame) bool {
			if line.Dir != dirFold {
				return true
			}
			lines++
			c, err := readCommand(line.Msg)
			if err != nil || c == nil {
				t.Errorf("%s: %s is read as %v, %v", path, line.Msg, c, err)
				return false
			}
			if again, err := commandLine(c); err != nil || !bytes.Equal(again, line.Msg) {
				t.Errorf("%s: %s is written as %s, %v", path, line.Msg, again, err)
			}
			return !t.Failed()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines < 1000 {
		t.Errorf("only %d lines were compared", lines)
	}
}
