package dialogs

import (
	"context"
	"slices"
	"strings"

	protocol "github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/upload"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// interruptAnswer answers an interruption of any kind.
func interruptAnswer(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Answered], error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	id, words := c.Str("id"), c.List("answer")
	s := e.Browser.State()
	i, open := s.Interruption(id)
	if i == nil || !e.OwnsInterruption(s, i) {
		return run.Reply[*Answered]{}, e.NoInterruption(&supervisor.NoInterruptionError{ID: id})
	}
	if !open {
		return run.Reply[*Answered]{}, e.NoInterruption(&supervisor.NoInterruptionError{ID: id, Over: i})
	}
	e.MarkReported(i)
	if i.Login == nil && (c.Has("username") || c.Has("password") || c.Bool("password-stdin")) {
		return run.Reply[*Answered]{}, wrongAnswer(e, i, "--username and --password")
	}
	switch {
	case i.Dialog != nil:
		return answerByWord(ctx, e, i, words)
	case i.Notice || i.Kind == model.KindUnresponsive:
		return acknowledge(e, i, words)
	case i.Chooser != nil:
		return answerChooser(ctx, e, i, words)
	case i.Login != nil:
		return answerWithLogin(ctx, e, i, c)
	case i.Permission != "":
		return answerPermission(ctx, e, i, words)
	}
	return run.Reply[*Answered]{}, wrongAnswer(e, i, strings.Join(words, " "))
}

// wrongAnswer refuses an answer of another kind than the interruption takes.
func wrongAnswer(e *run.Env, i *model.Interruption, given string) error {
	if given == "" {
		given = "nothing"
	}
	return api.Errorf(api.InvalidArgument, "%s is a %s and takes no answer like %q", i.ID, i.Kind, given).
		With("interruption", e.InterruptionData(i)).WithHint("Use `%s`.", strings.Join(e.Answers(i), "` or `"))
}

// acknowledge ends a notice.
func acknowledge(e *run.Env, i *model.Interruption, words []string) (run.Reply[*Answered], error) {
	if len(words) > 1 || len(words) == 1 && !slices.Contains([]string{"ok", "accept", "dismiss"}, words[0]) {
		return run.Reply[*Answered]{}, wrongAnswer(e, i, strings.Join(words, " "))
	}
	const outcome = "acknowledged"
	if err := e.Resolve(i, outcome, func() error { return nil }); err != nil {
		return run.Reply[*Answered]{}, err
	}
	return answered(i, outcome), nil
}

// answerByWord answers a dialog with accept or dismiss.
func answerByWord(ctx context.Context, e *run.Env, i *model.Interruption, words []string) (run.Reply[*Answered], error) {
	switch {
	case len(words) > 0 && words[0] == "accept":
		return answerDialog(ctx, e, i.Dialog, true, strings.Join(words[1:], " "))
	case len(words) == 1 && words[0] == "dismiss":
		return answerDialog(ctx, e, i.Dialog, false, "")
	}
	return run.Reply[*Answered]{}, wrongAnswer(e, i, strings.Join(words, " "))
}

// answerChooser answers a file chooser with files, or with the word dismiss.
func answerChooser(ctx context.Context, e *run.Env, i *model.Interruption, words []string) (run.Reply[*Answered], error) {
	if len(words) == 0 {
		return run.Reply[*Answered]{}, wrongAnswer(e, i, "")
	}
	if len(words) == 1 && words[0] == "dismiss" {
		const outcome = "dismissed"
		if err := e.Resolve(i, outcome, func() error { return cancelChooser(ctx, e, i) }); err != nil {
			return run.Reply[*Answered]{}, err
		}
		return answered(i, outcome), nil
	}
	if slices.Contains(answerWords, words[0]) { // no policy has judged them as files
		return run.Reply[*Answered]{}, wrongAnswer(e, i, strings.Join(words, " "))
	}
	paths, err := upload.Uploads(ctx, e, words)
	if err != nil {
		return run.Reply[*Answered]{}, e.ExplainAt(i.Tab, err, "give files to "+i.ID)
	}
	if err := upload.CheckChooser(ctx, e, i, paths); err != nil {
		return run.Reply[*Answered]{}, err
	}
	outcome := run.Plural(len(paths), "file") + " given"
	if err := e.Resolve(i, outcome, func() error { return upload.SetFiles(ctx, e, i, paths) }); err != nil {
		return run.Reply[*Answered]{}, err
	}
	res := answered(i, outcome)
	res.Data.Files = paths
	return res, nil
}

// answered returns the result of an interruption that is over.
func answered(i *model.Interruption, outcome string) run.Reply[*Answered] {
	return run.Reply[*Answered]{Data: &Answered{Answered: true, ID: i.ID, Kind: string(i.Kind), How: outcome}, Text: run.Done + " (" + outcome + ")"}
}

// cancelChooser reports to the page that the user chose no file. A chooser that was intercepted cannot be cancelled any
// more; one that opens while Chromium is set to cancel them fires a trusted cancel event. So it is opened once more, by
// showPicker, which fires no other event (measured on Chromium 156).
func cancelChooser(ctx context.Context, e *run.Env, i *model.Interruption) error {
	ctx, stop := e.Browser.Guard(ctx, i.Tab)
	defer stop()
	const doing = "cancel the file chooser"
	s, world, err := e.Worlds.Context(ctx, i.Frame)
	if err != nil {
		return e.ExplainAt(i.Tab, err, doing)
	}
	got, err := cdp.Do(ctx, s, dom.ResolveNode, dom.ResolveNodeParams{
		BackendNodeID: protocol.BackendNodeID(i.Chooser.Node), ExecutionContextID: world})
	if err != nil || got.Object == nil {
		return e.ExplainAt(i.Tab, err, doing)
	}
	defer s.Post("Runtime.releaseObject", map[string]any{"objectId": got.Object.ObjectID}, nil)
	over := e.Browser.CancelChoosers(i.Session)
	defer over()
	res, err := cdp.Do(ctx, s, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: upload.ShowPicker, ObjectID: got.Object.ObjectID, UserGesture: new(true), Silent: new(true)})
	if b := e.Browser.Blocked(err, i.Tab); b != nil && b.Dialog != nil {
		return nil // opened by the page's handler of the cancellation
	}
	if err != nil {
		return e.ExplainAt(i.Tab, err, doing)
	}
	if res.ExceptionDetails != nil {
		// The input is disabled by now, or was intercepted again: the page gets no event.
		return api.Errorf(api.ElementUnsuitable, "%s %s: the page's file input no longer accepts an answer", doing, i.ID).
			WithHint("The page is not blocked. `interrupt answer %s <file>` still tries to set a file.", i.ID)
	}
	return nil
}
