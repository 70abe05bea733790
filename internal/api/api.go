// Package api is the local protocol between the front doors and the daemon:
// requests, replies, the one table of error codes and the one JSON envelope.
//
// The frames themselves (what travels over the socket) live in package
// [github.com/usher-browser/usher/internal/api/line], which depends on nothing,
// because the command line client must start as fast as a process can.
//
// One command is one connection:
//
//	client                                        daemon
//	{"v":1,"op":"run","argv":[…],"cwd":…,…}\n  ─▶
//	                                          ◀─  {"out":5}\nhello        5 bytes for stdout
//	                                          ◀─  {"err":3}\n⚠            3 bytes for stderr
//	                                          ◀─  {"stdin":true}\n        "I want your stdin"
//	{"stdin":4}\nabc\n {"stdin":0}\n           ─▶                          0 ends it
//	{"cancel":true}\n                          ─▶                          Ctrl-C; so does hanging up
//	                                          ◀─  {"alive":true}\n       after each second of work
//	                                          ◀─  {"exit":0}\n            always last
//
// A line that announces bytes is followed by exactly that many, unescaped, so a
// large result is copied from buffer to buffer and is never held twice.
package api

import "github.com/usher-browser/usher/internal/api/line"

// Request is one command line with everything about its surroundings that may
// change what it does. See [line.Request] for the fields.
type Request = line.Request

// Terminal tells what the client's standard streams are.
type Terminal = line.Terminal
