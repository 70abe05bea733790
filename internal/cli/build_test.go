//go:build linux || darwin

package cli_test

import (
	"os/exec"
	"strings"
	"testing"
)

// otherDaemon runs a daemon that believes to be of another build.
func otherDaemon(t *testing.T, w *testHome) *exec.Cmd {
	t.Helper()
	daemon := w.command("usher", "daemon", "run")
	daemon.Env = append(daemon.Env, "TEST_BUILD=+changed")
	ready, err := daemon.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := ready.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return daemon
}

func TestOtherBuildIdle(t *testing.T) {
	w := newTestHome(t)
	daemon := otherDaemon(t, w)
	w.want(w.run("usher", "eval", "echo new"), result{out: "new"})
	if err := daemon.Wait(); err != nil {
		t.Errorf("the daemon that made room ended with %v", err)
	}
}

func TestOtherBuildForever(t *testing.T) {
	w := newTestHome(t)
	w.env = append(w.env, "TEST_BUILD=+changed")
	got := w.run("usher", "eval", "echo x")
	if got.exit != 1 || !strings.Contains(got.err, "started 2 times") {
		t.Errorf("%+v", got)
	}
}

func TestOtherBuildInUse(t *testing.T) {
	w := newTestHome(t)
	daemon := otherDaemon(t, w)
	openSession(t, w)
	got := w.run("usher", "eval", "echo x", "--json")
	if got.exit != 1 || !strings.HasSuffix(got.out, `"code":"daemon_version"}`+"\n") || !strings.Contains(got.out, "an open session") ||
		!strings.Contains(got.out, "usher daemon stop") {
		t.Errorf("%+v", got)
	}
	// What this program can say by itself, it says.
	if got := w.run("usher", "snapsht"); got.exit != 1 || !strings.Contains(got.err, "snapshot") {
		t.Errorf("a mistake across builds: %+v", got)
	}
	if got := w.run("usher"); got.exit != 0 || !strings.Contains(got.out, "usher open") {
		t.Errorf("help across builds: %+v", got)
	}
	if got := w.run("usher", "daemon", "status"); !strings.Contains(got.out, "sessions: default\n") {
		t.Errorf("status across builds: %+v", got)
	}
	w.want(w.run("usher", "daemon", "stop"), result{out: "The daemon has ended; every session is closed.\n"})
	if err := daemon.Wait(); err != nil {
		t.Error(err)
	}
}
