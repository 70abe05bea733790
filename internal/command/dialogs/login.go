package dialogs

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Variables with a login, so that it need not be on a command line.
const (
	usernameVariable = "USHER_USERNAME"
	passwordVariable = "USHER_PASSWORD"
)

// maxPassword bounds what is read from standard input for one.
const maxPassword = 64 << 10

// answerWithLogin answers a login with a name and a password, or with the word dismiss. Neither is stored, shown or logged:
// Chromium caches accepted credentials for the session, by origin and realm.
func answerWithLogin(ctx context.Context, e *run.Env, i *model.Interruption, c *verb.Call) (run.Reply[*Answered], error) {
	words := c.List("answer")
	if len(words) == 1 && words[0] == "dismiss" {
		return answerLogin(ctx, e, i, "dismissed", map[string]any{"response": "CancelAuth"})
	}
	if len(words) > 0 {
		return run.Reply[*Answered]{}, wrongAnswer(e, i, strings.Join(words, " "))
	}
	username, named := flagOrVariable(e, c, "username", usernameVariable)
	password, known := flagOrVariable(e, c, "password", passwordVariable)
	if c.Bool("password-stdin") {
		raw, err := io.ReadAll(io.LimitReader(e.Stdin, maxPassword))
		if err != nil {
			return run.Reply[*Answered]{}, api.Errorf(api.InvalidArgument, "read the password from standard input: %w", err)
		}
		password, known = strings.TrimRight(string(raw), "\r\n"), true
	}
	if !named || !known {
		return run.Reply[*Answered]{}, api.Errorf(api.MissingArgument, "%s: HTTP authentication takes a user name and a password", i.ID).
			With("interruption", e.InterruptionData(i)).
			WithHint("Give --username and --password-stdin, or %s and %s in the environment; or `interrupt answer %s dismiss`.", usernameVariable, passwordVariable, i.ID)
	}
	return answerLogin(ctx, e, i, "name and password given", map[string]any{"response": "ProvideCredentials", "username": username, "password": password})
}

// flagOrVariable returns a flag's value or, failing that, the variable's.
func flagOrVariable(e *run.Env, c *verb.Call, flag, variable string) (string, bool) {
	if c.Has(flag) {
		return c.Str(flag), true
	}
	if e.Getenv == nil {
		return "", false
	}
	return e.Getenv(variable)
}

func answerLogin(ctx context.Context, e *run.Env, i *model.Interruption, outcome string, response map[string]any) (run.Reply[*Answered], error) {
	before := e.Browser.State().Tabs[i.Tab]
	err := e.Resolve(i, outcome, func() error {
		var none jsontext.Value
		err := e.Browser.Session(i.Session).Call(ctx, "Fetch.continueWithAuth", map[string]any{"requestId": i.Login.Request, "authChallengeResponse": response}, &none)
		return e.ExplainAt(i.Tab, err, "answer the login")
	})
	if err != nil {
		return run.Reply[*Answered]{}, err
	}
	res := answered(i, outcome)
	if !i.Blocks || before == nil {
		return res, nil
	}
	again, err := awaitLogin(ctx, e, before, i)
	switch {
	case err != nil:
		return run.Reply[*Answered]{}, e.ExplainAt(i.Tab, err, "wait for the page after authentication")
	case again == nil:
		awaitLeft(ctx, e, before, &res)
		return res, nil
	case again.ClosedAt.IsZero():
		e.MarkReported(again)
		return run.Reply[*Answered]{}, api.Errorf(api.LoginRefused, "the credentials were rejected; %s requests them again", again.ID).
			With("interruption", e.InterruptionData(again)).WithHint("Use `%s`.", strings.Join(e.Answers(again), "` or `"))
	}
	awaitLeft(ctx, e, before, &res)
	return run.Reply[*Answered]{}, api.Errorf(api.LoginRefused, "the credentials were rejected %d times; the page was not loaded", i.Login.Attempt).
		WithHint("Find the correct credentials, then `reload`.")
}

// awaitLogin waits until the page behind a login has loaded, or the server prompts again; then it returns the new
// login.
func awaitLogin(ctx context.Context, e *run.Env, before *model.Tab, i *model.Interruption) (again *model.Interruption, err error) {
	err = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		for _, list := range [][]*model.Interruption{s.Interrupts, s.RecentInterrupts} {
			for _, o := range list {
				if o.Login != nil && o.Session == i.Session && o.Login.Request == i.Login.Request && o.Login.Attempt > i.Login.Attempt {
					again = o
					return true, nil
				}
			}
		}
		t := s.Tabs[before.ID]
		return t != nil && (t.Commits > before.Commits || t.MainFrame().PendingURL == ""), s.TabLost(before.ID)
	})
	if errors.Is(err, run.ErrLimit) { // the server takes its time; the answer was given
		err = nil
	}
	return again, err
}

// StoppedByLogin waits for the result of a navigation that a login stopped: the browser repeats it, and then the login
// becomes an interruption, or is answered.
func StoppedByLogin(ctx context.Context, e *run.Env, before *model.Tab) bool {
	ctx, cancel := context.WithTimeout(ctx, run.NavigationLimit)
	defer cancel()
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := s.MainFrame(e.Tab)
		return f != nil && f.Loaded && f.PendingURL == "" && !strings.HasPrefix(f.URL, "chrome-error:"), s.TabLost(e.Tab)
	})
	return err == nil && e.Browser.State().Tabs[e.Tab].Commits > before.Commits
}
