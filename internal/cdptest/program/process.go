package program

import "os"

// Process is one process that a program, or something it started, left running.
type Process struct {
	PID     int
	Command string // its command line, words separated by spaces
	Exe     string // its executable, if the system provides it
	Root    bool   // carries the program's mark itself, rather than being found as a child of one that does
}

func (p Process) terminate() {
	if found, err := os.FindProcess(p.PID); err == nil {
		_ = found.Signal(terminate) // gone already, or killed in a moment
	}
}

func (p Process) kill() {
	if found, err := os.FindProcess(p.PID); err == nil {
		_ = found.Kill()
	}
}
