package code

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

var (
	blankQuery   = tool.NewQuery[struct{}]("open")
	connectQuery = tool.NewQuery[struct{}]("connect")
	closeQuery   = tool.NewQuery[struct{}]("close")
	rulesQuery   = tool.NewQuery[struct{}]("dialog rule")
	newTabQuery  = tool.NewQuery[struct {
		Target string `json:"targetId"`
	}]("tab new")
	labelQuery    = tool.NewQuery[struct{}]("tab label")
	closeTabQuery = tool.NewQuery[struct{}]("tab close")
)

// opening is a call of open.
type opening struct {
	name string
	kind kind
	view *size
	ends time.Time
	args tool.Args
}

// open makes or reuses a tab, sets it up, and opens the address there.
func open(ctx context.Context, h *tool.Host, name string, a tool.Args) (*tool.Result, error) {
	o := opening{name: name, args: a, ends: time.Now().Add(timeout(a))}
	chosen, err := readApp(h, a)
	if err != nil {
		return nil, err
	}
	if o.view, err = readView(a); err != nil {
		return nil, err
	}
	o.kind = kindOf(h, chosen)
	ctx, cancel := context.WithDeadlineCause(ctx, o.ends.Add(grace), api.Errorf(api.Timeout, "browser: the tab %s was not open within %v", name, timeout(a)))
	defer cancel()
	res, err := o.run(ctx, h)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, context.Cause(ctx)
	}
	return res, err
}

func (o *opening) run(ctx context.Context, h *tool.Host) (*tool.Result, error) {
	name := o.name
	t, reused, err := o.tab(ctx, h)
	if err != nil {
		return nil, err
	}
	if policy := o.args.Str("dialogs"); policy != "" {
		if err := setDialogs(ctx, in(h, t.Session), &t, policy); err != nil {
			return nil, err
		}
	}
	page, err := o.load(ctx, h, &t)
	if err != nil {
		return nil, err
	}
	t.URL = page.URL
	h.Tabs.Set(name, t)
	res := result{Success: tool.Succeeded, Action: "open", Name: name, Browser: t.Kind, URL: page.URL, View: page.size()}
	done := "Opened"
	if reused {
		done = "Reused"
	}
	text, said := done+" tab \""+name+"\" on "+t.Browser, "URL: "+page.URL
	if page.Title != "" {
		said += "\nTitle: " + page.Title
	}
	res.Result = text + "\n" + said
	return &tool.Result{Value: res, Text: text, Page: said}, nil
}

// grace is how long after its time a call ends by itself: the daemon reports a timeout better.
const grace = 2 * time.Second

// readView returns the argument viewport, nil without one.
func readView(a tool.Args) (*size, error) {
	raw := a.JSON("viewport")
	if raw == nil {
		return nil, nil
	}
	var v size
	err := json.Unmarshal(raw, &v, json.RejectUnknownMembers(true))
	if err != nil || v.Width < 1 || v.Height < 1 || v.Width > maxSide || v.Height > maxSide || v.Scale < 0 || v.Scale > maxScale {
		return nil, invalid("viewport", "{width, height, scale?} in CSS pixels, such as {\"width\": 1280, \"height\": 720}", raw)
	}
	return &v, nil
}

const (
	maxSide  = 10_000 // CSS pixels
	maxScale = 10
)

// tab returns the tab with the name, or makes it.
func (o *opening) tab(ctx context.Context, h *tool.Host) (t tool.Tab, reused bool, err error) {
	done, err := h.Tabs.Turn(ctx, o.kind.session)
	if err != nil {
		return t, false, err
	}
	defer done()
	t, ok, err := find(ctx, h, o.name)
	switch {
	case err != nil:
		return t, false, err
	case ok && t.Session != o.kind.session:
		return t, false, api.Errorf(api.LaunchConflict, "browser: tab %q is bound to a different browser (%s)", o.name, t.Browser).
			WithHint("Close it first, or give this one another name.")
	case ok:
		return t, true, nil
	}
	if o.kind.app == nil {
		t, err = o.own(ctx, h)
	} else {
		t, err = o.attach(ctx, in(h, o.kind.session))
	}
	if err != nil {
		return t, false, err
	}
	h.Tabs.Set(o.name, t)
	return t, false, nil
}

