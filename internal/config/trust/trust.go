// Package trust keeps which servers and plugins a person has agreed to, by what exactly they are: a definition that is changed
// is another one. It also keeps which of them wait for that. Each is a file of its own below the home, so that several
// processes can write at the same time; no tool of an agent writes there.
package trust

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/usher-browser/usher/internal/config/dirs"
)

// Store is what is kept below one home.
type Store struct {
	dir string
}

// In is the store of a home.
func In(home string) *Store { return &Store{filepath.Join(home, "trust")} }

// The endings of the files. Their names begin with the digest of a definition.
const (
	agreed  = ".agreed"
	waiting = ".waits"
)

// Dir makes the directory of the store, which changes whenever something is agreed to.
func (s *Store) Dir() (string, error) { return s.dir, dirs.MakePrivate(s.dir) }

// Agreed says whether the person agreed to a definition. What others could have written does not count, and is an error.
func (s *Store) Agreed(digest string) (bool, error) { return s.has(digest + agreed) }

// Waits says whether a definition waits for the person: it came up while agents were served.
func (s *Store) Waits(digest string) (bool, error) { return s.has(digest + waiting) }

func (s *Store) has(name string) (bool, error) {
	if _, err := os.Lstat(s.dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := dirs.MakePrivate(s.dir); err != nil { // it is there: it is checked
		return false, fmt.Errorf("read the agreements: %w", err)
	}
	_, err := dirs.ReadPrivate(filepath.Join(s.dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the agreements: %w", err)
	}
	return true, nil
}

// Agree keeps that the person agreed to a definition; text says for people what it is.
func (s *Store) Agree(digest, text string) error {
	if err := s.keep(digest+agreed, text); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.dir, digest+waiting)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("save the agreement: %w", err)
	}
	return nil
}

// Wait keeps that a definition waits.
func (s *Store) Wait(digest, text string) error {
	if there, err := s.Waits(digest); there || err != nil {
		return err
	}
	return s.keep(digest+waiting, text)
}

func (s *Store) keep(name, text string) error {
	err := dirs.MakePrivate(s.dir)
	if err == nil {
		err = dirs.WriteSecret(filepath.Join(s.dir, name), []byte(text+"\n"))
	}
	if err != nil {
		return fmt.Errorf("save the agreement: %w", err)
	}
	return nil
}

// Stamp changes whenever something is agreed to. It does no more than list a directory.
func (s *Store) Stamp() string {
	list, err := os.ReadDir(s.dir)
	if err != nil {
		return "" // nothing is agreed to
	}
	var names []string
	for _, entry := range list {
		if strings.HasSuffix(entry.Name(), agreed) {
			names = append(names, entry.Name())
		}
	}
	return strings.Join(names, " ")
}
