package vm

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encode returns the bytes of an ArrayBuffer as text of an encoding of Node's Buffer.
func (m *machine) encode(args []value) (value, error) {
	encoding, b, err := m.encoded(args)
	if err != nil {
		return undefined, err
	}
	switch encoding {
	case "base64":
		return m.text(base64.StdEncoding.EncodeToString(b)), nil
	case "base64url":
		return m.text(base64.RawURLEncoding.EncodeToString(b)), nil
	case "hex":
		return m.text(hex.EncodeToString(b)), nil
	case "utf16le":
		text, _ := fromUTF16(b[:len(b)&^1])
		return m.text(text), nil
	case "latin1":
		return m.text(fromTable(b, nil)), nil
	case "ascii":
		for i := range b {
			b[i] &= 0x7F
		}
		return m.text(string(b)), nil
	}
	text, _ := fromUTF8(b)
	return m.text(text), nil
}

// read returns what a TextDecoder makes of the bytes of an ArrayBuffer, and whether all of them were valid, in an array.
func (m *machine) read(args []value) (value, error) {
	encoding, b, err := m.encoded(args)
	if err != nil {
		return undefined, err
	}
	var text string
	valid := true
	switch encoding {
	case "utf-16le":
		text, valid = fromUTF16(b)
	case "windows-1252":
		text = fromTable(b, windows1252)
	default:
		text, valid = fromUTF8(b)
	}
	return m.pair(m.text(text), boolean(valid)), nil
}

// encoded returns the arguments: an encoding and an ArrayBuffer.
func (m *machine) encoded(args []value) (string, []byte, error) {
	if len(args) != 2 {
		return "", nil, errArguments
	}
	encoding, ok := m.toText(args[0])
	b, isBuffer := m.bytes(args[1])
	if !ok || !isBuffer {
		return "", nil, fmt.Errorf("the bytes cannot be read: they may have been transferred")
	}
	return encoding, b, nil
}

// decode returns an ArrayBuffer with the bytes of a text of an encoding of Node's Buffer. As there, reading ends where the text is not
// of that encoding.
func (m *machine) decode(args []value) (value, error) {
	texts, err := m.texts(args, 2)
	if err != nil {
		return undefined, err
	}
	s := texts[1]
	switch texts[0] {
	case "base64", "base64url":
		return m.buffer(fromBase64(s)), nil
	case "hex":
		return m.buffer(fromHex(s)), nil
	case "utf16le":
		var b []byte
		for _, unit := range units(s) {
			b = binary.LittleEndian.AppendUint16(b, unit)
		}
		return m.buffer(b), nil
	case "latin1", "ascii":
		all := units(s)
		b := make([]byte, len(all))
		for i, unit := range all {
			b[i] = byte(unit)
		}
		return m.buffer(b), nil
	}
	return m.buffer([]byte(withoutSurrogates(s))), nil
}

// fromBase64 reads either alphabet, with or without padding, and ignores what is of neither.
func fromBase64(s string) []byte {
	var clean strings.Builder
	for _, c := range []byte(s) {
		switch {
		case c == '=':
			b, _ := base64.RawStdEncoding.DecodeString(clean.String()) // what it has is decoded
			return b
		case c == '-':
			c = '+'
		case c == '_':
			c = '/'
		case c != '+' && c != '/' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z'):
			continue
		}
		clean.WriteByte(c)
	}
	text := clean.String()
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	b, _ := base64.RawStdEncoding.DecodeString(text) // it has only letters of the alphabet
	return b
}

func fromHex(s string) []byte {
	b := make([]byte, len(s)/2)
	n, _ := hex.Decode(b, []byte(s[:len(s)&^1])) // as far as it is hexadecimal
	return b[:n]
}

// withoutSurrogates replaces each lone surrogate, which the engine writes as three bytes.
func withoutSurrogates(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 && isSurrogate(s) {
			size = 3
		}
		b.WriteRune(r)
		s = s[size:]
	}
	return b.String()
}

func isSurrogate(s string) bool { return len(s) >= 3 && s[0] == 0xED && s[1] >= 0xA0 }

// units returns the UTF-16 of a text of the engine's.
func units(s string) []uint16 {
	out := make([]uint16, 0, len(s))
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 && isSurrogate(s) {
			out = append(out, 0xD000|uint16(s[1]&0x3F)<<6|uint16(s[2]&0x3F))
			s = s[3:]
			continue
		}
		out = utf16.AppendRune(out, r)
		s = s[size:]
	}
	return out
}

func fromUTF16(b []byte) (text string, valid bool) {
	valid = true
	var out strings.Builder
	for i := 0; i < len(b); i += 2 {
		if i+1 == len(b) {
			out.WriteRune(utf8.RuneError)
			return out.String(), false
		}
		r := rune(binary.LittleEndian.Uint16(b[i:]))
		if utf16.IsSurrogate(r) {
			low := rune(0)
			if i+3 < len(b) {
				low = rune(binary.LittleEndian.Uint16(b[i+2:]))
			}
			if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
				valid = false
			} else {
				i += 2
			}
		}
		out.WriteRune(r)
	}
	return out.String(), valid
}

// fromUTF8 replaces what is not UTF-8 as the Encoding standard says: a sequence that begins well counts as one character.
func fromUTF8(b []byte) (text string, valid bool) {
	if utf8.Valid(b) {
		return string(b), true
	}
	var out strings.Builder
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = beginning(b)
		}
		out.WriteRune(r)
		b = b[size:]
	}
	return out.String(), false
}

// beginning returns how many of the first bytes could begin a character, at least 1.
func beginning(b []byte) int {
	low, high, need := byte(0x80), byte(0xBF), 0
	switch c := b[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		switch c {
		case 0xE0:
			low = 0xA0
		case 0xED:
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		switch c {
		case 0xF0:
			low = 0x90
		case 0xF4:
			high = 0x8F
		}
	}
	n := 1
	for ; n <= need && n < len(b) && b[n] >= low && b[n] <= high; n++ {
		low, high = 0x80, 0xBF
	}
	return n
}

// windows1252 are the characters of the bytes from 0x80 to 0x9F in that encoding, which browsers mean by latin1.
var windows1252 = []rune("€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ")

func fromTable(b []byte, c1 []rune) string {
	var out strings.Builder
	for _, c := range b {
		r := rune(c)
		if c1 != nil && c >= 0x80 && c <= 0x9F {
			r = c1[c-0x80]
		}
		out.WriteRune(r)
	}
	return out.String()
}

// maxRandom is how many random bytes one call gives.
const maxRandom = 1 << 16

func (m *machine) random(args []value) (value, error) {
	if len(args) != 1 || toFloat(args[0]) < 0 || toFloat(args[0]) > maxRandom {
		return undefined, errArguments
	}
	b := make([]byte, int(toFloat(args[0])))
	_, _ = rand.Read(b) // it never fails
	return m.buffer(b), nil
}
