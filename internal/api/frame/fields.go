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
	n := sizeOf(head)
	if n > maxSize {
		return 0, 0, &SyntaxError{"a frame " + strconv.QuoteRune(rune(head[0])) + " of " + strconv.FormatUint(n, 10) + " bytes"}
	}
	return Kind(head[0]), int(n), nil
}

// Head returns kind and size of the frame at the beginning of data. ok is false if data has no whole header. The kind is 0
// for what is no frame. Like [Status] it allocates nothing.
func Head(data []byte) (kind Kind, size int, ok bool) {
	if len(data) > 0 && data[0] == '{' { // the line protocol of older builds
		return 0, 0, true
	}
	if len(data) < HeaderSize {
		return 0, 0, false
	}
	n := sizeOf(data)
	if n > maxSize {
		return 0, 0, true
	}
	return Kind(data[0]), int(n), true
}

// sizeOf returns the number in a header.
func sizeOf(head []byte) (n uint64) {
	for _, b := range head[1:HeaderSize] {
		n = n<<8 | uint64(b)
	}
	return n
}

// Status returns the exit status from the fields of an [Exit] frame. ok is false if they are not valid, or others than
// usual: [Reader.Next] then knows more.
func Status(fields []byte) (status int, ok bool) {
	for len(fields) > 0 {
		field, rest, ok := nextField(fields)
		if !ok || !utf8.Valid(field) {
			return 0, false
		}
		fields = rest
		if hasPrefix(field, "message=") || hasPrefix(field, "hint=") {
			continue
		}
		const name = "status="
		if !hasPrefix(field, name) || len(field) == len(name) || len(field) > len(name)+3 {
			return 0, false
		}
		status = 0
		for _, c := range field[len(name):] {
			if c < '0' || c > '9' {
				return 0, false
			}
			status = 10*status + int(c-'0')
		}
	}
	return status, true
}

// nextField splits off the first field. ok is false if its length is cut off or exceeds data.
func nextField(data []byte) (field, rest []byte, ok bool) {
	if len(data) < lengthSize {
		return nil, data, false
	}
	n := uint32(data[0])<<24 | uint32(data[1])<<16 | uint32(data[2])<<8 | uint32(data[3])
	data = data[lengthSize:]
	if uint64(n) > uint64(len(data)) {
		return nil, data, false
	}
	return data[:n], data[n:], true
}

// lengthSize is the size of a field's length: four bytes in big-endian order.
const lengthSize = 4

// appendField appends a field name=value with its length. A frame may have several fields of the same name.
func appendField[T string | []byte](dst []byte, name string, value T) []byte {
	n := uint32(len(name) + 1 + len(value))
	dst = append(dst, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	dst = append(dst, name...)
	dst = append(dst, '=')
	return append(dst, value...)
}

// appendNumber is appendField with a number in decimal digits.
func appendNumber(dst []byte, name string, value int) []byte {
	var digits [20]byte
	return appendField(dst, name, strconv.AppendInt(digits[:0], int64(value), 10))
}

// eachField calls member with each field, and returns its first error.
func eachField(data []byte, member func(name, value string) error) error {
	for len(data) > 0 {
		field, rest, ok := nextField(data)
		if !ok {
			return &SyntaxError{"a field, or its length, is cut off"}
		}
		data = rest
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
