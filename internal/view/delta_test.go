package view

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// apply makes the new outline of the old one and a delta, or says what does not fit.
func apply(before, delta string) (string, error) {
	if delta == Unchanged {
		return before, nil
	}
	old, ok := parseRows(before)
	if !ok {
		return "", fmt.Errorf("the old outline is none")
	}
	a := &applier{old: old}
	for line := range strings.SplitSeq(delta, "\n") {
		text := strings.TrimLeft(line, " ")
		depth := (len(line) - len(text)) / 2
		text, ok := strings.CutPrefix(text, "- ")
		if !ok {
			return "", fmt.Errorf("%q is no line of a delta", line)
		}
		a.delta = append(a.delta, row{text: text, depth: int32(depth)})
	}
	nest(a.delta)
	if err := a.children(0, int32(len(a.delta)), 0, int32(len(old)), 0); err != nil {
		return "", err
	}
	return strings.TrimSuffix(a.out.String(), "\n"), nil
}

type applier struct {
	old, delta []row
	out        strings.Builder
}

func (a *applier) write(depth int32, text string) {
	fmt.Fprintf(&a.out, "%s- %s\n", strings.Repeat("  ", int(depth)), text)
}

var (
	unchangedRow = regexp.MustCompile(`^… (\d+) lines? unchanged$`)
	removedCount = regexp.MustCompile(`(?:^removed: | \()(\d+) lines?\)?$`)
	refRange     = regexp.MustCompile(`@e(\d+)(?:-@e(\d+))?`)
)

// children makes the rows of delta[d:dEnd] of those of old[o:oEnd], all of them.
func (a *applier) children(d, dEnd, o, oEnd, depth int32) error {
	skip := func(lines int, keep bool) error {
		for lines > 0 && o < oEnd {
			for i := o; i < a.old[o].end && keep; i++ {
				a.write(a.old[i].depth-a.old[o].depth+depth, a.old[i].text)
			}
			lines -= int(a.old[o].end - o)
			o = a.old[o].end
		}
		if lines != 0 {
			return fmt.Errorf("a count is wrong by %d lines", lines)
		}
		return nil
	}
	for ; d < dEnd; d = a.delta[d].end {
		one := a.delta[d]
		if m := unchangedRow.FindStringSubmatch(one.text); m != nil {
			n, _ := strconv.Atoi(m[1])
			if err := skip(n, true); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(one.text, "removed: ") || strings.HasPrefix(one.text, "moved away: ") {
			if err := skip(departedLines(one.text), false); err != nil {
				return fmt.Errorf("%q: %w", one.text, err)
			}
			continue
		}
		_, text, _ := strings.Cut(one.text, ": ")
		if strings.HasPrefix(one.text, "new: ") || strings.HasPrefix(one.text, "moved: ") {
			a.write(depth, text)
			for i := d + 1; i < one.end; i++ {
				a.write(a.delta[i].depth-one.depth+depth, a.delta[i].text)
			}
			continue
		}
		if o >= oEnd {
			return fmt.Errorf("nothing is left for %q", one.text)
		}
		if !strings.HasPrefix(one.text, "changed: ") {
			if text = one.text; text != a.old[o].text {
				return fmt.Errorf("%q stands where %q was", text, a.old[o].text)
			}
		}
		a.write(depth, text)
		if err := a.children(d+1, one.end, o+1, a.old[o].end, depth+1); err != nil {
			return err
		}
		o = a.old[o].end
	}
	if o != oEnd {
		return fmt.Errorf("nothing is said of %q and what follows", a.old[o].text)
	}
	return nil
}

func departedLines(what string) int {
	if m := removedCount.FindStringSubmatch(what); m != nil {
		n, _ := strconv.Atoi(m[1])
		return n
	}
	n := 0
	for _, m := range refRange.FindAllStringSubmatch(what, -1) {
		n++
		if m[2] != "" {
			from, _ := strconv.Atoi(m[1])
			to, _ := strconv.Atoi(m[2])
			n += to - from
		}
	}
	return n
}

// TestDelta reads testdata/delta: each file has the outline before, after, and what an agent is told.
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
			before, after := part1(t, archive, "before"), part1(t, archive, "after")
			got, ok := Delta(before, after)
			if !ok {
				t.Fatal("refused")
			}
			if made, err := apply(before, got); err != nil || made != after {
				t.Errorf("%v; applied to the old outline it gives\n%s", err, made)
			}
			if *rewrite {
				archive.Files[2].Data = []byte(got + "\n")
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := part1(t, archive, "delta"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func part1(t *testing.T, archive *txtar.Archive, name string) string {
	t.Helper()
	for _, f := range archive.Files {
		if f.Name == name {
			return strings.TrimSuffix(string(f.Data), "\n")
		}
	}
	t.Fatalf("no part %q", name)
	return ""
}

// scribble makes an outline of random bytes: each decides about a row.
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

func roundTrip(t *testing.T, before, after string) {
	t.Helper()
	delta, ok := Delta(before, after)
	if !ok {
		return
	}
	if made, err := apply(before, delta); err != nil || made != after {
		t.Fatalf("%v\nbefore\n%s\nafter\n%s\ndelta\n%s\nmade\n%s", err, before, after, delta, made)
	}
	if again, _ := Delta(before, after); again != delta {
		t.Fatalf("another delta the second time:\n%s\nand\n%s", delta, again)
	}
	if (delta == Unchanged) != (before == after) {
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

// TestDeltaOfRandomOutlines changes outlines here and there, which is closer to what pages do than two random ones.
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

// BenchmarkDelta compares 50,000 buttons, of which four changed and one is gone, with what they were.
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
		if _, ok := Delta(before, after); !ok {
			b.Fatal("refused")
		}
	}
}
