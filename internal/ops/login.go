package ops

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Variables that give a login, so that it need not stand on a command line.
const (
	usernameVariable = "USHER_USERNAME"
	passwordVariable = "USHER_PASSWORD"
)

// maxPassword bounds what is read from standard input for one.
const maxPassword = 64 << 10

// giveLogin answers a login with a name and a password, or with the word dismiss.
// Neither is kept, shown or logged: what was accepted Chromium remembers for the
// session, by origin and realm.
func (e *Env) giveLogin(ctx context.Context, i *model.Interruption, c *verb.Call) (Result, error) {
	words := c.List("answer")
	if len(words) == 1 && words[0] == "dismiss" {
		return e.answerLogin(ctx, i, "dismissed", obj{"response": "CancelAuth"})
	}
	if len(words) > 0 {
		return Result{}, e.wrongAnswer(i, strings.Join(words, " "))
	}
	username, named := e.given(c, "username", usernameVariable)
	password, known := e.given(c, "password", passwordVariable)
	if c.Bool("password-stdin") {
		raw, err := io.ReadAll(io.LimitReader(e.Stdin, maxPassword))
		if err != nil {
			return Result{}, api.Errorf(api.InvalidArgument, "read the password from standard input: %w", err)
		}
		password, known = strings.TrimRight(string(raw), "\r\n"), true
	}
	if !named || !known {
		return Result{}, api.Errorf(api.MissingArgument, "%s: HTTP authentication takes a user name and a password", i.ID).
			With("interruption", e.InterruptionData(i)).
			WithHint("Give --username and --password-stdin, or %s and %s in the environment; or `interrupt answer %s dismiss`.", usernameVariable, passwordVariable, i.ID)
	}
	return e.answerLogin(ctx, i, "name and password given", obj{"response": "ProvideCredentials", "username": username, "password": password})
}

// given is a flag's value or, failing that, the variable's.
func (e *Env) given(c *verb.Call, flag, variable string) (string, bool) {
	if c.Has(flag) {
		return c.Str(flag), true
	}
	if e.Getenv == nil {
		return "", false
	}
	return e.Getenv(variable)
}

func (e *Env) answerLogin(ctx context.Context, i *model.Interruption, outcome string, response obj) (Result, error) {
	before := e.Browser.State().Tabs[i.Tab]
	err := e.claimed(i, outcome, func() error {
		var none jsontext.Value
		err := e.Browser.Session(i.Session).Call(ctx, "Fetch.continueWithAuth", obj{"requestId": i.Login.Request, "authChallengeResponse": response}, &none)
		return e.explainAt(i.Tab, err, "answer the login")
	})
	if err != nil {
		return Result{}, err
	}
	res := e.answered(i, outcome, nil)
	if !i.Blocks || before == nil {
		return res, nil
	}
	again, err := e.loginJudged(ctx, before, i)
	switch {
	case err != nil:
		return Result{}, e.explainAt(i.Tab, err, "wait for the page behind the login")
	case again == nil:
		e.left(ctx, before, &res)
		return res, nil
	case again.ClosedAt.IsZero():
		e.told(again)
		return Result{}, api.Errorf(api.LoginRefused, "the credentials were rejected; %s requests them again", again.ID).
			With("interruption", e.InterruptionData(again)).WithHint("Use `%s`.", strings.Join(answers(again), "` or `"))
	}
	e.left(ctx, before, &res)
	return Result{}, api.Errorf(api.LoginRefused, "the credentials were rejected %d times; the page was not loaded", i.Login.Attempt).
		WithHint("Get the right ones, then `reload`.")
}

// loginJudged waits until the page behind a login comes, or the login is asked for
// again, which it returns.
func (e *Env) loginJudged(ctx context.Context, before *model.Tab, i *model.Interruption) (again *model.Interruption, err error) {
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
		return t != nil && (t.Commits > before.Commits || t.MainFrame().Going == ""), lost(s, before.ID)
	})
	if errors.Is(err, errLimit) { // the server takes its time; the answer was given
		err = nil
	}
	return again, err
}

// stoppedByLogin waits for what becomes of a navigation that a login stopped: the
// browser tries it again, and then the login is asked for, or known already.
func (e *Env) stoppedByLogin(ctx context.Context, before *model.Tab) bool {
	ctx, cancel := context.WithTimeout(ctx, settleLimit)
	defer cancel()
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := mainFrame(s, e.Tab)
		return f != nil && f.Loaded && f.Going == "" && !strings.HasPrefix(f.URL, "chrome-error:"), lost(s, e.Tab)
	})
	return err == nil && e.Browser.State().Tabs[e.Tab].Commits > before.Commits
}
