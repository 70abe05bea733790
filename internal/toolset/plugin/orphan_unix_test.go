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

// leaveOrphan starts a process that is in no group of ours and holds standard output open, and ends.
func leaveOrphan() {
	child := exec.Command("sleep", "45")
	child.Stdout, child.SysProcAttr = os.Stdout, &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		os.Exit(8)
	}
	os.Exit(7)
}

// TestPluginThatLeavesAnOrphan: a plugin that ends is gone, and started again, though a process of its own holds the pipe open.
func TestPluginThatLeavesAnOrphan(t *testing.T) {
	t.Parallel()
	p := start(t, "well", nil)
	if err := p.Ready(patient(t)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.run(patient(t), t, "orphan", "{}"); err == nil || api.AsError(err).Code != api.ToolUnavailable {
		t.Errorf("the call in which it ended: %v", err)
	}
	if res, _, err := p.run(patient(t), t, "note_add", `{"text":"milk"}`); err != nil || res.Text != "kept: milk" {
		t.Errorf("after its restart: %+v, %v", res, err)
	}
}
