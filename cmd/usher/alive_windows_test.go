package main

import "os"

// alive: FindProcess opens the process, which fails when it is gone.
func alive(p *os.Process) bool {
	found, err := os.FindProcess(p.Pid)
	if err != nil {
		return false
	}
	_ = found.Release()
	return true
}
