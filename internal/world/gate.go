package world

import (
	"context"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

type gateKey struct{}

// Gate says whether a frame may be entered; its error is what the caller of the frame gets.
type Gate func(context.Context, *model.Frame) error

// WithGate returns a context under which no frame is entered that gate refuses. What is judged is the document that is
// called: a script context is that of one document, and goes with it.
func WithGate(ctx context.Context, gate Gate) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

func passGate(ctx context.Context, f *model.Frame) error {
	if gate, ok := ctx.Value(gateKey{}).(Gate); ok {
		return gate(ctx, f)
	}
	return nil
}
