package chrome

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A debugging port has no authentication: every user and every program of the machine may connect to it, read each
// cookie and page, open files as the browser's user, and control the browser. A launched browser is driven over its
// pipe and has no port unless one is requested.

// ErrNoPort is returned for a launched browser without a debugging port.
var ErrNoPort = errors.New("the browser was launched without a debugging port")

// portTimeout is how long a browser that has answered its first command may take to open its port: it took 20 ms on Chromium 156.
const portTimeout = 5 * time.Second

// WantsPort reports whether a browser launched with these options opens a debugging port.
func (o *Options) WantsPort() bool {
	if o.DebugPort != "" {
		return true
	}
	for _, a := range o.Args {
		if name, _ := cutSwitch(a); name == "remote-debugging-port" {
			return true
		}
	}
	return false
}

// cutSwitch takes a command-line switch apart as Chromium does: one dash or two (on Windows a slash, too), and there in any
// case. The name is empty for what is no switch.
func cutSwitch(arg string) (name, value string) {
	arg = strings.TrimSpace(arg)
	for _, prefix := range []string{"--", "-", "/"} {
		if rest, ok := strings.CutPrefix(arg, prefix); ok {
			name, value, _ = strings.Cut(rest, "=")
			return strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		}
	}
	return "", ""
}

// RunsPrograms reports whether a command-line switch of Chromium lets another program or an extension drive it, or makes it
// start another program. Several switches may be in one text, separated by white space or commas.
func RunsPrograms(switches string) bool {
	for _, a := range strings.FieldsFunc(switches, func(r rune) bool { return r == '\n' || r == ',' || r == ' ' }) {
		name, _ := cutSwitch(a)
		if strings.HasPrefix(name, "disable-") && name != "disable-extensions-except" {
			continue
		}
		for _, word := range [...]string{"remote-debugging", "extension", "cmd-prefix", "launcher", "subprocess", "plugin", "load-and-launch-app"} {
			if strings.Contains(name, word) {
				return true
			}
		}
	}
	return false
}

// checkPort refuses what would open the port to other machines, and what is no port.
func checkPort(o *Options) error {
	requested := []string{}
	if o.DebugPort != "" {
		requested = append(requested, o.DebugPort)
	}
	for _, a := range o.Args {
		switch name, value := cutSwitch(a); name {
		case "remote-debugging-port":
			requested = append(requested, value)
		case "remote-debugging-address":
			if ip, err := netip.ParseAddr(strings.Trim(value, "[]")); value != "localhost" && (err != nil || !ip.Unmap().IsLoopback()) {
				return fmt.Errorf("launch with %s: the debugging port would be open to other machines, which could read everything in the browser; omit the switch, and forward the port over SSH if another machine needs it", a)
			}
		}
	}
	for _, port := range requested {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 65535 { // Chromium ignores 65535
			return fmt.Errorf("launch with the debugging port %q: not a port; give a number from 1 to 65534, or 0 for a free one", port)
		}
	}
	if len(requested) > 1 {
		return fmt.Errorf("launch with the debugging port given %d times (%s): give it once, with --cdp-port", len(requested), strings.Join(requested, ", "))
	}
	return nil
}

// listening finds the address that Chromium prints on standard error; DevToolsActivePort it writes for port 0 only.
func listening(output string) (ws string, found bool) {
	for line := range strings.Lines(output) {
		ws, found = strings.CutPrefix(line, "DevTools listening on ")
		if found && strings.HasSuffix(line, "\n") {
			return strings.TrimSpace(ws), true
		}
	}
	return "", false
}

// awaitPort waits until the browser has opened the requested port.
func (p *Process) awaitPort(ctx context.Context, o *Options) error {
	if !o.WantsPort() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, portTimeout)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		output := p.stderr.String()
		if ws, found := listening(output); found {
			return p.keepPort(ws)
		}
		if strings.Contains(output, "Cannot start http server for devtools") {
			return errors.New("the debugging port could not be opened: another program uses it; choose another with --cdp-port, or 0 for a free one")
		}
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("open the debugging port: the browser %s", p.exit)
		case <-ctx.Done():
			return fmt.Errorf("open the debugging port: the browser reported no address: %w", context.Cause(ctx))
		}
	}
}

// keepPort stores the port's address. Where 127.0.0.1 is taken Chromium listens on [::1]: a client of 127.0.0.1 then
// reaches the other program.
func (p *Process) keepPort(ws string) error {
	u, err := url.Parse(ws)
	if err != nil {
		return fmt.Errorf("open the debugging port: the browser tells %q, which is no address", ws)
	}
	if u.Hostname() != "127.0.0.1" {
		return fmt.Errorf("another program uses the debugging port %s on 127.0.0.1; choose another with --cdp-port, or 0 for a free one", u.Port())
	}
	p.debugURL = ws
	return nil
}

// DebugURL returns the WebSocket address of the browser's debugging port, or [ErrNoPort].
func (p *Process) DebugURL() (string, error) {
	if p.debugURL == "" {
		return "", ErrNoPort
	}
	return p.debugURL, nil
}
