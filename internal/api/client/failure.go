package client

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/exchange"
	"github.com/usher-browser/usher/internal/api/frame"
)

// attempts bounds how often a command is sent, the first time included. Starting one daemon sufficed in all cases seen.
const attempts = 3

// StartAndRetry returns the result of a command after starting a daemon if needed. first is the result of the first
// attempt. If no daemon was there, or it was exiting, StartAndRetry calls start and again, up to attempts times.
func StartAndRetry(first exchange.Result, start func() error, again func() exchange.Result) (exchange.Result, error) {
	result := first
	for tried := 1; result.CanStartDaemon(); tried++ {
		if tried == attempts {
			return result, api.Errorf(api.DaemonStartFailed, "the daemon was started %d times and ended each time before it accepted the command", attempts-1)
		}
		if err := start(); err != nil {
			return result, err
		}
		result = again()
	}
	return result, nil
}

// Failure returns the error for a conversation that did not end with [exchange.Done].
func Failure(r exchange.Result) error {
	switch r.Outcome {
	case exchange.NoDaemon:
		return api.Errorf(api.DaemonStartFailed, "no daemon is listening: %w", r.Err)
	case exchange.Refused:
		if r.Frame.Code == frame.Retired {
			return api.Errorf(api.DaemonStopping, "the daemon is ending")
		}
		return api.Errorf(api.Code(r.Frame.Code), "%s", r.Frame.Text)
	case exchange.Lost:
		if r.Err != nil {
			return api.Errorf(api.ConnectionLost, "the daemon ended while the command ran: %w", r.Err)
		}
		return api.Errorf(api.ConnectionLost, "the daemon ended while the command ran")
	case exchange.Broken:
		return protocolFailure(r)
	case exchange.OutputFailed:
		return api.Errorf(api.FileWriteFailed, "the result cannot be written: %w", r.Err)
	case exchange.TimedOut:
		return hangingFailure(r)
	case exchange.Unusable:
		return socketFailure(r.Err)
	}
	return api.Errorf(api.Internal, "the connection to the daemon ended with outcome %d: %v", r.Outcome, r.Err)
}

// protocolFailure returns the error for a process that does not speak the protocol. A daemon with another protocol does not
// understand `daemon stop` either; it closes its browsers when it is terminated.
func protocolFailure(r exchange.Result) error {
	e := api.Errorf(api.InvalidRequest, "the answer of the daemon cannot be read: %w", r.Err)
	if r.PID == 0 {
		return e.WithHint("Run `usher daemon stop` and try again; if that does not help, end the process that listens.")
	}
	return e.With("pid", r.PID).WithHint("End it with `kill %d` and try again.", r.PID)
}

// hangingFailure returns the error for a daemon that hangs. If it is killed, its browsers exit by themselves.
func hangingFailure(r exchange.Result) error {
	if r.PID == 0 {
		return api.Errorf(api.ConnectionLost, "the daemon does not answer: %w", r.Err).
			WithHint("It is stopped or stuck; `usher daemon status` shows its process. Killing it also ends the browsers it started.")
	}
	return api.Errorf(api.ConnectionLost, "the daemon (%d) does not answer: %w", r.PID, r.Err).With("pid", r.PID).
		WithHint("It is stopped or stuck. `kill -9 %d` ends it and the browsers it started.", r.PID)
}

func socketFailure(err error) error {
	var coded api.Coded // such as a directory that cannot be trusted
	switch {
	case errors.As(err, &coded):
		return fmt.Errorf("the daemon cannot be reached: %w", err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, exchange.ErrForeign):
		return api.Errorf(api.PermissionDenied, "the daemon cannot be reached: %w", err).
			WithHint("Set USHER_HOME to a directory of your own.")
	case errors.Is(err, syscall.ENOTDIR):
		return api.Errorf(api.DaemonStartFailed, "the daemon cannot be reached: %w", err).
			WithHint("A part of this path is a file. Set USHER_HOME to a directory, or move the file away.")
	case errors.Is(err, exchange.ErrArgument):
		return api.Errorf(api.InvalidArgument, "the command line cannot be sent: %w", err)
	}
	return api.Errorf(api.DaemonStartFailed, "the daemon cannot be reached: %w", err)
}
