// Package daemon is the background process: one per user, owner of every
// session. It holds the socket, knows who may speak to it, parses what they
// ask, hands it to a [Handler], and ends when it is told to or nobody needs it.
//
// # Goroutines
//
//   - [Serve] runs the accept loop and waits for all of the following.
//   - One goroutine per connection reads the request and runs the command in a
//     Handler. It ends when the command has returned.
//   - One more per connection reads what the client sends meanwhile (input,
//     Ctrl-C, hanging up) and cancels the command. It never waits for anything
//     but the connection, and ends when that is closed.
//   - A timer per connection tells the client every second that its command is
//     being worked on; it is closed with the command.
//   - Two timers, for idleness and for returning memory, owned by Serve.
//
// # Locks on disk
//
// Two files in the run directory make sure that there is one daemon, whatever
// starts at the same time. daemon.lock is held for life by the one that serves.
// change.lock is held while a daemon starts, until it listens, and while it
// stops, until it is gone; whoever comes then waits instead of guessing. Both
// vanish with the process that holds them, however it dies, so a socket file
// without a held daemon.lock is a leftover and may be removed.
package daemon
