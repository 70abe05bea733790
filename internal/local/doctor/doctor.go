// Package doctor examines whether a browser and the background process can be expected to work on this machine, and repairs
// what can be repaired without loss. It tries the browser and the local protocol directly, because it has to work where
// nothing else does.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Status is the result of one check.
type Status string

// The results of a check. Only Fail makes the command fail: then a browser or the background process cannot be expected
// to work. Warn is for what works worse than it could, or is about to stop working.
const (
	Pass Status = "pass"
	Warn Status = "warn"
	Fail Status = "fail"
)

// The categories, in the order they are printed.
const (
	environment   = "Environment"
	browser       = "Chrome"
	daemons       = "Daemons"
	security      = "Security"
	configuration = "Configuration"
	network       = "Network"
	recordings    = "Recording"
	providers     = "Providers"
	webgpu        = "WebGPU"
)

// Check is the result of one check. The members are those of agent-browser's doctor.
type Check struct {
	Category string `json:"category"`
	// ID is stable; programs match on it. It may occur more than once.
	ID      string `json:"id"`
	Message string `json:"message"`
	Status  Status `json:"status"`
	// Fix is the remedy, if there is one.
	Fix string `json:"fix,omitzero"`
}

// Report is the result of the doctor.
type Report struct {
	Checks []Check `json:"checks"`
	// Fixed are the repairs of --fix, one sentence each.
	Fixed   []string `json:"fixed"`
	Success bool     `json:"success"`
	Summary Summary  `json:"summary"`
	// Error and Code are those of a failed command.
	Error string   `json:"error,omitzero"`
	Code  api.Code `json:"code,omitzero"`
}

// Summary counts the checks by status.
type Summary struct {
	Pass int `json:"pass"`
	Warn int `json:"warn"`
	Fail int `json:"fail"`
}

// doctor is one examination of a machine.
type doctor struct {
	version             string // of this program
	req                 *api.Request
	call                *verb.Call
	offline, quick, fix bool
	goos                string
	// root stands in front of the system's own files (/proc, /dev/shm, ...); it
	// is empty except in tests.
	root string
	uid  int // the effective user; -1 on Windows

	dirs dirs.Dirs
	set  *config.Settings // nil when the configuration cannot be read

	checks []Check
	fixed  []string
}

func newDoctor(version string, req *api.Request, call *verb.Call) *doctor {
	return &doctor{
		version: version, req: req, call: call, goos: runtime.GOOS, uid: os.Geteuid(),
		offline: call.Bool("offline"), quick: call.Bool("quick"), fix: call.Bool("fix"),
	}
}

// Examine examines this machine for the caller of the command, and returns the report also as text. A failure is a check, so
// there is no error, unless ctx ended.
func Examine(ctx context.Context, version string, req *api.Request, call *verb.Call) (Report, string, error) {
	d := newDoctor(version, req, call)
	r := d.run(ctx)
	if ctx.Err() != nil {
		return Report{}, "", api.Errorf(api.Cancelled, "doctor was interrupted; everything it started has ended")
	}
	return r, render(r, req.TTY.Color, d.fix), nil
}

// run examines everything.
func (d *doctor) run(ctx context.Context) Report {
	d.configuration()
	if d.wantsStealth() {
		d.stealth(ctx)
	} else {
		d.machine(ctx)
	}
	return d.report()
}

// machine examines what every session needs.
func (d *doctor) machine(ctx context.Context) {
	d.environment(ctx)
	d.browser(ctx)
	d.providers()
	if d.dirs.Run != "" {
		d.security()
		d.secrets()
		d.daemons(ctx)
	}
	if !d.offline {
		d.network(ctx)
	}
}

func (d *doctor) report() Report {
	order := []string{environment, browser, recordings, webgpu, daemons, security, configuration, providers, network, seenAsUsual, seenInStealth}
	slices.SortStableFunc(d.checks, func(a, b Check) int {
		return slices.Index(order, a.Category) - slices.Index(order, b.Category)
	})
	r := Report{Checks: append([]Check{}, d.checks...), Fixed: append([]string{}, d.fixed...)}
	var failed []string
	for _, c := range r.Checks {
		switch c.Status {
		case Pass:
			r.Summary.Pass++
		case Warn:
			r.Summary.Warn++
		case Fail:
			r.Summary.Fail++
			failed = append(failed, c.ID)
		}
	}
	r.Success = len(failed) == 0
	if !r.Success {
		r.Code = api.CheckFailed
		r.Error = "checks that failed: " + strings.Join(failed, ", ")
	}
	return r
}

