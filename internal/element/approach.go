package element

import (
	"context"

	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
)

// Pointer is how the mouse moves to what is clicked, hovered over or dragged.
type Pointer string

// The ways. Instant, which is the zero value too, is one move at the end; Smooth is a straight line, Human a curve, slow at
// both ends, both in a time that grows with the distance.
const (
	Instant Pointer = "instant"
	Smooth  Pointer = "smooth"
	Human   Pointer = "human"
)

type pointerKey struct{}

// WithPointer returns a context for actions with that movement.
func WithPointer(ctx context.Context, p Pointer) context.Context {
	if p == "" || p == Instant {
		return ctx
	}
	return context.WithValue(ctx, pointerKey{}, p)
}

// path returns the movement to a point; ok is false for one move.
func (a *Actor) path(ctx context.Context, to geometry.Point) (path input.Path, ok bool) {
	switch p, _ := ctx.Value(pointerKey{}).(Pointer); p {
	case Smooth:
		return input.LinePath(a.input.At(), to), true
	case Human:
		return input.HandPath(a.input.At(), to, 0, 0, 0), true
	}
	return input.Path{}, false
}

// approach moves the mouse to the point of a target, unless it moves there at once when it acts. The caller checks the
// target again if it moved.
func (e *action) approach(ctx context.Context, at geometry.Point) (moved bool, err error) {
	path, ok := e.actor.path(ctx, at)
	if !ok {
		return false, nil
	}
	e.others.End(ctx)
	return true, e.apiErrorOrNil(e.actor.input.Follow(ctx, e.session, path))
}
