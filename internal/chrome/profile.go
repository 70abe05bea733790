package chrome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/config/dirs"
)

// tempProfile is one entry of the profile root:
//
//	<temp>/usher-<uid>/p123.lock   locked by the owner; the kernel unlocks it when the owner ends in any way
//	<temp>/usher-<uid>/p123/profile, .../tmp
//
// The holder of the lock may remove the entry: the owner at the end, or any process after the owner's end. The lock
// file is removed last, and a new owner checks that the file it locked is still the one in the directory.
type tempProfile struct {
	dir  string // without the .lock
	lock *os.File
}

func (t *tempProfile) profileDir() string { return filepath.Join(t.dir, "profile") }
func (t *tempProfile) tempDir() string    { return filepath.Join(t.dir, "tmp") }

// socketTail is what Chromium adds to TMPDIR for its singleton socket, at most; the whole must fit a socket address
// (104 bytes on macOS).
const socketTail = "/org.chromium.Chromium.XXXXXX/SingletonSocket"

// ownTemp reports whether the browser can have its temporary files inside the entry.
func (t *tempProfile) ownTemp() bool {
	return os.PathSeparator == '/' && len(t.tempDir())+len(socketTail) < 104
}

// newTempProfile makes an entry for a browser.
func newTempProfile(executable string) (*tempProfile, error) {
	root := dirs.Profiles()
	if strings.Contains(executable, "/snap/") {
		// A snap sees neither /tmp nor hidden directories.
		if home, err := os.UserHomeDir(); err == nil {
			root = dirs.SnapProfiles(home)
		}
	}
	if err := makeTempRoot(root); err != nil {
		return nil, err
	}
	for range 10 {
		f, err := os.CreateTemp(root, "p*.lock")
		if err != nil {
			return nil, fmt.Errorf("make a temporary profile: %w", err)
		}
		t := &tempProfile{dir: strings.TrimSuffix(f.Name(), ".lock"), lock: f}
		if ok, err := takeLock(f); err != nil {
			return nil, errors.Join(fmt.Errorf("make a temporary profile: %w", err), f.Close())
		} else if !ok {
			// A sweep took the file for abandoned in the moment before the lock.
			if err := f.Close(); err != nil {
				return nil, fmt.Errorf("make a temporary profile: %w", err)
			}
			continue
		}
		if err := t.fill(); err != nil {
			return nil, errors.Join(fmt.Errorf("make a temporary profile: %w", err), t.remove())
		}
		return t, nil
	}
	return nil, fmt.Errorf("make a temporary profile: something keeps removing new files in %s", root)
}

// preferences of a temporary profile: nothing is offered to be saved in it, or filled in from it. Both look at every
// page that loads: opening one takes 8 % less time and 10 % less of the processors without them (measured on Chromium
// 156). A page may save more than one file: Chromium would ask the user about the second, and there is none. %s is the
// directory of downloads for which nobody has named one, as a JSON string.
const preferences = `{"credentials_enable_service":false,"autofill":{"profile_enabled":false,"credit_card_enabled":false},` +
	`"profile":{"password_manager_enabled":false,"default_content_setting_values":{"automatic_downloads":1}},"download":{"default_directory":%s}}`

// fill makes the directories of the entry.
func (t *tempProfile) fill() error {
	first, downloads := filepath.Join(t.profileDir(), "Default"), filepath.Join(t.dir, "downloads")
	if err := errors.Join(os.MkdirAll(first, 0o700), os.MkdirAll(t.tempDir(), 0o700), os.MkdirAll(downloads, 0o700)); err != nil {
		return err
	}
	name, err := jsontext.AppendQuote(nil, downloads)
	if err != nil {
		return fmt.Errorf("make a temporary profile: its path: %w", err)
	}
	return os.WriteFile(filepath.Join(first, "Preferences"), fmt.Appendf(nil, preferences, name), 0o600)
}

// takeLock locks f if it is free, and reports whether f is then still in its directory.
func takeLock(f *os.File) (bool, error) {
	if ok, err := tryLock(f); err != nil || !ok {
		return false, err
	}
	mine, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(mine, there), err
}

