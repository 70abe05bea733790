//go:build unix

package plugin

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

func init() { orphan = leaveOrphan }

// leaveOrphan starts a process in another process group that keeps standard output open, and exits.
func leaveOrphan() {
	child := exec.Command("sleep", "45")
	child.Stdout, child.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		os.Exit(8)
	}
	os.Exit(7)
}

// TestPluginThatLeavesAnOrphan: a plugin that exits is restarted, although a child process keeps the pipe open.
func TestPluginThatLeavesAnOrphan(t *testing.T) {
	t.Parallel()
	p := start(t, "well", nil)
	if err := p.Ready(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.run(testContext(t), t, "orphan", "{}"); err == nil || api.AsError(err).Code != api.ToolUnavailable {
		t.Errorf("the call in which it ended: %v", err)
	}
	if res, _, err := p.run(testContext(t), t, "note_add", `{"text":"milk"}`); err != nil || res.Text != "kept: milk" {
		t.Errorf("after its restart: %+v, %v", res, err)
	}
}
