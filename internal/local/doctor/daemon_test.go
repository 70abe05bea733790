//go:build unix

package doctor

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/api/frame"
	"github.com/usher-browser/usher/internal/cdptest/localtest"
	"github.com/usher-browser/usher/internal/daemon"
	"github.com/usher-browser/usher/internal/verb"
)

// handler is a daemon's, with sessions but no browser.
type handler struct{ sessions []string }

func (handler) Handle(context.Context, *api.Request, *verb.Call, *daemon.Streams) int { return 0 }
func (h handler) Sessions() []string                                                  { return h.sessions }
func (handler) IdleTimeout() time.Duration                                            { return 0 }
func (handler) Close(context.Context) error                                           { return nil }

// serve runs a real daemon in the directory until the test ends.
func serve(t *testing.T, dir, build string, sessions ...string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- daemon.Serve(ctx, daemon.Options{
			RunDir: dir, Build: build, Version: "9.9", NewHandler: func() (daemon.Handler, error) { return handler{sessions}, nil },
			Log: slog.New(slog.DiscardHandler), Ready: func() { close(ready) },
		})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-done:
		done <- nil
		t.Fatalf("the daemon did not start: %v", err)
	}
}

// newDoctorIn returns a doctor whose run directory is dir.
func newDoctorIn(t *testing.T, dir string, argv ...string) *doctor {
	t.Helper()
	d := machine(t, nil, []string{"USHER_SOCKET_DIR=" + dir}, argv...)
	d.configuration()
	if d.dirs.Run != dir {
		t.Fatalf("the run directory is %s, want %s", d.dirs.Run, dir)
	}
	return d
}

func TestDaemonRunning(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	serve(t, dir, "build-of-the-client", "default", "shop")
	d := newDoctorIn(t, dir)
	d.daemons(t.Context())
	d.expect(t, "daemon", Pass, "process "+strconv.Itoa(os.Getpid()), "2 sessions (default, shop)")
	d.security()
	d.expect(t, "run-directory", Pass, "0700")
	d.expect(t, "socket", Pass, "0600")

	// The lock names are the daemon's own.
	if _, err := os.Stat(filepath.Join(dir, changeLockName)); err != nil {
		t.Errorf("a daemon has no lock of that name: %v", err)
	}
	if logName != daemon.LogName {
		t.Errorf("the log is called %s, not %s", daemon.LogName, logName)
	}
}

func TestDaemonOfAnotherBuild(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	serve(t, dir, "another", "default")
	d := newDoctorIn(t, dir)
	d.daemons(t.Context())
	d.expect(t, "daemon", Warn, "another build", "version 9.9", "1 session (default)", "daemon stop")
}

func TestNoDaemon(t *testing.T) {
	t.Parallel()
	d := newDoctorIn(t, filepath.Join(shortDir(t), "run"))
	d.daemons(t.Context())
	d.expect(t, "daemon", Pass, "not running")
}

// leaveSocket makes the socket of a daemon that was killed.
func leaveSocket(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "usher.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStaleSocket(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	socket := leaveSocket(t, dir)
	d := newDoctorIn(t, dir)
	d.daemons(t.Context())
	d.expect(t, "daemon", Warn, "left its socket", "doctor --fix")

	// While a daemon starts, its new socket must not be taken for an old one.
	lock, err := os.OpenFile(filepath.Join(dir, changeLockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	d = newDoctorIn(t, dir, "--fix")
	d.daemons(t.Context())
	d.expect(t, "daemon", Fail, "just starting or stopping")
	if _, err := os.Lstat(socket); err != nil {
		t.Errorf("the socket was removed under the lock: %v", err)
	}
	lock.Close()

	d = newDoctorIn(t, dir, "--fix")
	d.daemons(t.Context())
	d.expect(t, "daemon", Pass, "mended")
	if _, err := os.Lstat(socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is still there: %v", err)
	}
}

// TestDaemonThatDoesNotAnswer covers one that hangs, one that talks something
// else, one that hangs up and one that refuses.
func TestDaemonThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ answer, words string }{
		"hangs":    {"", "no answer within 3 s"},
		"foreign":  {"HTTP/1.1 400 Bad Request\n", "cannot be read"},
		"hangs up": {"-", "ended while the command ran"},
		"refuses":  {string(frame.Append(nil, frame.Frame{Kind: frame.Refused, Code: "permission_denied", Text: "not you", Build: "x", PID: 1})), "not you"},
		"no JSON":  {string(frame.Append(nil, frame.Frame{Kind: frame.Out, Size: 3})) + "abc" + string(frame.Append(nil, frame.Frame{Kind: frame.Exit})), "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := shortDir(t)
			l, err := net.Listen("unix", filepath.Join(dir, "usher.sock"))
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				if c.answer == "-" {
					return
				}
				if _, err := io.WriteString(conn, c.answer); err != nil {
					t.Error(err)
				}
				// Until the other side has had enough.
				if _, err := io.Copy(io.Discard, conn); err != nil && c.answer == "" {
					t.Log(err)
				}
			}()
			d := newDoctorIn(t, dir)
			d.daemons(t.Context())
			d.expect(t, "daemon", Fail, c.words, "usher daemon stop")
			l.Close()
			<-done
		})
	}
}

