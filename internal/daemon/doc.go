// Package daemon is the background process: one per user, owner of every session. It listens on the socket, checks the
// user of each client, parses the requests, passes them to a [Handler], and ends on request or when it has been idle.
//
// # Goroutines
//
//   - [Serve] runs the accept loop and waits for all of the following.
//   - One goroutine per connection reads the request and runs the command in a
//     Handler. It ends when the command has returned.
//   - One more per connection reads what the client sends meanwhile (input,
//     Ctrl-C, hanging up) and cancels the command. It never waits for anything
//     but the connection, and ends when that is closed.
//   - A timer per connection sends the client every second a frame that its
//     command is running; it is closed with the command.
//   - Two timers, for idleness and for returning memory, owned by Serve.
//
// # Locks on disk
//
// Two files in the run directory ensure that there is one daemon, whatever starts at the same time. daemon.lock is held
// by the daemon for as long as it runs. change.lock is held while a daemon starts, until it listens, and while it
// stops, until it is gone; another process then waits for it. The system releases both when their process ends, in any
// way, so a socket file without a held daemon.lock is a leftover and may be removed.
package daemon
