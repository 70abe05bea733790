package world

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/chromedp/cdproto/runtime"
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Listeners is a call in flight: which elements listen for clicks and the like.
type Listeners struct {
	worlds  *Worlds
	frame   model.FrameID
	pending *cdp.Pending[runtime.EvaluateResult]
	heard   *listenersOf // of the document
	err     error
}

// listenersOf compares the listeners of a document with those read before.
type listenersOf struct {
	last     atomic.Uint64 // a hash; 0 before they were read
	changing atomic.Bool   // the last two readings differed
}

var hashSeed = maphash.MakeSeed()

func (l *listenersOf) note(encoded string) {
	now := max(1, maphash.String(hashSeed, encoded))
	before := l.last.Swap(now)
	l.changing.Store(before != 0 && before != now)
}

// Steady reports whether the listeners of this document were read before, and the last two readings were the same.
func (l *Listeners) Steady() bool {
	return l.heard != nil && l.heard.last.Load() != 0 && !l.heard.changing.Load()
}

// Unlisted is the selector of elements whose listeners are not read: controls, which are in the outline anyway,
// elements with an attribute that marks them as clickable, elements with a listener as an attribute (which Chromium
// would compile now, and report to the page if it cannot), and elements that cannot be clicked. On a page of 50,000
// buttons it makes the call 20 times cheaper (4 ms, measured on Chromium 156). The page script lists the rest by the
// same selector.
const Unlisted = `button,a[href],input,select,textarea,option,[onclick],html,head,body,script,style,link,meta,title,template,noscript,br,` +
	`[onload],[onerror],[onmouseover],[onmouseout],[onmouseenter],[onmouseleave],[onmousedown],[onmouseup],[ondblclick],[oncontextmenu],[onfocus],[onblur],[onkeydown],[onkeyup],[onkeypress],[onchange],[oninput],[onsubmit],[onscroll],[ontouchstart],[onpointerdown]`

// The listeners of elements are available only to the command line API of the browser's console (getEventListeners),
// and only those of the script context of the call. So the call runs in the page's context, and uses no function that
// the page could have replaced. The console's own $$ lists the elements; if the page has one of that name, its
// querySelectorAll does. In a stealth browser $$ is not used, and shadow roots are not searched, whose getter a page
// can replace, too. The result is the number of elements, "s" or "d" for whether shadow roots were searched, and each
// element with listeners by its index, with a letter for each kind of event: "12s:3c;7cd;". An element with listeners
// for 30 kinds or more delegates for its descendants (the root of a React application).
const (
	askListeners = `(()=>{const roots=[document];let said="",at=0;for(let r=0;r<roots.length;r++){` +
		`const all=%s;for(let i=0;i<all.length;i++,at++){const types=getEventListeners(all[i]);let kinds=0;for(const _ in types)kinds++;` +
		`if(kinds>0&&kinds<30){const letters=` + letters + `;if(letters!=="")said+=at+letters+";"}%s}}return at+"%s:"+said})()`
	letters = `("click"in types?"c":"")+("mousedown"in types?"m":"")+("pointerdown"in types?"p":"")+("touchstart"in types?"t":"")+` +
		`("mouseup"in types?"u":"")+("pointerup"in types?"v":"")+("dblclick"in types?"d":"")+("contextmenu"in types?"x":"")`
	hasOwn      = `"$$"in globalThis`
	intoShadows = `const inner=all[i].shadowRoot;if(inner)roots[roots.length]=inner`
)

// AskListeners starts the call for the present document of a frame and does not wait for the reply.
func (w *Worlds) AskListeners(ctx context.Context, frame model.FrameID) *Listeners {
	f := w.browser.State().Frame(frame)
	if f == nil || f.Session == "" {
		return &Listeners{err: fmt.Errorf("ask for listeners in frame %s: %w", frame, ErrNoFrame)}
	}
	_, wd, err := w.enter(ctx, frame)
	if err != nil {
		return &Listeners{err: err}
	}
	main := contextOf{unique: f.MainContext}
	stealth := w.browser.Stealth()
	if stealth {
		if main, err = w.mainContext(ctx, f, wd); err != nil {
			return &Listeners{err: err}
		}
	} else if f.MainContext == "" {
		return &Listeners{} // the page runs no scripts there
	}
	if w.noConsole.Load() {
		return &Listeners{worlds: w, frame: frame, heard: &wd.heard}
	}
	session, shadows, mark := w.browser.Session(f.Session), intoShadows, "s"
	if stealth {
		shadows, mark = "", "d"
	}
	list := "$$(" + elements + ",roots[r])"
	own, err := w.hasOwnDollars(ctx, session, main, wd)
	switch {
	case err != nil:
		return &Listeners{err: err}
	case own && stealth:
		return &Listeners{err: errors.New("ask for listeners: the page replaces the console's function $$")}
	case own:
		list = "roots[r].querySelectorAll(" + elements + ")"
	}
	params := main.params(fmt.Sprintf(askListeners, list, shadows, mark))
	params.IncludeCommandLineAPI = new(true)
	return &Listeners{worlds: w, frame: frame, heard: &wd.heard, pending: cdp.Start(session, runtime.Evaluate, params)}
}

