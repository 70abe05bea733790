// Package local carries out the verbs that need neither a daemon nor a session:
// they tell of this machine, or change it.
//
// It runs in the client's process, so that `usher doctor` can say what is wrong
// with a machine where nothing else works. It tries the browser and the local
// protocol directly and knows nothing that lies between them: no session and no
// daemon; the model of a page only to tell what a page can notice of it.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config"
	shown "github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// Output is what a local verb found.
type Output struct {
	Data any
	Text string
	// Bare prints Data without an envelope around it; it has a member success
	// of its own.
	Bare bool
	// Warning is what the reader should know besides.
	Warning string
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
	return p.print(ctx, req, call, os.Stdout, os.Stderr)
}

// print is Run with the two streams.
func (p Program) print(ctx context.Context, req *api.Request, call *verb.Call, stdout, stderr io.Writer) int {
	asJSON := call.Bool("json") || req.WantsJSON()
	exit := 0
	out, err := p.run(ctx, req, call)
	var text []byte
	if err == nil {
		if out.Failed {
			exit = api.Lookup(api.CheckFailed).Exit
		}
		text, err = out.render(asJSON)
		switch { // recordings hold what pages said; doctor's text has our own colours
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
	// Where the streams cannot be written there is nobody left to tell, and the
	// exit status says the rest.
	_, _ = stdout.Write(text)
	_, _ = stderr.Write(failure)
	return api.ExitOf(err)
}

// render is what goes to standard output.
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
		out := newDoctor(p.Version, req, call).run(ctx)
		if ctx.Err() != nil {
			return Output{}, api.Errorf(api.Cancelled, "doctor was interrupted; everything it started has ended")
		}
		return out, nil
	case "replay":
		return replayFile(req, call)
	case "install":
		return newInstaller(req, call).run(ctx)
	}
	return Output{}, api.Errorf(api.Internal, "%s is not implemented", call.Verb.Name)
}

func sessionName(req *api.Request, call *verb.Call) (Output, error) {
	set, err := config.Load(config.Source{Mode: call.Mode, Env: req.LookupEnv, Cwd: req.Cwd, Flags: call.Globals})
	if err != nil {
		return Output{}, err
	}
	name := set.Str("session")
	return Output{Data: map[string]any{"session": name}, Text: name}, nil
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
