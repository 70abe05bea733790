//go:build !race

package script

// raceDetector reports whether the tests run with the race detector.
const raceDetector = false
