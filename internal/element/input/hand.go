package input

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/usher-browser/usher/internal/element/geometry"
)

// The time of a movement grows with the distance, as in Fitts's law, and its speed is that of the least jerk: T. Flash
// and N. Hogan, "The coordination of arm movements", 1985.
const (
	shortestHand = 120 * time.Millisecond
	perDoubling  = 60 * time.Millisecond // of the distance in CSS pixels
	handInterval = 16 * time.Millisecond // between two moves: a mouse that reports 60 times a second
	mostSteps    = 240
	bend         = 0.06 // of the distance: how far a movement is off the straight line at most
	tremor       = 0.6  // CSS pixels
)

// HandPath returns a movement like that of a hand. Steps and time that are 0 follow from the distance. The same seed makes
// the same movement; 0 takes another each time.
func HandPath(from, to geometry.Point, steps int, spread time.Duration, seed uint64) Path {
	if seed == 0 {
		seed = rand.Uint64()
	}
	chance := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // no secret depends on it
	dx, dy := to.X-from.X, to.Y-from.Y
	distance := math.Hypot(dx, dy)
	if spread == 0 {
		spread = shortestHand + time.Duration(math.Log2(1+distance)*float64(perDoubling))
	}
	if steps == 0 {
		steps = min(mostSteps, max(2, int(spread/handInterval)))
	}
	side := bend * (2*chance.Float64() - 1)
	path := Path{Spread: spread}
	for i := 1; i < steps; i++ {
		t := float64(i) / float64(steps)
		along := t * t * t * (10 - 15*t + 6*t*t)
		off := side * math.Sin(math.Pi*along)
		path.Points = append(path.Points, geometry.Point{
			X: from.X + dx*along - dy*off + tremor*(chance.Float64()-0.5),
			Y: from.Y + dy*along + dx*off + tremor*(chance.Float64()-0.5),
		})
	}
	path.Points = append(path.Points, to)
	return path
}

// LinePath returns a straight movement at a constant speed, in the time and with the interval of HandPath.
func LinePath(from, to geometry.Point) Path {
	dx, dy := to.X-from.X, to.Y-from.Y
	path := Path{Spread: shortestHand + time.Duration(math.Log2(1+math.Hypot(dx, dy))*float64(perDoubling))}
	steps := min(mostSteps, max(2, int(path.Spread/handInterval)))
	for i := 1; i < steps; i++ {
		f := float64(i) / float64(steps)
		path.Points = append(path.Points, geometry.Point{X: from.X + dx*f, Y: from.Y + dy*f})
	}
	path.Points = append(path.Points, to)
	return path
}
