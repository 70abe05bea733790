package run

import (
	"context"
	"strings"

	"github.com/usher-browser/usher/internal/media/video"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// FilmJudges returns what keeps refused pages out of a recording of a tab: the allowed domains and the site guard, as far as
// the command has them. Each frame of the page is judged.
func (e *Env) FilmJudges(tab model.TargetID) map[string]video.Judge {
	judges := map[string]video.Judge{}
	film := *e
	film.Tab = tab
	each := func(judge func(context.Context, *model.Frame) error) video.Judge {
		return func(ctx context.Context, s *model.State) error {
			for f := range s.Tabs[tab].InOrder() {
				if err := judge(ctx, f); err != nil {
					return err
				}
			}
			return nil
		}
	}
	if film.Domains != nil {
		judges["domains"] = each(func(_ context.Context, f *model.Frame) error {
			if r := film.Domains.Judge(f.URL, film.Settings.Files); r != nil && strings.HasPrefix(f.URL, "http") {
				return DomainRefused(r)
			}
			return nil
		})
	}
	if film.Sites != nil {
		judges["sites"] = each(func(ctx context.Context, f *model.Frame) error {
			if r := film.Refusal(ctx, f); r != nil {
				return RefusedSite("the page "+r.URL+" is", r)
			}
			return nil
		})
	}
	return judges
}

// withJudgedRecording has the session's recording judged as the command is, also if the command is refused. What judged it
// before and does not judge the command goes on judging it.
func withJudgedRecording(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if rec := e.Background.Recording(); rec != nil {
			for name, j := range e.FilmJudges(rec.Tab) {
				rec.SetJudge(name, j)
			}
		}
		return f(ctx, e, c)
	}
}

// caption shows a command in the recording of its tab. Only the command and what it acts on are shown, not what it
// enters: that may be a password.
func (e *Env) caption(c *verb.Call) {
	rec := e.Background.Recording()
	if rec == nil || !rec.Options.Captions || rec.Tab != e.Tab {
		return
	}
	text := c.Verb.Name
	for _, arg := range c.Verb.Args {
		if (arg.Kind == verb.Selector || arg.Kind == verb.URL) && c.Has(arg.Name) {
			text += " " + c.Str(arg.Name)
		}
	}
	rec.Caption(text)
}
