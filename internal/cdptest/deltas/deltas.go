// Package deltas makes the new outline of an old one and a delta, as tests of deltas check.
package deltas

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/view/outline"
)

// Apply makes the new outline of the old one and a delta, or says what does not fit.
func Apply(before, delta string) (string, error) {
	if delta == outline.NothingChanged {
		return before, nil
	}
	old, ok := outline.Parse(before)
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
		a.delta = append(a.delta, outline.Row{Text: text, Depth: int32(depth)})
	}
	outline.Nest(a.delta)
	if err := a.children(0, int32(len(a.delta)), 0, int32(len(old)), 0); err != nil {
		return "", err
	}
	return strings.TrimSuffix(a.out.String(), "\n"), nil
}

type applier struct {
	old, delta []outline.Row
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
			for i := o; i < a.old[o].End && keep; i++ {
				a.write(a.old[i].Depth-a.old[o].Depth+depth, a.old[i].Text)
			}
			lines -= int(a.old[o].End - o)
			o = a.old[o].End
		}
		if lines != 0 {
			return fmt.Errorf("a count is wrong by %d lines", lines)
		}
		return nil
	}
	for ; d < dEnd; d = a.delta[d].End {
		one := a.delta[d]
		if m := unchangedRow.FindStringSubmatch(one.Text); m != nil {
			n, _ := strconv.Atoi(m[1])
			if err := skip(n, true); err != nil {
				return err
			}
			continue
		}
		if strings.HasPrefix(one.Text, "removed: ") || strings.HasPrefix(one.Text, "moved away: ") {
			if err := skip(departedLines(one.Text), false); err != nil {
				return fmt.Errorf("%q: %w", one.Text, err)
			}
			continue
		}
		_, text, _ := strings.Cut(one.Text, ": ")
		if strings.HasPrefix(one.Text, "new: ") || strings.HasPrefix(one.Text, "moved: ") {
			a.write(depth, text)
			for i := d + 1; i < one.End; i++ {
				a.write(a.delta[i].Depth-one.Depth+depth, a.delta[i].Text)
			}
			continue
		}
		if o >= oEnd {
			return fmt.Errorf("nothing is left for %q", one.Text)
		}
		if !strings.HasPrefix(one.Text, "changed: ") {
			if text = one.Text; text != a.old[o].Text {
				return fmt.Errorf("%q stands where %q was", text, a.old[o].Text)
			}
		}
		a.write(depth, text)
		if err := a.children(d+1, one.End, o+1, a.old[o].End, depth+1); err != nil {
			return err
		}
		o = a.old[o].End
	}
	if o != oEnd {
		return fmt.Errorf("nothing is said of %q and what follows", a.old[o].Text)
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
