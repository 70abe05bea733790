package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/children"
	"github.com/usher-browser/usher/internal/verb"
)

// ran is how a plugin's process ended.
type ran struct {
	out    []byte
	stderr string
	large  bool  // it wrote too much and was ended
	err    error // of its start, or an *exec.ExitError
}

func (r *ran) said() string {
	if r.stderr == "" {
		return ""
	}
	return "; it said: " + r.stderr
}

// run starts the program with the request as its input, and waits until it ends. It is ended with ctx. Child processes that
// it leaves are ended, too.
//
// It runs in the user's home directory: programs such as npx look for packages in the working directory, and a project must
// not be able to put another program in the place of a plugin.
func (h *Host) run(ctx context.Context, p *verb.PluginDef, in []byte) ran {
	env := h.environment(p)
	path, err := find(p.Command, valueOf(env, "PATH"))
	if err != nil {
		return ran{err: err}
	}
	cmd := exec.CommandContext(ctx, path, p.Args...)
	cmd.Env, cmd.Dir = env, valueOf(env, homeVariable())
	children.Group(cmd)
	cmd.Cancel = func() error { children.Kill(cmd); return nil }
	cmd.WaitDelay = time.Second // a child process may keep the pipes open
	out := &bounded{most: maxReply, full: func() { children.Kill(cmd) }}
	tail := &end{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), out, tail
	if err := cmd.Start(); err != nil {
		return ran{err: err}
	}
	err = cmd.Wait()
	children.Kill(cmd)
	if errors.Is(err, exec.ErrWaitDelay) { // it had exited with status 0
		err = nil
	}
	return ran{out: out.bytes(), stderr: tail.String(), large: out.over(), err: err}
}

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

// find returns the path of a program; a bare name is looked for in the caller's PATH.
func find(command, path string) (string, error) {
	if strings.ContainsAny(command, `/\`) {
		return command, nil
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if found, err := exec.LookPath(filepath.Join(dir, command)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("no program %s in PATH", command)
}

// environment returns the environment of a plugin: that of this process, in the daemon that of the shell that started it;
// what the caller's has of paths and displays; and the plugin's own. Variables of usher, such as keys, are not in it.
func (h *Host) environment(p *verb.PluginDef) []string {
	var out []string
	set := func(name, value string) { out = append(out, name+"="+value) } // the last one of a name counts
	for _, pair := range os.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		if name == "USHER_HOME" || !strings.HasPrefix(name, "USHER_") && !strings.HasPrefix(name, "AGENT_BROWSER_") {
			set(name, value)
		}
	}
	lookup := os.LookupEnv
	if h.Env != nil {
		lookup = h.Env
		for _, name := range [...]string{"PATH", "HOME", "USERPROFILE", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "LANG", "TERM"} {
			if value, ok := lookup(name); ok {
				set(name, value)
			}
		}
	}
	for name, value := range p.Env {
		set(name, expand(value, lookup))
	}
	return out
}

// expand replaces ${NAME} by a variable of the caller's environment or this process's, an unset one by nothing.
func expand(text string, lookup func(string) (string, bool)) string {
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, "${")
		name, rest, closed := strings.Cut(after, "}")
		if !found || !closed {
			return out.String() + text
		}
		value, ok := lookup(name)
		if !ok {
			value = os.Getenv(name)
		}
		out.WriteString(before + value)
		text = rest
	}
}

// valueOf returns the last value of a variable in an environment.
func valueOf(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// bounded keeps what is written to it, up to a limit at which it calls full.
type bounded struct {
	most int
	full func()

	mu      sync.Mutex
	buf     bytes.Buffer // guarded by mu
	reached bool         // guarded by mu
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.buf.Len()+len(p) > b.most {
		if !b.reached {
			b.reached = true
			b.full()
		}
		return len(p), nil
	}
	return b.buf.Write(p)
}

func (b *bounded) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Bytes()
}

func (b *bounded) over() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.reached
}

// end keeps the end of what is written to it.
type end struct {
	mu  sync.Mutex
	buf []byte // guarded by mu
}

func (e *end) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.buf = append(e.buf, p[max(0, len(p)-maxStderr):]...)
	e.buf = e.buf[max(0, len(e.buf)-maxStderr):]
	return len(p), nil
}

// String returns it as one line without control characters.
func (e *end) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	text := strings.ToValidUTF8(string(e.buf), "")
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
}
