package elicitation

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

	"github.com/usher-browser/usher/internal/tool"
)

// A person who is asked to allow a call sees all of it, or is not asked: they would otherwise allow what they did not
// see. Text of others cannot imitate usher's. Each of its lines begins with quotePrefix, which it cannot write at the
// beginning of a line; invisible characters (controls, bidirectional marks, unusual spaces, tags) are escaped; long
// runs of spaces or empty lines, which would push text out of view, are replaced by their count.

// Bounds of what a person is asked to read at once.
const (
	maxPrompt = 12 << 10 // bytes
	maxLines  = 300
	// maxBlanks is the longest run of spaces or empty lines that is written as it is. Longer runs are replaced by their
	// count.
	maxBlanks = 8
	// maxWidth is the longest line, in bytes. Longer lines are broken here: if the client's window broke them, the
	// remainder would begin at the margin, without quotePrefix.
	maxWidth = 100
	// maxCombining is how many combining marks on one letter are written as they are.
	maxCombining = 3
)

// quotePrefix begins each line of quoted text.
const (
	quotePrefix  = "  | "
	continuation = "  \\ " // continues the line before
)

var errTooLong = errors.New("it is too long for a person to read")

// prompt builds the text for the person.
type prompt struct {
	strings.Builder
	lines int
	err   error // why the text cannot be shown
}

// line writes a line of usher's text, without quotePrefix.
func (p *prompt) line(format string, args ...any) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	fmt.Fprintf(p, format, args...)
	if p.lines++; p.lines > maxLines || p.Len() > maxPrompt {
		p.err = errTooLong
	}
}

// argument writes an argument: a short single-line value beside its name, others quoted below it.
func (p *prompt) argument(name, text string) {
	lines := strings.Split(escapeInvisible(text), "\n")
	if len(lines) == 1 && len(lines[0]) <= maxWidth {
		p.line("%s: %s%s", name, lines[0], mixedScripts(text))
		return
	}
	p.line("%s: %s, %d bytes%s", name, tool.Count(len(lines), "line"), len(text), mixedScripts(text))
	p.quote(text)
}

// quote writes text of others, each line after quotePrefix.
func (p *prompt) quote(text string) {
	lines := strings.Split(escapeInvisible(text), "\n")
	for i := 0; i < len(lines) && p.err == nil; {
		empty := i
		for empty < len(lines) && strings.TrimSpace(lines[empty]) == "" {
			empty++
		}
		if empty-i > maxBlanks {
			p.line("%s[%d empty lines]", quotePrefix, empty-i)
			i = empty
			continue
		}
		for mark := quotePrefix; ; mark = continuation {
			head, rest := splitAt(lines[i], maxWidth)
			p.line("%s%s", mark, head)
			if rest == "" || p.err != nil {
				break
			}
			lines[i] = rest
		}
		i++
	}
}

// splitAt splits a line at the last rune boundary within most bytes.
func splitAt(line string, most int) (head, rest string) {
	if len(line) <= most {
		return line, ""
	}
	for most > 0 && !utf8.RuneStart(line[most]) {
		most--
	}
	return line[:most], line[most:]
}

// escapeInvisible escapes characters that cannot be seen. Line ends stay.
func escapeInvisible(text string) string {
	var b strings.Builder
	blanks, marks := 0, 0
	flush := func() {
		if blanks > maxBlanks {
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
		case !unicode.IsPrint(r), marks > maxCombining, invisible(r):
			fmt.Fprintf(&b, `\u{%X}`, r)
		default:
			b.WriteRune(r)
		}
	}
	flush()
	return b.String()
}

// invisible reports whether a rune that Unicode calls printable is invisible or changes the appearance of others.
func invisible(r rune) bool {
	switch {
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x2800, r == 0x3164, r == 0xFFA0, r == 0xFFFC,
		0x180B <= r && r <= 0x180F, 0xFE00 <= r && r <= 0xFE0E, 0xE0000 <= r && r <= 0xE0FFF:
		return true
	}
	return unicode.IsSpace(r)
}

// mixedScripts returns a warning if a word mixes Latin letters with those of similar alphabets, and otherwise "".
func mixedScripts(text string) string {
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

// Quote quotes text of others for use within a line of usher's.
func Quote(text string, most int) string {
	return strconv.Quote(tool.Cut(strings.ReplaceAll(escapeInvisible(text), "\n", " "), most))
}

// quoteName returns an argument's name for the beginning of a line, quoted if it has unusual characters.
func quoteName(name string) string {
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

// arguments writes the arguments of a call. For a native tool they are the parsed values; for a tool of another
// program, the decoded members of the raw object, because that program gets the raw object.
func (p *prompt) arguments(t *tool.Tool, a tool.Args) {
	if t.Schema != nil {
		p.rawArguments(a.Raw)
		return
	}
	for i := range t.Params {
		param := &t.Params[i]
		value, given := a.Value(param.Name)
		if !given {
			continue
		}
		switch v := value.(type) {
		case string:
			p.argument(param.Name, v)
		case []string:
			p.line("%s: %d values", param.Name, len(v))
			for n, text := range v {
				p.argument("  "+param.Name+" "+strconv.Itoa(n+1), text)
			}
		case jsontext.Value:
			p.json(param.Name, v)
		case float64:
			if v == math.Trunc(v) && math.Abs(v) < 1e15 {
				p.line("%s: %d", param.Name, int64(v))
			} else {
				p.line("%s: %v", param.Name, v)
			}
		default:
			p.line("%s: %v", param.Name, v)
		}
	}
}

// rawArguments writes the members of a raw object. An object with a duplicate name sets p.err, because parsers disagree
// about which value counts.
func (p *prompt) rawArguments(raw jsontext.Value) {
	var members []tool.Member
	dec := jsontext.NewDecoder(strings.NewReader(string(raw)))
	tok, err := dec.ReadToken()
	if err != nil || tok.Kind() != '{' {
		p.err = errors.New("its arguments are not a JSON object")
		return
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			p.err = err
			return
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			p.err = err
			return
		}
		members = append(members, tool.Member{Name: key, Value: value.Clone()})
	}
	if _, err := dec.ReadToken(); err != nil {
		p.err = err
		return
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		p.err = errors.New("unexpected text follows them")
		return
	}
	for _, m := range members {
		p.json(quoteName(m.Name), m.Value.(jsontext.Value))
	}
}

// json writes a JSON value: a string decoded, other values as indented JSON with decoded strings.
func (p *prompt) json(name string, v jsontext.Value) {
	if v.Kind() == '"' {
		p.argument(name, tool.DecodeString(v))
		return
	}
	check := v.Clone()
	if err := check.Format(jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(false)); err != nil {
		p.err = err
		return
	}
	if v.Kind() != '{' && v.Kind() != '[' || len(check) <= 60 {
		p.argument(name, string(check))
		return
	}
	if err := check.Indent(jsontext.WithIndent("  ")); err != nil {
		p.err = err
		return
	}
	p.line("%s:", name)
	p.quote(limitIndent(string(check)))
}

// limitIndent limits the indentation of JSON to maxBlanks spaces per line, so that it is not counted as a run of
// spaces.
func limitIndent(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		inner := strings.TrimLeft(line, " ")
		b.WriteString(strings.Repeat(" ", min(len(line)-len(inner), maxBlanks)) + inner)
	}
	return b.String()
}
