package main

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// playwright attaches Playwright to the script's browser and leaves it there, until
// the script ends. It comes from npm, once.
func playwright(ts *testscript.TestScript, _ bool, _ []string) {
	client := playwrightScript(ts, "beside.js", ts.Getenv("BROWSER_PORT"))
	client.Stderr = os.Stderr
	stay, err := client.StdinPipe()
	ts.Check(err)
	said, err := client.StdoutPipe()
	ts.Check(err)
	ts.Check(client.Start())
	ts.Defer(func() {
		_ = stay.Close() // it leaves
		_ = client.Process.Kill()
		_ = client.Wait() // how it ended is no news
	})
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "attached to ") || strings.HasPrefix(line, "attached to 0") {
		ts.Fatalf("Playwright said %q, %v", line, err)
	}
	ts.Logf("%s", line)
}

// playwrightScript returns a script of Playwright, which is installed if it is not there.
func playwrightScript(ts *testscript.TestScript, name string, args ...string) *exec.Cmd {
	const own = "testdata/playwright"
	dir := filepath.Join("..", "..", ".cache", "playwright")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	ts.Check(peer.Playwright(ctx, filepath.Join(own, "package.json"), dir))
	script, err := os.ReadFile(filepath.Join(own, name))
	ts.Check(err)
	client := exec.Command("node", append([]string{"-e", string(script)}, args...)...)
	client.Dir = dir // where require looks
	return client
}

// storageState lets Playwright save the state of a browser of its own to a file, or load one and print what it finds.
func storageState(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: storagestate save|load FILE")
	}
	client := playwrightScript(ts, "state.js", args[0], ts.MkAbs(args[1]), ts.Getenv("SITE"), ts.Getenv("USHER_EXECUTABLE_PATH"))
	client.Stderr = os.Stderr
	out, err := client.Output()
	ts.Check(err)
	_, err = ts.Stdout().Write(out)
	ts.Check(err)
}

// joins lets Playwright join a session at an address.
func joins(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: joins URL")
	}
	client := playwrightScript(ts, "join.js", args[0], ts.Getenv("SITE"))
	if !neg {
		client.Stderr = os.Stderr
	}
	out, err := client.Output()
	_, failed := ts.Stdout().Write(out)
	ts.Check(failed)
	if neg && err == nil {
		ts.Fatalf("it joined")
	} else if !neg {
		ts.Check(err)
	}
}
