package world

import (
	"context"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

type gateKey struct{}

// Gate reports whether a frame may be entered: nil allows it, an error is returned to the caller.
type Gate func(context.Context, *model.Frame) error

// WithGate returns a context under which calls into frames that gate refuses fail. The gate judges the document that is
// called: a script context belongs to one document, and ends with it.
func WithGate(ctx context.Context, gate Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

func passGate(ctx context.Context, f *model.Frame) error {
	if gate, ok := ctx.Value(gateKey{}).(Gate); ok {
		return gate(ctx, f)
	}
	return nil
}
