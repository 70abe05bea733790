// Package source relates what runs in a page to the files it was made from: it reads source maps, and searches a person's workspace.
package source

import (
	"encoding/base64"
	"errors"
	"fmt"
	neturl "net/url"
	"strings"

	"github.com/go-sourcemap/sourcemap"
)

const (
	// MaxMap bounds a source map, in bytes.
	MaxMap = 32 << 20
	// maxSegments bounds the positions in one: each takes 24 bytes in memory.
	maxSegments = 4 << 20
)

// Map is a source map.
type Map struct{ consumer *sourcemap.Consumer }

// Position is a place in an original file. Line and Column begin at 1.
type Position struct {
	// File is as the map names it, made absolute with the map's address.
	File string
	// Name is the original name of what is there; empty if the map does not say.
	Name         string
	Line, Column int
}

// ParseMap reads the source map of a script or style sheet that came from an address. An error says what is wrong with it.
func ParseMap(address string, text []byte) (m *Map, err error) {
	if len(text) > MaxMap {
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(text), MaxMap)
	}
	segments := 0
	for _, c := range text {
		if c == ',' || c == ';' {
			segments++
		}
	}
	if segments > maxSegments {
		return nil, fmt.Errorf("it has more than %d positions", maxSegments)
	}
	if after, found := strings.CutPrefix(string(text), ")]}"); found { // against inclusion as a script
		_, rest, _ := strings.Cut(after, "\n")
		text = []byte(rest)
	}
	defer recovered(&err)
	if strings.HasPrefix(address, "data:") {
		address = ""
	}
	consumer, err := sourcemap.Parse(address, text)
	if err != nil {
		return nil, err
	}
	return &Map{consumer}, nil
}

// recovered makes an error of a panic: the library trusts the numbers in a map, and a page may have any.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("it is damaged: %v", p)
	}
}

// Original returns the original place of a place in the generated file, both from 0 as CDP has them.
func (m *Map) Original(line, column int) (p Position, found bool, err error) {
	defer recovered(&err)
	file, name, originalLine, originalColumn, ok := m.consumer.Source(line+1, column)
	if !ok || file == "" {
		return Position{}, false, nil
	}
	return Position{File: file, Name: name, Line: originalLine, Column: originalColumn + 1}, true, nil
}

var errNoData = errors.New("it is no data: address")

// DecodeData returns the content of a data: address.
func DecodeData(address string) ([]byte, error) {
	rest, found := strings.CutPrefix(address, "data:")
	if !found {
		return nil, errNoData
	}
	head, body, found := strings.Cut(rest, ",")
	if !found {
		return nil, errNoData
	}
	if len(body) > MaxMap/3*4+4 {
		return nil, fmt.Errorf("it has more than %d bytes", MaxMap)
	}
	if !strings.HasSuffix(head, ";base64") {
		text, err := neturl.PathUnescape(body)
		return []byte(text), err
	}
	if strings.Contains(body, "%") {
		text, err := neturl.PathUnescape(body)
		if err != nil {
			return nil, err
		}
		body = text
	}
	return base64.StdEncoding.DecodeString(body)
}

// RedactQuery returns an address without the values of its query, its fragment and its password: names stay.
func RedactQuery(address string) string {
	address, _, _ = strings.Cut(address, "#")
	base, query, found := strings.Cut(address, "?")
	if scheme, rest, ok := strings.Cut(base, "://"); ok {
		authority, path, slash := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			authority = authority[at+1:]
		}
		base = scheme + "://" + authority
		if slash {
			base += "/" + path
		}
	} else if strings.HasPrefix(base, "data:") {
		base, _, _ = strings.Cut(base, ",")
	}
	if !found {
		return base
	}
	parts := strings.Split(query, "&")
	for i, part := range parts {
		if name, _, has := strings.Cut(part, "="); has {
			parts[i] = name + "=[REDACTED]"
		} else if part != "" { // a value without a name
			parts[i] = "[REDACTED]"
		}
	}
	return base + "?" + strings.Join(parts, "&")
}
