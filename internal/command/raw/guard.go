package raw

import (
	"context"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Raw CDP calls under the site guard. The protocol gives access to every file, page and program of the user, so only
// calls that are known to stay within the session are sent (schema.Allowed), and of those:
//
//	parameters   only those that are listed, encoded again as they were parsed; what they refer to is judged, at any depth
//	before       the frame of the call, or every frame of the tab, by the method's scope
//	call         a script is bound to the document that was judged
//	after        every document that the tab's frames have shown meanwhile
//	result       other sessions' targets, titles and cookies of refused sites are removed

// restricted reports whether raw CDP calls are under these rules.
func restricted(e *run.Env) bool { return e.Sites != nil && !e.Settings.RawCDP }

// admit judges a raw CDP call before it is sent.
func admit(ctx context.Context, e *run.Env, call *rawCall) error {
	if e.Sites == nil {
		return nil
	}
	if !restricted(e) {
		return judgeCall(ctx, e, call)
	}
	rule := schema.Allowed(call.method)
	switch {
	case rule == nil && call.known == nil && !schema.HasHint(call.method):
		return methodMissing(call)
	case rule == nil:
		return methodRefused(call.method, "", "it can reach beyond what the site guard checks", schema.Hint(call.method))
	case call.whole && !rule.Browser:
		return methodRefused(call.method, "", "the site guard allows it for a tab, not for the browser", "Leave --browser-target out.")
	}
	call.rule = rule
	if err := judgeParams(ctx, e, call); err != nil {
		return err
	}
	return judgeScope(ctx, e, call)
}

func methodRefused(method, param, why, next string) error {
	err := api.Errorf(api.MethodRefused, "cdp %s: %s; nothing was sent", method, why).With("method", method)
	if param != "" {
		err.With("parameter", param)
	}
	if next == "" {
		next = "The person you work for can call it in their own shell, without --site-guard."
	}
	return err.WithHint("%s", next)
}

// judgeScope judges the frames that a call is about.
func judgeScope(ctx context.Context, e *run.Env, call *rawCall) error {
	if call.tab == nil || call.rule.Scope == schema.ScopeFree {
		return nil
	}
	f := call.frame
	if f == nil {
		f = call.tab.MainFrame()
	}
	if f != nil {
		if r := e.Refusal(ctx, f); r != nil {
			return run.RefusedSite("cdp "+call.method+": the page in the tab, "+r.URL+", is", r).WithHint("Allowed there: %s.", strings.Join(freeMethods[:], ", "))
		}
	}
	if call.rule.Scope != schema.ScopePage {
		return nil
	}
	if t := e.Browser.State().Tabs[call.tab.ID]; t != nil {
		return judgeFrames(ctx, e, call, t)
	}
	return nil
}

// judgeFrames refuses a tab with a frame that is refused.
func judgeFrames(ctx context.Context, e *run.Env, call *rawCall, t *model.Tab) error {
	for f := range t.InOrder() {
		if r := e.Refusal(ctx, f); r != nil {
			return run.RefusedSite("cdp "+call.method+" could return content of every frame of the page, and the frame "+r.URL+" is", r).With("frameId", string(f.ID)).
				WithHint("`snapshot` shows the page without that frame; Runtime.evaluate works in the page and in every allowed frame.")
		}
	}
	return nil
}

// judgeCallAfter judges what the tab's frames have shown while a call was under way.
func judgeCallAfter(ctx context.Context, e *run.Env, call *rawCall, since uint64) error {
	if !restricted(e) || call.tab == nil || call.rule.Scope == schema.ScopeFree {
		return nil
	}
	const all = 1 << 20
	changes, lost := e.Browser.Stream(e.Context).After(since, all)
	if lost > 0 {
		return methodRefused(call.method, "", "too many events to know which pages the tab showed during the call, so the result is withheld", "Call it again.")
	}
	for i := range changes {
		c := &changes[i]
		shown := c.Kind == model.TabNavigated || c.Kind == model.FrameNavigated && call.rule.Scope == schema.ScopePage
		if !shown || c.Tab != call.tab.ID {
			continue
		}
		if r := e.Sites.Loaded(ctx, c.URL); r != nil {
			return run.RefusedSite("cdp "+call.method+": during the call the tab showed "+r.URL+", which is", r)
		}
	}
	t := e.Browser.State().Tabs[call.tab.ID]
	if t == nil || call.rule.Scope != schema.ScopePage {
		return nil
	}
	return judgeFrames(ctx, e, call, t)
}

// bind makes a script run in the document that was judged, and in no other that replaces it.
func bind(ctx context.Context, e *run.Env, call *rawCall) error {
	if !restricted(e) || call.tab == nil || call.rule.Scope != schema.ScopeScript {
		return nil
	}
	if given, err := hasParam(call, schema.Context, schema.UniqueContext, schema.RemoteObject); err != nil || given {
		return err // and it was judged with the parameters
	}
	id := call.tab.Main
	if call.frame != nil {
		id = call.frame.ID
	}
	f := e.Browser.State().Frame(id)
	if f == nil {
		return api.Errorf(api.FrameDetached, "cdp %s: the frame is gone from the page", call.method).With("frameId", string(id))
	}
	in, err := contextOf(ctx, e, f)
	if err != nil {
		return err
	}
	if call.frame != nil {
		call.frame = in
	}
	call.bound = true
	if in.MainContext != "" {
		return setParam(call, schema.UniqueContext, in.MainContext)
	}
	return setParam(call, schema.Context, in.ContextNumber)
}

// contextOf finds the script context of a frame's document, and judges that document.
func contextOf(ctx context.Context, e *run.Env, f *model.Frame) (*model.Frame, error) {
	id := f.ID
	in, err := read.WithContext(ctx, e, f)
	if err != nil {
		return nil, err
	}
	if in.MainContext == "" && in.ContextNumber == 0 || in.OOPIF && in.MainContext == "" && !e.Browser.Stealth() {
		in, err = awaitContext(ctx, e, id)
		if err != nil {
			return nil, err
		}
	}
	now := e.Browser.State().Frame(id) // a call's reply comes after every event before it
	if now == nil || now.Loader != in.Loader {
		return nil, api.Errorf(api.FrameDetached, "the page navigated away during the call; nothing was done").With("frameId", string(id))
	}
	return in, e.GateFrame(ctx, now)
}

// awaitContext waits until the script context of a frame in a process of its own is known.
func awaitContext(ctx context.Context, e *run.Env, id model.FrameID) (*model.Frame, error) {
	wait, cancel := context.WithTimeoutCause(ctx, read.ContextLimit, read.ErrNoContext)
	defer cancel()
	var f *model.Frame
	err := e.Browser.Wait(wait, func(s *model.State) (bool, error) {
		f = s.Frame(id)
		return f == nil || f.MainContext != "", s.TabLost(e.Tab)
	})
	switch {
	case err != nil:
		return nil, e.Explain(err, "enter frame "+string(id))
	case f == nil:
		return nil, api.Errorf(api.FrameDetached, "the frame is gone from the page").With("frameId", string(id))
	}
	return f, nil
}

// judgeParams lets only listed parameters through and judges what they name. They are written anew from what was read, so
// that what is sent is what was judged.
func judgeParams(ctx context.Context, e *run.Env, call *rawCall) error {
	var given map[string]any
	if err := jsonv2.Unmarshal(call.params, &given, jsontext.AllowInvalidUTF8(true)); err != nil {
		return api.Errorf(api.InvalidJSON, "cdp %s: the parameters cannot be read: %w", call.method, err)
	}
	for name := range given {
		if !call.rule.Takes(name) {
			next := "Allowed parameters: " + strings.Join(call.rule.Params, ", ") + "."
			if len(call.rule.Params) == 0 {
				next = "It is allowed only without parameters."
			}
			return methodRefused(call.method, name, "the site guard does not allow the parameter "+strconv.Quote(name), next)
		}
	}
	if call.method == "Target.attachToTarget" {
		given["flatten"] = true // the other way of attaching reaches other pages
	}
	if err := (&paramJudge{Env: e, ctx: ctx, call: call}).object(given); err != nil {
		return err
	}
	clean, err := jsonv2.Marshal(given, jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return api.Errorf(api.InvalidJSON, "cdp %s: the parameters cannot be encoded: %w", call.method, err)
	}
	call.params = clean
	return nil
}

// withoutDNS returns the site guard without DNS lookups, for names that are not connected to, such as domains of cookies.
func withoutDNS(e *run.Env) *policy.Sites {
	s := *e.Sites
	s.Resolve, s.Proxied, s.Debugger = nil, true, nil
	return &s
}

// ownTarget reports whether a target is the session's own: one of its tabs, or a frame of one.
func ownTarget(e *run.Env, id string) bool {
	return slices.ContainsFunc(e.Tabs(), func(t *model.Tab) bool {
		return string(t.ID) == id || t.Frames[model.FrameID(id)] != nil
	})
}

// freeMethods are the raw CDP calls that are allowed on a refused page: they return nothing of it, or leave it.
var freeMethods = [...]string{"Browser.getVersion", "Target.getTargets", "Target.attachToTarget", "Target.detachFromTarget",
	"Page.navigate", "Page.reload", "Page.stopLoading"}

// judgeCall judges a raw CDP call: the address in it, and its page or frame.
func judgeCall(ctx context.Context, e *run.Env, call *rawCall) error {
	if e.Sites == nil {
		return nil
	}
	var p struct {
		URL string `json:"url"`
	}
	if unmarshalParams(call, &p) == nil && p.URL != "" { // a value that is no text is no address, and the browser returns an error
		if r := e.Sites.Open(ctx, p.URL); r != nil {
			return run.RefusedSite("cdp "+call.method+" "+r.URL+" is", r)
		}
	}
	if call.whole || slices.Contains(freeMethods[:], call.method) {
		return nil
	}
	f := call.frame
	if f == nil {
		f = call.tab.MainFrame()
	}
	if f == nil {
		return nil
	}
	if r := e.Refusal(ctx, f); r != nil {
		return run.RefusedSite("cdp "+call.method+": the page in the tab, "+r.URL+", is", r).WithHint("Allowed there: %s.", strings.Join(freeMethods[:], ", "))
	}
	return nil
}
