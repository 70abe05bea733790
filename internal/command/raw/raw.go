package raw

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/command/read"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// defaultLimit is the limit of a raw CDP call without --timeout.
const defaultLimit = 30 * time.Second

// rawCall is one raw CDP call.
type rawCall struct {
	method string
	known  *schema.Method // nil when the protocol's description has none of that name
	params jsontext.Value
	tab    *model.Tab   // nil for a call to the browser
	frame  *model.Frame // what --frame named, nil for none
	whole  bool         // to the browser itself
	rule   *schema.Rule // its rule under the site guard; nil without
	bound  bool         // to the document that was judged
}

// call sends one command of the protocol as the caller wrote it. It goes through a CDP session beside the supervisor's
// own (see supervisor.Browser.SideSession), so that it cannot switch off what usher depends on.
func call(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Called], error) {
	e.Limit = min(max(e.Limit, ShortestCall), LongestCall)
	if !e.Limited {
		e.Limit = defaultLimit
	}
	call, err := rawCallOf(ctx, e, c)
	if err != nil {
		return run.Reply[*Called]{}, err
	}
	_, since := e.Browser.Stream(e.Context).Bounds()
	if err := admit(ctx, e, call); err != nil {
		return run.Reply[*Called]{}, err
	}
	ctx, stop := guardCall(ctx, e, call)
	defer stop()
	if call.method == "Page.handleJavaScriptDialog" {
		if err := bindTarget(ctx, e, call); err != nil {
			return run.Reply[*Called]{}, err
		}
		return answerDialogCall(ctx, e, call)
	}
	raw, err := send(ctx, e, call)
	if err != nil {
		return run.Reply[*Called]{}, err
	}
	if err := awaitCommit(ctx, e, call, raw); err != nil {
		return run.Reply[*Called]{}, err
	}
	if err := judgeCallAfter(ctx, e, call, since); err != nil {
		return run.Reply[*Called]{}, err
	}
	if raw, err = filter(ctx, e, call, raw); err != nil {
		return run.Reply[*Called]{}, err
	}
	return callResult(e, call, raw)
}

// commitLimit bounds the wait for the commit of a navigation after its reply.
const commitLimit = 5 * time.Second

// awaitCommit waits until the model has the document of a Page.navigate: the reply comes a little earlier, and the next
// command would be for the page before.
func awaitCommit(ctx context.Context, e *run.Env, call *rawCall, raw jsontext.Value) error {
	if call.method != "Page.navigate" {
		return nil
	}
	var to struct {
		Frame    model.FrameID `json:"frameId"`
		Loader   string        `json:"loaderId"`
		Error    string        `json:"errorText"`
		Download bool          `json:"isDownload"`
	}
	if err := jsonv2.Unmarshal(raw, &to, jsontext.AllowInvalidUTF8(true)); err != nil || to.Loader == "" || to.Error != "" || to.Download {
		return nil // within the document, or without effect; a reply of another form is returned as it is
	}
	wait, cancel := context.WithTimeoutCause(ctx, commitLimit, errNoCommit)
	defer cancel()
	err := e.Browser.Wait(wait, func(s *model.State) (bool, error) {
		f := s.Frame(to.Frame)
		return f == nil || f.Loader == to.Loader || s.Dialog(e.Tab) != nil, s.TabLost(e.Tab)
	})
	if err != nil && !errors.Is(context.Cause(wait), errNoCommit) {
		return e.Explain(err, "cdp "+call.method)
	}
	return nil // another navigation may have replaced it
}

var errNoCommit = errors.New("the navigation was committed without a document")

// send sends a call to where it belongs.
func send(ctx context.Context, e *run.Env, call *rawCall) (raw jsontext.Value, err error) {
	given := call.params
	for try := 1; ; try++ {
		call.params, call.bound = given, false
		if err := bindTarget(ctx, e, call); err != nil {
			return nil, err
		}
		session, err := sessionFor(ctx, e, call)
		if err != nil {
			return nil, err
		}
		if !call.whole {
			if active, _ := e.Active(); active == e.Tab {
				e.Show(e.Tab)
			}
		}
		err = session.Call(ctx, call.method, call.params, &raw)
		switch {
		case err == nil:
			return raw, nil
		case !call.bound || !read.NeverRan(err):
			return nil, callFailed(e, err, call)
		case try == read.MaxTries:
			return nil, api.Errorf(api.FrameDetached, "cdp %s: the document was replaced %d times during the call; nothing was done", call.method, read.MaxTries).
				WithHint("Wait for the page to finish loading: `wait --load load`.")
		}
	}
}

