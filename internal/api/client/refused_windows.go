package client

import (
	"errors"
	"syscall"
)

// refusedConnection: Windows' numbers for a socket file that is left over.
func refusedConnection(err error) bool {
	const refused, invalid = syscall.Errno(10061), syscall.Errno(10022)
	return errors.Is(err, refused) || errors.Is(err, invalid)
}
