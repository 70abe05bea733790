package world

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// hasKeyListener is an expression that is true if the focused element, in shadow trees too, handles keydown: by a
// listener or attribute of its own, or by a property of React, which listens at its root for all elements. Listeners
// for keyup do not count: keyup is always sent.
const hasKeyListener = `(()=>{let el=document.activeElement;for(let n=0;n<50&&el&&el.shadowRoot&&el.shadowRoot.activeElement;n++)el=el.shadowRoot.activeElement;` +
	`if(!el)return false;const types=getEventListeners(el);if("keydown"in types||"keypress"in types)return true;` +
	`for(const name in el){if(name.length>13&&name.slice(0,13)==="__reactProps$"){const props=el[name];return!!props&&(!!props.onKeyDown||!!props.onKeyPress)}}return false})()`

// handlesKeys is an expression that is true if the focused element, anything around it, the document or the window listens for
// keys, or if the browser itself handles them there.
const handlesKeys = `(()=>{let el=document.activeElement;for(let n=0;n<50&&el&&el.shadowRoot&&el.shadowRoot.activeElement;n++)el=el.shadowRoot.activeElement;` +
	`if(!el||/^(a|area|audio|button|details|embed|iframe|frame|input|object|select|summary|textarea|video)$/i.test(el.localName))return true;` +
	`const listens=at=>{const types=getEventListeners(at);return"keydown"in types||"keypress"in types||"keyup"in types};` +
	`for(let at=el,n=0;at&&n<10000;at=at.parentNode||at.host,n++)if(listens(at))return true;return listens(window)})()`

// HandlesKeys reports whether keys may have an effect where the focus is in a frame. It reads that in the page's own script
// context, so the page can forge the result. It reports true where it cannot ask: in a stealth browser, and where the page runs
// no scripts.
func (w *Worlds) HandlesKeys(ctx context.Context, frame model.FrameID) (bool, error) {
	f := w.browser.State().Frame(frame)
	if f == nil || f.MainContext == "" || w.browser.Stealth() {
		return true, nil
	}
	params := contextOf{unique: f.MainContext}.params(handlesKeys)
	params.IncludeCommandLineAPI = new(true)
	res, err := cdp.Start(w.browser.Session(f.Session), runtime.Evaluate, params).Wait(ctx)
	if err != nil {
		return true, fmt.Errorf("ask whether anything listens for keys: %w", err)
	}
	return res.ExceptionDetails != nil || res.Result == nil || string(res.Result.Value) != "false", nil
}

// KeyListener is a call in flight: whether the focused element in a frame handles keydown.
type KeyListener struct {
	pending *Sent // nil: it does not
}

// AskKeyListener starts the call and does not wait for the reply. It reads that in the page's own script context, so the
// page can forge the result. In a stealth browser it reports false, because a page could detect the call.
func (w *Worlds) AskKeyListener(frame model.FrameID) *KeyListener {
	f := w.browser.State().Frame(frame)
	if f == nil || f.MainContext == "" || w.browser.Stealth() {
		return &KeyListener{} // the page runs no scripts there
	}
	params := contextOf{unique: f.MainContext}.params(hasKeyListener)
	params.IncludeCommandLineAPI = new(true)
	return &KeyListener{cdp.Start(w.browser.Session(f.Session), runtime.Evaluate, params)}
}

// Follows reports whether the page answers it after another call in the frame, whose reply is there.
func (k *KeyListener) Follows(other *Sent) bool {
	if k.pending == nil {
		return true
	}
	position := k.pending.Position()
	return position == 0 || position > other.Position()
}

// Wait reports whether the element handles keydown.
func (k *KeyListener) Wait(ctx context.Context) (bool, error) {
	if k.pending == nil {
		return false, nil
	}
	res, err := k.pending.Wait(ctx)
	if err != nil {
		return false, fmt.Errorf("ask whether the field listens for keys: %w", err)
	}
	return res.ExceptionDetails == nil && res.Result != nil && string(res.Result.Value) == "true", nil
}
