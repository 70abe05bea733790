package daemon

import "os"

// hangUp is empty: a detached process has no console that could be closed.
var hangUp = []os.Signal{}

// redirectStdout lets the starter see the end of its pipe.
func redirectStdout() error { return os.Stdout.Close() }
