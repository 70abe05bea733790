//go:build race

package script

// raceDetector reports whether the tests run with the race detector, whose shadow of the memory counts against the limits
// of the process.
const raceDetector = true
