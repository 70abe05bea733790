// Package fault keeps a panic from ending more than the work in which it came. The daemon has many commands and browsers under
// way at once; a panic in any of their goroutines would end them all.
//
// [Watch] marks the context of a piece of work. Goroutines that are started for it with [Go], or made of a function of [Guarded],
// end that work when they panic, and nothing else. What belongs to no such work, a connection for example, defers [Recover] and
// says itself what ends.
package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// Error is a panic. Its text is fit for anybody; Value and Stack are for the log.
type Error struct {
	Value any
	Stack []byte
}

// Error tells the kind of panic. What a panic was called with may hold what a page or a person said; only the runtime's own
// words, which hold numbers and types, are repeated.
func (e *Error) Error() string {
	var own runtime.Error
	if err, ok := e.Value.(error); ok && errors.As(err, &own) {
		return "a fault inside usher (" + own.Error() + "); the log of the daemon tells where"
	}
	return fmt.Sprintf("a fault inside usher (%T); the log of the daemon tells where", e.Value)
}

// Recover is to be deferred. It hands a panic to report instead of letting it end the process.
func Recover(report func(*Error)) {
	if value := recover(); value != nil {
		report(&Error{Value: value, Stack: debug.Stack()})
	}
}

type key struct{}

// scope is a piece of work.
type scope struct {
	report func(*Error)
	cancel context.CancelCauseFunc

	mu    sync.Mutex
	first *Error // guarded by mu
}

// Watch returns a context for a piece of work. A fault in it is reported, also one that comes when the work is over, and ends the
// context with the *Error as its cause. report may be called from any goroutine. stop frees what belongs to the context.
func Watch(ctx context.Context, report func(*Error)) (watched context.Context, stop func()) {
	s := &scope{report: report}
	ctx, s.cancel = context.WithCancelCause(ctx)
	return context.WithValue(ctx, key{}, s), func() { s.cancel(nil) }
}

func (s *scope) fail(e *Error) {
	s.mu.Lock()
	if s.first == nil {
		s.first = e
	}
	s.mu.Unlock()
	s.report(e)
	s.cancel(e)
}

// Of is the first fault of the work that a context is for, nil if there was none.
func Of(ctx context.Context) *Error {
	s, _ := ctx.Value(key{}).(*scope)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}

// Guarded is f as a function whose panic ends the work that ctx is for. Where ctx is for none, as in a process that does one thing
// only, the panic goes its way.
func Guarded(ctx context.Context, f func()) func() {
	s, _ := ctx.Value(key{}).(*scope)
	if s == nil {
		return f
	}
	return func() {
		defer Recover(s.fail)
		f()
	}
}

// Go runs f in a goroutine of its own, as [Guarded] does. Who starts it waits for it, as for any other.
func Go(ctx context.Context, f func()) { go Guarded(ctx, f)() }
