package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/local/packagemanager"
	"github.com/usher-browser/usher/internal/verb"
)

// installer brings a browser to this machine.
type installer struct {
	req      *api.Request
	call     *verb.Call
	withDeps bool
	goos     string
	uid      int
	// find is chrome.Find, except in tests on machines that have a browser.
	find func(explicit string) (string, error)
	// progress receives the commands and their output: the terminal, or with --json a buffer, whose end goes into the
	// error.
	progress io.Writer
	words    *lastWritten
}

func newInstaller(req *api.Request, call *verb.Call) *installer {
	i := &installer{
		req: req, call: call, withDeps: call.Bool("with-deps"), goos: runtime.GOOS, uid: os.Geteuid(),
		find: chrome.Find, progress: os.Stderr,
	}
	if call.Bool("json") || req.WantsJSON() {
		i.words = &lastWritten{}
		i.progress = i.words
	}
	return i
}

// lastWritten is a buffer of the last bytes written to it.
type lastWritten struct{ text []byte }

// lastLimit is its size in bytes: enough for the error message at the end.
const lastLimit = 4 << 10

func (l *lastWritten) Write(p []byte) (int, error) {
	l.text = append(l.text, p...)
	if cut := len(l.text) - lastLimit; cut > 0 {
		l.text = append(l.text[:0], l.text[cut:]...)
	}
	return len(p), nil
}

// installed is the result.
type installed struct {
	// Installed reports whether packages were installed; false when a browser was there and nothing else was requested.
	Installed bool   `json:"installed"`
	Path      string `json:"path"`
	Version   string `json:"version"`
	// Commands are the commands that were run.
	Commands []string `json:"commands"`
}

// run finds a browser or installs the system's package of one.
func (i *installer) run(ctx context.Context) (Output, error) {
	asked, err := i.asked()
	if err != nil {
		return Output{}, err
	}
	path, version, missing := i.look(ctx, asked)
	if missing != nil && asked != "" {
		// Installing something else would not make that path right.
		return Output{}, api.Errorf(api.BrowserNotFound, "%w", missing).
			WithHint("Correct the path, or omit it and run `usher install` again.")
	}
	if missing == nil && !i.withDeps {
		return i.found(path, version, nil), nil
	}
	m, ok := packagemanager.Find(i.goos)
	if !ok {
		return Output{}, i.noManager()
	}
	var packages []string
	if missing != nil {
		packages = append(packages, m.Browser...)
		i.say("%v", missing)
	} else {
		i.say("%s, version %s, is installed", path, version)
	}
	if i.withDeps {
		packages = append(packages, m.Fonts...)
	}
	if len(packages) == 0 {
		return i.found(path, version, nil), nil
	}
	commands, err := i.install(ctx, m, packages)
	if err != nil {
		return Output{}, err
	}
	if path, version, missing = i.look(ctx, ""); missing != nil {
		return Output{}, api.Errorf(api.BrowserNotFound, "%s was installed, but no browser works: %w", strings.Join(packages, ", "), missing).
			WithHint("%s", elsewhere(i.goos))
	}
	return i.found(path, version, commands), nil
}

// asked returns the browser's path from a flag, a configuration file or an environment variable.
func (i *installer) asked() (string, error) {
	set, err := config.Load(config.Source{Mode: i.call.Mode, Env: i.req.LookupEnv, Cwd: i.req.Cwd, Flags: i.call.Globals})
	if err != nil {
		return "", err
	}
	return set.Str("executable-path"), nil
}

// look finds a browser that can print its version: Ubuntu has a chromium-browser that only recommends a snap, and one
// without its libraries cannot start.
func (i *installer) look(ctx context.Context, asked string) (path, version string, err error) {
	if path, err = i.find(asked); err != nil {
		return "", "", err
	}
	version, err = chrome.Version(ctx, path)
	return path, version, err
}

func (i *installer) found(path, version string, commands []string) Output {
	text := fmt.Sprintf("%s, version %s, is already installed", path, version)
	switch {
	case commands != nil:
		text = fmt.Sprintf("ready: %s, version %s", path, version)
	case version == "":
		text = path + " is already installed"
	}
	return Output{Text: text, Data: installed{
		Installed: commands != nil, Path: path, Version: version, Commands: append([]string{}, commands...),
	}}
}

func (i *installer) noManager() error {
	var names []string
	for _, m := range packagemanager.All(i.goos) {
		names = append(names, m.Command)
	}
	what := "no package manager is known for " + i.goos
	if names != nil {
		what = "none of the package managers " + strings.Join(names, ", ") + " is here"
	}
	return api.Errorf(api.Unsupported, "install a browser: %s", what).WithHint("%s", elsewhere(i.goos))
}

// elsewhere returns how to install a browser without this command.
func elsewhere(goos string) string {
	switch goos {
	case "windows":
		return "Run: winget install Google.Chrome"
	case "darwin":
		return "Install Homebrew (https://brew.sh) and try again, or install Google Chrome (https://www.google.com/chrome)."
	}
	return "Install Google Chrome (https://www.google.com/chrome), or run `snap install chromium` if the system has snaps, or set USHER_CHROME to the path of a browser."
}

// install runs the package manager, or returns its command if the user has no permission.
func (i *installer) install(ctx context.Context, m packagemanager.Manager, packages []string) ([]string, error) {
	add := m.Install(packages)
	rows := [][]string{add}
	if m.Refresh != nil {
		rows = [][]string{append([]string{m.Command}, m.Refresh...), add}
	}
	if m.Root && i.uid != 0 {
		var typed []string
		for _, row := range rows {
			typed = append(typed, strings.Join(packagemanager.AsRoot(i.uid, row), " "))
		}
		line := strings.Join(typed, " && ")
		return nil, api.Errorf(api.PermissionDenied, "installing %s needs root", strings.Join(packages, ", ")).
			With("command", line).WithHint("Run: %s", line)
	}
	var done []string
	for n, row := range rows {
		err := i.command(ctx, row)
		switch {
		case ctx.Err() != nil:
			return nil, api.Errorf(api.Cancelled, "%s was interrupted", strings.Join(row, " ")).WithHint("Run `usher install` again to finish it.")
		case err != nil && n < len(rows)-1:
			// One broken source among many need not be the one of the browser.
			i.say("%s failed (%v); continuing with the existing list", strings.Join(row, " "), err)
		case err != nil:
			e := api.Errorf(api.InstallFailed, "install %s: %s: %w", strings.Join(packages, ", "), strings.Join(row, " "), err)
			if i.words == nil {
				return nil, e.WithHint("Its output says why. %s", elsewhere(i.goos))
			}
			return nil, e.With("output", string(i.words.text)).WithHint("%s", elsewhere(i.goos))
		}
		done = append(done, strings.Join(row, " "))
	}
	return done, nil
}

// command prints and runs one command. On an interrupt, it signals the command and waits, since a half-finished
// installation is worse than a slow end.
func (i *installer) command(ctx context.Context, words []string) error {
	i.say("running: %s", strings.Join(words, " "))
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = i.progress, i.progress
	cmd.Env = append(slices.Clip(os.Environ()), "DEBIAN_FRONTEND=noninteractive")
	cmd.Cancel = func() error {
		err := cmd.Process.Signal(os.Interrupt)
		if errors.Is(err, errors.ErrUnsupported) {
			return cmd.Process.Kill()
		}
		return err
	}
	return cmd.Run()
}

// say prints a line for the person at the terminal. It ignores errors, because a terminal that is gone does not matter.
func (i *installer) say(format string, args ...any) {
	_, _ = fmt.Fprintf(i.progress, "install: "+format+"\n", args...)
}
