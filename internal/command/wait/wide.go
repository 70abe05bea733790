package wait

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
)

// wideLook is how long a look for the text takes before the fields are looked at again.
const wideLook = 300 * time.Millisecond

// waitWide waits for a text as `wait --text` does, or until the value of a field has it, or several blocks in a row.
func waitWide(ctx context.Context, e *run.Env, text string) (run.Reply[*Waited], error) {
	end := time.Now().Add(e.Limit)
	script := wideScript(text)
	for {
		if wideShown(ctx, e, script, time.Until(end)) {
			return shown(text), nil
		}
		left := time.Until(end)
		err := lookForText(ctx, e, text, max(min(left, wideLook), time.Millisecond))
		if err == nil {
			return shown(text), nil
		}
		if ctx.Err() != nil || api.CodeOf(err) != api.Timeout || left <= wideLook {
			return run.Reply[*Waited]{}, err
		}
	}
}

// wideShown evaluates the script. A page that cannot answer does not show the text: lookForText says why.
func wideShown(ctx context.Context, e *run.Env, script string, limit time.Duration) bool {
	ctx, stop := e.Guard(ctx)
	defer stop()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, run.ErrLimit)
	defer cancel()
	tab, err := e.CurrentTab()
	if err != nil {
		return false
	}
	value, err := read.Evaluate(ctx, e, tab.Frames[e.Scope(e.Tab)], script)
	return err == nil && string(value.Value) == "true"
}

// wideScript returns an expression that is true when a text is in the value of a field, or in a block with what is in it. White space is
// compared as one space. It looks at 3,000 fields and blocks at most.
func wideScript(text string) string {
	raw, err := json.Marshal(strings.Join(strings.Fields(text), " "), jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic("wait: " + err.Error()) // it is a text
	}
	return fmt.Sprintf(wideSource, raw)
}

const wideSource = `(() => {
const wanted = %s, flat = (s) => String(s).replace(/\s+/g, " ").trim();
const shown = (el) => {
  if (!el || el.getClientRects().length === 0) return false;
  for (let at = el; at; at = at.parentElement) {
    const s = getComputedStyle(at);
    if (s.display === "none" || s.visibility === "hidden" || s.opacity === "0") return false;
  }
  return true;
};
const blocks = [...document.querySelectorAll("p,li,td,th,dd,dt,h1,h2,h3,h4,h5,h6,label,button,a,div,span")].slice(0, 3000);
if (blocks.some((el) => el.children.length < 20 && flat(el.innerText || "").includes(wanted) && shown(el))) return true;
return [...document.querySelectorAll("input,textarea,select,output")].slice(0, 3000).some((el) => flat(el.value ?? "").includes(wanted) && shown(el));
})()`
