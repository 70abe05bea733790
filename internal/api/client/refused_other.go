//go:build !windows

package client

import (
	"errors"
	"syscall"
)

func refusedConnection(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
