package recording

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// The corpus are recordings of tests over a real browser, made by `make recordings` (internal/cdptest/statetest). Each is
// the compressed input of the fold, with its expected course of changes. A change of the fold that alters a course shows
// as a text diff.

var update = flag.Bool("update", false, "write the courses of the recordings anew")

// TestCorpus folds every recording: the state is consistent after each input, and the course is the expected one.
func TestCorpus(t *testing.T) {
	for _, path := range statetest.Recordings(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".jsonl.gz"), func(t *testing.T) {
			var course strings.Builder
			r := &Replay{}
			r.Change = func(c model.Change) {
				fmt.Fprintf(&course, "%5d %8.3f %s\n", r.Step(), c.At.Sub(r.Start()).Seconds(), c.Sentence(oneLine))
			}
			err := r.Read(statetest.Open(t, path), func(time.Duration, uint64) bool {
				if err := statetest.Check(r.State()); err != nil {
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

// endText returns the state at the end of a recording, one value per line.
func endText(t testing.TB, s *model.State) string {
	t.Helper()
	var out bytes.Buffer
	whole := statetest.Text(t, s)
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

// withoutZeros removes zero values from a decoded JSON value.
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
