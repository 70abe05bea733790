// Package local carries out the verbs that need neither a daemon nor a session:
// they tell of this machine, or change it.
//
// It runs in the client's process, so that `usher doctor` can say what is wrong
// with a machine where nothing else works. It tries the browser and the local
// protocol directly and knows nothing that lies between them: no session, no
// model of a page, no daemon.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/verb"
)

// Output is what a local verb found.
type Output struct {
	Data any
	Text string
	// Bare prints Data without an envelope around it; it has a member success
	// of its own.
	Bare bool
	// Failed makes the exit status 1 although the verb did its work: a check
	// did not pass.
	Failed bool
}

// Program is the program in whose process the verbs run.
type Program struct {
	// Version is what people call it.
	Version string
}

// Run carries out a local verb in this process, prints its result and returns
// the exit status.
func (p Program) Run(ctx context.Context, req *api.Request, call *verb.Call) int {
	out, err := p.run(ctx, req, call)
	asJSON := call.Bool("json") || req.WantsJSON()
	if err != nil {
		stdout, stderr := api.Failure(req, asJSON, err)
		return write(stdout, stderr, api.ExitOf(err))
	}
	exit := 0
	if out.Failed {
		exit = api.Lookup(api.CheckFailed).Exit
	}
	if !asJSON {
		return write([]byte(out.Text+"\n"), nil, exit)
	}
	var text []byte
	if out.Bare {
		text, err = api.AppendJSON(nil, out.Data)
	} else {
		text, err = api.Envelope{Data: out.Data}.Append(nil)
	}
	if err != nil {
		stdout, stderr := api.Failure(req, true, err)
		return write(stdout, stderr, api.ExitOf(err))
	}
	return write(append(text, '\n'), nil, exit)
}

// write returns exit, or 1 when the caller's streams are closed: then there is
// nobody to tell.
func write(stdout, stderr []byte, exit int) int {
	if _, err := os.Stdout.Write(stdout); err != nil {
		return 1
	}
	if _, err := os.Stderr.Write(stderr); err != nil {
		return 1
	}
	return exit
}

func (p Program) run(ctx context.Context, req *api.Request, call *verb.Call) (Output, error) {
	switch call.Verb.Name {
	case "session":
		return sessionName(req, call)
	case "session id":
		return sessionID(req, call)
	case "doctor":
		return newDoctor(p.Version, req, call).run(ctx), nil
	case "install":
		return newInstaller(req, call).run(ctx)
	}
	return Output{}, api.Errorf(api.Internal, "%s has no behaviour", call.Verb.Name)
}

func sessionName(req *api.Request, call *verb.Call) (Output, error) {
	set, err := config.Load(config.Source{Mode: call.Mode, Env: req.LookupEnv, Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return Output{}, configError(err)
	}
	name := set.Str("session")
	return Output{Data: map[string]any{"session": name}, Text: name}, nil
}

// configError gives a fault in the configuration its place among the errors.
func configError(err error) error {
	var bad *config.Error
	if !errors.As(err, &bad) {
		return err
	}
	plain := *bad
	plain.Hint = ""
	return api.Errorf(api.Code(bad.Code), "%s", plain.Error()).WithHint("%s", bad.Hint)
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
		id = p + "-" + hash
	}
	return Output{Data: map[string]any{"session": id, "scope": scope, "path": dir, "hash": hash}, Text: id}, nil
}

// repository is the nearest directory upwards that holds .git, or dir itself.
// A worktree's .git is a file; root looks for the main one, a directory.
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
