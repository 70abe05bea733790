// Package pipe writes to pipes and sockets without waiting for the other side, and reads from them with little work.
package pipe

import (
	"io"
	"os"
	"syscall"
)

// Writer writes to a pipe in attempts that never block. The zero value makes none, as on systems where there is no such attempt.
type Writer struct{ raw syscall.RawConn }

// Of returns the writer of a pipe; the zero Writer for what is no pipe, or a pipe in blocking mode.
func Of(w io.Writer) Writer {
	file, ok := w.(*os.File)
	if !ok {
		return Writer{}
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return Writer{}
	}
	raw, err := file.SyscallConn()
	if err != nil || !nonblocking(raw) {
		return Writer{}
	}
	return Writer{raw}
}

// Try writes all of b and returns true, or nothing and returns false: the pipe is full, b has more than [Whole] bytes, or there was an
// error, which the next usual write reports. The caller sees to it that nobody else is writing.
func (w Writer) Try(b []byte) bool {
	return w.raw != nil && len(b) <= Whole && try(w.raw, b)
}
