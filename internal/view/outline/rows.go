// Package outline works on outlines as text: it reads them as rows, finds, compares and counts rows, and writes them again.
package outline

import (
	"hash/maphash"
	"strconv"
	"strings"
)

// Row is one line of an outline, or a line for what is omitted.
type Row struct {
	Text  string // without indentation and the dash
	Mark  Mark
	Depth int32
	End   int32  // index after the last row below it
	Ref   int32  // number of its ref, 0 for none
	At    int32  // index of the line of the outline that it shows, -1 for a row that replaces others
	Known bool   // of a delta: it stands in what is new, and was there before
	Bytes int32  // of the row and those below it, without indentation
	hash  uint64 // of the row and those below it, whatever their indentation
}

// Mark is the change of a row since the last snapshot.
type Mark uint8

// The marks of rows.
const (
	AsBefore  Mark = iota
	IsNew          // it and all below it
	IsChanged      // only the row; those below it have marks of their own
	IsMoved        // it and all below it stood somewhere else
	Unchanged      // stands for rows that are the same
	Removed        // stands for rows that are no longer there
	MovedAway      // stands for rows that are somewhere else now
)

// marks are what rows begin with. No role has a colon, so a page cannot write them.
var marks = [...]string{IsNew: "new: ", IsChanged: "changed: ", IsMoved: "moved: ", Unchanged: "", Removed: "removed: ", MovedAway: "moved away: "}

// seed is that of all hashes of rows: they are compared within one process only.
var seed = maphash.MakeSeed()

// Parse reads an outline. ok is false for a text that is none, such as "(empty page)", and for one whose rows read like
// those of a delta. The rows share the memory of text.
func Parse(text string) (rows []Row, ok bool) {
	rows = make([]Row, 0, strings.Count(text, "\n")+1)
	var open []int32
	for more := true; more; {
		var line string
		line, text, more = strings.Cut(text, "\n")
		depth := int32(0)
		for strings.HasPrefix(line, "  ") {
			line, depth = line[2:], depth+1
		}
		line, ok = strings.CutPrefix(line, "- ")
		if !ok || int(depth) > len(open) || readsAsMarked(line) {
			return nil, false
		}
		for len(open) > int(depth) {
			closeRow(rows, &open)
		}
		open = append(open, int32(len(rows)))
		rows = append(rows, Row{Text: line, Depth: depth, Ref: refOf(line), At: int32(len(rows))})
	}
	for len(open) > 0 {
		closeRow(rows, &open)
	}
	return rows, true
}

// closeRow ends the innermost open row: it has all its descendants.
func closeRow(rows []Row, open *[]int32) {
	i := (*open)[len(*open)-1]
	*open = (*open)[:len(*open)-1]
	r := &rows[i]
	r.End, r.Bytes, r.hash = int32(len(rows)), int32(len(r.Text))+3, maphash.String(seed, r.Text)
	for j := i + 1; j < r.End; j = rows[j].End {
		r.Bytes += rows[j].Bytes
		r.hash = mixHash(r.hash, rows[j].hash)
	}
	r.hash = mixHash(r.hash, uint64(r.End-i))
}

// mixHash adds a number to a hash; the order of what is added matters.
func mixHash(hash, more uint64) uint64 {
	hash = (hash ^ more) * 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}

func readsAsMarked(text string) bool {
	for _, m := range marks {
		if m != "" && strings.HasPrefix(text, m) {
			return true
		}
	}
	return strings.HasPrefix(text, "… ") && strings.HasSuffix(text, " unchanged")
}

// Span is where the parts of a row's text are:
//
//	role "name" [attributes] kind [hints]: value
type Span struct {
	Role                      string
	Name, NameEnd             int // begin and end of the quoted name; equal if there is none
	Attributes, AttributesEnd int // begin and end of what stands in the first brackets; equal if there are none
}

// SpanOf finds the parts of a row's text.
func SpanOf(text string) Span {
	s := Span{}
	at := strings.IndexAny(text, " :")
	if at < 0 {
		at = len(text)
	}
	s.Role, s.Name, s.NameEnd = text[:at], at, at
	if strings.HasPrefix(text[at:], ` "`) {
		s.Name = at + 1
		at += 2
		for at < len(text) && text[at] != '"' {
			if text[at] == '\\' {
				at++
			}
			at++
		}
		at = min(at+1, len(text))
		s.NameEnd = at
	}
	if strings.HasPrefix(text[at:], " [") {
		s.Attributes = at + 2
		s.AttributesEnd = s.Attributes + max(0, strings.IndexByte(text[s.Attributes:], ']'))
	}
	return s
}

// Named reports whether a row has a name.
func (s Span) Named() bool { return s.NameEnd > s.Name }

// refOf returns the number of the ref in a row's text, 0 if it has none. Page text cannot imitate a ref: names are
// quoted, values come after the brackets, and addresses after the ref.
func refOf(text string) int32 {
	if !strings.Contains(text, "ref=e") {
		return 0
	}
	s := SpanOf(text)
	for attribute := range strings.SplitSeq(text[s.Attributes:s.AttributesEnd], ", ") {
		if digits, ok := strings.CutPrefix(attribute, "ref=e"); ok {
			n, err := strconv.ParseInt(digits, 10, 32)
			if err != nil || n < 0 {
				return 0
			}
			return int32(n)
		}
		if strings.HasPrefix(attribute, "url=") {
			return 0
		}
	}
	return 0
}

// Size returns the bytes of the row as it is written, with its line end.
func (r *Row) Size() int { return 2*int(r.Depth) + 2 + len(marks[r.Mark]) + len(r.Text) + 1 }

func (r *Row) write(b *strings.Builder) {
	WriteIndent(b, int(r.Depth))
	b.WriteString("- ")
	b.WriteString(marks[r.Mark])
	b.WriteString(r.Text)
	b.WriteByte('\n')
}

// WriteIndent writes the indentation of a row.
func WriteIndent(b *strings.Builder, depth int) {
	for range depth {
		b.WriteString("  ")
	}
}

// Join writes rows as text.
func Join(rows []Row) string {
	var b strings.Builder
	n := 0
	for i := range rows {
		n += rows[i].Size()
	}
	b.Grow(n)
	for i := range rows {
		rows[i].write(&b)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Nest sets the end of each row by the depths.
func Nest(rows []Row) {
	var open []int32
	for i := range rows {
		for len(open) > 0 && rows[open[len(open)-1]].Depth >= rows[i].Depth {
			rows[open[len(open)-1]].End = int32(i)
			open = open[:len(open)-1]
		}
		open = append(open, int32(i))
	}
	for _, i := range open {
		rows[i].End = int32(len(rows))
	}
}

// Parents lists for each row the one it is in, -1 for none.
func Parents(rows []Row) []int32 {
	list := make([]int32, len(rows))
	var open []int32
	for i := range rows {
		for len(open) > 0 && rows[open[len(open)-1]].End <= int32(i) {
			open = open[:len(open)-1]
		}
		list[i] = -1
		if len(open) > 0 {
			list[i] = open[len(open)-1]
		}
		open = append(open, int32(i))
	}
	return list
}

// Plural returns a number with its noun, "1 line" or "2 lines".
func Plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
