package line

import (
	"strconv"
	"unicode/utf8"
)

// SyntaxError says where a line stops being what the protocol allows.
type SyntaxError struct {
	// Offset is the byte in the line.
	Offset int
	// What was wrong there.
	What string
}

func (e *SyntaxError) Error() string {
	return "byte " + strconv.Itoa(e.Offset) + ": " + e.What
}

// ParseRequest reads a request line. Members it does not know are skipped; of a
// member that is there twice the last one counts.
func ParseRequest(data []byte) (*Request, error) {
	r := &Request{PeerUID: -1}
	p := parser{data: data}
	p.object(func(name string) {
		switch name {
		case "v":
			r.V = p.integer()
		case "op":
			r.Op = p.text()
		case "id":
			r.ID = p.text()
		case "program":
			r.Program = p.text()
		case "build":
			r.Build = p.text()
		case "cwd":
			r.Cwd = p.text()
		case "argv":
			r.Argv = p.texts()
		case "env":
			r.Env = p.texts()
		case "tty":
			r.TTY.setBits(p.integer())
		case "width":
			r.TTY.Width = p.integer()
		default:
			p.skip(0)
		}
	})
	if err := p.end(); err != nil {
		return nil, err
	}
	if r.Op == "" {
		return nil, &SyntaxError{0, `a request needs "op"`}
	}
	return r, nil
}

// ParseFrame reads any other line.
func ParseFrame(data []byte) (Frame, error) {
	var f Frame
	p := parser{data: data}
	p.object(func(name string) {
		switch name {
		case "out":
			f.Kind, f.Size = Out, p.size()
		case "err":
			f.Kind, f.Size = Err, p.size()
		case "stdin":
			f.Kind = Stdin
			if p.peek() == 't' {
				p.skip(0)
				f.Size = -1
			} else {
				f.Size = p.size()
			}
		case "exit":
			f.Kind, f.Size = Exit, p.integer()
		case "cancel":
			f.Kind = Cancel
			p.skip(0)
		case "local":
			f.Kind = Local
			p.skip(0)
		case "alive":
			f.Kind = Alive
			p.skip(0)
		case "progress":
			f.Kind, f.Text = Progress, p.text()
		case "refused":
			f.Kind, f.Code = Refused, p.text()
		case "message":
			f.Text = p.text()
		case "build":
			f.Build = p.text()
		case "pid":
			f.PID = p.integer()
		case "sessions":
			f.Sessions = p.integer()
		default:
			p.skip(0)
		}
	})
	return f, p.end()
}

// parser reads one JSON value from data. The first error sticks and every later
// call does nothing.
type parser struct {
	data []byte
	pos  int
	err  *SyntaxError
}

// maxDepth bounds the nesting of members that are skipped.
const maxDepth = 100

func (p *parser) fail(what string) {
	if p.err == nil {
		p.err = &SyntaxError{p.pos, what}
		p.pos = len(p.data)
	}
}

func (p *parser) end() error {
	p.space()
	if p.err == nil && p.pos != len(p.data) {
		p.fail("text after the object")
	}
	if p.err != nil {
		return p.err
	}
	return nil
}

