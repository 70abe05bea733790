package tool

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// MaxResult bounds the main text of a result, in bytes. Later versions of the Hermes tools use the same threshold.
// Longer text is saved to a file.
const MaxResult = 15_000

// Bounded returns text, or if it is longer than MaxResult its beginning, cut at a line end, and the path of a file with
// all of it. what is part of the file's name.
func (h *Host) Bounded(what, text string) (string, error) {
	if len(text) <= MaxResult {
		return text, nil
	}
	path, err := h.Keep(what, ".txt", []byte(text))
	if err != nil {
		return "", err
	}
	head := text[:MaxResult]
	if i := strings.LastIndexByte(head, '\n'); i > MaxResult/2 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n… cut off after %d of %d bytes; all of it is in %s", Cut(head, MaxResult), len(head), len(text), path), nil
}

// Keep writes content to a private file in Host.ArtifactDir and returns its path. The name is made of what, a hash of
// the content, and ending. Errors of the write have the code [api.FileWriteFailed].
func (h *Host) Keep(what, ending string, content []byte) (string, error) {
	if err := dirs.MakePrivate(h.ArtifactDir); err != nil {
		return "", fmt.Errorf("save the whole %s: %w", what, err)
	}
	sum := sha256.Sum256(content)
	path := filepath.Join(h.ArtifactDir, fmt.Sprintf("%s-%x%s", what, sum[:5], ending))
	if err := dirs.WriteSecret(path, content); err != nil {
		return "", api.Errorf(api.FileWriteFailed, "save the whole %s: %w", what, err)
	}
	return path, nil
}

// Cut returns at most n bytes of text, ending at a rune boundary, and appends … if it shortened it.
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n] + "…"
}

// Count returns n with a noun, as in "1 file" or "2 files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
