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
	const own = "testdata/playwright"
	dir := filepath.Join("..", "..", ".cache", "playwright")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	ts.Check(peer.Playwright(ctx, filepath.Join(own, "package.json"), dir))
	script, err := os.ReadFile(filepath.Join(own, "beside.js"))
	ts.Check(err)
	client := exec.Command("node", "-e", string(script), ts.Getenv("BROWSER_PORT"))
	client.Dir = dir // where require looks
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
