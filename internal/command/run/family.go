package run

import (
	"context"
	"reflect"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Family is the commands of one package: their grammar and, by name, what carries each out.
type Family struct {
	Grammar  verb.Set
	Handlers map[string]Handler
}

// Handler carries a command out.
type Handler struct {
	Run Func
	// Result is the type of the data of its results, a struct or a pointer to one. The JSON of --json, the schemas of tools and
	// docs/results.md are made from it.
	Result reflect.Type
}

// Reply is what a command found or did: data of one type, and the same in words.
type Reply[T any] struct {
	Data T
	// Text is for a person or a model, without a final line end.
	Text string
	// Warning is something the caller should know although the command succeeded.
	Warning string
	// Streamed reports whether everything was printed by Emit already.
	Streamed bool
}

// Handle makes the handler of a command whose data are of one type.
func Handle[T any](f func(context.Context, *Env, *verb.Call) (Reply[T], error)) Handler {
	return Handler{Result: reflect.TypeFor[T](), Run: func(ctx context.Context, e *Env, c *verb.Call) (Result, error) {
		r, err := f(ctx, e, c)
		if err != nil {
			return Result{}, err
		}
		return Result{Data: r.Data, Text: r.Text, Warning: r.Warning, Streamed: r.Streamed}, nil
	}}
}

// OutcomeData are the data of an action: they tell what the browser was seen to do. Structs that embed an [api.Outcome] are, by
// pointer.
type OutcomeData interface{ Seen() *api.Outcome }

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
			if err := e.resolveFrame(ctx, c); err != nil {
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
