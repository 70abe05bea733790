//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// listeners needs /proc; the scripts ask for it on Linux only.
func listeners(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("listeners are counted on Linux only")
}
