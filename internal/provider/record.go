package provider

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/config/dirs"
)

// record is the file about a session that runs. The process that will stop the session holds a lock on it, which ends with
// the process.
type record struct {
	Provider string    `json:"provider"`
	ID       string    `json:"id"`
	Ref      string    `json:"ref"`     // what service.stop takes
	Session  string    `json:"session"` // the usher session
	Started  time.Time `json:"started"`

	file *os.File // locked; nil for a session without a record, or whose lock was released
	path string
}

const (
	recordSuffix = ".json"
	maxRecord    = 16 << 10
)

// keep writes and locks the record of a session.
func (r *record) keep(dir string) error {
	if err := dirs.MakePrivate(dir); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(r.Provider + " " + r.Ref)) // an id may be no name for a file
	r.path = filepath.Join(dir, fmt.Sprintf("%s-%x%s", r.Provider, sum[:8], recordSuffix))
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	ok, err := lock(f) // before it has content, so that nobody takes it for abandoned
	if err == nil && !ok {
		err = errors.New("another process has locked " + r.path)
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(r.path))
	}
	r.file = f
	return nil
}

// release ends the lock: this process does not stop the session any more.
func (r *record) release() error {
	f := r.file
	if r.file = nil; f == nil {
		return nil
	}
	return f.Close()
}

// forget removes the record of a session that has ended.
func (r *record) forget() error {
	err := r.release() // Windows removes no open file
	if r.path == "" {
		return err
	}
	if bad := os.Remove(r.path); bad != nil && !errors.Is(bad, fs.ErrNotExist) {
		err = errors.Join(err, fmt.Errorf("remove the note about a session that has ended: %w", bad))
	}
	return err
}

// open reads a record and locks it. ok is false if a running process has it locked, or if the file is none of usher's.
func (r *record) open(path string) (ok bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	text, err := io.ReadAll(io.LimitReader(f, maxRecord))
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err == nil && r.Ref != "" {
		ok, err = lock(f)
	}
	if !ok {
		return false, errors.Join(err, f.Close())
	}
	r.file, r.path = f, path
	return true, nil
}

// abandoned returns the sessions in a directory that no running process will stop, locked. Files that are no records are
// left alone.
func abandoned(dir string) []*record {
	if dir == "" {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // there is no directory before the first session
	}
	var found []*record
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), recordSuffix) {
			continue
		}
		r := &record{}
		if ok, err := r.open(filepath.Join(dir, e.Name())); ok && err == nil {
			found = append(found, r)
		}
	}
	return found
}
