// Package clipboard has the commands that read, write and use the browser's clipboard.
package clipboard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/browser"
	protocol "github.com/chromedp/cdproto/cdp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Family returns the commands.
func Family() run.Family {
	return run.Family{Grammar: grammar(), Handlers: map[string]run.Handler{
		"clipboard read":  run.Handle(read),
		"clipboard write": run.Handle(write),
		"clipboard copy":  chord("Control+c", func() *Copied { return &Copied{Copied: true} }),
		"clipboard paste": chord("Control+v", func() *Pasted { return &Pasted{Pasted: true} }),
	}}
}

func grammar() verb.Set {
	const group, category = verb.GroupKeys, verb.CatInteract
	const acts = verb.OnTab | verb.ChangesPage | verb.InvalidatesRefs | verb.ReportsChanges
	return verb.Set{Families: []verb.Family{{Name: "clipboard", Summary: "read, write and use the clipboard", Bare: "clipboard read"}}, Verbs: []verb.Verb{
		{Name: "clipboard read", Summary: "print the text of the clipboard",
			Help:     "A headless browser has a clipboard of its own, which all its sessions share. The page must be secure (https, localhost).",
			Examples: []string{"clipboard", "clipboard read"}, Group: group, Category: verb.CatGet, Marks: verb.OnTab},
		{Name: "clipboard write", Summary: "put text on the clipboard",
			Args:     []verb.Arg{{Name: "text", Required: true, Rest: true, Raw: true, Doc: "the text; several words are joined by spaces"}},
			Examples: []string{"clipboard write \"hello world\""}, Next: []string{"clipboard paste"}, Group: group, Category: category, Marks: verb.OnTab | verb.ChangesPage},
		{Name: "clipboard copy", Summary: "copy what is selected in the page, with Control+c",
			Examples: []string{"clipboard copy"}, Next: []string{"clipboard read"}, Group: group, Category: category, Marks: acts},
		{Name: "clipboard paste", Summary: "paste into the focused element, with Control+v",
			Examples: []string{"clipboard paste"}, Group: group, Category: category, Marks: acts},
	}}
}

// Text is the result of `clipboard read`.
type Text struct {
	Text string `json:"text"`
}

// Written is the result of `clipboard write`.
type Written struct {
	Written string `json:"written"` // the text that the clipboard has now
}

// Copied is the result of `clipboard copy`.
type Copied struct {
	Copied bool `json:"copied"`
	api.Outcome
}

// Pasted is the result of `clipboard paste`.
type Pasted struct {
	Pasted bool `json:"pasted"`
	api.Outcome
}

func read(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[Text], error) {
	text, err := access(ctx, e, "clipboard read", "readClipboard", nil)
	return run.Reply[Text]{Data: Text{text}, Text: text}, err
}

func write(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Written], error) {
	text := c.Rest("text")
	if _, err := access(ctx, e, "clipboard write", "writeClipboard", map[string]any{"text": text}); err != nil {
		return run.Reply[Written]{}, err
	}
	now, err := access(ctx, e, "clipboard write", "readClipboard", nil)
	if err == nil && now != text {
		return run.Reply[Written]{}, api.Errorf(api.ActionNotDelivered, "clipboard write: the clipboard has another text: %s", run.Quote(now))
	}
	return run.Reply[Written]{Data: Written{now}, Text: run.Done}, err
}

// permission is the one that Chromium checks for reading, and for writing without a user's gesture.
const permission = "clipboard-read"

// access calls a function of our script that uses the clipboard. The page is allowed to use it meanwhile: a headless
// browser denies it otherwise.
func access(ctx context.Context, e *run.Env, doing, function string, arg any) (text string, err error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return "", err
	}
	end, err := allow(ctx, e)
	if err != nil {
		return "", e.Explain(err, doing)
	}
	defer func() { err = errors.Join(err, end()) }()
	var res struct {
		Text   string `json:"text"`
		Secure bool   `json:"secure"`
	}
	if err := e.Worlds.Call(ctx, tab.Main, function, arg, &res); err != nil {
		var thrown *world.ScriptError
		if errors.As(err, &thrown) {
			return "", api.Errorf(api.ProtocolError, "%s: the browser refuses: %w", doing, err)
		}
		return "", e.Explain(err, doing)
	}
	if !res.Secure {
		return "", api.Errorf(api.InvalidArgument, "%s: the page %s is not secure, and only secure pages have a clipboard", doing, tab.URL).
			WithHint("Run it in a page from https or localhost: `tab new`. `clipboard copy` and `clipboard paste` work in every page.")
	}
	return res.Text, nil
}

// allow grants the permission in the session's browser context until the returned function is called, which restores what
// the session's policies say.
func allow(ctx context.Context, e *run.Env) (end func() error, err error) {
	set := func(ctx context.Context, setting browser.PermissionSetting) error {
		_, err := cdp.Do(ctx, e.Browser.Session(""), browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: permission}, Setting: setting, BrowserContextID: protocol.BrowserContextID(e.Context),
		})
		if err != nil {
			return fmt.Errorf("set the permission %s: %w", permission, err)
		}
		return nil
	}
	before, err := setting(e)
	if err != nil {
		return nil, err
	}
	if err := set(ctx, browser.PermissionSettingGranted); err != nil {
		return nil, err
	}
	return func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreLimit)
		defer cancel()
		return set(ctx, before)
	}, nil
}

// setting returns the browser's value for what the session's policies say about the permission.
func setting(e *run.Env) (browser.PermissionSetting, error) {
	var words []string
	if e.Option != nil {
		words = verb.SplitCSV(e.Option("permissions"))
	}
	policies, err := policy.ParsePermissions(words)
	if err != nil {
		return "", api.Errorf(api.Internal, "read the permission policies: %w", err)
	}
	p, decided := policies[permission]
	if !decided {
		p = policy.UsualPermission(permission)
	}
	switch p {
	case policy.PermissionAllow:
		return browser.PermissionSettingGranted, nil
	case policy.PermissionDeny:
		return browser.PermissionSettingDenied, nil
	}
	return browser.PermissionSettingPrompt, nil
}

// restoreLimit is how long restoring a permission may take.
const restoreLimit = 2 * time.Second

// chord returns the handler of a command that presses keys.
func chord[T run.OutcomeData](keys string, data func() T) run.Handler {
	return run.Handle(func(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[T], error) {
		return run.ActOn(ctx, e, c.Verb.Name, data(), func(ctx context.Context, a *element.Actor) (element.Outcome, error) {
			return a.Press(ctx, keys)
		})
	})
}
