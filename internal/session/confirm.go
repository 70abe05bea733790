package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/gate"
	"github.com/usher-browser/usher/internal/session/results"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// held is a command that waits for a confirmation: the exact call, and the document for which it was asked.
type held struct {
	session *Session
	cmd     Command
	tab     model.TargetID
	loader  string // of the tab's document; empty for a command without a page
}

// gated applies the action policy to a command. done is true if the command is not to be run now.
func (s *Session) gated(cmd Command) (res run.Result, done bool, err error) {
	h, _ := s.browserContext()
	uses := append(s.caller(cmd).PluginUses(cmd.Call, h != nil && !h.Dead()), s.flagUses(cmd)...)
	decision, rule := s.gate.Decide(cmd.Call, uses...)
	name := cmd.Call.Verb.Name
	switch {
	case decision == gate.Deny:
		return res, true, api.Errorf(api.ActionDenied, "Action '%s' denied by policy: %s", name, rule).With("action", name)
	case decision == gate.Allow || cmd.confirmed:
		return res, false, nil
	}
	if cmd.Settings.Bool("confirm-interactive") {
		err := gate.Ask(cmd.Call, cmd.Ask)
		return res, err != nil, err
	}
	res, err = s.hold(cmd, rule)
	return res, true, err
}

// noOutline returns why commands that are allowed themselves leave the outline of the page out; empty if they need not. What is to be
// confirmed is left out, too: nobody is asked in the middle of a command.
func (s *Session) noOutline() string {
	decision, rule := s.gate.DecideAct(s.reg.opts.Table.Act("snapshot"))
	switch decision {
	case gate.Deny:
		return "Action 'snapshot' denied by policy: " + rule
	case gate.Confirm:
		return "Action 'snapshot' needs a confirmation: " + rule
	}
	return ""
}

// flagUses returns what global flags on the command line do besides the command: those with a script or a program run it,
// those that name a browser or a profile
// bring its logins, and --on-dialog answers dialogs. So do the settings of a file that --config names. The same settings in the environment,
// in other files and on the command line of a server are the person's.
func (s *Session) flagUses(cmd Command) []verb.Act {
	onLine := func(name string) bool { return cmd.Call.Globals.Has(name) && !slices.Contains(cmd.Preset, name) }
	given := func(f verb.Flag) []string {
		switch values := cmd.Settings.List(f.Name); {
		case f.Default != "" && slices.Equal(values, []string{f.Default}):
			return nil
		case onLine(f.Name), cmd.Settings.From(f.Name) == config.NamedFile && onLine("config"):
			return values
		}
		return nil
	}
	var uses []verb.Act
	for _, f := range verb.GlobalFlags() {
		switch values := given(f); {
		case len(values) == 0:
		case f.Runs != "":
			uses = append(uses, s.reg.opts.Table.Act(f.Runs))
		case f.Name == "args" && browserhost.RunsPrograms(values):
			uses = append(uses, s.reg.opts.Table.Act("cdp"))
		}
	}
	return uses
}

// hold keeps a command until it is confirmed.
func (s *Session) hold(cmd Command, rule string) (run.Result, error) {
	name := cmd.Call.Verb.Name
	if cmd.Call.TakesStdin() { // the caller's input ends with this call
		text, err := io.ReadAll(cmd.Stdin)
		if err != nil {
			return run.Result{}, api.Errorf(api.InvalidArgument, "%s: read standard input: %w", name, err)
		}
		cmd.Stdin = bytes.NewReader(text)
	} else {
		cmd.Stdin = strings.NewReader("")
	}
	cmd.Progress, cmd.Emit = nil, nil
	h := held{session: s, cmd: cmd}
	h.tab, h.loader = s.document(cmd)
	id := s.reg.held.Add(h)
	if cmd.Settings.Mode == verb.AgentBrowser {
		const program = "agent-browser"
		return run.Result{Own: true, Data: &results.NeedsConfirmation{Action: name, ConfirmationID: id, ConfirmationRequired: true},
			Text: fmt.Sprintf("Confirmation required:\n  %s\n  Run: %s confirm %s\n  Or:  %s deny %s", name, program, id, program, id)}, nil
	}
	return run.Result{}, api.Errorf(api.ConfirmationRequired, "Confirmation required: %s (%s)", cmd.Call, rule).
		With("action", name).With("confirmationId", id).
		WithHint("Nothing was done. Within a minute the person you work for may run it with `usher confirm %s`, or refuse it with `usher deny %s`.", id, id)
}

// document returns the tab that a command works in, and which document that shows; empty for a command without a page.
func (s *Session) document(cmd Command) (model.TargetID, string) {
	_, work := s.browserContext()
	if work == nil || !cmd.Call.Verb.Is(verb.NeedsBrowser) {
		return "", ""
	}
	tab, ok := work.Active()
	if cmd.Tab != "" {
		if t, err := (&run.Env{BrowserContext: work}).FindTab(cmd.Tab); err == nil {
			tab, ok = t.ID, true
		}
	}
	if !ok {
		return "", ""
	}
	f := work.Browser.State().MainFrame(tab)
	if f == nil {
		return tab, ""
	}
	return tab, f.Loader
}

// release returns a command that waits for a confirmation in this session.
func (s *Session) release(cmd Command) (held, string, error) {
	id := cmd.Call.Str("id")
	h, ok := s.reg.held.Take(id, func(h held) bool { return h.session.key == s.key })
	if !ok {
		return held{}, id, api.Errorf(api.NoConfirmation, "No pending confirmation").With("id", id).
			WithHint("An id is valid once, for a minute, in the session of its command. This is session %s; --session names another. If it is over, request the command again.", s.name)
	}
	return h, id, nil
}

func (s *Session) confirmVerb(ctx context.Context, cmd Command) (run.Result, error) {
	h, id, err := s.release(cmd)
	if err != nil {
		return run.Result{}, err
	}
	name := h.cmd.Call.Verb.Name
	if tab, loader := s.document(h.cmd); tab != h.tab || loader != h.loader {
		return run.Result{}, api.Errorf(api.NoConfirmation, "confirm %s: the page has changed since %q was requested; nothing was done", id, h.cmd.Call.String()).
			WithHint("Request the command again, on the page that is shown now.")
	}
	h.cmd.confirmed, h.cmd.Progress = true, cmd.Progress
	res, err := s.run(ctx, h.cmd)
	if err != nil {
		return run.Result{}, err
	}
	res.Data = &results.Confirmed{Action: name, Confirmed: true, Result: results.ConfirmedResult{ID: id, Success: true, Data: res.Data}}
	return res, nil
}

func (s *Session) denyVerb(_ context.Context, cmd Command) (run.Result, error) {
	h, _, err := s.release(cmd)
	if err != nil {
		return run.Result{}, err
	}
	return run.Result{Data: &results.Denied{Action: h.cmd.Call.Verb.Name, Denied: true}, Text: "✓ Action denied"}, nil
}