const elements = `":not(` + Unlisted + `)"`

// contextOf names a script context, by its unique id or by its number.
type contextOf struct {
	unique string
	number runtime.ExecutionContextID
}

func (c contextOf) params(expression string) runtime.EvaluateParams {
	return runtime.EvaluateParams{
		Expression: expression, ContextID: c.number, UniqueContextID: c.unique, ReturnByValue: new(true), Silent: new(true),
	}
}

// hasOwnDollars reports whether the page has something named $$. It is read once for each document.
func (w *Worlds) hasOwnDollars(ctx context.Context, s *cdp.Session, main contextOf, wd *world) (bool, error) {
	switch wd.dollars.Load() {
	case noDollars:
		return false, nil
	case ownDollars:
		return true, nil
	}
	res, err := cdp.Do(ctx, s, runtime.Evaluate, main.params(hasOwn))
	if err != nil {
		return false, fmt.Errorf("ask for listeners: %w", err)
	}
	own := res.Result != nil && string(res.Result.Value) == "true"
	if own {
		wd.dollars.Store(ownDollars)
	} else {
		wd.dollars.Store(noDollars)
	}
	return own, nil
}

// The state of a page's own $$.
const (
	noDollars int32 = iota + 1
	ownDollars
)

// mainContext is MainContext, found once for each document.
func (w *Worlds) mainContext(ctx context.Context, f *model.Frame, wd *world) (contextOf, error) {
	if known := wd.main.Load(); known != 0 {
		return contextOf{number: runtime.ExecutionContextID(known)}, nil
	}
	main, err := w.MainContext(ctx, f.ID)
	if err == nil {
		wd.main.Store(int64(main))
	}
	return contextOf{number: main}, err
}

// Wait returns the encoded listeners for the page script; empty if the page runs no scripts.
func (l *Listeners) Wait(ctx context.Context) (string, error) {
	encoded, err := l.wait(ctx)
	if err == nil && l.heard != nil {
		l.heard.note(encoded)
	}
	return encoded, err
}

func (l *Listeners) wait(ctx context.Context) (string, error) {
	if l.pending == nil {
		if l.worlds == nil {
			return "", l.err
		}
		return l.fromDOM(ctx)
	}
	res, err := l.pending.Wait(ctx)
	switch {
	case err == nil && res.ExceptionDetails != nil && lacksConsole(res.ExceptionDetails):
		l.worlds.noConsole.Store(true)
		return l.fromDOM(ctx)
	case err != nil:
		return "", fmt.Errorf("ask for listeners: %w", err)
	case res.ExceptionDetails != nil:
		return "", &ScriptError{Func: "getEventListeners", Message: exceptionText(res.ExceptionDetails)}
	case res.Result == nil:
		return "", fmt.Errorf("ask for listeners: the browser sent no result")
	}
	var text string
	if err := jsonv2.Unmarshal(res.Result.Value, &text); err != nil {
		return "", fmt.Errorf("ask for listeners: the browser sent %.80s: %w", res.Result.Value, err)
	}
	return text, nil
}

// lacksConsole reports whether a call failed for want of the console's functions, which the browser gives to no extension.
func lacksConsole(x *runtime.ExceptionDetails) bool {
	text := exceptionText(x)
	return strings.HasPrefix(text, "ReferenceError: $$ is not defined") || strings.HasPrefix(text, "ReferenceError: getEventListeners is not defined")
}

func (l *Listeners) fromDOM(ctx context.Context) (string, error) {
	text, err := l.worlds.domListeners(ctx, l.frame)
	if err != nil {
		return "", fmt.Errorf("ask for listeners: %w", err)
	}
	return text, nil
}