// bindTarget binds a call to a document if needed, and sets the frame that the caller selected.
func bindTarget(ctx context.Context, e *run.Env, call *rawCall) error {
	if err := bind(ctx, e, call); err != nil {
		return err
	}
	return target(ctx, e, call)
}

// rawCallOf parses the command and finds its tab and frame.
func rawCallOf(ctx context.Context, e *run.Env, c *verb.Call) (*rawCall, error) {
	call := &rawCall{method: c.Str("method"), known: schema.Find(c.Str("method")), whole: c.Bool("browser-target")}
	if why := RefusedMethod(call.method); why != "" {
		return nil, api.Errorf(api.Unsupported, "cdp %s: %s", call.method, why)
	}
	params := c.Str("params")
	if c.Form == verb.FormStdin {
		b, err := io.ReadAll(e.Stdin)
		if err != nil {
			return nil, api.Errorf(api.InvalidArgument, "cdp %s: read the parameters from standard input: %w", call.method, err)
		}
		params = string(b)
	}
	if params = strings.TrimSpace(params); params == "" {
		params = "{}"
	} else if err := CheckParams(params); err != nil {
		return nil, api.Errorf(api.InvalidJSON, "cdp %s: %w", call.method, err)
	}
	call.params = jsontext.Value(params)
	if err := inReach(call); err != nil {
		return nil, err
	}
	if call.whole {
		return call, nil
	}
	t, err := e.NamedTab(c)
	if err != nil {
		return nil, err
	}
	call.tab, e.Tab = t, t.ID
	if c.Has("frame") {
		call.frame, err = e.FrameFor(ctx, c, c.Str("frame"))
	}
	return call, err
}

// RefusedMethod returns why a command is not sent, "" for nearly all of them: these reach beyond the session, or pause
// pages for a debugger that is not there.
func RefusedMethod(method string) string {
	switch method {
	case "Browser.close":
		return "other sessions may use this browser; end yours with `close`"
	case "Browser.crash", "Browser.crashGpuProcess":
		return "other sessions may use this browser; `session info` shows its process id"
	case "Target.setAutoAttach", "Target.autoAttachRelated":
		return "usher attaches to every page, frame and worker itself, and nothing would resume a target attached by this call; use --frame for frames"
	}
	return ""
}

// direct reports whether the browser process answers, whatever the page does. Input is not direct: though the browser
// takes it, it waits for the page, and would reach it after it was reported as failed.
func (c *rawCall) direct() bool {
	return c.whole || c.known != nil && c.known.Direct && !strings.HasPrefix(c.method, "Input.")
}

// guardCall bounds a call by the limit and by what may block the tab: nothing for what the browser process answers,
// other than a dialog that opens meanwhile, such as beforeunload.
func guardCall(ctx context.Context, e *run.Env, call *rawCall) (context.Context, context.CancelFunc) {
	switch {
	case call.whole, call.direct() && e.Browser.State().Dialog(e.Tab) != nil:
		return e.WithLimit(ctx, func() {})
	case call.direct():
		return e.GuardNavigation(ctx)
	}
	return e.Guard(ctx)
}

// answerDialogCall answers the open dialog as `dialog` does, so that the record has the cause.
func answerDialogCall(ctx context.Context, e *run.Env, call *rawCall) (run.Reply[*Called], error) {
	var p struct {
		Accept bool   `json:"accept"`
		Text   string `json:"promptText"`
	}
	if err := unmarshalParams(call, &p); err != nil {
		return run.Reply[*Called]{}, err
	}
	d := e.Browser.State().Dialog(e.Tab)
	if d == nil {
		return run.Reply[*Called]{}, api.Errorf(api.NoDialog, "cdp %s: no dialog is open in the tab", call.method)
	}
	if _, err := e.Browser.Answer(ctx, d.ID, p.Accept, p.Text); err != nil {
		return run.Reply[*Called]{}, e.Explain(err, "cdp "+call.method)
	}
	return callResult(e, call, jsontext.Value("{}"))
}

