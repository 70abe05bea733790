package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/glob"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// LoggedIn is the result of `auth login`.
type LoggedIn struct {
	LoggedIn bool   `json:"loggedIn"`
	Name     string `json:"name"`
	URL      string `json:"url"` // of the page that is shown then
	// Proof is how it is known: form_gone, url or text.
	Proof string `json:"proof"`
}

// form is what the page script finds of a login form: the ids of elements, 0 for one that is not shown.
type form struct {
	Username int      `json:"username"`
	Password int      `json:"password"`
	Code     int      `json:"code"`
	Submit   int      `json:"submit"`
	Alerts   []string `json:"alerts"`
	Fixed    bool     `json:"fixed"` // nothing in the document can show a form later

	frame  model.FrameID
	loader string
	origin string // of its document
}

func (f *form) shown() bool { return f.Username != 0 || f.Password != 0 || f.Code != 0 }

// asking is one login.
type asking struct {
	*run.Env
	p     *profile
	doing string

	gave     map[string]bool // the steps in which something was entered
	entered  bool            // a password or code was sent
	sentFrom string          // loader of the page from which that was
}

func login(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*LoggedIn], error) {
	var res run.Reply[*LoggedIn]
	p, err := profileOf(ctx, e, c)
	if err != nil {
		return res, err
	}
	p.override(c)
	a := &asking{Env: e, p: p, doing: "auth login " + p.Name, gave: map[string]bool{}}
	if !c.Bool("no-navigate") {
		address := p.URL
		if c.Has("url") {
			address = c.Str("url")
		}
		if err := sameSite(p.URL, address, a.doing); err != nil {
			return res, err
		}
		page, err := navigate.Navigate(ctx, e, address)
		if err != nil {
			return res, err
		}
		res.Warning = page.Warning
	}
	ctx, stop := e.GuardNavigation(ctx)
	defer stop()
	proof, err := a.run(ctx)
	if err != nil {
		return res, e.Explain(err, a.doing)
	}
	tab, err := e.CurrentTab()
	if err != nil {
		return res, err
	}
	shown := p.without(tab.URL)
	res.Data = &LoggedIn{LoggedIn: true, Name: p.Name, URL: shown, Proof: proof}
	res.Text = fmt.Sprintf("✓ Logged in as '%s'\n  %s", p.Name, shown)
	return res, nil
}

// sameSite checks that an address belongs to the site of the saved login: the same scheme or https, and the same host or
// registrable domain.
func sameSite(saved, address, doing string) error {
	a, errA := url.Parse(saved)
	b, errB := url.Parse(address)
	if errA == nil && errB == nil && (b.Scheme == a.Scheme || b.Scheme == "https") {
		siteA, errA := publicsuffix.EffectiveTLDPlusOne(a.Hostname())
		siteB, errB := publicsuffix.EffectiveTLDPlusOne(b.Hostname())
		if a.Hostname() == b.Hostname() || errA == nil && errB == nil && siteA == siteB {
			return nil
		}
	}
	return api.Errorf(api.LoginFailed, "%s: the page %s is not of the site of the saved login, %s; nothing was entered", doing, address, saved).
		WithHint("If that is where to log in, save the login with that address.")
}

// firstPoll and lastPoll are the times between two looks at the page: short after something was entered, then doubled. A
// look takes about a millisecond.
const (
	firstPoll = 5 * time.Millisecond
	lastPoll  = 60 * time.Millisecond
)

// settled is how long the form has to stay after it was sent, with no request in flight, to count as refused.
const settled = 700 * time.Millisecond

// run enters what the page asks for, step by step, until the login is proven or refused.
func (a *asking) run(ctx context.Context) (proof string, err error) {
	var since time.Time // since when the page has shown a form that was sent, with nothing in flight
	last := &form{}
	poll := firstPoll
	for {
		f, step, proof, err := a.round(ctx)
		switch {
		case errors.Is(context.Cause(ctx), run.ErrLimit):
			return "", a.unproven(last)
		case world.DocumentGone(err): // the next page is coming
			f = &form{}
		case err != nil || proof != "":
			return proof, err
		}
		last = f
		switch {
		case step || !a.entered || !f.shown() || !a.Journal.Idle(a.Tab, journal.Quiet):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) > settled:
			return "", a.refused(f)
		}
		if step {
			poll = firstPoll
		}
		timer := time.NewTimer(poll)
		poll = min(2*poll, lastPoll)
		select {
		case <-timer.C:
		case <-ctx.Done(): // the next round says why
			timer.Stop()
		}
	}
}

