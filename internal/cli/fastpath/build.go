package fastpath

import (
	"os"
	"strconv"
)

// Build identifies this binary by its content: the build id that the go command writes into every program, or size and
// time of the file if that is stripped. Copies of one build are equal, two builds of one commit with different changes
// are not. It is empty if the program cannot read its own file.
func Build() string {
	path, err := executable()
	if err != nil {
		return ""
	}
	f, err := openPlain(path)
	if err != nil {
		return ""
	}
	defer f.close()
	// ELF has the id in a note on its first page; elsewhere it is at the start of the code. cmd/internal/buildid reads
	// equally far.
	head := make([]byte, 4096)
	for _, want := range [...]int{4096, 32 << 10} {
		if want > len(head) {
			head = make([]byte, want)
		}
		n, err := f.readStart(head)
		if err != nil {
			return ""
		}
		if id := buildID(string(head[:n])); id != "" {
			return id
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return "file-" + strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}

// elfNote is the header of the note: name size 4, type 4, name "Go". The size of the id is between the first two.
const (
	elfNoteTail = "\x04\x00\x00\x00Go\x00\x00"
	codePrefix  = "\xff Go build ID: \""
)

// buildID returns the part of head that is the id, or "".
func buildID(head string) string {
	for i := 8; i+len(elfNoteTail) <= len(head); i++ {
		if head[i] != 4 || head[i:i+len(elfNoteTail)] != elfNoteTail || head[i-8] != 4 {
			continue
		}
		size := int(head[i-4]) | int(head[i-3])<<8
		start := i + len(elfNoteTail)
		if start+size <= len(head) && size > 0 {
			return shorten(head[start : start+size])
		}
	}
	for i := 0; i+len(codePrefix) <= len(head); i++ {
		if head[i] != 0xff || head[i:i+len(codePrefix)] != codePrefix {
			continue
		}
		for j := i + len(codePrefix); j < len(head); j++ {
			if head[j] == '"' {
				return shorten(head[i+len(codePrefix) : j])
			}
		}
	}
	return ""
}

// shorten takes the last part of action/…/content: the hash of what was linked.
func shorten(id string) string {
	for i := len(id) - 1; i >= 0; i-- {
		if id[i] == '/' {
			return id[i+1:]
		}
	}
	return id
}
