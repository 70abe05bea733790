package world

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// askField is an expression about the focused element, in shadow trees too. "k" is in its value if that handles keydown: by a listener
// or attribute of its own, or by a property of React, which listens at its root for all elements. Listeners for keyup do not count:
// keyup is always sent. "a" is in it if the element, or what is around it in the document, listens for what a fill causes.
const askField = `(()=>{let el=document.activeElement;for(let n=0;n<50&&el&&el.shadowRoot&&el.shadowRoot.activeElement;n++)el=el.shadowRoot.activeElement;` +
	`if(!el)return"";const own=getEventListeners(el);let keys="keydown"in own||"keypress"in own,around=false;` +
	`for(const name of Object.keys(el)){if(name.slice(0,7)!=="__react")continue;around=true;` +
	`const props=el[name];if(name.slice(0,13)==="__reactProps$"&&props&&(props.onKeyDown||props.onKeyPress))keys=true}` +
	`const types=["input","beforeinput","textInput","keyup","change","focus","focusin","focusout","blur","select","selectionchange"];` +
	`for(let at=el,n=0;at&&at!==document&&!around&&n<10000;at=at.parentNode||at.host,n++){const on=getEventListeners(at);around=types.some(type=>type in on)}` +
	`return(keys?"k":"")+(around?"a":"")})()`

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

// FieldListeners are what listens to a field that has the focus.
type FieldListeners struct {
	// Keys reports whether the field itself handles keydown.
	Keys bool
	// Around reports whether the field, or an element around it, listens for events that filling it causes, so that the page may
	// change the value once more. Listeners of the document and the window do not count: they are mostly for shortcuts and records.
	Around bool
}

// AskedField is a call in flight: what listens to the focused element in a frame.
type AskedField struct {
	pending *Sent // nil: it cannot be asked
	runs    bool  // the page runs scripts
}

// AskField starts the call and does not wait for the reply. It reads that in the page's own script context, so the page can forge
// the result. A stealth browser does not ask, because a page could detect the call.
func (w *Worlds) AskField(frame model.FrameID) *AskedField {
	f := w.browser.State().Frame(frame)
	if f == nil || f.MainContext == "" {
		return &AskedField{}
	}
	if w.browser.Stealth() {
		return &AskedField{runs: true}
	}
	params := contextOf{unique: f.MainContext}.params(askField)
	params.IncludeCommandLineAPI = new(true)
	return &AskedField{cdp.Start(w.browser.Session(f.Session), runtime.Evaluate, params), true}
}

// Follows reports whether the page answers it after another call in the frame, whose reply is there.
func (k *AskedField) Follows(other *Sent) bool {
	if k.pending == nil {
		return true
	}
	position := k.pending.Position()
	return position == 0 || position > other.Position()
}

// Asked reports whether the page was asked.
func (k *AskedField) Asked() bool { return k.pending != nil }

// Wait returns what listens. Where the page cannot be asked, that is no key listener.
func (k *AskedField) Wait(ctx context.Context) (FieldListeners, error) {
	if k.pending == nil {
		return FieldListeners{Around: k.runs}, nil
	}
	res, err := k.pending.Wait(ctx)
	if err != nil {
		return FieldListeners{}, fmt.Errorf("ask what listens to the field: %w", err)
	}
	if res.ExceptionDetails != nil || res.Result == nil {
		return FieldListeners{Around: true}, nil // the page has broken what the expression uses
	}
	marks := string(res.Result.Value) // a JSON string
	return FieldListeners{Keys: strings.Contains(marks, "k"), Around: strings.Contains(marks, "a")}, nil
}
