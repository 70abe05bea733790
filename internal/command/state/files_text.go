package state

import (
	"fmt"
	"strings"
	"time"
)

// theirList is the text of `state list` under the program name agent-browser. That tool leaves the time empty.
func theirList(dir string, found []File) string {
	var b strings.Builder
	b.WriteString("Saved states in " + dir)
	if len(found) == 0 {
		b.WriteString("\n  No state files found")
	}
	for _, f := range found {
		size := fmt.Sprintf("%dB", f.Size)
		if f.Size >= 1024 {
			size = fmt.Sprintf("%.1fKB", float64(f.Size)/1024)
		}
		fmt.Fprintf(&b, "\n  %s (%s, %s)", f.Filename, size, time.Unix(f.Modified, 0).Format("2006-01-02 15:04"))
		if f.Encrypted {
			b.WriteString(" [encrypted]")
		}
	}
	return b.String()
}