func (d *doctor) pass(category, id, format string, args ...any) {
	d.checks = append(d.checks, Check{Category: category, ID: id, Status: Pass, Message: fmt.Sprintf(format, args...)})
}

func (d *doctor) warn(category, id, fix, format string, args ...any) {
	d.checks = append(d.checks, Check{Category: category, ID: id, Status: Warn, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

func (d *doctor) fail(category, id, fix, format string, args ...any) {
	d.checks = append(d.checks, Check{Category: category, ID: id, Status: Fail, Fix: fix, Message: fmt.Sprintf(format, args...)})
}

// repair runs a repair if --fix was given. It reports whether the fault is gone; the check then passes.
func (d *doctor) repair(category, id, done string, repair func() error) bool {
	if !d.fix {
		return false
	}
	if err := repair(); err != nil {
		d.fail(category, id, "", "fixing this failed: %v", err)
		return false
	}
	d.fixed = append(d.fixed, done)
	d.pass(category, id, "mended: %s", done)
	return true
}

// file returns the path of a file of the system.
func (d *doctor) file(path string) string {
	if d.root == "" {
		return path
	}
	return filepath.Join(d.root, path)
}

// number reads a file with one number; ok is false if it has none, such as the "max" of a control group without a
// limit.
func (d *doctor) number(path string) (n uint64, ok bool) {
	text, err := os.ReadFile(d.file(path))
	if err != nil {
		return 0, false
	}
	got, err := fmt.Sscan(string(text), &n)
	return n, err == nil && got == 1
}

// configuration reads the settings; the other checks use them.
func (d *doctor) configuration() {
	set, err := config.Load(config.Source{Mode: d.call.Mode, Env: d.req.LookupEnv, Cwd: d.req.Cwd, Flags: d.call.Globals})
	var bad *config.Error
	switch {
	case errors.As(err, &bad):
		plain := *bad
		plain.Hint = ""
		fix := bad.Hint
		if fix == "" {
			fix = "Correct it; until then no command runs."
		}
		d.fail(configuration, "config", fix, "%v", &plain)
	case err != nil:
		d.fail(configuration, "config", "", "%v", err)
	default:
		d.set = set
		d.settings(set)
	}
	d.variables()
	namespace := ""
	if set != nil {
		namespace = set.Str("namespace")
	}
	d.dirs, err = dirs.Of(d.req.Getenv, namespace, d.call.Mode == verb.AgentBrowser)
	if err != nil {
		d.dirs.Run = ""
		d.fail(configuration, "places", dirs.Remedy, "%v", err)
	}
}

// settings reports the sources of the effective settings.
func (d *doctor) settings(set *config.Settings) {
	for _, w := range set.Warnings {
		d.warn(configuration, "config", "", "%s", w)
	}
	files := map[string]int{}
	var order, variables []string
	for _, v := range set.All() {
		switch v.From {
		case config.UserFile, config.ProjectFile, config.NamedFile:
			path := v.Where
			if i := strings.LastIndexByte(path, ':'); i > 0 {
				path = path[:i]
			}
			if files[path] == 0 {
				order = append(order, path)
			}
			files[path]++
		case config.Environment:
			variables = append(variables, v.Where)
		case config.Default, config.Flags:
		}
	}
	var parts []string
	for _, path := range order {
		parts = append(parts, fmt.Sprintf("%s of %s", count(files[path], "setting"), path))
	}
	if len(variables) > 0 {
		parts = append(parts, strings.Join(variables, ", ")+" in the environment")
	}
	if len(parts) == 0 {
		parts = []string{"all settings have their default values"}
	}
	d.pass(configuration, "config", "%s", strings.Join(parts, "; "))
}

// variables finds environment variables that nothing reads, which are mostly misspelt.
func (d *doctor) variables() {
	known := config.EnvNames()
	for _, pair := range d.req.Env {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, verb.Usher.EnvPrefix()) || slices.Contains(known, name) {
			continue
		}
		fix := "Unset it, or correct its name; `usher help flags` lists the settings."
		if near := spelling.Nearest(name, known); len(near) > 0 {
			fix = "Did you mean " + strings.Join(near, " or ") + "?"
		}
		d.warn(configuration, "variable", fix, "%s is set, but is not a variable of usher", name)
	}
}

// str returns a setting, or "" when the configuration cannot be read.
func (d *doctor) str(name string) string {
	if d.set == nil {
		return ""
	}
	return d.set.Str(name)
}

// count is "1 file" or "3 files".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