// remove deletes the entry. Children of the browser may write for some milliseconds after its end, so it tries for a while.
func (t *tempProfile) remove() error {
	var err error
	for wait := time.Millisecond; wait < time.Second; wait *= 2 {
		if err = os.RemoveAll(t.dir); err == nil {
			break
		}
		time.Sleep(wait)
	}
	if err != nil {
		// The lock file stays, unlocked: the next sweep tries again.
		return errors.Join(fmt.Errorf("remove the temporary profile: %w", err), t.lock.Close())
	}
	return removeLock(t.lock)
}

// makeTempRoot makes the root and makes sure that it is ours alone: the temporary directory belongs to everybody.
func makeTempRoot(root string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return fmt.Errorf("make the directory of temporary profiles: %w", err)
	}
	info, err := os.Lstat(root)
	if err != nil {
		return fmt.Errorf("look at the directory of temporary profiles: %w", err)
	}
	if !info.IsDir() || !ownedByUs(info) {
		return fmt.Errorf("use %s for temporary profiles: it belongs to someone else; set TMPDIR to a directory of your own", root)
	}
	if info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		if err := os.Chmod(root, 0o700); err != nil {
			return fmt.Errorf("close the directory of temporary profiles to others: %w", err)
		}
	}
	return nil
}

// profileLocks returns the locks of all temporary profiles, with what went wrong in looking for them.
func profileLocks() (paths []string, errs []error) {
	roots := []string{dirs.Profiles()}
	if home, err := os.UserHomeDir(); err == nil {
		roots = append(roots, dirs.SnapProfiles(home))
	}
	for _, root := range roots {
		locks, err := filepath.Glob(filepath.Join(root, "p*.lock"))
		if err != nil {
			errs = append(errs, fmt.Errorf("list temporary profiles: %w", err))
		}
		paths = append(paths, locks...)
	}
	return paths, errs
}

// SweepProfiles ends the remaining processes of browsers whose owner is gone, and removes their temporary profiles. It
// returns the profile directories removed, and continues after a failure. Launch calls it; without abandoned profiles
// it costs one directory listing.
func SweepProfiles(ctx context.Context) ([]string, error) {
	var removed []string
	locks, errs := profileLocks()
	for _, path := range locks {
		if ctx.Err() != nil {
			return removed, errors.Join(append(errs, fmt.Errorf("sweep temporary profiles: %w", context.Cause(ctx)))...)
		}
		dir, err := sweepOne(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("sweep temporary profile: %w", err))
		} else if dir != "" {
			removed = append(removed, dir)
		}
	}
	return removed, errors.Join(errs...)
}

// sweepOne removes the entry of one lock file if its owner is gone, and returns its profile directory.
func sweepOne(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil // another sweep, or the owner, was faster
	}
	if err != nil {
		return "", err
	}
	ok, err := takeLock(f)
	if err != nil || !ok {
		return "", errors.Join(err, f.Close())
	}
	t := &tempProfile{dir: strings.TrimSuffix(path, ".lock"), lock: f}
	if err := killLeftovers(t.profileDir(), 0); err != nil {
		return "", errors.Join(err, f.Close())
	}
	return t.profileDir(), t.remove()
}

// openProfile prepares a profile directory of the user's: an absolute path, existing, writable, and not in use.
func openProfile(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("use profile %s: %w", dir, err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("use profile %s: %w; choose a directory that can be made and written", dir, err)
	}
	probe, err := os.CreateTemp(dir, ".usher-*")
	if err != nil {
		return "", fmt.Errorf("use profile %s: %w; choose a directory that can be written", dir, err)
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return "", fmt.Errorf("use profile %s: %w", dir, err)
	}
	if err := checkUnused(dir); err != nil {
		return "", err
	}
	// One of an earlier browser would be read as this one's address.
	if err := os.Remove(filepath.Join(dir, activePortFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("use profile %s: %w", dir, err)
	}
	return dir, nil
}
