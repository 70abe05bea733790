package main

import (
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usher-browser/usher/internal/cdptest"
)

// listeners counts the TCP sockets that listen in the processes that the script's daemon has started. The daemon's process
// id is in $DAEMON.
func listeners(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: listeners <n>")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	daemon, err := strconv.Atoi(ts.Getenv("DAEMON"))
	ts.Check(err)
	pids, err := cdptest.Descendants(daemon)
	ts.Check(err)
	if len(pids) < 3 {
		ts.Fatalf("the daemon has %d processes: no browser is among them", len(pids))
	}
	found, err := cdptest.Listeners(append(pids, daemon))
	ts.Check(err)
	if len(found) != want {
		ts.Fatalf("the browsers listen at %v; wanted %d", found, want)
	}
}
