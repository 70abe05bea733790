package main

import "syscall"

// No such signals: soak refuses to run there.
const (
	stopSignal     = syscall.Signal(0)
	continueSignal = syscall.Signal(0)
)
