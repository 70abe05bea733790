package tool

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// What a person is shown before they decide is shown whole, or they are not asked: what they do not see would be done all the
// same. And it is shown so that it cannot look like something else. Each line of what others wrote stands behind a mark that
// they cannot write at the beginning of a line; what has no shape of its own (controls, marks of direction, blanks of other
// scripts, tags) is spelled out; and long runs of blanks or of empty lines, which push the rest out of view, are counted.

// The bounds of what a person is asked to read at once.
const (
	maxShown = 12 << 10 // bytes
	maxLines = 300
	// maxBlank is how many blanks, or empty lines, stand in a row before they are counted instead.
	maxBlank = 8
	// maxWide is how long a line may be before it is broken: a window that breaks it by itself would let what follows begin at
	// the margin.
	maxWide = 100
	// maxMarks is how many combining marks stand on one letter.
	maxMarks = 3
)

// quoteMark begins each line of what others wrote.
const (
	quoteMark = "  | "
	goesOn    = "  \\ " // the line before goes on
)

var errTooMuch = errors.New("it is too long for a person to read")

// shown writes what a person sees.
type shown struct {
	strings.Builder
	lines int
	err   error // why it cannot be shown
}

// line writes a line of usher's own.
func (s *shown) line(format string, args ...any) {
	if s.Len() > 0 {
		s.WriteByte('\n')
	}
	fmt.Fprintf(s, format, args...)
	if s.lines++; s.lines > maxLines || s.Len() > maxShown {
		s.err = errTooMuch
	}
}

// value writes the value of an argument behind its name: a short text of one line beside it, all else below, marked.
func (s *shown) value(name, text string) {
	lines := strings.Split(visible(text), "\n")
	if len(lines) == 1 && len(lines[0]) <= maxWide {
		s.line("%s: %s%s", name, lines[0], mixed(text))
		return
	}
	s.line("%s: %s, %d bytes%s", name, count(len(lines), "line"), len(text), mixed(text))
	s.quote(text)
}

// quote writes what others wrote, each line behind the mark.
func (s *shown) quote(text string) {
	lines := strings.Split(visible(text), "\n")
	for i := 0; i < len(lines) && s.err == nil; {
		empty := i
		for empty < len(lines) && strings.TrimSpace(lines[empty]) == "" {
			empty++
		}
		if empty-i > maxBlank {
			s.line("%s[%d empty lines]", quoteMark, empty-i)
			i = empty
			continue
		}
		for mark := quoteMark; ; mark = goesOn {
			head, rest := atMost(lines[i], maxWide)
			s.line("%s%s", mark, head)
			if rest == "" || s.err != nil {
				break
			}
			lines[i] = rest
		}
		i++
	}
}

// atMost cuts a line in two before the rune with which it would be too wide.
func atMost(line string, most int) (head, rest string) {
	if len(line) <= most {
		return line, ""
	}
	for most > 0 && !utf8.RuneStart(line[most]) {
		most--
	}
	return line[:most], line[most:]
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// visible spells out what cannot be seen. Line ends stay.
func visible(text string) string {
	var b strings.Builder
	blanks, marks := 0, 0
	flush := func() {
		if blanks > maxBlank {
			fmt.Fprintf(&b, "[%d spaces]", blanks)
		} else {
			b.WriteString(strings.Repeat(" ", blanks))
		}
		blanks = 0
	}
	for _, r := range text {
		if r == ' ' {
			blanks++
			continue
		}
		flush()
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString(`\t`)
		case !unicode.IsPrint(r), marks > maxMarks, shapeless(r):
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return b.String()
}

// shapeless says whether a rune that counts as printable shows nothing, or changes how others look.
func shapeless(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0, r == 0xFFFC,
		0x180B <= r && r <= 0x180F, 0xFE00 <= r && r <= 0xFE0E, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return unicode.IsSpace(r)
}

// mixed warns of words in which letters of alphabets that look alike stand together.
func mixed(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) })
	if slices.ContainsFunc(words, func(word string) bool {
		latin, other := false, false
		for _, r := range word {
			latin = latin || unicode.Is(unicode.Latin, r)
			other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Lisu)
		}
		return latin && other
	}) {
		return " [a word mixes alphabets: some letters may not be what they look like]"
	}
	return ""
}

// inOneLine is a text of others as part of a line of ours.
func inOneLine(text string, most int) string {
	return strconv.Quote(cut(strings.ReplaceAll(visible(text), "\n", " "), most))
}

// named is the name of an argument as it may stand at the beginning of a line.
func named(name string) string {
	for _, r := range name {
		if r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return strconv.QuoteToASCII(name)
		}
	}
	if name == "" {
		return `""`
	}
	return name
}

// arguments writes what a call will be made with: of usher's own tools the arguments as they were understood, of those of other
// programs, which get what was written, the decoded members of that.
func (s *shown) arguments(t *Tool, a Args) {
	if t.Schema != nil {
		s.foreign(a.Raw)
		return
	}
	for i := range t.Params {
		p := &t.Params[i]
		value, given := a.values[p.Name]
		if !given {
			continue
		}
		switch v := value.(type) {
		case string:
			s.value(p.Name, v)
		case []string:
			s.line("%s: %d values", p.Name, len(v))
			for n, text := range v {
				s.value("  "+p.Name+" "+strconv.Itoa(n+1), text)
			}
		case jsontext.Value:
			s.json(p.Name, v)
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1e15 {
				s.line("%s: %d", p.Name, int64(v))
			} else {
				s.line("%s: %v", p.Name, v)
			}
		default:
			s.line("%s: %v", p.Name, v)
		}
	}
}

// foreign writes the members of an object that another program reads. One in which a name stands twice means one thing to
// one reader and another to the next, so it is not shown at all.
func (s *shown) foreign(raw jsontext.Value) {
	var members []Member
	dec := jsontext.NewDecoder(strings.NewReader(string(raw)))
	tok, err := dec.ReadToken()
	if err != nil || tok.Kind() != '{' {
		s.err = errors.New("its arguments are not a JSON object")
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			s.err = err
			return
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			s.err = err
			return
		}
		members = append(members, Member{key, value.Clone()})
	}
	if _, err := dec.ReadToken(); err != nil {
		s.err = err
		return
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		s.err = errors.New("unexpected text follows them")
		return
	}
	for _, m := range members {
		s.json(named(m.Name), m.Value.(jsontext.Value))
	}
}

// json writes a JSON value: a text as it is, all else as JSON with its texts decoded, indented.
func (s *shown) json(name string, v jsontext.Value) {
	if v.Kind() == '"' {
		s.value(name, textOf(v))
		return
	}
	check := v.Clone()
	if err := check.Format(jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(false)); err != nil {
		s.err = err
		return
	}
	if v.Kind() != '{' && v.Kind() != '[' || len(check) <= 60 {
		s.value(name, string(check))
		return
	}
	if err := check.Indent(jsontext.WithIndent("  ")); err != nil {
		s.err = err
		return
	}
	s.line("%s:", name)
	s.quote(unspaced(string(check)))
}

// unspaced leaves the indentation of JSON out of the blanks that are counted.
func unspaced(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		inner := strings.TrimLeft(line, " ")
		b.WriteString(strings.Repeat(" ", min(len(line)-len(inner), maxBlank)) + inner)
	}
	return b.String()
}
