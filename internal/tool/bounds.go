package tool

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/dirs"
)

// maxResult bounds the main text of a result, in bytes. Later versions of the Hermes tools use the same threshold. Longer
// text is saved to a file.
const maxResult = 15_000

// Bounded returns text, or if it is longer than maxResult its beginning, cut at a line end, and the path of a file with
// all of it. what is part of the file's name.
func (h *Host) Bounded(what, text string) (string, error) {
	if len(text) <= maxResult {
		return text, nil
	}
	path, err := h.Keep(what, ".txt", []byte(text))
	if err != nil {
		return "", err
	}
	head := text[:maxResult]
	if i := strings.LastIndexByte(head, '\n'); i > maxResult/2 {
		head = head[:i]
	}
	return fmt.Sprintf("%s\n… cut off after %d of %d bytes; all of it is in %s", cut(head, maxResult), len(head), len(text), path), nil
}

// Keep writes content to a private file in Host.Artifacts and returns its path. The name is made of what, a hash of the
// content, and ending. Errors of the write have the code [api.FileWriteFailed].
func (h *Host) Keep(what, ending string, content []byte) (string, error) {
	if err := dirs.MakePrivate(h.Artifacts); err != nil {
		return "", fmt.Errorf("save the whole %s: %w", what, err)
	}
	sum := sha256.Sum256(content)
	path := filepath.Join(h.Artifacts, fmt.Sprintf("%s-%x%s", what, sum[:5], ending))
	if err := dirs.WriteSecret(path, content); err != nil {
		return "", api.Errorf(api.FileWriteFailed, "save the whole %s: %w", what, err)
	}
	return path, nil
}

// veiled returns text as a result may repeat it. What looks like a secret (at least 8 bytes, with letters and digits,
// without spaces or @) is shortened or replaced by ***; other text is cut to 200 bytes.
func veiled(text string) string {
	letters, digits := false, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			return cut(text, 200)
		case unicode.IsDigit(r):
			digits = true
		case unicode.IsLetter(r):
			letters = true
		}
	}
	if len(text) < 8 || !letters || !digits || strings.Contains(text, "@") {
		return cut(text, 200)
	}
	if len(text) < 18 {
		return "***"
	}
	return text[:6] + "…" + text[len(text)-4:]
}
