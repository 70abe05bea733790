package exchange

import (
	"io"
	"time"
)

// deadlined is what of a net.Conn is needed here: package net is long to start.
type deadlined interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Bound returns the connection with a limit for every step. ended, if any, is
// asked after a deadline was moved whether whoever set one before means the
// conversation to end; its error is the step's.
func Bound(conn deadlined, limit time.Duration, ended func() error) io.ReadWriteCloser {
	if ended == nil {
		ended = func() error { return nil }
	}
	return &bound{conn, limit, ended}
}

type bound struct {
	deadlined
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
	return b.deadlined.Read(p)
}

func (b *bound) Write(p []byte) (int, error) {
	if err := b.SetWriteDeadline(time.Now().Add(b.limit)); err != nil {
		return 0, err
	}
	if err := b.ended(); err != nil {
		return 0, err
	}
	return b.deadlined.Write(p)
}
