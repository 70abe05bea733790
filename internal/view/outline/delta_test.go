package outline_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/usher-browser/usher/internal/cdptest/deltas"
	"github.com/usher-browser/usher/internal/view/outline"
)

// update rewrites the golden files.
var update = flag.Bool("update", false, "write the golden files anew")

// TestDelta reads testdata/delta: each file has the outline before, the outline after, and the text for the agent.
func TestDelta(t *testing.T) {
	files, err := filepath.Glob("testdata/delta/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			before, after := part(t, archive, "before"), part(t, archive, "after")
			got, ok := deltaOf(before, after)
			if !ok {
				t.Fatal("refused")
			}
			if made, err := deltas.Apply(before, got); err != nil || made != after {
				t.Errorf("%v; applied to the old outline it gives\n%s", err, made)
			}
			if *update {
				archive.Files[2].Data = []byte(got + "\n")
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := part(t, archive, "delta"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func part(t *testing.T, archive *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == name {
			return strings.TrimSuffix(string(f.Data), "\n")
		}
	}
	t.Fatalf("no part %q", name)
	return ""
}

// scribble makes an outline from random bytes, one per row.
func scribble(data []byte) string {
	var b strings.Builder
	depth, rows := 0, 0
	roles := []string{"generic", "list", "listitem", "StaticText", "button", "row", "link", "(frame not shown: why)"}
	for _, x := range data {
		depth = min(depth+1, int(x>>5)%5)
		if rows == 0 {
			depth = 0
		}
		fmt.Fprintf(&b, "%s- %s", strings.Repeat("  ", depth), roles[x%8])
		if x&16 != 0 {
			fmt.Fprintf(&b, ` "word %d"`, x%5)
		}
		if x&8 != 0 {
			fmt.Fprintf(&b, " [ref=e%d]", x%32)
		}
		b.WriteByte('\n')
		rows++
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// deltaOf returns the delta of two outlines as text. ok is false if one of them is not a valid outline.
func deltaOf(before, after string) (text string, ok bool) {
	old, ok := outline.Parse(before)
	if !ok {
		return "", false
	}
	now, ok := outline.Parse(after)
	if !ok {
		return "", false
	}
	if rows := outline.Compare(old, now); len(rows) > 0 {
		return outline.Join(rows), true
	}
	return outline.NothingChanged, true
}

func roundTrip(t *testing.T, before, after string) {
	t.Helper()
	delta, ok := deltaOf(before, after)
	if !ok {
		return
	}
	if made, err := deltas.Apply(before, delta); err != nil || made != after {
		t.Fatalf("%v\nbefore\n%s\nafter\n%s\ndelta\n%s\nmade\n%s", err, before, after, delta, made)
	}
	if again, _ := deltaOf(before, after); again != delta {
		t.Fatalf("another delta the second time:\n%s\nand\n%s", delta, again)
	}
	if (delta == outline.NothingChanged) != (before == after) {
		t.Fatalf("%q for\n%s\nand\n%s", delta, before, after)
	}
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("abc"), []byte("abd"), true)
	f.Add([]byte("- list\n  - listitem \"a\" [ref=e1]"), []byte("- list\n  - listitem \"b\" [ref=e1]"), false)
	f.Add([]byte("- a\n  - b \"… 3 lines unchanged\""), []byte("- a\n  - b: new: x"), false)
	f.Fuzz(func(t *testing.T, before, after []byte, made bool) {
		if made {
			roundTrip(t, scribble(before), scribble(after))
			return
		}
		roundTrip(t, string(before), string(after))
	})
}

// TestDeltaOfRandomOutlines changes outlines in a few places, which is more like pages than two random outlines.
func TestDeltaOfRandomOutlines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		data := make([]byte, random.IntN(60)+1)
		for i := range data {
			data[i] = byte(random.IntN(256))
		}
		next := append([]byte{}, data...)
		for range random.IntN(4) {
			at := random.IntN(len(next))
			switch random.IntN(3) {
			case 0:
				next[at] = byte(random.IntN(256))
			case 1:
				next = append(next[:at], append([]byte{byte(random.IntN(256))}, next[at:]...)...)
			default:
				if len(next) > 1 {
					next = append(next[:at], next[at+1:]...)
				}
			}
		}
		roundTrip(t, scribble(data), scribble(next))
	}
}

// BenchmarkDelta compares 50,000 buttons with an outline in which four differ and one is removed.
func BenchmarkDelta(b *testing.B) {
	write := func(changed bool) string {
		var text strings.Builder
		for i := range 50_000 {
			name := "Button"
			if changed && i%12_000 == 7 {
				name = "Changed"
			}
			if !changed || i != 500 {
				fmt.Fprintf(&text, "- button \"%s %d\" [ref=e%d]\n", name, i, i+1)
			}
		}
		return strings.TrimSuffix(text.String(), "\n")
	}
	before, after := write(false), write(true)
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := deltaOf(before, after); !ok {
			b.Fatal("refused")
		}
	}
}