// round looks at the page, and enters what it asks for unless the login is proven.
func (a *asking) round(ctx context.Context) (f *form, step bool, proof string, err error) {
	if ctx.Err() != nil {
		return nil, false, "", context.Cause(ctx)
	}
	if err := a.DocumentAllowed(); err != nil {
		return nil, false, "", err
	}
	if f, err = a.look(ctx); err != nil {
		return nil, false, "", err
	}
	if proof, err = a.proven(ctx, f); err != nil || proof != "" {
		return f, false, proof, err
	}
	step, err = a.step(ctx, f)
	return f, step, "", err
}

// look returns the login form that the page shows: of the page itself, or else of a frame of the login's site. A form with
// a password is preferred. If there is none, and nothing was entered yet, a form with a password in a frame of another site
// is returned, for the error that says so.
func (a *asking) look(ctx context.Context) (*form, error) {
	tab, err := a.CurrentTab()
	if err != nil {
		return nil, err
	}
	own, err := a.lookIn(ctx, tab, tab.MainFrame())
	if err != nil || own.Password != 0 || own.Code != 0 {
		return own, err
	}
	var foreign *form
	for frame := range tab.InOrder() {
		if frame.ID == tab.Main {
			continue
		}
		f, err := a.lookIn(ctx, tab, frame)
		switch {
		case world.DocumentGone(err), errors.Is(err, world.ErrNoFrame): // it is loading, or has gone
			continue
		case err != nil:
			return nil, err
		case sameSite(a.p.URL, f.origin, "") != nil:
			if foreign == nil && f.Password != 0 && !a.entered {
				foreign = f
			}
		case f.Password != 0 || f.Code != 0:
			return f, nil
		case !own.shown() && f.shown():
			own = f
		}
		own.Alerts = append(own.Alerts, f.Alerts...)
	}
	if foreign != nil && !own.shown() {
		return foreign, nil
	}
	return own, nil
}

// lookIn returns the login form that a frame shows.
func (a *asking) lookIn(ctx context.Context, tab *model.Tab, frame *model.Frame) (*form, error) {
	text := func(s *string) string {
		if s == nil {
			return ""
		}
		return *s
	}
	f := &form{origin: tab.Origin(frame)}
	if frame.ID == tab.Main {
		f.origin = tab.URL
	}
	doc, err := a.Worlds.CallIn(ctx, frame.ID, "loginForm", map[string]string{
		"username": text(a.p.UsernameSelector), "password": text(a.p.PasswordSelector), "submit": text(a.p.SubmitSelector),
	}, f)
	f.frame, f.loader = doc.Frame, doc.Loader
	return f, err
}

// proven returns how it is known that the login worked; empty while it is not.
func (a *asking) proven(ctx context.Context, f *form) (string, error) {
	tab, err := a.CurrentTab()
	if err != nil {
		return "", err
	}
	switch {
	case !a.entered:
		return "", nil
	case a.p.CheckURL != "" && glob.Match(a.p.CheckURL, tab.URL):
		return "url", nil
	case a.p.CheckText != "":
		text, err := a.Actor(a.Tab).Text(ctx, locate.Target{By: locate.ByCSS, Value: "body", Frame: tab.Main})
		if err != nil {
			return "", err
		}
		if strings.Contains(text, a.p.CheckText) {
			return "text", nil
		}
		return "", nil
	case a.p.CheckURL != "":
		return "", nil
	case !f.shown() && tab.MainFrame().Loaded && (f.Fixed || a.Journal.Idle(a.Tab, journal.Quiet)):
		// The page with the form may have had such a status itself.
		if r := tab.Response; r.Status >= 400 && r.Loader == tab.MainFrame().Loader && r.Loader != a.sentFrom {
			return "", api.Errorf(api.LoginFailed, "%s: the form was sent, and the server answered with HTTP %d%s", a.doing, r.Status, says(f)).
				WithHint("Look at the page with `snapshot`. If that is a login that worked, --check-url or --check-text says what proves it.")
		}
		return "form_gone", nil
	}
	return "", nil
}

