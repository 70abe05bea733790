package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// answer is what a command gave back.
type answer struct {
	args   []string
	data   jsontext.Value
	code   string // "" for success
	words  string // of the error
	exit   int
	wall   time.Duration
	cut    bool // its client was interrupted or killed on purpose
	output string
}

func (a answer) ok() bool { return a.code == "" && !a.cut }

// into decodes the data of a success.
func (a answer) into(v any) error {
	if err := json.Unmarshal(a.data, v, json.MatchCaseInsensitiveNames(false)); err != nil {
		return fmt.Errorf("%s: its data is not as expected: %w: %.300s", strings.Join(a.args, " "), err, a.data)
	}
	return nil
}

func (a answer) String() string {
	how := "ok " + string(a.data)
	switch {
	case a.cut:
		how = "cut off"
	case a.code != "":
		how = a.code + ": " + a.words
	}
	return fmt.Sprintf("%6.2fs  %-60s  %.300s", a.wall.Seconds(), strings.Join(a.args, " "), how)
}

// never is how long a command may take before it is killed and counted as hanging.
const never = 90 * time.Second

// execute runs a command and reads its envelope. A client that is cut off gets the signal after the time.
func (s *soak) execute(env []string, cut syscall.Signal, after time.Duration, args ...string) (answer, error) {
	ctx, cancel := context.WithTimeout(context.Background(), never)
	defer cancel()
	command := exec.CommandContext(ctx, s.program.Path, args...)
	command.Env = append(append(os.Environ(), s.program.Env...), env...)
	command.Dir = s.program.Home
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	command.WaitDelay = time.Second // a daemon that kept our pipe must not be waited for
	began := time.Now()
	if err := command.Start(); err != nil {
		return answer{}, fmt.Errorf("run %s: %w", strings.Join(args, " "), err)
	}
	if cut != 0 {
		stop := time.AfterFunc(after, func() { _ = command.Process.Signal(cut) }) // it may have ended
		defer stop.Stop()
	}
	err := command.Wait()
	a := answer{args: args, wall: time.Since(began), exit: command.ProcessState.ExitCode(), output: stdout.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		a.code, a.words = "HANG", "the client had to be killed"
		return a, nil
	case errors.Is(err, exec.ErrWaitDelay):
		return a, fmt.Errorf("%s: another process keeps its output open", strings.Join(args, " "))
	case err != nil && !errors.As(err, &exit):
		return a, fmt.Errorf("run %s: %w", strings.Join(args, " "), err)
	}
	if cut != 0 && (a.exit == -1 || a.exit == 130) {
		a.cut = true
		return a, nil
	}
	return a, a.read(stdout.Bytes(), stderr.Bytes())
}

// read takes the envelope apart, and complains when there is none or it contradicts the exit status.
func (a *answer) read(stdout, stderr []byte) error {
	doing := strings.Join(a.args, " ")
	if bytes.HasPrefix(bytes.TrimSpace(stdout), []byte("[")) { // a batch: rows, not an envelope
		a.data = jsontext.Value(stdout)
		return nil
	}
	var envelope struct {
		Success bool           `json:"success"`
		Data    jsontext.Value `json:"data"`
		Error   *string        `json:"error"`
		Code    string         `json:"code"`
	}
	if err := json.Unmarshal(stdout, &envelope); err != nil {
		return fmt.Errorf("%s: exit status %d, and what it printed is no JSON envelope: %q; on standard error: %q", doing, a.exit, clip(stdout), clip(stderr))
	}
	if envelope.Success != (a.exit == 0) {
		return fmt.Errorf("%s: exit status %d and %s", doing, a.exit, clip(stdout))
	}
	a.data = envelope.Data
	if envelope.Success {
		return nil
	}
	a.code = envelope.Code
	if envelope.Error != nil {
		a.words = *envelope.Error
	}
	if a.code == "" {
		return fmt.Errorf("%s: a failure without a code: %s", doing, clip(stdout))
	}
	return nil
}

func clip(text []byte) string { return string(text[:min(len(text), 400)]) }

// one is any of the choices.
func one[T any](r *rand.Rand, choices ...T) T { return choices[r.IntN(len(choices))] }
