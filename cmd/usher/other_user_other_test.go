//go:build !linux

package main

// stranger is for the tests with another user, which need Linux.
func stranger() {}
