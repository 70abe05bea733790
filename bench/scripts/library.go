package scripts

import (
	"bufio"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

//go:embed driver.mjs
var driver []byte

//go:embed files
var files embed.FS // which scripts upload

// limit is the longest time of one script.
const limit = 2 * time.Minute

// Library is Playwright or Puppeteer in a Node of its own, with a browser of its own.
type Library struct {
	Dialect Dialect

	home    *program.Program // its directory, and a mark for its processes
	driver  string
	modules string
	chrome  string

	mu      sync.Mutex // held while a script runs in the process
	command *exec.Cmd
	input   io.WriteCloser
	output  *bufio.Reader
}

// OpenLibrary prepares a library from modules, the directory into which npm installed both. Nothing runs yet. The caller ends it
// with Close.
func OpenLibrary(d Dialect, modules string) (*Library, error) {
	chrome, err := cdptest.Path()
	if err != nil {
		return nil, err
	}
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("find Node: %w", err)
	}
	home, err := program.New(string(d), node)
	if err != nil {
		return nil, err
	}
	l := &Library{Dialect: d, home: home, driver: filepath.Join(home.Home, "driver.mjs"), modules: modules, chrome: chrome}
	if err := errors.Join(os.WriteFile(l.driver, driver, 0o644), writeFiles(home.Home)); err != nil {
		l.Close()
		return nil, fmt.Errorf("prepare %s: %w", d, err)
	}
	return l, nil
}

// writeFiles writes the files that scripts upload into the directory in which they run.
func writeFiles(dir string) error {
	list, err := files.ReadDir("files")
	if err != nil {
		return err
	}
	for _, entry := range list {
		content, err := files.ReadFile("files/" + entry.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, entry.Name()), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Close ends the library, its browser and what they left.
func (l *Library) Close() {
	if l.command != nil {
		_ = l.input.Close() // it leaves when its input ends
		_ = l.command.Wait()
	}
	if _, err := l.home.End(); err != nil {
		fmt.Fprintf(os.Stderr, "end %s: %v\n", l.Dialect, err)
	}
}

// start starts Node with the library and a browser, unless they run.
func (l *Library) start(ctx context.Context) error {
	if l.command != nil {
		return nil
	}
	command := exec.CommandContext(ctx, l.home.Path, l.driver, string(l.Dialect), l.modules, l.chrome, "serve")
	command.Env = append(os.Environ(), l.home.Env...)
	command.Dir = l.home.Home
	command.Stderr = os.Stderr
	input, err := command.StdinPipe()
	if err != nil {
		return err
	}
	output, err := command.StdoutPipe()
	if err != nil {
		return err
	}
	if err := command.Start(); err != nil {
		return fmt.Errorf("start %s: %w", l.Dialect, err)
	}
	l.command, l.input, l.output = command, input, bufio.NewReader(output)
	if line, err := l.output.ReadBytes('\n'); err != nil {
		return fmt.Errorf("start %s: it said %q: %w", l.Dialect, line, err)
	}
	return nil
}

type request struct {
	Code string `json:"code"`
	Keep string `json:"keep"`
}

type reply struct {
	Value jsontext.Value `json:"value"`
	Error *Error         `json:"error"`
	MS    float64        `json:"ms"`
}

func (s *Site) result(r reply) Result {
	return Result{
		Value: jsontext.Value(s.unfill(string(r.Value))), Error: r.Error,
		Took: time.Duration(r.MS * float64(time.Millisecond)),
	}
}

// Run runs a script in the library's process: on the page kept under that name, or on a page of a fresh context if keep is empty.
func (l *Library) Run(ctx context.Context, site *Site, s Script, keep string) (Result, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.start(ctx); err != nil {
		return Result{}, err
	}
	line, err := json.Marshal(request{site.fill(s.code), keep})
	if err != nil {
		return Result{}, err
	}
	stuck := time.AfterFunc(limit, func() { _ = l.command.Process.Kill() })
	defer stuck.Stop()
	if _, err := l.input.Write(append(line, '\n')); err != nil {
		return Result{}, fmt.Errorf("%s: send a script: %w", s, err)
	}
	var answer reply
	text, err := l.output.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: no answer within %v: %q: %w", s, limit, text, err)
	}
	return site.result(answer), nil
}

// Once runs a script in a Node of its own. Node launches a browser for it, or connects to the one at webSocketURL if that is not
// empty. The time is that of the process.
func (l *Library) Once(ctx context.Context, site *Site, s Script, webSocketURL string) (Result, error) {
	file := filepath.Join(l.home.Home, "script.js")
	if err := os.WriteFile(file, []byte(site.fill(s.code)), 0o644); err != nil {
		return Result{}, err
	}
	place, mode := l.chrome, "once"
	if webSocketURL != "" {
		place, mode = webSocketURL, "connect"
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	outcome, err := l.home.Run(ctx, l.driver, string(l.Dialect), l.modules, place, mode, file)
	if err == nil {
		err = outcome.Failed()
	}
	if err != nil {
		return Result{}, fmt.Errorf("%s: %w", s, err)
	}
	var answer reply
	if err := json.Unmarshal([]byte(outcome.Stdout), &answer); err != nil {
		return Result{}, fmt.Errorf("%s: it printed %.200q: %w", s, outcome.Stdout, err)
	}
	result := site.result(answer)
	result.Took = outcome.Wall
	return result, nil
}