func TestCrashInTheLog(t *testing.T) {
	t.Parallel()
	dir := shortDir(t)
	localtest.WriteFile(t, filepath.Join(dir, logName), "time=1 level=INFO msg=listening\npanic: runtime error: index out of range\n\ngoroutine 1\n", 0o600)
	d := newDoctorIn(t, dir)
	d.daemons(t.Context())
	d.expect(t, "log", Warn, "index out of range", "report it")
}

func TestPrivate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id     string
		mode   os.FileMode
		status Status
		fixed  os.FileMode
	}{
		{"run-directory", 0o700, Pass, 0o700},
		{"run-directory", 0o750, Warn, 0o700},
		{"run-directory", 0o777, Fail, 0o700},
	} {
		dir := shortDir(t)
		if err := os.Chmod(dir, c.mode); err != nil {
			t.Fatal(err)
		}
		d := newDoctorIn(t, dir)
		d.security()
		d.expect(t, c.id, c.status, dir)
		d = newDoctorIn(t, dir, "--fix")
		d.security()
		d.expect(t, c.id, Pass, dir)
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != c.fixed {
			t.Errorf("after --fix the mode is %v (%v), want %v", info.Mode(), err, c.fixed)
		}
	}
	d := newDoctorIn(t, shortDir(t))
	d.uid = os.Geteuid() + 1
	d.security()
	d.expect(t, "run-directory", Fail, "another user")
}

func TestMisspeltVariable(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, []string{"USHER_SESION=a", "USHER_ABRACADABRA=1", "USHER_SESSION=b", "USHER_CHROME=c", "OTHER=d"})
	d.variables()
	d.expect(t, "variable", Warn, "USHER_SESION is set", "Did you mean USHER_SESSION")
	d.expect(t, "variable", Warn, "USHER_ABRACADABRA is set", "correct its name")
	if len(d.checks) != 2 {
		t.Errorf("%+v", d.checks)
	}
}

// TestDirectoryCannotBeMade requests a directory below a file. Root may write into every directory, but not into a file.
func TestDirectoryCannotBeMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(shortDir(t), "file")
	localtest.WriteFile(t, file, "", 0o600)
	if writable(file) || !writable(filepath.Dir(file)) {
		t.Error("a directory is writable and a plain file is not a place for others")
	}
	d := newDoctorIn(t, filepath.Join(file, "run"))
	d.security()
	d.expect(t, "run-directory", Fail, "cannot be inspected", "USHER_HOME")

	if os.Geteuid() != 0 {
		closed := shortDir(t)
		if err := os.Chmod(closed, 0o500); err != nil {
			t.Fatal(err)
		}
		d := newDoctorIn(t, filepath.Join(closed, "run"))
		d.security()
		d.expect(t, "run-directory", Fail, "you cannot write to "+closed)
	}
}

func TestConfigurationFiles(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, []string{"USHER_TIMEOUT=9s"})
	file := filepath.Join(d.req.Getenv("USHER_HOME"), "config.yaml")
	localtest.WriteFile(t, file, "session: shop\nviewport: 800x600\n", 0o600)
	d.configuration()
	d.expect(t, "config", Pass, "2 settings of "+file)

	localtest.WriteFile(t, file, "session: shop\nheaded: perhaps\n", 0o666)
	d = machine(t, nil, []string{"USHER_HOME=" + filepath.Dir(file)})
	d.req.Env = []string{"HOME=" + t.TempDir(), "USHER_HOME=" + filepath.Dir(file)}
	d.configuration()
	d.expect(t, "config", Fail, file+":2")
	d.security()
	d.expect(t, "config-file", Fail, "open to others")

	d = machine(t, nil, nil)
	localtest.WriteFile(t, filepath.Join(d.req.Cwd, "usher.yaml"), "executable-path: /tmp/evil\n", 0o600)
	d.configuration()
	d.expect(t, "config", Warn, "executable-path")
}
