// Package trust stores which servers and plugins a person has approved, by their exact definition: a changed definition
// needs a new approval. It also stores which of them wait for approval. Each is a file of its own below the home, so
// that several processes can write at the same time; no tool of an agent writes there.
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

// Store is the store below one home.
type Store struct {
	dir string
}

// In returns the store of a home.
func In(home string) *Store { return &Store{filepath.Join(home, "trust")} }

// The endings of the files. Their names begin with the digest of a definition.
const (
	agreed  = ".agreed"
	waiting = ".waits"
)

// Dir creates the directory of the store, which changes with each approval.
func (s *Store) Dir() (string, error) { return s.dir, dirs.MakePrivate(s.dir) }

// Agreed reports whether the person approved a definition. A file that other users could have written is an error.
func (s *Store) Agreed(digest string) (bool, error) { return s.has(digest + agreed) }

// Waits reports whether a definition waits for approval: it was found while agents were served.
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

// Agree stores the approval of a definition; text describes it for people.
func (s *Store) Agree(digest, text string) error {
	if err := s.keep(digest+agreed, text); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.dir, digest+waiting)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("save the agreement: %w", err)
	}
	return nil
}

// Wait records that a definition waits for approval.
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

// Stamp returns a value that changes with each approval. It only lists a directory.
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
