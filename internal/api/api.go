// Package api is the local protocol between the frontends and the daemon:
// requests, replies, the one table of error codes and the one JSON envelope.
//
// The frames themselves (what travels over the socket) live in package
// [github.com/usher-browser/usher/internal/api/frame], and the client's side of
// the conversation in [github.com/usher-browser/usher/internal/api/exchange]:
// both depend on nothing, because the command line client must start as fast as
// a process can.
//
// One command is one connection. A frame is a letter, eight bytes of length, and
// that many bytes: fields ("name=value", each behind four bytes of length), or
// output and input as they are.
//
//	client                                   daemon
//	r  v=2 op=run arg=… arg=… cwd=… env=…  ─▶
//	                                       ◀─  o  hello     5 bytes for stdout
//	                                       ◀─  e  ⚠         3 bytes for stderr
//	                                       ◀─  w            "I want your stdin"
//	i  abc                                 ─▶                some of it
//	z                                      ─▶                its end
//	c                                      ─▶                Ctrl-C; so does hanging up
//	                                       ◀─  a            after each second of work
//	                                       ◀─  x  status=0  always last
//
// Nothing is escaped, so a large result is copied from buffer to buffer and is
// never held twice. A failed command's last frame has its message and next step,
// too, for clients that tell them apart.
package api

import "github.com/usher-browser/usher/internal/api/frame"

// Request is one command line with everything about its surroundings that may
// change what it does. See [frame.Request] for the fields.
type Request = frame.Request

// Terminal tells what the client's standard streams are.
type Terminal = frame.Terminal
