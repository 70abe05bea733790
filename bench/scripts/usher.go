package scripts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// ErrNoRun says that the usher that is measured has no command run.
var ErrNoRun = errors.New("this usher has no command run")

// Usher runs scripts with `usher run`.
type Usher struct {
	Program *program.Program
	script  string // the file that is run
	fresh   int    // how many sessions were opened for one script
	open    map[string]bool
}

// OpenUsher prepares the usher at path in a home of its own. The caller ends it with Close.
func OpenUsher(path string) (*Usher, error) {
	usher, err := peer.Usher(path)
	if err != nil {
		return nil, fmt.Errorf("%w; run make build", err)
	}
	u := &Usher{Program: usher, script: filepath.Join(usher.Home, "script.js"), open: map[string]bool{}}
	if err := writeFiles(usher.Home); err != nil {
		u.Close()
		return nil, err
	}
	return u, nil
}

// Close ends usher's daemon and browsers.
func (u *Usher) Close() {
	killed, err := u.Program.End()
	for _, process := range killed {
		fmt.Fprintf(os.Stderr, "usher left a process that did not leave when asked: %d %.80s\n", process.PID, process.Command)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "end usher: %v\n", err)
	}
}

// Run runs a script in the session that is kept under that name, or in a fresh session that is closed afterwards. The time is
// that of the process of `usher run`.
func (u *Usher) Run(ctx context.Context, site *Site, s Script, keep string) (Result, error) {
	session := keep
	if session == "" {
		u.fresh++
		session = fmt.Sprintf("fresh%d", u.fresh)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !u.open[session] {
		if err := u.do(ctx, "--session", session, "open", "about:blank"); err != nil {
			return Result{}, err
		}
		u.open[session] = true
	}
	result, err := u.run(ctx, site, session, s)
	if keep == "" {
		delete(u.open, session)
		err = errors.Join(err, u.do(ctx, "--session", session, "close"))
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", s, err)
	}
	return result, nil
}

func (u *Usher) do(ctx context.Context, args ...string) error {
	outcome, err := u.Program.Run(ctx, args...)
	if err == nil {
		err = outcome.Failed()
	}
	return err
}

func (u *Usher) run(ctx context.Context, site *Site, session string, s Script) (Result, error) {
	if err := os.WriteFile(u.script, []byte(site.fill(s.code)), 0o644); err != nil {
		return Result{}, err
	}
	outcome, err := u.Program.Run(ctx, "--session", session, "run", u.script, "--json")
	if err != nil {
		return Result{}, err
	}
	result, err := readRun([]byte(outcome.Stdout))
	if err != nil {
		return Result{}, fmt.Errorf("exit status %d, %.300s: %w", outcome.Exit, outcome.Stderr, err)
	}
	result.Value = jsontext.Value(site.unfill(string(result.Value)))
	result.Took = outcome.Wall
	return result, nil
}

// envelope is what `usher run --json` prints.
type envelope struct {
	Success *bool          `json:"success"`
	Data    *runData       `json:"data"`
	Error   jsontext.Value `json:"error"`
	Code    string         `json:"code"`
}

type runData struct {
	Value jsontext.Value `json:"value"`
	Error *Error         `json:"error"`
}

// readRun reads what `usher run --json` printed. A script that threw is a result; a command that failed is an error.
func readRun(text []byte) (Result, error) {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return Result{}, fmt.Errorf("read what usher run printed, %.200q: %w", text, err)
	}
	switch {
	case e.Code == "unknown_command":
		return Result{}, ErrNoRun
	case e.Data != nil && e.Data.Error != nil:
		return Result{Error: e.Data.Error}, nil
	case e.Success == nil || !*e.Success:
		return Result{}, fmt.Errorf("usher run failed: %.300s", e.Error)
	case e.Data == nil:
		return Result{}, fmt.Errorf("usher run printed no data: %.200q", text)
	}
	return Result{Value: e.Data.Value}, nil
}
