//go:build !linux

package program

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

var terminate os.Signal = syscall.SIGTERM

// Processes returns the living processes of the program. Where ps shows no environment, the program's home in a command line
// stands for the mark: its daemon's socket and its browsers' profiles are there.
func (p *Program) Processes() ([]Process, error) {
	if runtime.GOOS == "windows" {
		return nil, nil // a program must end by its own commands there
	}
	list, err := exec.Command("ps", "-axEww", "-o", "pid=,stat=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var found []Process
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		if len(words) < 3 || strings.HasPrefix(words[1], "Z") || !strings.Contains(line, p.run) {
			continue
		}
		pid, err := strconv.Atoi(words[0])
		if err != nil || pid == os.Getpid() {
			continue
		}
		found = append(found, Process{PID: pid, Command: strings.Join(words[2:], " "), Exe: words[2], Root: true})
	}
	return found, nil
}

var errMemory = errors.New("memory of a process is read on Linux only")

// PSS is read on Linux only.
func (p Process) PSS() (int64, error) { return 0, errMemory }

// RSS is read on Linux only.
func (p Process) RSS() (int64, error) { return 0, errMemory }
