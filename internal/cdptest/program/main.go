package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// Main runs the work of a command whose name is for its error message. An interrupt ends the context. An error is
// printed, and is exit status 1.
func Main(name string, run func(context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}
