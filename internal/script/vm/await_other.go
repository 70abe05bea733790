//go:build !linux

package vm

import (
	"runtime"
	"time"
)

// awaitTime is how long the code's goroutine looks for an answer by itself, if the last one came in that time.
const awaitTime = 500 * time.Microsecond

const spinTime = awaitTime

// await gives the processor to another goroutine, for there is no way to wait that all systems have.
func await(time.Duration, bool) { runtime.Gosched() }
