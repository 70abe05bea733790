// Package spelling finds words that are spelled almost like another, for messages.
package spelling

import "strings"

// Nearest returns up to two of the candidates that differ from word by few typing mistakes, in any case, best first,
// and none when nothing is near: one mistake in five letters or less, another for every three more. Failing that it
// returns the one or two candidates of which word is a prefix. Words longer than 40 bytes have no near ones.
func Nearest(word string, candidates []string) []string {
	if word == "" || len(word) > 40 {
		return nil
	}
	word = strings.ToLower(word)
	limit := max(1, len(word)/3)
	type hit struct {
		word string
		cost int
	}
	var best [2]hit
	n := 0
	for _, c := range candidates {
		if len(c)-len(word) > limit || len(word)-len(c) > limit {
			continue
		}
		d := distance(word, strings.ToLower(c))
		if d > limit || d >= len(c) {
			continue
		}
		switch {
		case n == 0 || d < best[0].cost:
			best[1], best[0] = best[0], hit{c, d}
			n = min(n+1, 2)
		case n == 1 || d < best[1].cost:
			best[1] = hit{c, d}
			n = 2
		}
	}
	if n == 0 {
		return withPrefix(word, candidates)
	}
	var out []string
	for i := range n {
		// A second choice is worth showing only when it is as near as the first.
		if i == 0 || best[i].cost == best[0].cost {
			out = append(out, best[i].word)
		}
	}
	return out
}

// withPrefix returns the candidates that begin with word, if they are few and word is more than a letter or two.
func withPrefix(word string, candidates []string) []string {
	var out []string
	for _, c := range candidates {
		if strings.HasPrefix(strings.ToLower(c), word) {
			out = append(out, c)
		}
	}
	if len(strings.TrimLeft(word, "-")) < 3 || len(out) > 2 {
		return nil
	}
	return out
}

// distance counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
func distance(a, b string) int {
	var rows [3][64]int
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	if len(b) >= len(prev) {
		return len(b)
	}
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}

// NearestOrBeginning is Nearest, or the longest candidate of at least four letters that word begins with: --full for --full-page.
func NearestOrBeginning(word string, candidates []string) []string {
	if near := Nearest(word, candidates); len(near) > 0 {
		return near
	}
	longest := ""
	word = strings.ToLower(word[:min(len(word), 64)]) // longer than any candidate; a word may have megabytes
	for _, c := range candidates {
		if len(c) > len(longest) && len(strings.TrimLeft(c, "-")) > 3 && strings.HasPrefix(word, strings.ToLower(c)) {
			longest = c
		}
	}
	if longest == "" {
		return nil
	}
	return []string{longest}
}
