package program

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

var terminate = syscall.SIGTERM

// Processes returns the living processes of the program: those whose environment has its mark, and their descendants
// (Chromium's renderers write their title over their environment). Zombies do not count.
func (p *Program) Processes() ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	parent := map[int]int{}
	found := map[int]Process{}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", entry.Name())
		up, living := status(dir)
		if !living {
			continue
		}
		parent[pid] = up
		environment, _ := os.ReadFile(filepath.Join(dir, "environ")) // of another user, or gone: not ours
		if bytes.Contains(environment, []byte(mark+"="+p.run+"\x00")) {
			found[pid] = describe(pid, dir, true)
		}
	}
	for pid := range parent {
		for up := parent[pid]; up > 1; up = parent[up] {
			if _, ours := found[up]; ours {
				if _, known := found[pid]; !known {
					found[pid] = describe(pid, filepath.Join("/proc", strconv.Itoa(pid)), false)
				}
				break
			}
		}
	}
	processes := make([]Process, 0, len(found))
	for _, process := range found {
		processes = append(processes, process)
	}
	return processes, nil
}

// status returns the parent of a process and whether it is more than a zombie.
func status(dir string) (parent int, living bool) {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0, false
	}
	// pid (name) state ppid …: the name may hold anything, so the fields start after the last parenthesis.
	_, fields, _ := strings.Cut(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " ")
	words := strings.Fields(fields)
	if len(words) < 2 || words[0] == "Z" || words[0] == "X" {
		return 0, false
	}
	parent, err = strconv.Atoi(words[1])
	return parent, err == nil
}

func describe(pid int, dir string, root bool) Process {
	line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
	exe, _ := os.Readlink(filepath.Join(dir, "exe"))
	return Process{PID: pid, Command: strings.TrimSpace(strings.ReplaceAll(string(line), "\x00", " ")), Exe: exe, Root: root}
}

// PSS returns the memory a process is charged for, in bytes: what it has alone, and its share of what it has with others.
func (p Process) PSS() (int64, error) { return p.field("smaps_rollup", "Pss:") }

// RSS returns the memory a process has in use, shared pages included, in bytes.
func (p Process) RSS() (int64, error) { return p.field("status", "VmRSS:") }

func (p Process) field(file, name string) (int64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(p.PID), file))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
		return 0, nil // it has left
	}
	if err != nil {
		return 0, fmt.Errorf("read the memory of process %d: %w", p.PID, err)
	}
	for line := range strings.Lines(string(text)) {
		if value, is := strings.CutPrefix(line, name); is {
			kilobytes, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			if err != nil {
				return 0, fmt.Errorf("read the memory of process %d: %w", p.PID, err)
			}
			return kilobytes << 10, nil
		}
	}
	return 0, fmt.Errorf("read the memory of process %d: no %s in %s", p.PID, name, file)
}
