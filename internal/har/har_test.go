package har

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKilled checks that the file is a HAR of what was recorded at every moment after a write, as a killed process would
// leave it, and that only its owner can read it.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := Create(filepath.Join(dir, "x.har"), Tool{"usher", "1"}, Tool{"Chrome", "2"})
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(w.Path()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for n := range 20 {
		w.SetPages([]Page{{ID: strings.Repeat("p", 20-n)}}) // the end becomes shorter
		w.Add(Entry{Request: Request{URL: fmt.Sprint("http://h/", n)}})
		raw := settled(t, w.Path())
		log, err := Parse(raw)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		for i, e := range log.Entries {
			if e.Request.URL != fmt.Sprint("http://h/", i) {
				t.Errorf("entry %d is %s", i, e.Request.URL)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := Read(t.Context(), w.Path())
	if err != nil || len(log.Entries) != 20 || log.Version != "1.2" || log.Creator.Name != "usher" || len(log.Pages) != 1 || log.Pages[0].ID != "p" {
		t.Errorf("%+v %v", log, err)
	}
	w.Add(Entry{}) // no effect
	if n, err := w.Status(); n != 20 || err != nil {
		t.Errorf("%d entries, %v", n, err)
	}
}

// settled reads a file until it is the same twice: a read during a write has parts of before and of after.
func settled(t *testing.T, path string) []byte {
	t.Helper()
	for last := []byte(nil); ; {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(raw, last) {
			return raw
		}
		last = raw
	}
}

// TestParseRefuses checks the errors for files that are no HAR.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "no JSON from byte 0",
		`{"log":{"entries":[{}`:    "no JSON from byte 21",
		`{"a":1}`:                  ErrNoLog.Error(),
		`{"log":{}}`:               ErrNoLog.Error(),
		`{"log":{"entries":[7]}}`:  "no HAR",
		`[]`:                       "no HAR",
		`{"log":{"entries":null}}`: ErrNoLog.Error(),
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Parse([]byte("\ufeff" + `{"log":{"entries":[],"x":1}}`)); err != nil {
		t.Errorf("with a byte order mark and an unknown member: %v", err)
	}
	if _, err := Parse([]byte(`{}`)); !errors.Is(err, ErrNoLog) {
		t.Errorf("got %v", err)
	}
}

// FuzzParse checks that no file makes Parse panic.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"log":{"version":"1.2","entries":[{"request":{"method":"GET","url":"http://h/"},"response":{"status":200}}]}}`))
	f.Add([]byte(`{"log":{"entries":[{"request":{"postData":{"text":"\ud800"}}}]}}`))
	f.Fuzz(func(_ *testing.T, raw []byte) { _, _ = Parse(raw) })
}
