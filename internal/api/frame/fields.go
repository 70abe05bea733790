package frame

import (
	"strconv"
	"unicode/utf8"
)

// SyntaxError describes a violation of the protocol.
type SyntaxError struct{ What string }

func (e *SyntaxError) Error() string { return e.What }

// HeaderSize is the size of a frame's header: its letter, and the number of bytes that follow, as eight bytes in
// big-endian order.
const HeaderSize = 9

func appendHeader(dst []byte, kind Kind, size int) []byte {
	dst = append(dst, byte(kind))
	for shift := 56; shift >= 0; shift -= 8 {
		dst = append(dst, byte(uint64(size)>>shift))
	}
	return dst
}

// closeHeader sets the size in the header at start to the number of bytes appended after it.
func closeHeader(dst []byte, start int) []byte {
	appendHeader(dst[:start], Kind(dst[start]), len(dst)-start-HeaderSize)
	return dst
}

// maxSize is greater than any real size, and fits into an int on every platform.
const maxSize = 1 << 50

func parseHeader(head []byte) (kind Kind, size int, err error) {
	var n uint64
	for _, b := range head[1:HeaderSize] {
		n = n<<8 | uint64(b)
	}
	if n > maxSize {
		return 0, 0, &SyntaxError{"a frame " + strconv.QuoteRune(rune(head[0])) + " of " + strconv.FormatUint(n, 10) + " bytes"}
	}
	return Kind(head[0]), int(n), nil
}

// lengthSize is the size of a field's length: four bytes in big-endian order.
const lengthSize = 4

// appendField appends a field name=value with its length. A frame may have several fields of the same name.
func appendField(dst []byte, name, value string) []byte {
	n := uint32(len(name) + 1 + len(value))
	dst = append(dst, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	dst = append(dst, name...)
	dst = append(dst, '=')
	return append(dst, value...)
}

// eachField calls member with each field, and returns its first error.
func eachField(data []byte, member func(name, value string) error) error {
	for len(data) > 0 {
		if len(data) < lengthSize {
			return &SyntaxError{"a field's length is cut off"}
		}
		n := uint32(data[0])<<24 | uint32(data[1])<<16 | uint32(data[2])<<8 | uint32(data[3])
		data = data[lengthSize:]
		if uint64(n) > uint64(len(data)) {
			return &SyntaxError{"a field of " + strconv.FormatUint(uint64(n), 10) + " bytes has only " + strconv.Itoa(len(data))}
		}
		field := data[:n]
		data = data[n:]
		name, value, ok := cut(field)
		if !ok || !utf8.Valid(field) {
			return &SyntaxError{"a field that is not name=value in UTF-8"}
		}
		if err := member(name, value); err != nil {
			return &SyntaxError{"the field " + name + ": " + err.Error()}
		}
	}
	return nil
}

func cut(field []byte) (name, value string, ok bool) {
	for i, c := range field {
		if c == '=' {
			return string(field[:i]), string(field[i+1:]), true
		}
	}
	return "", "", false
}
