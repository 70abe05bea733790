// Package codegen has the commands that record what a person does as commands or as a script for Playwright.
package codegen

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/codegen"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/background"
	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/verb"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"codegen start":  run.Handle(start),
		"codegen follow": run.Handle(follow),
		"codegen stop":   run.Handle(stop),
	}}
}

func grammar() verb.Set {
	return verb.Set{Families: []verb.Family{{Name: "codegen", Summary: "record what a person does as commands"}}, Verbs: []verb.Verb{
		{Name: "codegen start", Summary: "begin to record what is done in the session's tabs",
			Help: "Records clicks, drags, texts, keys, choices, uploads, navigations, tabs and dialogs of a person in a headed browser, and of commands\n" +
				"that send real input, until codegen stop. What scripts do does not count. Texts of password fields are not recorded: the\n" +
				"script has a variable instead. The script is for a shell (usher) or for Node (playwright).",
			Flags: []verb.Flag{{Name: "output", Short: "o", Kind: verb.Path, Value: "file", Doc: "save the script there when the recording or the session ends"},
				{Name: "target", Value: "name", Default: "usher", Choices: []string{"usher", "playwright"}, Doc: "the kind of script"}},
			Examples: []string{"codegen start --output login.sh", "codegen start --target playwright -o login.js"}, Next: []string{"codegen follow", "codegen stop"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.OnTab | verb.SavesFiles},
		{Name: "codegen follow", Summary: "print the commands as they are recorded", Examples: []string{"codegen follow"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.NeedsBrowser | verb.Control},
		{Name: "codegen stop", Summary: "end the recording, and print or save the script", Examples: []string{"codegen stop"},
			Group: verb.GroupDebug, Category: verb.CatLogs, Marks: verb.NeedsBrowser | verb.Control | verb.SavesFiles},
	}}
}

// Started is the result of `codegen start`.
type Started struct {
	Started bool   `json:"started"`
	Target  string `json:"target"` // usher or playwright
	Path    string `json:"path,omitzero"`
}

// Recorded is the result of `codegen stop`.
type Recorded struct {
	Actions int    `json:"actions"` // how many were recorded
	Script  string `json:"script"`
	Path    string `json:"path,omitzero"` // where it was saved
}

// Followed is the result of `codegen follow`, after its lines.
type Followed struct {
	Actions int `json:"actions"`
}

func start(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Started], error) {
	none := run.Reply[Started]{}
	switch {
	case e.Sites != nil:
		return none, api.Errorf(api.GuardRefused, "codegen start: what a person does is not recorded under the site guard")
	case e.Browser.Stealth():
		return none, api.Errorf(api.Unsupported, "codegen start: pages could detect it, so it does not work with --stealth")
	}
	path, spare, err := scriptAt(e, c)
	if err != nil {
		return none, err
	}
	ctx, cancel := e.Guard(ctx)
	defer cancel()
	rec, err := e.Background.StartCodegen(ctx, e.Tab, c.Str("target"), path, spare)
	if err != nil {
		return none, e.Explain(err, "codegen start")
	}
	return run.Reply[Started]{Data: Started{true, rec.Target, path}, Text: "✓ Recording; `codegen stop` ends it"}, nil
}

// scriptAt returns where the script is to be saved, and a file of usher's own for when it cannot be; both are empty without --output.
func scriptAt(e *run.Env, c *verb.Call) (path, spare string, err error) {
	if !c.Has("output") {
		return "", "", nil
	}
	path = e.Path(c.Str("output"))
	if err := media.CheckOutputPath(path); err != nil {
		return "", "", err
	}
	dir, err := e.OwnDir("codegen")
	if err != nil {
		return "", "", err
	}
	return path, filepath.Join(dir, "script"+time.Now().Format("-20060102-150405.000")+filepath.Ext(path)), nil
}

// active returns the recording.
func active(e *run.Env) (*codegen.Recorder, error) {
	if rec := e.Background.Codegen(); rec != nil {
		return rec, nil
	}
	return nil, api.Errorf(api.InvalidArgument, "codegen: nothing is being recorded").WithHint("Begin with `codegen start`.")
}

func stop(_ context.Context, e *run.Env, _ *verb.Call) (run.Reply[Recorded], error) {
	rec, err := active(e)
	if err != nil {
		return run.Reply[Recorded]{}, err
	}
	e.Background.StopCodegen()
	actions, _ := rec.Actions()
	res := run.Reply[Recorded]{Data: Recorded{len(actions), rec.Text(), rec.Path}}
	res.Text = strings.TrimSuffix(res.Data.Script, "\n")
	if rec.Full() {
		res.Warning = "the recording was full, and the last actions are missing"
	}
	if rec.Path == "" {
		return res, nil
	}
	if err := background.SaveCodegen(rec); err != nil {
		return run.Reply[Recorded]{}, err
	}
	res.Text = fmt.Sprintf("✓ %s saved to %s", run.Plural(len(actions), "action"), rec.Path)
	return res, nil
}

func follow(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Followed], error) {
	rec, err := active(e)
	if err != nil {
		return run.Reply[Followed]{}, err
	}
	if e.Emit == nil {
		return run.Reply[Followed]{}, api.Errorf(api.InvalidArgument, "codegen follow: it cannot be used where nothing is printed before the end")
	}
	printed := 0
	for {
		actions, changed := rec.Settled()
		lines := codegen.Usher(actions)
		for _, line := range lines[min(printed, len(lines)):] {
			if err := e.Emit([]byte(line + "\n")); err != nil {
				return run.Reply[Followed]{}, err
			}
		}
		printed = max(printed, len(lines))
		if rec.Ended() {
			return run.Reply[Followed]{Data: Followed{len(actions)}, Streamed: true}, nil
		}
		timer := time.NewTimer(time.Second) // by then the last action is settled
		select {
		case <-changed:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return run.Reply[Followed]{Data: Followed{len(actions)}, Streamed: true}, nil
		}
		timer.Stop()
	}
}
