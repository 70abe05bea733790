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

// maxResult bounds the main text of a result, in bytes: what later versions of the
// Hermes tools take as their threshold. The rest is in a file.
const maxResult = 15_000

// Bounded cuts a text at a line, and names the file that has all of it.
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

// Keep writes what is too long for a result to a file of its own.
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

// veiled is a text as a result may repeat it: what looks like a secret (long, with
// letters and digits and no space) is shortened.
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
