//go:build !unix

package pipe

import (
	"io"
	"syscall"
)

// Whole is the size up to which a write to a pipe writes everything or nothing.
const Whole = 0

func nonblocking(syscall.RawConn) bool { return false }

func try(syscall.RawConn, []byte) bool { return false }

// Some writes nothing, as there is no attempt that does not block.
func Some(syscall.RawConn, []byte) int { return 0 }

// Quick returns r.
func Quick(r io.Reader) io.Reader { return r }