// left returns what is left of the time, as a value of --timeout.
func (o *opening) left() string {
	return max(time.Second, time.Until(o.ends)).Round(time.Millisecond).String()
}

// own makes a tab in the agent's session. The blank tab of a browser that was just started is taken.
func (o *opening) own(ctx context.Context, h *tool.Host) (t tool.Tab, err error) {
	t = tool.Tab{Session: o.kind.session, Kind: o.kind.tag}
	tabs, err := tabsOf(ctx, h, h.Session)
	if err != nil {
		return t, err
	}
	if len(tabs) == 0 {
		if _, _, err := blankQuery.Run(ctx, h, tool.Values("timeout", o.left())); err != nil {
			return t, err
		}
		if tabs, err = tabsOf(ctx, h, h.Session); err != nil {
			return t, err
		}
	}
	if len(tabs) == 1 && tabs[0].Label == nil && tabs[0].URL == "about:blank" {
		t.Target = tabs[0].Target
		_, _, err = labelQuery.Run(ctx, h, tool.Values("label", label(o.name), "tab", t.Target))
	} else {
		made, _, newErr := newTabQuery.Run(ctx, h, tool.Values("label", label(o.name), "timeout", o.left()))
		t.Target, err = made.Target, newErr
	}
	if err == nil {
		t.Browser = describe(ctx, h, t.Kind, nil)
	}
	return t, err
}

// attach connects to the running browser, or to the app, and picks one of its tabs. If that fails, the session ends: nothing
// else uses it.
func (o *opening) attach(ctx context.Context, h *tool.Host) (t tool.Tab, err error) {
	a := o.kind.app
	t = tool.Tab{Session: o.kind.session, Kind: o.kind.tag}
	before, err := tabsOf(ctx, h, h.Session)
	if err != nil {
		return t, err
	}
	values := tool.Values("endpoint", a.CDP, "timeout", o.left())
	if a.CDP == "" {
		values = tool.Values("app", a.Path, "app-arg", a.Args, "timeout", o.left())
	}
	_, _, err = connectQuery.Run(ctx, h, values)
	var picked tab
	if err == nil {
		picked, err = o.pick(ctx, h)
	}
	if err != nil {
		if before == nil {
			end := context.WithoutCancel(ctx)
			_, _, closeErr := closeQuery.Run(end, h, nil)
			if !isGone(closeErr) {
				err = errors.Join(err, closeErr)
			}
		}
		return t, err
	}
	t.Target, t.Browser = picked.Target, describe(ctx, h, t.Kind, a)
	if picked.Label == nil {
		_, _, err = labelQuery.Run(ctx, h, tool.Values("label", label(o.name), "tab", t.Target))
	}
	return t, err
}

// pick returns the page that app.target names, else the first that is not of a tool or in the background, else the first.
func (o *opening) pick(ctx context.Context, h *tool.Host) (tab, error) {
	tabs, err := tabsOf(ctx, h, h.Session)
	if err != nil {
		return tab{}, err
	}
	if len(tabs) == 0 {
		return tab{}, api.Errorf(api.TabNotFound, "browser: the browser has no pages").WithHint("Open a window in it, then try again.")
	}
	if wanted := strings.ToLower(o.kind.app.Target); wanted != "" {
		var all strings.Builder
		for _, t := range tabs {
			if strings.Contains(strings.ToLower(t.Title), wanted) || strings.Contains(strings.ToLower(t.URL), wanted) {
				return t, nil
			}
			all.WriteString("\n- " + tool.Cut(t.Title, maxShown) + " (" + tool.Cut(t.URL, maxShown) + ")")
		}
		return tab{}, api.Errorf(api.TabNotFound, "browser: no page has %q in its title or URL. The pages are:%s", o.kind.app.Target, tool.Cut(all.String(), maxList))
	}
	for _, t := range tabs {
		if !isBackground().MatchString(t.Title) && !isBackground().MatchString(t.URL) {
			return t, nil
		}
	}
	return tabs[0], nil
}

