package daemon

import (
	"fmt"
	"os"
)

// fileLock is an advisory lock that the system releases when the process ends.
type fileLock struct {
	file *os.File
	held bool
}

// lockFile waits for the lock.
func lockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	l := &fileLock{file: f}
	if err := l.relock(); err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// tryLockFile returns nil if another process has the lock.
func tryLockFile(path string) (*fileLock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	got, err := flock(f, false)
	if err != nil || !got {
		f.Close()
		return nil, err
	}
	return &fileLock{file: f, held: true}, nil
}

// isAt reports whether the lock's file is still the one at path.
func (l *fileLock) isAt(path string) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	own, err := l.file.Stat()
	return err == nil && os.SameFile(there, own)
}

// relock waits for a lock that unlock released.
func (l *fileLock) relock() error {
	if l.held {
		return nil
	}
	if _, err := flock(l.file, true); err != nil {
		return fmt.Errorf("lock %s: %w", l.file.Name(), err)
	}
	l.held = true
	return nil
}

func (l *fileLock) unlock() {
	if l.held {
		l.held = false
		// Unlocking a lock that is held cannot fail; closing the file at the
		// end of the process would do it too.
		_ = funlock(l.file)
	}
}

// close releases the lock and its file.
func (l *fileLock) close() {
	l.unlock()
	l.file.Close()
}
