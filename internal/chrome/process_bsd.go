//go:build unix && !linux

package chrome

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// setParentDeathSignal does nothing: only Linux has a parent-death signal. The closed pipe does it here.
func setParentDeathSignal(*syscall.SysProcAttr, bool) {}

// processes runs ps, the only way on macOS without cgo.
func processes() ([]process, error) {
	out, err := exec.Command("ps", "-axww", "-o", "pid=,pgid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("run ps: %w", err)
	}
	var all []process
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 4<<20) // ps prints whole command lines
	for lines.Scan() {
		var p process
		if _, err := fmt.Sscan(lines.Text(), &p.pid, &p.group); err != nil {
			continue // a line break inside a command
		}
		p.command = strings.TrimSpace(lines.Text())
		all = append(all, p)
	}
	return all, lines.Err()
}

// runs returns the arguments of a process that runs one of the programs; ps prints their numbers first.
func (p *process) runs(programs map[string]bool) (args []string, ok bool) {
	_, rest, _ := strings.Cut(p.command, " ")
	_, command, _ := strings.Cut(strings.TrimSpace(rest), " ")
	command = strings.TrimSpace(command)
	for program := range programs {
		if rest, found := strings.CutPrefix(command, program); found && (rest == "" || rest[0] == ' ') {
			return strings.Fields(rest), true
		}
	}
	return nil, false
}

func smallSharedMemory() bool { return false }

// widen does nothing: the size of a pipe's buffer cannot be chosen here.
func widen(...*os.File) {}
