package view

import (
	"hash/maphash"
	"strconv"
	"strings"
)

// row is one line of an outline, or a line for what is omitted.
type row struct {
	text  string // without indentation and the dash
	mark  mark
	depth int32
	end   int32  // index after the last row below it
	ref   int32  // number of its ref, 0 for none
	at    int32  // index of the line of the outline that it shows, -1 for a row that replaces others
	known bool   // of a delta: it stands in what is new, and was there before
	bytes int32  // of the row and those below it, without indentation
	hash  uint64 // of the row and those below it, whatever their indentation
}

// mark is the change of a row since the last snapshot.
type mark uint8

const (
	asBefore  mark = iota
	isNew          // it and all below it
	isChanged      // only the row; those below it have marks of their own
	isMoved        // it and all below it stood somewhere else
	unchanged      // stands for rows that are the same
	removed        // stands for rows that are no longer there
	movedAway      // stands for rows that are somewhere else now
)

// marks are what rows begin with. No role has a colon, so a page cannot write them.
var marks = [...]string{isNew: "new: ", isChanged: "changed: ", isMoved: "moved: ", unchanged: "", removed: "removed: ", movedAway: "moved away: "}

// outlineHash is the seed of all hashes of rows: they are compared within one process only.
var outlineHash = maphash.MakeSeed()

// parseRows parses an outline. ok is false for a text that is none, such as EmptyPage, and for one whose rows read like
// those of a delta. The rows share the memory of text.
func parseRows(text string) (rows []row, ok bool) {
	rows = make([]row, 0, strings.Count(text, "\n")+1)
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
			close1(rows, &open)
		}
		open = append(open, int32(len(rows)))
		rows = append(rows, row{text: line, depth: depth, ref: refOf(line), at: int32(len(rows))})
	}
	for len(open) > 0 {
		close1(rows, &open)
	}
	return rows, true
}

// close1 ends the innermost open row: it has all its descendants.
func close1(rows []row, open *[]int32) {
	i := (*open)[len(*open)-1]
	*open = (*open)[:len(*open)-1]
	r := &rows[i]
	r.end, r.bytes, r.hash = int32(len(rows)), int32(len(r.text))+3, maphash.String(outlineHash, r.text)
	for j := i + 1; j < r.end; j = rows[j].end {
		r.bytes += rows[j].bytes
		r.hash = mix(r.hash, rows[j].hash)
	}
	r.hash = mix(r.hash, uint64(r.end-i))
}

// mix adds a number to a hash; the order of what is added matters.
func mix(hash, more uint64) uint64 {
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

// span is where the parts of a row's text are:
//
//	role "name" [attributes] kind [hints]: value
type span struct {
	role         string
	name, after  int // begin and end of the quoted name; equal if there is none
	listed, ends int // begin and end of what stands in the first brackets; equal if there are none
}

func spanOf(text string) span {
	s := span{}
	at := strings.IndexAny(text, " :")
	if at < 0 {
		at = len(text)
	}
	s.role, s.name, s.after = text[:at], at, at
	if strings.HasPrefix(text[at:], ` "`) {
		s.name = at + 1
		at += 2
		for at < len(text) && text[at] != '"' {
			if text[at] == '\\' {
				at++
			}
			at++
		}
		at = min(at+1, len(text))
		s.after = at
	}
	if strings.HasPrefix(text[at:], " [") {
		s.listed = at + 2
		s.ends = s.listed + max(0, strings.IndexByte(text[s.listed:], ']'))
	}
	return s
}

// refOf returns the number of the ref in a row's text, 0 if it has none. Page text cannot imitate a ref: names are
// quoted, values come after the brackets, and addresses after the ref.
func refOf(text string) int32 {
	if !strings.Contains(text, "ref=e") {
		return 0
	}
	s := spanOf(text)
	for attribute := range strings.SplitSeq(text[s.listed:s.ends], ", ") {
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

// length is the bytes of the row as it is written, with its line end.
func (r *row) length() int { return 2*int(r.depth) + 2 + len(marks[r.mark]) + len(r.text) + 1 }

func (r *row) write(b *strings.Builder) {
	writeIndent(b, int(r.depth))
	b.WriteString("- ")
	b.WriteString(marks[r.mark])
	b.WriteString(r.text)
	b.WriteByte('\n')
}

// join writes rows as text.
func join(rows []row) string {
	var b strings.Builder
	n := 0
	for i := range rows {
		n += rows[i].length()
	}
	b.Grow(n)
	for i := range rows {
		rows[i].write(&b)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// nest sets the end of each row by the depths.
func nest(rows []row) {
	var open []int32
	for i := range rows {
		for len(open) > 0 && rows[open[len(open)-1]].depth >= rows[i].depth {
			rows[open[len(open)-1]].end = int32(i)
			open = open[:len(open)-1]
		}
		open = append(open, int32(i))
	}
	for _, i := range open {
		rows[i].end = int32(len(rows))
	}
}

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
