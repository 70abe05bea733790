package ops

import (
	"context"
	"errors"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// interruptAnswer answers an interruption of any kind.
func interruptAnswer(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
	ctx, cancel := e.limit(ctx, func() {})
	defer cancel()
	id, words := c.Str("id"), c.List("answer")
	s := e.Browser.State()
	i, open := s.Interruption(id)
	if i == nil || !e.mine(s, i) {
		return Result{}, e.noInterruption(&supervisor.NoInterruptionError{ID: id})
	}
	if !open {
		return Result{}, e.noInterruption(&supervisor.NoInterruptionError{ID: id, Over: i})
	}
	e.told(i)
	if i.Login == nil && (c.Has("username") || c.Has("password") || c.Bool("password-stdin")) {
		return Result{}, e.wrongAnswer(i, "--username and --password")
	}
	switch {
	case i.Dialog != nil:
		return e.answerByWord(ctx, i, words)
	case i.Notice || i.Kind == model.KindUnresponsive:
		return e.acknowledge(i, words)
	case i.Chooser != nil:
		return e.giveFiles(ctx, i, words)
	case i.Login != nil:
		return e.giveLogin(ctx, i, c)
	case i.Permission != "":
		return e.permit(ctx, i, words)
	}
	return Result{}, e.wrongAnswer(i, strings.Join(words, " "))
}

// noInterruption explains that there is nothing to answer under that name.
func (e *Env) noInterruption(err *supervisor.NoInterruptionError) error {
	out := api.Errorf(api.NoInterruption, "%w", err)
	switch {
	case err.Over != nil:
		return out.With("interruption", e.InterruptionData(err.Over)).WithHint("Nothing is open there; `interrupt list` shows the open ones.")
	case err.Busy:
		return out.WithHint("Another command is answering it; `interrupt list --all` shows the outcome.")
	}
	return out
}

// wrongAnswer refuses an answer of another kind than the interruption takes.
func (e *Env) wrongAnswer(i *model.Interruption, given string) error {
	if given == "" {
		given = "nothing"
	}
	return api.Errorf(api.InvalidArgument, "%s is a %s and takes no answer like %q", i.ID, i.Kind, given).
		With("interruption", e.InterruptionData(i)).WithHint("Use `%s`.", strings.Join(answers(i), "` or `"))
}

// claimed runs the answer to an interruption that nobody else may answer
// meanwhile. It is over when do returns without an error.
func (e *Env) claimed(i *model.Interruption, outcome string, do func() error) error {
	if _, err := e.Browser.Claim(i.ID); err != nil {
		var none *supervisor.NoInterruptionError
		errors.As(err, &none)
		return e.noInterruption(none)
	}
	if err := do(); err != nil {
		e.Browser.Release(i.ID)
		return err
	}
	e.Browser.Settle(i.ID, model.ByAgent, outcome)
	return nil
}

func (e *Env) answered(i *model.Interruption, outcome string, more obj) Result {
	data := obj{"answered": true, "id": i.ID, "kind": string(i.Kind), "outcome": outcome}
	for k, v := range more {
		data[k] = v
	}
	return Result{Data: data, Text: done + " (" + outcome + ")"}
}

// acknowledge ends a notice.
func (e *Env) acknowledge(i *model.Interruption, words []string) (Result, error) {
	if len(words) > 1 || len(words) == 1 && !slices.Contains([]string{"ok", "accept", "dismiss"}, words[0]) {
		return Result{}, e.wrongAnswer(i, strings.Join(words, " "))
	}
	const outcome = "acknowledged"
	if err := e.claimed(i, outcome, func() error { return nil }); err != nil {
		return Result{}, err
	}
	return e.answered(i, outcome, nil), nil
}

// answerByWord answers a dialog with accept or dismiss.
func (e *Env) answerByWord(ctx context.Context, i *model.Interruption, words []string) (Result, error) {
	switch {
	case len(words) > 0 && words[0] == "accept":
		return e.answerDialog(ctx, i.Dialog, true, strings.Join(words[1:], " "))
	case len(words) == 1 && words[0] == "dismiss":
		return e.answerDialog(ctx, i.Dialog, false, "")
	}
	return Result{}, e.wrongAnswer(i, strings.Join(words, " "))
}

// giveFiles answers a file chooser with files, or with the word dismiss.
func (e *Env) giveFiles(ctx context.Context, i *model.Interruption, words []string) (Result, error) {
	if len(words) == 0 {
		return Result{}, e.wrongAnswer(i, "")
	}
	if len(words) == 1 && words[0] == "dismiss" {
		const outcome = "dismissed"
		if err := e.claimed(i, outcome, func() error { return e.cancelChooser(ctx, i) }); err != nil {
			return Result{}, err
		}
		return e.answered(i, outcome, nil), nil
	}
	paths, err := e.uploads(ctx, words)
	if word := words[0]; err != nil && len(words) == 1 && slices.Contains([]string{"accept", "allow", "deny", "ok"}, word) {
		return Result{}, e.wrongAnswer(i, word)
	}
	if err != nil {
		return Result{}, e.explainAt(i.Tab, err, "give files to "+i.ID)
	}
	if err := e.checkChooser(ctx, i, paths); err != nil {
		return Result{}, err
	}
	outcome := plural(len(paths), "file") + " given"
	if err := e.claimed(i, outcome, func() error { return e.setFiles(ctx, i, paths) }); err != nil {
		return Result{}, err
	}
	return e.answered(i, outcome, obj{"files": paths}), nil
}

// checkChooser refuses more, or other, than the page asked for.
func (e *Env) checkChooser(ctx context.Context, i *model.Interruption, paths []string) error {
	folder := slices.IndexFunc(paths, isFolder)
	if folder < 0 {
		if len(paths) > 1 && !i.Chooser.Multiple {
			return api.Errorf(api.InvalidArgument, "%s: the file chooser takes one file, and %d were given", i.ID, len(paths))
		}
		return nil
	}
	ctx, stop := e.Browser.Guard(ctx, i.Tab)
	defer stop()
	got, err := cdp.Do(ctx, e.Browser.Session(i.Session), dom.DescribeNode, dom.DescribeNodeParams{BackendNodeID: protocol.BackendNodeID(i.Chooser.Node)})
	if err != nil {
		return e.explainAt(i.Tab, err, "ask what "+i.ID+" takes")
	}
	if got.Node == nil || !slices.Contains(got.Node.Attributes, "webkitdirectory") {
		return api.Errorf(api.InvalidArgument, "%s: the file chooser takes a file, and %s is a directory", i.ID, paths[folder]).
			WithHint("Name the files in it instead.")
	}
	return nil
}

func (e *Env) setFiles(ctx context.Context, i *model.Interruption, paths []string) error {
	ctx, stop := e.Browser.Guard(ctx, i.Tab)
	defer stop()
	_, err := cdp.Do(ctx, e.Browser.Session(i.Session), dom.SetFileInputFiles,
		dom.SetFileInputFilesParams{Files: paths, BackendNodeID: protocol.BackendNodeID(i.Chooser.Node)})
	if b := e.Browser.Blocked(err, i.Tab); b != nil && b.Dialog != nil {
		return nil // the page has the files, and what it does with them opened a dialog
	}
	return e.explainAt(i.Tab, err, "give the files to the page")
}

// showPicker runs on the file input, in our own world.
const showPicker = `function() { this.showPicker() }`

// cancelChooser tells the page that the person chose no file. A chooser that was
// held back cannot be cancelled any more; one that opens while Chromium is told to
// cancel them fires a trusted cancel event. So it is opened once more, by
// showPicker, which fires no other event (measured on Chromium 156).
func (e *Env) cancelChooser(ctx context.Context, i *model.Interruption) error {
	ctx, stop := e.Browser.Guard(ctx, i.Tab)
	defer stop()
	const doing = "cancel the file chooser"
	s, world, err := e.Worlds.Context(ctx, i.Frame)
	if err != nil {
		return e.explainAt(i.Tab, err, doing)
	}
	got, err := cdp.Do(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: protocol.BackendNodeID(i.Chooser.Node), ExecutionContextID: world})
	if err != nil || got.Object == nil {
		return e.explainAt(i.Tab, err, doing)
	}
	defer s.Post("Runtime.releaseObject", obj{"objectId": got.Object.ObjectID}, nil)
	over := e.Browser.CancelChoosers(i.Session)
	defer over()
	res, err := cdp.Do(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: showPicker, ObjectID: got.Object.ObjectID, UserGesture: new(true), Silent: new(true)})
	if b := e.Browser.Blocked(err, i.Tab); b != nil && b.Dialog != nil {
		return nil // opened by the page when it heard of the cancellation
	}
	if err != nil {
		return e.explainAt(i.Tab, err, doing)
	}
	if res.ExceptionDetails != nil {
		// The input is disabled by now, or has been taken over: the page can hear nothing.
		return api.Errorf(api.ElementUnsuitable, "%s %s: the page's file input no longer accepts an answer", doing, i.ID).
			WithHint("The page is not blocked. `interrupt answer %s <file>` still tries to set a file.", i.ID)
	}
	return nil
}

// explainAt is explain for another tab than the verb's.
func (e *Env) explainAt(tab model.TargetID, err error, doing string) error {
	if err == nil {
		return nil
	}
	at := *e
	at.Tab = tab
	return at.explain(err, doing)
}
