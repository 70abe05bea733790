// Package fault limits the effect of a panic to the operation in which it occurred. The daemon runs many commands and
// browsers at once; a panic in any of their goroutines would end them all.
//
// [WithScope] marks the context of an operation. Goroutines that are started for it with [Go], or from a function of
// [Guarded], end that operation when they panic, and nothing else. Code outside of an operation, such as a connection,
// defers [Recover] and decides itself what ends.
package fault

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
)

// Error is a panic. Its text contains no user data; Value and Stack are for the log.
type Error struct {
	Value any
	Stack []byte
}

// Error returns the kind of panic. The value of a panic may contain text of a page or a user; only the runtime's own
// messages, which contain numbers and types, are repeated.
func (e *Error) Error() string {
	var own runtime.Error
	if err, ok := e.Value.(error); ok && errors.As(err, &own) {
		return "a fault inside usher (" + own.Error() + "); the log of the daemon tells where"
	}
	return fmt.Sprintf("a fault inside usher (%T); the log of the daemon tells where", e.Value)
}

// Recover is to be deferred. It passes a panic to report instead of letting it end the process.
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

// WithScope returns a context for an operation. A panic in it is passed to report, also one that occurs when the
// operation is over, and ends the context with the *Error as its cause. report may be called from any goroutine. stop
// releases the context.
func WithScope(ctx context.Context, report func(*Error)) (scoped context.Context, stop func()) {
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

// Of returns the first panic of the context's operation, nil if there was none.
func Of(ctx context.Context) *Error {
	s, _ := ctx.Value(key{}).(*scope)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first
}

// Guarded returns f as a function whose panic ends the operation of ctx. If ctx has none, as in a process with a single
// task, the panic is not recovered.
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

// Go runs f in a goroutine of its own, as [Guarded] does. The caller waits for it, as for any other.
func Go(ctx context.Context, f func()) { go Guarded(ctx, f)() }
