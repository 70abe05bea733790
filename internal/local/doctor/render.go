package doctor

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The escape sequences of the marks.
const (
	green, yellow, red, bold, plain = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[1m", "\x1b[0m"
)

// render returns the report as text: a line for each check, the names in one column, and the remedy below. fixing
// reports whether --fix was given.
func render(r Report, color, fixing bool) string {
	paint := func(code, text string) string {
		if !color {
			return text
		}
		return code + text + plain
	}
	width := 0
	for _, c := range r.Checks {
		width = max(width, utf8.RuneCountInString(c.ID))
	}
	indent := strings.Repeat(" ", width+6)
	var b strings.Builder
	category := ""
	for _, c := range r.Checks {
		if c.Category != category {
			if category != "" {
				b.WriteByte('\n')
			}
			category = c.Category
			b.WriteString(paint(bold, category) + "\n")
		}
		mark := paint(green, "✓")
		switch c.Status {
		case Warn:
			mark = paint(yellow, "⚠")
		case Fail:
			mark = paint(red, "✗")
		case Pass:
		}
		message := strings.ReplaceAll(strings.TrimSpace(c.Message), "\n", "\n"+indent)
		fmt.Fprintf(&b, "  %s %-*s  %s\n", mark, width, c.ID, message)
		if c.Fix != "" {
			b.WriteString(indent + "→ " + strings.ReplaceAll(c.Fix, "\n", "\n  "+indent) + "\n")
		}
	}
	b.WriteByte('\n')
	b.WriteString(summary(r))
	if fixing && len(r.Fixed) == 0 {
		b.WriteString("; nothing that could be fixed")
	} else if len(r.Fixed) > 0 {
		fmt.Fprintf(&b, "; %d mended", len(r.Fixed))
	}
	return b.String()
}

func summary(r Report) string {
	text := fmt.Sprintf("%d passed, %s, %d failed", r.Summary.Pass, count(r.Summary.Warn, "warning"), r.Summary.Fail)
	if r.Success && r.Summary.Warn == 0 {
		text = fmt.Sprintf("All checks passed (%d)", r.Summary.Pass)
	}
	return text
}
