package chrome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Version returns the version of the browser at a path, such as "156.0.8078.79", without starting it as a browser. It
// is empty where the system does not provide it (Windows, outside Chrome's own directories). The error is a
// [*StartError].
func Version(ctx context.Context, executable string) (string, error) {
	return version(ctx, unwrap(executable))
}

// AbandonedProfiles returns the temporary profiles whose owner is gone: what [SweepProfiles] would remove now.
func AbandonedProfiles() ([]string, error) {
	var found []string
	locks, errs := profileLocks()
	for _, path := range locks {
		abandoned, err := unlocked(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("look at temporary profile: %w", err))
		} else if abandoned {
			found = append(found, strings.TrimSuffix(path, ".lock"))
		}
	}
	return found, errors.Join(errs...)
}

// unlocked reports whether the lock file is free. It holds the lock itself for a moment; a launch that finds it locked
// takes another name.
func unlocked(path string) (bool, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	free, err := takeLock(f)
	return free, errors.Join(err, f.Close())
}
