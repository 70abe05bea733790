package run

import (
	"context"
	"reflect"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Family is the commands of one package: their grammar and, by name, their handlers.
type Family struct {
	Grammar  verb.Set
	Handlers map[string]Handler
}

// Handler implements a command.
type Handler struct {
	Run Func
	// Result is the type of the data of its results, a struct or a pointer to one. The JSON of --json, the schemas of
	// tools and docs/results.md are generated from it.
	Result reflect.Type
}

// Reply is the result of a command: data of one type, and the same as text.
type Reply[T any] struct {
	Data T
	// Text is for a person or a model, without a final line end.
	Text string
	// Warning is a problem that did not make the command fail.
	Warning string
	// Streamed reports whether Emit has printed everything already.
	Streamed bool
	// Bare reports whether agent-browser prints Data without an envelope round it.
	Bare bool
}

// Handle returns the handler of a command with results of one type.
func Handle[T any](f func(context.Context, *Env, *verb.Call) (Reply[T], error)) Handler {
	return Handler{Result: reflect.TypeFor[T](), Run: func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		r, err := f(ctx, e, c)
		if err != nil {
			return Result{}, err
		}
		return Result{Data: r.Data, Text: r.Text, Warning: r.Warning, Streamed: r.Streamed, Bare: r.Bare}, nil
	}}
}

// OutcomeData is the data of an action, with what the browser reported. A pointer to a struct that embeds an
// [api.Outcome] implements it.
type OutcomeData interface{ Base() *api.Outcome }

// Around wraps the function of a command in what every command has around it: the site guard, the notices of new
// interruptions, the changes of the page, and the frame to work in.
func Around(v *verb.Verb, f Func) Func {
	if !v.Is(verb.Starts) && !v.Is(verb.NeedsBrowser) {
		return withoutBrowser(f)
	}
	if !v.Is(verb.OpensBehind) {
		f = withoutSpare(f)
	}
	return withJudgedRecording(withSiteGuard(withAllowedDomains(withInterruptions(withDevTools(withChanges(withFrame(f)))))))
}

// withoutBrowser is for commands that need no browser: there is no page to judge, and nothing has happened meanwhile.
func withoutBrowser(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		res, err := f(ctx, e, c)
		if e.Sites != nil {
			return Redact(res, err)
		}
		return res, err
	}
}

// withoutSpare closes the tab that an earlier command has kept for another of its kind.
func withoutSpare(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		e.CloseSpare(ctx)
		return f(ctx, e, c)
	}
}

// withFrame finds the frame of commands that work in one.
func withFrame(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if c.Verb.Is(verb.TakesFrame) {
			if err := e.resolveFrame(ctx, c); err != nil {
				return Result{}, err
			}
		}
		return f(ctx, e, c)
	}
}

// withInterruptions records in the browser context when an action begins, and adds new interruptions to the result.
func withInterruptions(f Func) Func {
	return func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		if c.Verb.Is(verb.ChangesPage) {
			e.NoteAction()
			e.caption(c)
		}
		res, err := f(ctx, e, c)
		e.reportNew(&res)
		res.Origin = e.Origin()
		return res, err
	}
}
