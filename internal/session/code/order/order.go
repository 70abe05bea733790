// Package order reads what code is to be run, and how, from a call of the command `run`.
package order

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/script"
	"github.com/usher-browser/usher/internal/session/code/permit"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Order is code to run.
type Order struct {
	// Code is the body of an async function, and Name its file name in errors.
	Code, Name string
	// Tab is the tab to drive, Label its name for the code.
	Tab   model.TargetID
	Label string
	// Playwright gives the code the scope of the tool execute. With State, a name, what the code keeps is there in the next run
	// with this name.
	Playwright bool
	State      string
	// Intent is what the code is about to do.
	Intent permit.Intent
	// Cwd is the caller's working directory, against which paths are resolved.
	Cwd string
	// Timeout bounds the run.
	Timeout time.Duration
	// Output, if not nil, is called with what the code displays and logs, as it comes.
	Output func(script.Output)
}

// The bounds of the time of a run (oh-my-pi's).
const (
	minTimeout     = 1 // seconds
	maxTimeout     = 300
	defaultTimeout = 30

	minPlaywright = 100 * time.Millisecond // of code for Playwright, whose callers count in milliseconds
)

// maxCode is the greatest size of code, in bytes.
const maxCode = 4 << 20

// Read returns the order of a call: the code and its time.
func Read(c *verb.Call, set *config.Settings, stdin io.Reader, cwd string) (Order, error) {
	o := Order{Name: "run.js", Cwd: cwd, Timeout: defaultTimeout * time.Second, Playwright: c.Bool("playwright"), State: c.Str("keep"), Intent: permit.Intent(c.Str("intent"))}
	if set.From("timeout") == config.Flags && (set.Dur("timeout") <= 0 || set.Dur("timeout") > maxTimeout*time.Second) {
		return Order{}, api.Errorf(api.InvalidArgument, "run: --timeout %s is not between 1 and %d s", set.Str("timeout"), maxTimeout).
			WithHint("Split what takes longer over several runs: the tab and its page stay.")
	}
	if set.Given("timeout") {
		least := minTimeout * time.Second
		if o.Playwright {
			least = minPlaywright
		}
		o.Timeout = min(max(set.Dur("timeout"), least), maxTimeout*time.Second)
	}
	text, err := source(c, stdin, cwd, &o)
	if err != nil {
		return Order{}, err
	}
	if len(text) > maxCode {
		return Order{}, api.Errorf(api.TooLarge, "run: the code has more than %d MB", maxCode>>20)
	}
	o.Code = strings.TrimPrefix(string(text), "\ufeff")
	if strings.HasPrefix(o.Code, "#!") {
		o.Code = "//" + o.Code // the line for a shell, so that the others keep their numbers
	}
	if strings.TrimSpace(o.Code) == "" {
		return Order{}, api.Errorf(api.MissingArgument, "run: the code is empty").WithHint("Give a file, `-` for standard input, or --code.")
	}
	return o, nil
}

func source(c *verb.Call, stdin io.Reader, cwd string, o *Order) ([]byte, error) {
	if c.Has("code") {
		return []byte(c.Str("code")), nil
	}
	file := c.Str("file")
	if file == "-" {
		text, err := io.ReadAll(io.LimitReader(stdin, maxCode+1))
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "run: read the code from standard input: %w", err)
		}
		return text, nil
	}
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	o.Name = filepath.Base(path)
	f, err := os.Open(path)
	if err != nil {
		err := api.Errorf(api.FileNotFound, "run: %w", err)
		if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(file, " ;(){}\n") {
			err.WithHint("To run a text as code, give it with --code, or on standard input with `run -`.")
		}
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && !info.Mode().IsRegular() && info.IsDir() {
		return nil, api.Errorf(api.InvalidArgument, "run: %s is a directory", file)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxCode+1))
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "run: %w", err)
	}
	return text, nil
}
