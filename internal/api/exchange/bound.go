package exchange

import (
	"io"
	"time"
)

// deadlineConn is the part of net.Conn needed here. Importing package net would slow the start.
type deadlineConn interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Bound returns the connection with a limit for each read and write. ended, if not nil, is called after each change of a
// deadline; its error ends the read or write. It reports that the caller has cancelled by setting a deadline, which the
// change may have overwritten.
func Bound(conn deadlineConn, limit time.Duration, ended func() error) io.ReadWriteCloser {
	if ended == nil {
		ended = func() error { return nil }
	}
	return &bound{conn, limit, ended}
}

// brief is a connection that is read for a limited time as a whole, in addition to the limit of each read.
type brief struct {
	io.ReadWriteCloser
	until time.Time
	limit time.Duration
}

func (b *brief) Read(p []byte) (int, error) {
	if time.Now().After(b.until) {
		return 0, &replyTimeoutError{b.limit}
	}
	return b.ReadWriteCloser.Read(p)
}

type bound struct {
	deadlineConn
	limit time.Duration
	ended func() error
}

func (b *bound) Read(p []byte) (int, error) {
	if err := b.SetReadDeadline(time.Now().Add(b.limit)); err != nil {
		return 0, err
	}
	if err := b.ended(); err != nil {
		return 0, err
	}
	return b.deadlineConn.Read(p)
}

func (b *bound) Write(p []byte) (int, error) {
	if err := b.SetWriteDeadline(time.Now().Add(b.limit)); err != nil {
		return 0, err
	}
	if err := b.ended(); err != nil {
		return 0, err
	}
	return b.deadlineConn.Write(p)
}
