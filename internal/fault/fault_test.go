package fault

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
)

func TestScope(t *testing.T) {
	t.Parallel()
	reported := make(chan *Error, 2)
	ctx, stop := WithScope(t.Context(), func(e *Error) { reported <- e })
	defer stop()
	other, stopOther := WithScope(t.Context(), func(e *Error) { t.Errorf("the other work was told of %v", e) })
	defer stopOther()
	below, cancel := context.WithTimeout(context.WithoutCancel(ctx), 1<<40)
	defer cancel()
	ended := make(chan struct{})
	Go(below, func() {
		defer close(ended)
		var none []int
		_ = none[len(ended)+3]
	})
	<-ended
	<-ctx.Done()
	var fault *Error
	if !errors.As(context.Cause(ctx), &fault) || Of(ctx) != fault || <-reported != fault {
		t.Fatalf("the work ended with %v, its fault is %v", context.Cause(ctx), Of(ctx))
	}
	if !strings.Contains(fault.Error(), "index out of range [3]") || !strings.Contains(string(fault.Stack), "fault_test.go") {
		t.Errorf("%v at %s", fault, fault.Stack)
	}
	if other.Err() != nil || Of(other) != nil {
		t.Errorf("the other work ended with %v", context.Cause(other))
	}
	var all sync.WaitGroup
	all.Go(Guarded(ctx, func() { panic("password") }))
	all.Wait()
	if late := <-reported; late.Value != "password" || strings.Contains(late.Error(), "password") || Of(ctx) != fault {
		t.Errorf("a later fault: %v; the first is now %v", late, Of(ctx))
	}
}

func TestNoScope(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() != "mine" {
			t.Error("the panic was lost")
		}
	}()
	if Of(t.Context()) != nil {
		t.Error("a context for nothing has a fault")
	}
	Guarded(t.Context(), func() { panic("mine") })()
}