const (
	maxShown = 200  // bytes of a title or URL in an error
	maxList  = 1500 // of the list of pages in an error
)

var isBackground = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)request[ _-]?handler|devtools|background[ _-]?(page|host)|service[ _-]?worker`)
})

// setDialogs makes the policy for the dialogs of a tab the first rule for it.
func setDialogs(ctx context.Context, h *tool.Host, t *tool.Tab, policy string) error {
	if err := dropDialogs(ctx, h, t); err != nil {
		return err
	}
	_, _, err := rulesQuery.Run(ctx, h, tool.Values("action", "add", "words", []string{policy, "tab=" + t.Target, "name=" + ruleName(t)}))
	return err
}

func ruleName(t *tool.Tab) string { return "browser-" + hash(t.Target) }

// dropDialogs removes the policy for the dialogs of a tab.
func dropDialogs(ctx context.Context, h *tool.Host, t *tool.Tab) error {
	_, _, err := rulesQuery.Run(ctx, h, tool.Values("action", "remove", "words", []string{ruleName(t)}))
	if api.CodeOf(err) == api.InvalidArgument || isGone(err) { // there is none
		return nil
	}
	return err
}

// page is what the tab shows after open.
type page struct {
	URL   string    `json:"url"`
	Title string    `json:"title"`
	Size  []float64 `json:"size"`
}

func (p *page) size() *size {
	if len(p.Size) != 3 {
		return nil
	}
	return &size{p.Size[0], p.Size[1], p.Size[2]}
}

// setup is the code of open. A page that answers no question, because of a dialog or a blocked site, is open nonetheless.
const setup = `const o = %s;
if (o.view) await page.setViewport({width: o.view.width, height: o.view.height, deviceScaleFactor: o.view.scale || 1});
if (o.url) await tab.goto(o.url, {waitUntil: o.wait, timeout: o.timeout});
const asked = async (f) => { try { return await f(); } catch { return undefined; } };
return {title: await asked(() => page.title()), size: await asked(() => page.evaluate("[innerWidth, innerHeight, devicePixelRatio]")), url: page.url()};`

// load applies the viewport and opens the address, as a run in the tab: nothing else may run there meanwhile.
func (o *opening) load(ctx context.Context, h *tool.Host, t *tool.Tab) (p page, err error) {
	var todo struct {
		URL     string `json:"url"`
		Wait    string `json:"wait"`
		View    *size  `json:"view"`
		Timeout int64  `json:"timeout"`
	}
	todo.URL, todo.Wait, todo.View = strings.TrimSpace(o.args.Str("url")), o.args.Str("wait_until"), o.view
	if todo.Wait == "" {
		todo.Wait = "load"
	}
	left := max(time.Second, time.Until(o.ends))
	todo.Timeout = max(left-left/10, left-time.Second).Milliseconds()
	ran, err := execute(ctx, in(h, t.Session), t, strings.Replace(setup, "%s", string(tool.Encode(todo)), 1), left)
	if err != nil {
		if failed := api.AsError(err); failed.Data["error"] != nil { // of our code, not of the agent's
			message, _ := failed.Data["error"].(map[string]any)["message"].(string)
			return p, api.Errorf(failed.Code, "browser: tab %q is open, but not at its address: %s", o.name, message).WithHint("%s", failed.Hint)
		}
		return p, err
	}
	if err := json.Unmarshal(ran.Value, &p); err != nil {
		return p, api.Errorf(api.Internal, "browser: the answer of the tab cannot be read: %w", err)
	}
	return p, nil
}
