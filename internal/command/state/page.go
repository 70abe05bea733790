package state

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/pagescript"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// evaluate calls a function of the script in a script context, 0 for that of an own page.
func evaluate(ctx context.Context, s *cdp.Session, in runtime.ExecutionContextID, fn string, args, result any) error {
	text, err := pagescript.CallStorage(fn, args)
	if err != nil {
		return err
	}
	res, err := cdp.Do(ctx, s, runtime.Evaluate, runtime.EvaluateParams{
		Expression: text, ContextID: in, ReturnByValue: new(true), AwaitPromise: new(true), Silent: new(true),
	})
	switch {
	case err != nil:
		return err
	case res.ExceptionDetails != nil:
		return &refusedError{exception(res.ExceptionDetails)}
	case res.Result == nil:
		return fmt.Errorf("storage %s: the browser sent no result", fn)
	}
	if err := jsonv2.Unmarshal([]byte(res.Result.Value), result, lenient()); err != nil {
		return fmt.Errorf("storage %s: read the result: %w", fn, err)
	}
	return nil
}

// refusedError is an exception that the browser threw: the quota is used up, or the document has no storage.
type refusedError struct{ text string }

func (e *refusedError) Error() string { return e.text }

func exception(d *runtime.ExceptionDetails) string {
	if d.Exception == nil || d.Exception.Description == "" {
		return d.Text
	}
	first, _, _ := strings.Cut(d.Exception.Description, "\n")
	return first
}

// inFrame calls a function of the script in the isolated world of a frame.
func inFrame(ctx context.Context, e *run.Env, frame model.FrameID, fn string, args, result any) error {
	session, in, err := e.Worlds.Context(ctx, frame)
	if err != nil {
		return err
	}
	return evaluate(ctx, session, in, fn, args, result)
}

// ownPage is an empty page in the background that is opened when it is needed first.
type ownPage struct {
	work *run.BrowserContext
	page interface {
		Open(context.Context, string) error
		Close()
	}
	session *cdp.Session
}

// call calls a function of the script in an empty page of an origin.
func (p *ownPage) call(ctx context.Context, origin, fn string, args, result any) error {
	if p.page == nil {
		page, err := p.work.Browser.OwnPage(ctx, p.work.Context)
		if err != nil {
			return err
		}
		p.page, p.session = page, page.Session
	}
	if err := p.page.Open(ctx, origin); err != nil {
		return err
	}
	var at struct {
		Origin  string `json:"origin"`
		Refused string `json:"refused"`
	}
	if err := evaluate(ctx, p.session, 0, "origin", nil, &at); err != nil {
		return err
	}
	if at.Origin != origin || at.Refused != "" {
		return fmt.Errorf("the browser gives a page of %s the origin %s %s", origin, at.Origin, at.Refused)
	}
	return evaluate(ctx, p.session, 0, fn, args, result)
}

func (p *ownPage) close() {
	if p.page != nil {
		p.page.Close()
	}
}

// noStorage returns the error of a document that has no storage, or is refused it.
func noStorage(doing string, err error) *api.Error {
	return api.Errorf(api.StorageUnavailable, "%s: the browser refused: %w", doing, err)
}

// number returns a number and a noun in the right form.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if stem, ok := strings.CutSuffix(noun, "y"); ok {
		noun = stem + "ie"
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
