package diff

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"
)

// Lines is what two outlines differ in.
type Lines struct {
	Additions int  `json:"additions"`
	Changed   bool `json:"changed"`
	Removals  int  `json:"removals"`
	Unchanged int  `json:"unchanged"`
}

// refs matches the ref of a row, with what separates it from other states: an outline that was kept may have none.
var refs = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(` \[ref=e[0-9]+\]|, ref=e[0-9]+\b|\bref=e[0-9]+, `)
})

// compare compares outlines line by line and returns the difference as a unified diff. It is empty if there is none.
// Refs are compared unless that makes the difference larger: in one document they tell apart rows that are alike, in
// another all are new.
func compare(before, after string) (Lines, string) {
	l, text := unified(before, after, func(s string) string { return refs().ReplaceAllString(s, "") })
	if l.Changed {
		if with, other := unified(before, after, func(s string) string { return s }); with.Additions+with.Removals <= l.Additions+l.Removals {
			return with, other
		}
	}
	return l, text
}

// unified compares the keys of outlines.
func unified(before, after string, keyOf func(string) string) (l Lines, text string) {
	old, now := lines(before), lines(after)
	key := func(rows []string) []byte { return []byte(keyOf(strings.Join(rows, ""))) }
	found := string(diff.Diff("before", key(old), "after", key(now)))
	if found == "" {
		l.Unchanged = len(now)
		return l, ""
	}
	// The rows of the difference have no refs: it is written again with those of the outlines.
	var b strings.Builder
	b.WriteString("--- before\n+++ after\n")
	_, hunks, _ := strings.Cut(found, "\n+++ after\n")
	var i, j int
	for row := range strings.Lines(hunks) {
		switch row[0] {
		case '@':
			i, j = starts(row)
			b.WriteString(row)
		case '-':
			b.WriteString("-" + old[i])
			i++
			l.Removals++
		case '+':
			b.WriteString("+" + now[j])
			j++
			l.Additions++
		default:
			b.WriteString(" " + now[j])
			i++
			j++
		}
	}
	l.Changed, l.Unchanged = true, len(now)-l.Additions
	return l, strings.TrimSuffix(b.String(), "\n")
}

// lines splits an outline into lines, each with its end.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")[:1+strings.Count(strings.TrimSuffix(text, "\n"), "\n")]
}

// starts returns the indices of the first lines of a hunk, from its line "@@ -1,7 +1,8 @@". A side without lines is given
// as line 0 or the one before.
func starts(row string) (old, now int) {
	index := func(part string) int {
		at, count, _ := strings.Cut(part[1:], ",")
		n, err := strconv.Atoi(at)
		if err != nil || count == "0" {
			return n
		}
		return n - 1
	}
	parts := strings.Fields(row)
	return index(parts[1]), index(parts[2])
}
