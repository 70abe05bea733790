package chrome

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestNoOpenPort looks for listening sockets among those of the browser's processes: there is none unless one was asked for.
func TestNoOpenPort(t *testing.T) {
	for _, row := range []struct {
		name string
		o    Options
		want int
	}{
		{"as usual", Options{}, 0},
		{"a profile of the user's", Options{ProfileDir: t.TempDir()}, 0},
		{"asked for", Options{DebugPort: "0"}, 1},
		{"asked for by switch", Options{Args: []string{"--remote-debugging-port=0"}}, 1},
		{"asked for in another spelling", Options{Args: []string{" -remote-debugging-port=0"}}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := launch(t, row.o)
			newClient(t, p).page()
			var pids []int
			for _, process := range using(t, p.ProfileDir()) {
				pids = append(pids, process.pid)
			}
			if len(pids) < 3 {
				t.Fatal("the process list does not show the browser and its children")
			}
			found, err := cdptest.Listeners(pids)
			if err != nil {
				t.Fatal(err)
			}
			if len(found) != row.want {
				t.Errorf("the browser listens at %v, wanted %d", found, row.want)
			}
			at, err := p.DebugURL()
			if row.want == 0 && err != ErrNoPort || row.want == 1 && (err != nil || !strings.HasPrefix(at, "ws://"+found[0]+"/devtools/browser/")) { //nolint:errorlint // it is told as it is
				t.Errorf("DebugURL = %q, %v; listening: %v", at, err, found)
			}
		})
	}
}

// TestPortTaken: Chromium goes on without its port, or takes the one of [::1], without telling its launcher.
func TestPortTaken(t *testing.T) {
	var held []net.Listener
	taken := ""
	for _, host := range []string{"127.0.0.1", "[::1]"} {
		l, err := net.Listen("tcp", host+":"+orFree(taken))
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, l)
		t.Cleanup(func() { _ = l.Close() })
		taken = fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
		if p, err := Launch(t.Context(), Options{DebugPort: taken}); err == nil {
			at, _ := p.DebugURL()
			t.Errorf("with %d listeners at the port: launched at %q, %v", len(held), at, p.Close(t.Context()))
		} else if !strings.Contains(err.Error(), "--cdp-port") || !strings.Contains(err.Error(), "another program") {
			t.Errorf("with %d listeners at the port: %v", len(held), err)
		}
	}
}

func orFree(port string) string {
	if port == "" {
		return "0"
	}
	return port
}

// TestPortSwitches refuses what opens the port to others, or is no port.
func TestPortSwitches(t *testing.T) {
	for _, row := range []struct {
		args []string
		port string
		want string // in the error; empty for none
		asks bool
	}{
		{nil, "", "", false},
		{nil, "9222", "", true},
		{[]string{"--remote-debugging-port=9222"}, "", "", true},
		{[]string{"-remote-debugging-port=9222"}, "", "", true},
		{[]string{"--Remote-Debugging-Port=9222"}, "", "", true},
		{[]string{"/remote-debugging-port=9222"}, "", "", true},
		{[]string{"--remote-debugging-port=9222"}, "0", "2 times", true},
		{[]string{"--remote-debugging-port=9222", "--remote-debugging-port=9333"}, "", "2 times", true},
		{[]string{"--remote-debugging-port"}, "", "not a port", true},
		{[]string{"--remote-debugging-port=65535"}, "", "not a port", true},
		{[]string{"--remote-debugging-port=-1"}, "", "not a port", true},
		{[]string{"--remote-debugging-address=0.0.0.0"}, "0", "other machines", true},
		{[]string{"--remote-debugging-address=::"}, "0", "other machines", true},
		{[]string{"-remote-debugging-address=192.168.1.4"}, "", "other machines", false},
		{[]string{"--remote-debugging-address="}, "", "other machines", false},
		{[]string{"--remote-debugging-address=127.0.0.1"}, "0", "", true},
		{[]string{"--remote-debugging-address=::1"}, "0", "", true},
		{[]string{"--lang=de", "remote-debugging-port=1"}, "", "", false},
	} {
		o := Options{Args: row.args, DebugPort: row.port}
		err := checkPort(&o)
		if row.want == "" && err != nil || row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want)) {
			t.Errorf("%q %q: %v, wanted %q", row.args, row.port, err, row.want)
		}
		if o.WantsPort() != row.asks {
			t.Errorf("%q %q: asks for a port: %v", row.args, row.port, !row.asks)
		}
	}
	for _, arg := range []string{"-user-data-dir=/tmp/x", "--User-Data-Dir=/tmp/x", "-remote-debugging-pipe", "-version"} {
		if checkArgs([]string{arg}) == nil {
			t.Errorf("%s is let through", arg)
		}
	}
}
