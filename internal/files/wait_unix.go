//go:build unix

package files

import (
	"errors"
	"syscall"
)

// withoutWaiting opens without waiting for another process, and without making a terminal the one that controls the daemon.
const withoutWaiting = syscall.O_NONBLOCK | syscall.O_NOCTTY

// noReader reports whether a pipe could not be opened for writing because it has no reader.
func noReader(err error) bool { return errors.Is(err, syscall.ENXIO) }
