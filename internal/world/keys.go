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

// HasKeyListener reports whether the focused element in a frame handles keydown. It reads that in the page's own script
// context, so the page can forge the result. In a stealth browser it returns false, because a page could detect the
// call.
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
