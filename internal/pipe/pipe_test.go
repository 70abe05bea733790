//go:build unix

package pipe_test

import (
	"bytes"
	"io"
	"os"
	"testing"

	"github.com/usher-browser/usher/internal/pipe"
)

// TestTry fills a pipe that nobody reads: attempts write whole texts until there is no room, and never block.
func TestTry(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text := bytes.Repeat([]byte("0123456789"), pipe.Whole/10)
	out, written := pipe.Of(w), 0
	for out.Try(text) {
		if written += len(text); written > 64<<20 {
			t.Fatal("a pipe that nobody reads took 64 MB")
		}
	}
	if written == 0 {
		t.Fatal("an empty pipe took nothing")
	}
	if out.Try(bytes.Repeat([]byte{'x'}, pipe.Whole+1)) {
		t.Error("a text that may be written in part was written")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err != nil || len(got) != written || len(got)%len(text) != 0 {
		t.Errorf("read %d bytes (%v) of %d that were written in texts of %d", len(got), err, written, len(text))
	}
	if out.Try(text) {
		t.Error("a closed pipe took a text")
	}
}

// TestOf makes no attempts to write to what is no pipe, or would block.
func TestOf(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, w := range map[string]io.Writer{"buffer": &bytes.Buffer{}, "file": file} {
		if pipe.Of(w).Try([]byte("x")) {
			t.Errorf("an attempt wrote to a %s", name)
		}
	}
}
