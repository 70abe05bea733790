//go:build !linux

package vm

import "runtime"

// yield gives the processor to another goroutine.
func yield() { runtime.Gosched() }
