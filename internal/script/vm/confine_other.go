//go:build !linux && !darwin

package vm

import "os"

// confine does nothing here: the limits are the engine's own.
func confine() {}

// standardInput returns the input.
func standardInput() *os.File { return os.Stdin }
