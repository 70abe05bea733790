package run

import (
	"context"

	"github.com/usher-browser/usher/internal/verb"
)

// Family is the commands of one package: their grammar and, by name, what carries each out.
type Family struct {
	Grammar verb.Set
	Run     map[string]Func
}

// Around wraps what carries a command out in what every command has around it: the site guard, the notices of what came up
// meanwhile, what became of the page, and the frame to work in.
func Around(v *verb.Verb, f Func) Func {
	if !v.Is(verb.Starts) && !v.Is(verb.NeedsBrowser) {
		return withoutBrowser(f)
	}
	return guarded(noting(changing(inFrame(f))))
}

// withoutBrowser is for commands that need no browser: there is no page to judge, and nothing has happened meanwhile.
func withoutBrowser(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		res, err := f(ctx, e, c)
		if e.Sites != nil {
			return Clean(res, err)
		}
		return res, err
	}
}

// inFrame finds the frame of commands that work in one.
func inFrame(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if c.Verb.Is(verb.TakesFrame) {
			if err := e.settleFrame(ctx, c); err != nil {
				return Result{}, err
			}
		}
		return f(ctx, e, c)
	}
}

// noting tells the browser context when an action begins, and the caller what came up meanwhile.
func noting(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if c.Verb.Is(verb.ChangesPage) {
			e.noteAction()
		}
		res, err := f(ctx, e, c)
		e.reportNew(&res)
		return res, err
	}
}