func (p *parser) space() {
	for p.pos < len(p.data) {
		switch p.data[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte after white space, 0 at the end.
func (p *parser) peek() byte {
	p.space()
	if p.pos < len(p.data) {
		return p.data[p.pos]
	}
	return 0
}

func (p *parser) expect(c byte) bool {
	if p.peek() != c {
		p.fail("expected " + strconv.QuoteRune(rune(c)))
		return false
	}
	p.pos++
	return true
}

// object calls member with each name; member must read the value.
func (p *parser) object(member func(name string)) {
	if !p.expect('{') || p.more('}') {
		return
	}
	for {
		p.space()
		name := p.text()
		if !p.expect(':') {
			return
		}
		member(name)
		if p.err != nil || p.more('}') {
			return
		}
		if !p.expect(',') {
			return
		}
	}
}

// more consumes closing and reports true if it is next.
func (p *parser) more(closing byte) bool {
	if p.peek() == closing {
		p.pos++
		return true
	}
	return false
}

func (p *parser) texts() []string {
	if !p.expect('[') {
		return nil
	}
	list := []string{}
	if p.more(']') {
		return list
	}
	for {
		list = append(list, p.text())
		if p.err != nil || p.more(']') {
			return list
		}
		if !p.expect(',') {
			return list
		}
	}
}

// size is an integer that counts something.
func (p *parser) size() int {
	n := p.integer()
	if n < 0 {
		p.fail("a size below zero")
		return 0
	}
	return n
}

// integer reads a whole number below 2^53, without fraction or exponent.
func (p *parser) integer() int {
	p.space()
	start := p.pos
	if p.pos < len(p.data) && p.data[p.pos] == '-' {
		p.pos++
	}
	digits := p.pos
	n := 0
	for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		if n >= 1<<53/10 {
			p.fail("number too large")
			return 0
		}
		n = n*10 + int(p.data[p.pos]-'0')
		p.pos++
	}
	if p.pos == digits || (p.data[digits] == '0' && p.pos > digits+1) {
		p.fail("expected a whole number")
		return 0
	}
	if digits > start {
		n = -n
	}
	return n
}

// text reads a string.
func (p *parser) text() string {
	if !p.expect('"') {
		return ""
	}
	start := p.pos
	for p.pos < len(p.data) {
		switch c := p.data[p.pos]; {
		case c == '"':
			raw := p.data[start:p.pos]
			if !utf8.Valid(raw) {
				p.pos = start
				p.fail("invalid UTF-8 in a string")
				return ""
			}
			p.pos++
			return string(raw)
		case c == '\\':
			return p.escaped(start)
		case c < 0x20:
			p.fail("control character in a string")
			return ""
		}
		p.pos++
	}
	p.fail("string without an end")
	return ""
}

// escaped reads on from the first backslash of the string that began at start.
func (p *parser) escaped(start int) string {
	// Unescaping never lengthens, so one buffer of the length up to the closing
	// quote would do; append finds it in a few steps.
	buf := append([]byte(nil), p.data[start:p.pos]...)
	for p.pos < len(p.data) {
		c := p.data[p.pos]
		switch {
		case c == '"':
			p.pos++
			if !utf8.Valid(buf) {
				p.fail("invalid UTF-8 in a string")
				return ""
			}
			return string(buf)
		case c < 0x20:
			p.fail("control character in a string")
			return ""
		case c != '\\':
			buf = append(buf, c)
			p.pos++
			continue
		}
		p.pos++
		if p.pos == len(p.data) {
			break
		}
		c = p.data[p.pos]
		p.pos++
		switch c {
		case '"', '\\', '/':
			buf = append(buf, c)
		case 'n':
			buf = append(buf, '\n')
		case 't':
			buf = append(buf, '\t')
		case 'r':
			buf = append(buf, '\r')
		case 'b':
			buf = append(buf, '\b')
		case 'f':
			buf = append(buf, '\f')
		case 'u':
			buf = utf8.AppendRune(buf, p.unicode())
		default:
			p.fail("unknown escape in a string")
			return ""
		}
	}
	p.fail("string without an end")
	return ""
}

// unicode reads the four digits after \u, and the second half of a surrogate
// pair. A lone half becomes U+FFFD.
func (p *parser) unicode() rune {
	high, ok := p.hex4()
	if !ok {
		p.fail("expected four hexadecimal digits")
		return 0
	}
	if high < 0xD800 || high > 0xDFFF {
		return high
	}
	if high <= 0xDBFF && p.pos+1 < len(p.data) && p.data[p.pos] == '\\' && p.data[p.pos+1] == 'u' {
		back := p.pos
		p.pos += 2
		if low, ok := p.hex4(); ok && low >= 0xDC00 && low <= 0xDFFF {
			return (high-0xD800)<<10 + (low - 0xDC00) + 0x10000
		}
		p.pos = back
	}
	return utf8.RuneError
}

func (p *parser) hex4() (rune, bool) {
	if p.pos+4 > len(p.data) {
		return 0, false
	}
	var r rune
	for _, c := range p.data[p.pos : p.pos+4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	p.pos += 4
	return r, true
}

// skip reads any value and forgets it.
func (p *parser) skip(depth int) {
	if depth > maxDepth {
		p.fail("nested too deeply")
		return
	}
	switch c := p.peek(); c {
	case '{':
		p.object(func(string) { p.skip(depth + 1) })
	case '[':
		p.pos++
		if p.more(']') {
			return
		}
		for p.err == nil {
			p.skip(depth + 1)
			if p.more(']') {
				return
			}
			p.expect(',')
		}
	case '"':
		p.text()
	case 't':
		p.word("true")
	case 'f':
		p.word("false")
	case 'n':
		p.word("null")
	default:
		p.number()
	}
}

func (p *parser) word(word string) {
	if len(p.data)-p.pos < len(word) || string(p.data[p.pos:p.pos+len(word)]) != word {
		p.fail("expected a value")
		return
	}
	p.pos += len(word)
}

// number skips any JSON number.
func (p *parser) number() {
	p.space()
	if p.pos < len(p.data) && p.data[p.pos] == '-' {
		p.pos++
	}
	zero := p.pos < len(p.data) && p.data[p.pos] == '0'
	if n := p.digits(); n == 0 || zero && n > 1 {
		p.fail("expected a value")
		return
	}
	if p.pos < len(p.data) && p.data[p.pos] == '.' {
		p.pos++
		if p.digits() == 0 {
			p.fail("expected a digit")
			return
		}
	}
	if p.pos < len(p.data) && (p.data[p.pos] == 'e' || p.data[p.pos] == 'E') {
		p.pos++
		if p.pos < len(p.data) && (p.data[p.pos] == '+' || p.data[p.pos] == '-') {
			p.pos++
		}
		if p.digits() == 0 {
			p.fail("expected a digit")
		}
	}
}

func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.data) && p.data[p.pos] >= '0' && p.data[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}
