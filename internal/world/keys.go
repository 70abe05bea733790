package world

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/runtime"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// hasKeyListener says whether the element with the focus, in shadow trees too, listens for keys that go down: by a listener or
// attribute of its own, or by a property of React, which listens at its root for all. Keys that come up are heard of anyway.
const hasKeyListener = `(()=>{let el=document.activeElement;for(let n=0;n<50&&el&&el.shadowRoot&&el.shadowRoot.activeElement;n++)el=el.shadowRoot.activeElement;` +
	`if(!el)return false;const types=getEventListeners(el);if("keydown"in types||"keypress"in types)return true;` +
	`for(const name in el){if(name.length>13&&name.slice(0,13)==="__reactProps$"){const props=el[name];return!!props&&(!!props.onKeyDown||!!props.onKeyPress)}}return false})()`

// HearsKeys says whether the element with the focus in a frame does something when keys go down. Only the page's own script
// context knows, so what it says is the page's word. A stealth browser does not ask: a page could notice.
func (w *Worlds) HasKeyListener(ctx context.Context, frame model.FrameID) (bool, error) {
	f := w.browser.State().Frame(frame)
	if f == nil || f.MainContext == "" || w.browser.Stealth() {
		return false, nil // the page runs no scripts there
	}
	params := contextOf{unique: f.MainContext}.params(hasKeyListener)
	params.IncludeCommandLineAPI = new(true)
	res, err := cdp.Do(ctx, w.browser.Session(f.Session), runtime.Evaluate, params)
	if err != nil {
		return false, fmt.Errorf("ask whether the field listens for keys: %w", err)
	}
	return res.ExceptionDetails == nil && res.Result != nil && string(res.Result.Value) == "true", nil
}
