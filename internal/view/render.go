package view

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/view/outline"
)

// The text of empty outlines.
const (
	EmptyPage     = "(empty page)"
	NoInteractive = "(no interactive elements)"
)

// render writes the outline as text:
//
//	<2·depth spaces>- <role> "<name>" [<attributes>] <kind> [<hints>] <n> options error "<what is wrong>": <value>
//
// give is called for each shown node that gets a ref, in reading order, and returns its number.
func (t *tree) render(opt Options, give func(*line) int) string {
	var b strings.Builder
	b.Grow(48 * len(t.lines))
	t.shown = make([]int32, 0, len(t.lines))
	var scratch []byte
	indents := make([]int, len(t.lines)) // where the lines below each node begin
	cut := cutting{limit: opt.Depth}
	for i := range t.lines {
		l := &t.lines[i]
		indent := 0
		if l.parent >= 0 {
			indent = indents[l.parent]
		}
		indents[i] = indent
		if l.drop {
			continue
		}
		if opt.Depth > 0 && int(l.level) > opt.Depth {
			cut.count(l, indent)
			continue
		}
		t.recordLine(int32(i), cut.write(&b))
		indents[i] = indent + 1
		if l.note != "" {
			outline.WriteIndent(&b, indent)
			b.WriteString("- (" + disown(oneLine(plain.Line(l.note))) + ")\n")
			continue
		}
		if l.ID != 0 {
			l.number = give(l)
		}
		scratch = l.append(scratch[:0])
		outline.WriteIndent(&b, indent)
		b.Write(scratch)
		b.WriteByte('\n')
	}
	if cut.write(&b) {
		t.shown = append(t.shown, -1)
	}
	if b.Len() == 0 {
		if opt.Interactive {
			return NoInteractive
		}
		return EmptyPage
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// cutting counts the nodes below the depth limit; the number is written in their place.
type cutting struct {
	limit, indent, nodes, refs int
}

func (c *cutting) count(l *line, indent int) {
	if c.nodes == 0 {
		c.indent = indent
	}
	c.nodes++
	if l.ID != 0 {
		c.refs++
	}
}

// recordLine records the line of a row, and the preceding row for nodes below the depth limit.
func (t *tree) recordLine(line int32, afterCut bool) {
	if afterCut {
		t.shown = append(t.shown, -1)
	}
	t.shown = append(t.shown, line)
}

// write writes the number of counted nodes, and reports whether there were any.
func (c *cutting) write(b *strings.Builder) bool {
	if c.nodes == 0 {
		return false
	}
	outline.WriteIndent(b, c.indent)
	b.WriteString("- … " + strconv.Itoa(c.nodes) + " deeper than " + strconv.Itoa(c.limit))
	if c.refs > 0 {
		b.WriteString(", " + strconv.Itoa(c.refs) + " with refs")
	}
	b.WriteByte('\n')
	c.nodes, c.refs = 0, 0
	return true
}

// append writes one line without its indentation and end.
func (l *line) append(b []byte) []byte {
	b = append(b, "- "...)
	b = append(b, l.Role...)
	if name := l.shownName(); name != "" {
		b = append(b, ' ')
		b = appendName(b, name)
	}
	open := false
	attribute := func() {
		if open {
			b = append(b, ", "...)
		} else {
			b = append(b, " ["...)
			open = true
		}
	}
	for _, state := range l.States {
		attribute()
		b = append(b, state...)
	}
	if l.number != 0 {
		attribute()
		b = append(b, "ref=e"...)
		b = strconv.AppendInt(b, int64(l.number), 10)
	}
	if l.URL != "" {
		attribute()
		b = append(b, "url="...)
		b = appendAddress(b, l.URL)
	}
	if open {
		b = append(b, ']')
	}
	if l.Kind != "" {
		b = append(b, ' ')
		b = append(b, l.Kind...)
	}
	if l.Hints != "" {
		b = append(b, " ["...)
		b = append(b, l.Hints...)
		b = append(b, ']')
	}
	if l.Options != "" {
		b = append(b, ' ')
		b = append(b, l.Options...)
		b = append(b, " options"...)
	}
	if l.Error != "" {
		b = append(b, " error "...)
		b = appendName(b, l.Error)
	}
	if l.Value != "" && l.Value != l.Name {
		b = append(b, ": "...)
		b = appendValue(b, l.Value)
	}
	return b
}

// shownName returns what an agent calls the node: its accessible name, or else its label.
func (n *Node) shownName() string {
	if n.Name != "" {
		return n.Name
	}
	return n.Label
}

// Page text is in quotes, after the colon of a value, or in an address. There it may look like a ref to a program that
// searches an outline for "ref=e5": such text is escaped.
const (
	refMark  = "ref=e"
	disowned = `ref\u003de` // the same in JSON
)

func disown(text string) string {
	if !strings.Contains(text, refMark) {
		return text
	}
	return strings.ReplaceAll(text, refMark, disowned)
}

func appendName(b []byte, name string) []byte {
	if !strings.Contains(name, refMark) {
		return appendQuoted(b, name)
	}
	return append(b, disown(string(appendQuoted(nil, name)))...)
}

// appendValue writes a value as it is, or in quotes if it looks like a ref.
func appendValue(b []byte, value string) []byte {
	if !strings.Contains(value, refMark) {
		return append(b, oneLine(value)...)
	}
	return appendName(b, value)
}

// appendAddress writes an address so that it ends where it ends: without brackets, quotes and line ends, which mean the
// same in percent signs.
func appendAddress(b []byte, address string) []byte {
	for i := range len(address) {
		switch c := address[i]; {
		case c < ' ', c == '"', c == '[', c == ']', c == 0x7f:
			b = append(b, '%', "0123456789ABCDEF"[c>>4], "0123456789ABCDEF"[c&15])
		case c == '=' && strings.HasSuffix(address[:i], "ref") && strings.HasPrefix(address[i+1:], "e"):
			b = append(b, "%3D"...)
		default:
			b = append(b, c)
		}
	}
	return b
}

// appendQuoted writes a JSON string.
func appendQuoted(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil { // not UTF-8: the mended string is there all the same
		return out
	}
	return out
}

// oneLine replaces line breaks, so that page text cannot look like lines of the outline.
func oneLine(s string) string {
	if strings.IndexFunc(s, isBreak) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case !isBreak(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isBreak(r rune) bool {
	return r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029
}
