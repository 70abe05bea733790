// Package local implements the verbs that need neither a daemon nor a session: they inspect this machine, or change it.
//
// It runs in the client's process, so that `usher doctor` (package doctor) can report what is wrong with a machine where
// nothing else works. It does not depend on sessions or the daemon; on the model of a page only to report what a page can
// detect of it.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/local/doctor"
	shown "github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// Output is the result of a local verb.
type Output struct {
	Data any
	Text string
	// Bare prints Data without an envelope around it; it has a member success of its own.
	Bare bool
	// Warning is a problem that did not make the verb fail.
	Warning string
	// Failed makes the exit status 1 although the verb succeeded: a check did not pass.
	Failed bool
}

// Program is the program in whose process the verbs run.
type Program struct {
	// Version is the version shown to users.
	Version string
}

// Run runs a local verb in this process, prints its result to the two streams, and returns the exit status.
func (p Program) Run(ctx context.Context, req *api.Request, call *verb.Call, stdout, stderr io.Writer) int {
	asJSON := call.Bool("json") || req.WantsJSON()
	exit := 0
	out, err := p.run(ctx, req, call)
	out.Warning = api.JoinWarnings(call.Ignored(), out.Warning)
	var text []byte
	if err == nil {
		if out.Failed {
			exit = api.Lookup(api.CheckFailed).Exit
		}
		text, err = out.render(asJSON)
		switch { // recordings contain page text; doctor's text has our own colours
		case req.TTY.Out && asJSON:
			text = []byte(shown.EscapedJSON(string(text)))
		case req.TTY.Out && call.Verb.Name != "doctor":
			text = []byte(shown.Escaped(string(text)))
		}
	}
	if err == nil {
		if _, err = stdout.Write(text); err == nil {
			if out.Warning != "" && !asJSON {
				_, _ = io.WriteString(stderr, "⚠ "+out.Warning+"\n") // the result is there
			}
			return exit
		}
		err = api.Errorf(api.FileWriteFailed, "the result cannot be written: %w", err)
		asJSON = false // standard output is what does not work
	}
	text, failure := api.Failure(req, asJSON, err)
	// If the streams cannot be written, the exit status is the only report.
	_, _ = stdout.Write(text)
	_, _ = stderr.Write(failure)
	return api.ExitOf(err)
}

// render returns the text for standard output.
func (o Output) render(asJSON bool) (text []byte, err error) {
	switch {
	case !asJSON:
		return []byte(o.Text + "\n"), nil
	case o.Bare:
		text, err = api.AppendJSON(nil, o.Data)
	default:
		text, err = api.Envelope{Data: o.Data, Warning: o.Warning}.Append(nil)
	}
	return append(text, '\n'), err
}

func (p Program) run(ctx context.Context, req *api.Request, call *verb.Call) (Output, error) {
	switch call.Verb.Name {
	case "session":
		return sessionName(req, call)
	case "session id":
		return sessionID(req, call)
	case "doctor":
		r, text, err := doctor.Examine(ctx, p.Version, req, call)
		if err != nil {
			return Output{}, err
		}
		return Output{Data: r, Bare: true, Text: text, Failed: !r.Success}, nil
	case "profiles":
		return userProfiles(ctx, req)
	case "replay":
		return replayFile(req, call)
	case "upgrade":
		u, err := newUpgrader(p.Version, req, call)
		if err != nil {
			return Output{}, err
		}
		return u.run(ctx)
	case "extension install":
		return extensionInstall(req, call)
	case "extension path":
		return extensionPath(req, call)
	case "install":
		return newInstaller(req, call).run(ctx)
	}
	if strings.HasPrefix(call.Verb.Name, "skills ") {
		return runSkills(req, call)
	}
	return Output{}, api.Errorf(api.Internal, "%s is not implemented", call.Verb.Name)
}

func sessionName(req *api.Request, call *verb.Call) (Output, error) {
	set, err := config.Load(config.Source{Mode: call.Mode, Env: req.LookupEnv, Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return Output{}, err
	}
	name := set.Str("session")
	return Output{Data: SessionName{name}, Text: name}, nil
}

// sessionID names a session after a directory: the first 12 hexadecimal digits
// of the SHA-256 of its canonical path, as agent-browser does.
func sessionID(req *api.Request, call *verb.Call) (Output, error) {
	scope := call.Str("scope")
	dir := req.Cwd
	if scope != "cwd" {
		dir = repository(req.Cwd, scope == "git-root")
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Output{}, api.Errorf(api.FileNotFound, "find the directory a session is for: %w", err)
	}
	sum := sha256.Sum256([]byte(dir))
	hash := hex.EncodeToString(sum[:])[:12]
	id := hash
	if p := call.Str("prefix"); p != "" {
		id = sessionWord(p) + "-" + hash
	}
	return Output{Data: SessionID{id, scope, dir, hash}, Text: id}, nil
}

// sessionWord returns a text with - in place of what the name of a session cannot have.
func sessionWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '-'
	}, s)
}

// repository returns the nearest parent directory with a .git, or dir itself. A worktree's .git is a file; root looks
// for the main one, a directory.
func repository(dir string, root bool) string {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Stat(filepath.Join(at, ".git"))
		if err == nil && (info.IsDir() || !root) {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
