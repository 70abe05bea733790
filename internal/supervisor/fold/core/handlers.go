package core

import "github.com/usher-browser/usher/internal/cdp"

// Handlers are the handlers of a feature: of events by method, replies by tag, and commands by type. Each event, reply
// and command has one feature.
type Handlers struct {
	Events   map[string]func(*cdp.Event)
	Replies  map[TagKind]func(*Reply)
	Commands []CommandHandler
}

// CommandHandler handles the commands of one type.
type CommandHandler struct {
	New  func() Command // an empty command of the type
	Call func(Command)
}

// Handle returns a handler of a function that takes one type of command.
func Handle[T any, C interface {
	*T
	Command
}](f func(C)) CommandHandler {
	return CommandHandler{New: func() Command { return C(new(T)) }, Call: func(c Command) { f(c.(C)) }}
}
