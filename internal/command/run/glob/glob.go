// Package glob matches the addresses of pages and frames with patterns.
package glob

import "strings"

// Match reports whether an address matches a glob, in which * stands for any text; a pattern without a * matches if
// it is contained.
func Match(pattern, url string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return strings.Contains(url, pattern)
	}
	if !strings.HasPrefix(url, parts[0]) {
		return false
	}
	url = url[len(parts[0]):]
	last := parts[len(parts)-1]
	for _, p := range parts[1 : len(parts)-1] {
		i := strings.Index(url, p)
		if i < 0 {
			return false
		}
		url = url[i+len(p):]
	}
	return strings.HasSuffix(url, last)
}