// sessionFor returns the CDP session of a call.
func sessionFor(ctx context.Context, e *run.Env, call *rawCall) (*cdp.Session, error) {
	var target model.TargetID
	if !call.whole {
		target = e.Tab
	}
	if f := call.frame; f != nil {
		target = processRoot(call.tab, f)
	}
	s, err := e.Browser.SideSession(ctx, target)
	var refused *cdp.Error
	switch {
	case errors.As(err, &refused) && call.frame != nil && strings.Contains(refused.Message, "No target"):
		return nil, api.Errorf(api.FrameDetached, "cdp %s: frame %s is gone from the page", call.method, call.frame.URL).With("frameId", string(call.frame.ID))
	case err != nil:
		return nil, e.Explain(err, "cdp "+call.method)
	}
	return s, nil
}

// processRoot returns the target of a frame: the nearest ancestor, or the frame itself, that is the root of a process,
// or the page.
func processRoot(t *model.Tab, f *model.Frame) model.TargetID {
	for f != nil && read.InProcess(f) {
		f = t.Frames[f.Parent]
	}
	if f == nil {
		return t.ID
	}
	return model.TargetID(f.ID)
}

// callFailed explains a call that failed.
func callFailed(e *run.Env, err error, call *rawCall) error {
	var refused *cdp.Error
	if !errors.As(err, &refused) {
		if call.method == "Page.close" && errors.Is(err, cdp.ErrDetached) {
			err = &model.BlockedError{Tab: e.Tab, Gone: true}
		}
		return e.Explain(err, "cdp "+call.method)
	}
	const methodNotFound, invalidParams = -32601, -32602
	switch refused.Code {
	case cdp.CodeUserRefused:
		return e.Explain(err, "cdp "+call.method)
	case methodNotFound:
		return methodMissing(call)
	case invalidParams:
		out := api.Errorf(api.InvalidArgument, "cdp %w", err)
		if usage := paramsOf(call.known); usage != "" {
			out.WithHint("%s takes %s.", call.method, usage)
		}
		return out
	}
	return api.Errorf(api.ProtocolError, "cdp %w", err).With("protocolCode", refused.Code)
}

// methodMissing returns the error for a method that the browser does not have, at least not there.
func methodMissing(call *rawCall) error {
	domain, _, _ := strings.Cut(call.method, ".")
	if call.known != nil {
		hint := "This browser may be too old for it."
		if !call.whole {
			hint = "Try --browser-target, which some methods need. Or this browser is too old for it."
		}
		return api.Errorf(api.UnknownMethod, "cdp: the browser does not support %s here", call.method).WithHint("%s", hint)
	}
	names := schema.Names(domain)
	near := spelling.Nearest(call.method, names)
	what := "method " + call.method
	if len(names) == 0 {
		what, near = "domain "+domain, spelling.Nearest(domain, schema.Domains())
	}
	err := api.Errorf(api.UnknownMethod, "cdp: CDP has no %s", what)
	if len(near) > 0 {
		return err.With("suggestions", near).WithHint("Did you mean %s?", strings.Join(near, " or "))
	}
	if len(names) > 0 {
		return err.With("methods", names).WithHint("%s has: %s.", domain, strings.Join(names, ", "))
	}
	return err.WithHint("The domains are: %s.", strings.Join(schema.Domains(), ", "))
}

// paramsOf lists the parameters of a method, required ones first.
func paramsOf(m *schema.Method) string {
	if m == nil {
		return ""
	}
	if len(m.Params) == 0 {
		return "no parameters"
	}
	var required, optional []string
	for _, p := range m.Params {
		if p.Required {
			required = append(required, p.Name)
		} else {
			optional = append(optional, "["+p.Name+"]")
		}
	}
	return strings.Join(append(required, optional...), ", ")
}