// step enters what the form asks for and was not entered yet, and sends it.
func (a *asking) step(ctx context.Context, f *form) (bool, error) {
	if !f.shown() {
		return false, nil
	}
	kind := "name"
	switch {
	case f.Password != 0:
		kind = "password"
	case f.Code != 0:
		kind = "code"
	}
	if a.gave[kind] { // once: repeated failures may lock the account
		return false, nil
	} else if err := sameSite(a.p.URL, f.origin, a.doing); err != nil {
		return false, err
	} else {
		a.gave[kind] = true
	}
	if f.Username != 0 && kind != "code" {
		if err := a.fill(ctx, f, f.Username, "the user name", a.p.Username); err != nil {
			return false, err
		}
	}
	last := f.Username
	switch kind {
	case "password":
		last = f.Password
		if err := a.fill(ctx, f, f.Password, "the password", a.p.Password); err != nil {
			return false, err
		}
	case "code":
		last = f.Code
		if a.p.TOTP == "" && a.p.code == "" {
			return false, api.Errorf(api.LoginFailed, "%s: the page asks for a one-time code, and the login has no secret for them", a.doing).
				WithHint("Enter the code with `fill`, or save the login again with --totp-secret.")
		}
		code, err := a.p.oneTimeCode()
		if err != nil {
			return false, api.Errorf(api.LoginFailed, "%s: make a one-time code: %w", a.doing, err)
		}
		if err := a.fill(ctx, f, f.Code, "the one-time code", code); err != nil {
			return false, err
		}
	}
	tab, err := a.CurrentTab()
	if err != nil {
		return false, err
	}
	a.entered, a.sentFrom = a.entered || kind != "name", tab.MainFrame().Loader
	return true, a.send(ctx, f, last)
}

// target addresses an element of the form; what is its name in messages.
func (f *form) target(id int, what string) locate.Target {
	return locate.Target{By: locate.ByRef, Value: what, Frame: f.frame, Loader: f.loader, ID: id, Command: "auth login"}
}

func (a *asking) fill(ctx context.Context, f *form, id int, what, text string) error {
	return a.Act(ctx, a.doing, func(ctx context.Context, actor *element.Actor) error {
		_, err := actor.Fill(ctx, f.target(id, what), text)
		return err
	})
}

// send clicks the button of the form, or presses Enter in its last field.
func (a *asking) send(ctx context.Context, f *form, last int) error {
	return a.Act(ctx, a.doing, func(ctx context.Context, actor *element.Actor) error {
		if f.Submit != 0 {
			_, err := actor.Click(ctx, f.target(f.Submit, "the button"), element.ClickOptions{})
			return err
		}
		if _, err := actor.Focus(ctx, f.target(last, "the field")); err != nil {
			return err
		}
		_, err := actor.Press(ctx, "Enter")
		return err
	})
}

func (a *asking) refused(f *form) error {
	err := api.Errorf(api.LoginFailed, "%s: the form was sent, and the page still shows it%s", a.doing, says(f))
	return err.WithHint("Check the saved user name and password; look at the page with `snapshot -i`.")
}

func (a *asking) unproven(f *form) error {
	switch {
	case !a.entered && !f.shown():
		return api.Errorf(api.LoginFailed, "%s: the page shows no login form%s", a.doing, says(f)).
			WithHint("If you are logged in already, nothing is to be done; otherwise give --username-selector and --password-selector.")
	case !a.entered:
		return api.Errorf(api.LoginFailed, "%s: the page asked for the user name, and then for no password%s", a.doing, says(f))
	}
	return api.Errorf(api.LoginFailed, "%s: the form was sent, but nothing proves that the login worked%s", a.doing, says(f)).
		WithHint("Look at the page with `snapshot -i`; --check-url or --check-text says what proves it.")
}

func says(f *form) string {
	if len(f.Alerts) == 0 {
		return ""
	}
	return "; it says " + plain.Quote(strings.Join(f.Alerts, " / "))
}
