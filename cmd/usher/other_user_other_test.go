//go:build !linux

package main

// actAsOtherUser is for the tests with another user, which need Linux.
func actAsOtherUser() {}
