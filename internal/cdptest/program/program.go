// Package program runs a command-line program whose daemon and browsers stay behind, times it, and finds and ends
// everything it started. The demo, the bench and the differential run stand on it.
package program

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mark is the variable by which a process is known to come from a Program. Children inherit it.
const mark = "CDPTEST_PROGRAM"

// Program is one program under observation, with a home of its own so that it meets no other copy of itself.
type Program struct {
	Name string   // for people
	Path string   // the executable
	Env  []string // added to the environment of every run
	Home string   // a directory of its own: HOME, and where its sockets and files go

	run string // the value of mark
}

// New returns a program with a fresh home below the system's directory for temporary files. env may contain {home}.
func New(name, path string, env ...string) (*Program, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("find %s: %w", name, err)
	}
	home, err := os.MkdirTemp("", "u-") // short: the path of a Unix socket has 108 bytes
	if err != nil {
		return nil, fmt.Errorf("make a home for %s: %w", name, err)
	}
	if err := os.Mkdir(filepath.Join(home, "t"), 0o700); err != nil {
		return nil, fmt.Errorf("make a home for %s: %w", name, err)
	}
	p := &Program{Name: name, Path: path, Home: home, run: home}
	// What a browser that is killed leaves in the directory for temporary files goes with the home.
	p.Env = append(p.Env, "HOME="+home, "TMPDIR="+filepath.Join(home, "t"), mark+"="+p.run)
	for _, assignment := range env {
		p.Env = append(p.Env, strings.ReplaceAll(assignment, "{home}", home))
	}
	return p, nil
}

// Again returns the same program in another fresh home: nothing of it runs yet.
func (p *Program) Again() (*Program, error) {
	next, err := New(p.Name, p.Path)
	if err != nil {
		return nil, err
	}
	next.Env = nil
	for _, assignment := range p.Env {
		next.Env = append(next.Env, strings.ReplaceAll(assignment, p.Home, next.Home))
	}
	return next, nil
}

// Outcome is the result of one run of the program.
type Outcome struct {
	Args   []string
	Stdout string
	Stderr string
	Exit   int // -1 if it was ended by a signal
	Wall   time.Duration
}

// Failed describes a run that did not exit 0, and is nil for one that did.
func (o Outcome) Failed() error {
	if o.Exit == 0 {
		return nil
	}
	said := strings.TrimSpace(o.Stderr)
	if said == "" {
		said = strings.TrimSpace(o.Stdout)
	}
	return fmt.Errorf("%s: exit status %d: %s", strings.Join(o.Args, " "), o.Exit, said)
}

// Run runs the program once and waits for it. The time is that of the whole process, from before it is made until it has
// been waited for. An error means that it could not be run; how it ended is in the outcome.
func (p *Program) Run(ctx context.Context, args ...string) (Outcome, error) {
	return p.RunInput(ctx, nil, args...)
}

// RunInput is Run with standard input.
func (p *Program) RunInput(ctx context.Context, input []byte, args ...string) (Outcome, error) {
	// Files, not pipes: a daemon that keeps its starter's output open must not be waited for.
	stdout, err := scratch(p.Home)
	if err != nil {
		return Outcome{}, err
	}
	defer stdout.Close()
	stderr, err := scratch(p.Home)
	if err != nil {
		return Outcome{}, err
	}
	defer stderr.Close()

	command := exec.CommandContext(ctx, p.Path, args...)
	command.Env = append(os.Environ(), p.Env...)
	command.Dir = p.Home
	command.Stdout, command.Stderr = stdout, stderr
	if input != nil {
		command.Stdin = bytes.NewReader(input)
	}
	started := time.Now()
	err = command.Run()
	outcome := Outcome{Args: args, Wall: time.Since(started)}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return outcome, fmt.Errorf("run %s %s: %w", p.Name, strings.Join(args, " "), err)
	}
	if ctx.Err() != nil {
		return outcome, fmt.Errorf("run %s %s: gave up after %v: %w", p.Name, strings.Join(args, " "), outcome.Wall.Round(time.Millisecond), context.Cause(ctx))
	}
	outcome.Exit = command.ProcessState.ExitCode()
	if outcome.Stdout, err = contents(stdout); err != nil {
		return outcome, err
	}
	outcome.Stderr, err = contents(stderr)
	return outcome, err
}

// scratch returns a file that has no name any more where the system allows that.
func scratch(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "out-")
	if err != nil {
		return nil, fmt.Errorf("make a file for output: %w", err)
	}
	_ = os.Remove(file.Name()) // Windows keeps it until the home is removed
	return file, nil
}

func contents(file *os.File) (string, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", fmt.Errorf("read output: %w", err)
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return "", fmt.Errorf("read output: %w", err)
	}
	return string(text), nil
}

// End requests every process of the program to exit, kills it after three seconds, and removes its home. It reports the
// processes that had to be killed; a correct program has none.
func (p *Program) End() ([]Process, error) {
	living, err := p.Processes()
	if err != nil {
		return nil, err
	}
	for _, process := range living {
		if process.Root {
			process.terminate()
		}
	}
	var killed []Process
	for deadline := time.Now().Add(3 * time.Second); ; time.Sleep(30 * time.Millisecond) {
		if living, err = p.Processes(); err != nil {
			return nil, err
		}
		if len(living) == 0 {
			break
		}
		if time.Now().After(deadline) {
			killed = living
			for _, process := range living {
				process.kill()
			}
			break
		}
	}
	for range 20 {
		if err = os.RemoveAll(p.Home); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond) // a process that was just killed may still hold a file
	}
	return killed, err
}
