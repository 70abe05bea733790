package chrome

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// ErrNoDisplay is returned for a headed launch on Linux without DISPLAY or WAYLAND_DISPLAY.
var ErrNoDisplay = errors.New("open a headed browser: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set where the command was given); " +
	"run the command on a desktop or under xvfb-run, or omit --headed")

// NotFoundError is the error when there is no Chromium, with the paths tried.
type NotFoundError struct {
	// Requested is the requested path, with the name of the setting it came from; empty when the default paths were
	// tried.
	Requested string
	// Looked lists the paths tried, in order.
	Looked []string
	// Reason is the problem with the requested path.
	Reason error
}

func (e *NotFoundError) Error() string {
	if e.Requested != "" {
		if strings.Contains(e.Requested, "lightpanda") {
			return fmt.Sprintf("find Lightpanda: %s: %v; install it, or give its path with --executable-path", e.Requested, e.Reason)
		}
		return fmt.Sprintf("find Chromium: %s: %v; give the path of a Chromium, Chrome, Edge or Brave executable", e.Requested, e.Reason)
	}
	return fmt.Sprintf("find Chromium: none in %s; install one (%s), or set USHER_CHROME to its path",
		strings.Join(e.Looked, ", "), installHint())
}

func (e *NotFoundError) Unwrap() error { return e.Reason }

// StartError is the error of a program that did not start as a browser.
type StartError struct {
	Executable string
	// Problem is what happened, as the end of a sentence that starts with the executable.
	Problem string
	// Exit holds the exit code and the end of standard error, when it ran.
	Exit Exit
	// Cause is the error of the failed step; Cleanup the error of cleaning up, usually nil.
	Cause, Cleanup error
}

func (e *StartError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "start the browser: %s %s", e.Executable, e.Problem)
	if e.Cause != nil {
		fmt.Fprintf(&b, " (%v)", e.Cause)
	}
	if hint := startHint(e.Exit.Stderr); hint != "" {
		b.WriteString("; " + hint)
	}
	if s := strings.TrimSpace(e.Exit.Stderr); s != "" {
		b.WriteString("; the end of its log:\n" + s)
	}
	if e.Cleanup != nil {
		fmt.Fprintf(&b, "\nafterwards: %v", e.Cleanup)
	}
	return b.String()
}

func (e *StartError) Unwrap() []error {
	var errs []error
	for _, err := range []error{e.Cause, e.Cleanup} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// startHint recognises the usual reasons in what Chromium prints.
func startHint(stderr string) string {
	switch {
	case strings.Contains(stderr, "No usable sandbox"), strings.Contains(stderr, "Failed to move to new namespace"):
		return "this system does not let Chromium build its sandbox: allow unprivileged user namespaces, or pass --args --no-sandbox if the pages are trusted"
	case strings.Contains(stderr, "error while loading shared libraries"):
		return "a system library is missing: install the distribution's Chromium package, which brings them"
	case strings.Contains(stderr, "Missing X server"), strings.Contains(stderr, "cannot open display"):
		return "the display cannot be opened: check DISPLAY, or omit --headed"
	case strings.Contains(stderr, "non-default data directory"):
		return "Chrome refuses debugging on its default profile: use another --profile directory, or attach to the running browser"
	}
	return ""
}

// ProfileInUseError is the error for a profile that another browser uses.
type ProfileInUseError struct {
	Dir string
	// PID and Host are those in the profile's lock; zero and empty where the system does not provide them.
	PID  int
	Host string
	// Remote reports whether the other browser runs on another machine.
	Remote bool
}

func (e *ProfileInUseError) Error() string {
	holder := "another browser"
	if e.PID != 0 {
		holder += fmt.Sprintf(" (process %d)", e.PID)
	}
	if e.Remote {
		return fmt.Sprintf("use profile %s: it is in use by %s on the machine %s; close that browser, or remove %s/SingletonLock if that machine is gone",
			e.Dir, holder, e.Host, e.Dir)
	}
	return fmt.Sprintf("use profile %s: it is in use by %s; close that browser, attach to it with --cdp %s, or use another profile", e.Dir, holder, e.Dir)
}

// Attempt is one address that was tried, and why it is not that of a browser.
type Attempt struct {
	Address string
	Err     error
}

// AttachError is the error when no browser answered, with every address tried.
type AttachError struct {
	Tried []Attempt
}

// StatusError is an answer to /json/version with another HTTP status than 200.
type StatusError struct {
	Status int
	Body   []byte
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("something else answers there: HTTP status %d %s to /json/version: %.80q", e.Status, http.StatusText(e.Status), e.Body)
}

// Denied reports whether credentials are missing or not accepted.
func (e *StatusError) Denied() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

func (e *AttachError) Error() string {
	var b strings.Builder
	b.WriteString("attach to a running browser: ")
	for i, a := range e.Tried {
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s: %v", a.Address, a.Err)
	}
	var answer *StatusError
	if errors.As(errors.Join(e.Unwrap()...), &answer) && answer.Denied() {
		return b.String()
	}
	b.WriteString(". Start the browser with --remote-debugging-port=9222 and a --user-data-dir of its own")
	return b.String()
}

func (e *AttachError) Unwrap() []error {
	errs := make([]error, len(e.Tried))
	for i, a := range e.Tried {
		errs[i] = a.Err
	}
	return errs
}
