package diff

import (
	"context"
	"fmt"
	"image"
	"net/http"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// URLs is the result of `diff url`.
type URLs struct {
	Diff URLLines `json:"diff"`
	// Screenshot compares how the pages look, with --screenshot.
	Screenshot *Screenshot `json:"screenshot,omitempty"`
	Snapshot1  string      `json:"snapshot1"` // the outline of the first page
	Snapshot2  string      `json:"snapshot2"`
	URL1       string      `json:"url1"` // as asked for
	URL2       string      `json:"url2"`
}

// URLLines is what the outlines of two pages differ in, in numbers of lines.
type URLLines struct {
	Lines
	Deletions int    `json:"deletions"` // the same as Removals
	Identical bool   `json:"identical"`
	Unified   string `json:"unified"` // the unified diff; empty if they are the same
}

// page is what is compared of one address.
type page struct {
	outline string
	picture image.Image
	warning string
	left    bool // something of it stays in the tab
}

func diffURL(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*URLs], error) {
	opening, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	tab, done, err := e.OpenBehind(opening, c.Bool("screenshot"))
	if err != nil {
		return run.Reply[*URLs]{}, e.Explain(err, "diff url")
	}
	reusable := false
	defer func() { done(reusable) }()
	first, err := visit(ctx, e, c, tab, c.Str("url1"))
	if err != nil {
		return run.Reply[*URLs]{}, err
	}
	second, err := visit(ctx, e, c, tab, c.Str("url2"))
	if err != nil {
		return run.Reply[*URLs]{}, err
	}
	reusable = !first.left && !second.left
	l, unified := compare(first.outline, second.outline)
	res := &URLs{Diff: URLLines{Lines: l, Deletions: l.Removals, Identical: !l.Changed, Unified: unified},
		Snapshot1: first.outline, Snapshot2: second.outline, URL1: c.Str("url1"), URL2: c.Str("url2")}
	text := l.text(unified, e.Settings.Compatible)
	if c.Bool("screenshot") {
		res.Screenshot, _ = comparePictures(first.picture, second.picture, c.Float("threshold"))
		text += "\n" + res.Screenshot.text(e.Settings.Compatible)
	}
	return run.Reply[*URLs]{Data: res, Text: text, Warning: api.JoinWarnings(first.warning, second.warning)}, nil
}

// visit opens an address in a tab and reads it.
func visit(ctx context.Context, e *run.Env, c *verb.Call, tab model.TargetID, url string) (p page, err error) {
	ctx, cancel := e.WithLimit(ctx, func() {})
	defer cancel()
	err = e.In(ctx, c.Verb, tab, c.Bool("screenshot"), func(e *run.Env) error {
		e.NoteAction()
		note, err := navigate.Go(ctx, e, url)
		if err != nil {
			return err
		}
		if c.Str("wait-until") == "networkidle" {
			if err := e.Journal.WaitIdle(ctx, e.Tab, journal.Quiet); err != nil {
				return e.Explain(err, "wait until the network is idle on "+url)
			}
		}
		opt := optionsOf(c)
		opt.Title = true
		shot, busy, err := look(ctx, e, c, opt)
		if err != nil {
			return err
		}
		p.outline, p.warning = shot.Text, api.JoinWarnings(note, api.JoinWarnings(busy, read.Missing(e.Browser.State(), shot)))
		if i := navigate.InterstitialAt(e, url, shot.Title); i != nil {
			p.warning = api.JoinWarnings(p.warning, url+": "+i.Message)
		}
		if t := e.Browser.State().Tabs[e.Tab]; t != nil && t.Response.Status >= http.StatusBadRequest && t.Response.Loader == t.MainFrame().Loader {
			p.warning = api.JoinWarnings(p.warning, fmt.Sprintf("%s: the server answered with HTTP %d; its error page is compared", url, t.Response.Status))
		}
		if c.Bool("screenshot") {
			p.picture, err = shoot(ctx, e, c)
		}
		p.left = !e.Forget(ctx)
		return err
	})
	return p, err
}
