// Package api defines the local protocol between the frontends and the daemon: requests, replies, the table of error codes
// and the JSON envelope.
//
// Package [github.com/usher-browser/usher/internal/api/frame] encodes the frames, and
// [github.com/usher-browser/usher/internal/api/exchange] is the client's side of a conversation. Both import almost nothing,
// because the command line client must start quickly.
//
// Each command has its own connection. A frame is a letter, a length of eight bytes, and that many bytes: either fields
// ("name=value", each after a length of four bytes) or raw input or output.
//
//	client                                   daemon
//	r  v=2 op=run arg=… arg=… cwd=… env=…  ─▶
//	                                       ◀─  o  hello     5 bytes for stdout
//	                                       ◀─  e  ⚠         3 bytes for stderr
//	                                       ◀─  w            requests stdin
//	i  abc                                 ─▶                a part of stdin
//	z                                      ─▶                end of stdin
//	c                                      ─▶                Ctrl-C; closing the connection has the same effect
//	                                       ◀─  a            after each second of work
//	                                       ◀─  x  status=0  always last
//
// Nothing is escaped, so a large result is copied from buffer to buffer and is never in memory twice. The last frame of a
// failed command also has its message and hint, for clients that need them separately.
package api

import "github.com/usher-browser/usher/internal/api/frame"

// Request is one command with the parts of its environment that affect it; see [frame.Request].
type Request = frame.Request

// Terminal describes the client's standard streams; see [frame.Terminal].
type Terminal = frame.Terminal
