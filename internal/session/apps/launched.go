package apps

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/browserhost/app"
	"github.com/usher-browser/usher/internal/browserhost/app/installed"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/verb"
)

// Installed is the result of `app list`.
type Installed struct {
	Apps     []installed.App `json:"apps"`
	More     int             `json:"more,omitzero"` // how many were left out for --limit
	Platform string          `json:"platform"`      // linux, darwin, windows; unsupported for others
	// Notes are what could not be read.
	Notes            []string         `json:"notes,omitzero"`
	MaxResults       int              `json:"maxResults"`
	ProfileIsolation ProfileIsolation `json:"profileIsolation"`
}

// ProfileIsolation says which profile a launch uses.
type ProfileIsolation struct {
	Isolated bool   `json:"isolated"` // always true
	Note     string `json:"note"`
}

// Launched is the result of `app launch`.
type Launched struct {
	Launch        *app.Record    `json:"launch"`
	App           *installed.App `json:"app"`
	Product       string         `json:"product"` // the browser inside, such as Chrome/140.0.1.2
	Targets       []app.Target   `json:"targets"`
	MoreTargets   int            `json:"moreTargets,omitzero"`
	NextActionIDs []string       `json:"nextActionIds"`
}

// Launches is the result of `app status`.
type Launches struct {
	Launches []*Launch `json:"launches"`
	// Notes are records that could not be read.
	Notes         []string `json:"notes,omitzero"`
	NextActionIDs []string `json:"nextActionIds,omitzero"`
}

// Launch is one launch with the sessions that are connected to it.
type Launch struct {
	*app.Status
	// Sessions are the names of the sessions that are connected to the app now.
	Sessions []string `json:"sessions"`
	// Mismatch is set if the app runs, but no session is connected to it.
	Mismatch *Mismatch `json:"sessionMismatch,omitempty"`
}

// Mismatch says that a launched app runs without a session.
type Mismatch struct {
	Reason        string   `json:"reason"` // launch-session-not-current
	Summary       string   `json:"summary"`
	NextActionIDs []string `json:"nextActionIds"`
}

// CleanedUp is the result of `app cleanup`, and the member cleanup of its error's data.
type CleanedUp struct {
	Launches []*app.Cleanup `json:"launches"`
}

// Probe is the result of `app probe`.
type Probe struct {
	LaunchID string `json:"launchId,omitzero"`
	// Mode is current-managed-session or launchId.
	Mode    string   `json:"mode"`
	Session string   `json:"session"`
	Title   string   `json:"title"`
	URL     string   `json:"url"`
	Focused string   `json:"focusedElement"` // tag, id, role and name of what has the focus; empty for none
	Tabs    []string `json:"tabs"`           // at most 6, each in a line
	// Snapshot are the first lines of the outline: at most 12, and 1600 bytes. Refs are those in them, at most 20.
	Snapshot  string   `json:"snapshot"`
	Refs      []string `json:"refs"`
	Truncated bool     `json:"truncated,omitzero"`
	// Problems are the parts that could not be read.
	Problems []string `json:"problems,omitzero"`
}

const (
	maxTabs    = 6
	maxRefs    = 20
	maxLines   = 12
	maxOutline = 1600
)

// Caller is a session for which a command about apps runs.
type Caller struct {
	Session   Session
	Namespace string
	Call      *verb.Call
	Env       func(name string) (string, bool)
	Display   []string
	// Timeout is the time that the caller gives; 0 for the usual one.
	Timeout time.Duration
	// Connect connects the session to an app that was launched.
	Connect func(ctx context.Context, endpoint string) (warning string, launch run.Launch, err error)
	// Attached returns the sessions that are connected to the browser at a WebSocket.
	Attached func(socket string) []Session
	// Run runs a command line in a session.
	Run func(ctx context.Context, in Session, words ...string) (run.Result, error)
}

// Run runs a command of [Grammar].
func (p *List) Run(ctx context.Context, c *Caller) (run.Result, error) {
	switch c.Call.Verb.Name {
	case "app list":
		return c.list(ctx)
	case "app launch":
		return p.launch(ctx, c)
	case "app status":
		return p.status(ctx, c)
	case "app probe":
		return p.probe(ctx, c)
	}
	return p.cleanup(ctx, c)
}

func (c *Caller) machine() *installed.Machine {
	env := func(name string) string {
		value, _ := c.Env(name)
		return value
	}
	home := env("HOME")
	if runtime.GOOS == "windows" {
		home = env("USERPROFILE")
	}
	if home == "" {
		home, _ = os.UserHomeDir() // without one, only the system's places are searched
	}
	return &installed.Machine{OS: runtime.GOOS, Env: env, Home: home}
}

func (c *Caller) list(ctx context.Context) (run.Result, error) {
	limit := c.Call.Int("limit")
	found, notes, err := c.machine().List(ctx)
	if err != nil {
		return run.Result{}, err
	}
	if query := c.Call.Str("query"); query != "" {
		found = slices.DeleteFunc(found, func(a installed.App) bool { return !a.Matches(query) })
	}
	out := &Installed{Apps: []installed.App{}, Platform: runtime.GOOS, MaxResults: limit, Notes: notes, ProfileIsolation: ProfileIsolation{true,
		"app launch uses a new profile: nobody is signed in, and the app's own data is not read. For those, start the app with --remote-debugging-port, and `connect`."}}
	if !slices.Contains([]string{"linux", "darwin", "windows"}, runtime.GOOS) {
		out.Platform = "unsupported"
	}
	out.More = max(0, len(found)-limit)
	out.Apps = append(out.Apps, found[:min(limit, len(found))]...)
	var lines []string
	for i := range out.Apps {
		lines = append(lines, run.OneLine(out.Apps[i].String()))
	}
	if out.More > 0 {
		lines = append(lines, fmt.Sprintf("… %d more", out.More))
	}
	if len(lines) == 0 {
		lines = []string{"No apps built on Electron were found"}
	}
	return run.Result{Data: out, Text: strings.Join(lines, "\n"), Warning: strings.Join(notes, "; ")}, nil
}

// launch starts an app, and connects the session to it.
func (p *List) launch(ctx context.Context, c *Caller) (run.Result, error) {
	if used := p.Of(c.Session); used != nil && !used.Ended() {
		return run.Result{}, api.Errorf(api.LaunchConflict, "session %s uses %s", c.Session.Name(), used.Path).WithHint("Run `close` first, or use another --session.")
	}
	a, err := c.machine().Find(ctx, installed.Way(c.Call.Str("by")), c.Call.Str("app"))
	if err != nil {
		return run.Result{}, err
	}
	if err := permitted(a, c.Call.List("allow"), c.Call.List("deny")); err != nil {
		return run.Result{}, err
	}
	r, started, err := p.launches.Launch(ctx, &app.LaunchOptions{App: a, Args: c.Call.List("arguments"), Display: c.Display, Session: c.Session.Name(), Namespace: c.Namespace,
		TargetType: c.Call.Str("target-type"), Timeout: c.Timeout})
	if err != nil {
		return run.Result{}, err
	}
	p.use(c.Session, started)
	warning, launch, err := c.Connect(ctx, r.Endpoint())
	if err != nil { // it would go on running unused
		p.Leave(c.Session)
		left := p.launches.Cleanup(context.WithoutCancel(ctx), r, app.CleanupWait)
		return run.Result{}, api.AsError(err).With("cleanup", left)
	}
	s := p.launches.Status(ctx, r)
	data := &Launched{Launch: r, App: a, Product: s.Product, Targets: s.Targets, MoreTargets: s.MoreTargets,
		NextActionIDs: []string{"status-electron-launch", "probe-electron-launch", "cleanup-electron-launch", "list-electron-tabs", "snapshot-electron-session"}}
	text := fmt.Sprintf("✓ %s runs (%s, pid %d, %s)", r.AppName, r.LaunchID, r.PID, r.Endpoint())
	return run.Result{Data: data, Text: text + targetLines(s), Warning: warning, Launch: launch}, nil
}

// permitted judges an app by the caller's rules.
func permitted(a *installed.App, allow, deny []string) error {
	switch {
	case a.Matches(deny...):
		return api.Errorf(api.ActionDenied, "launch %s (%s): --deny forbids it", a.Name, a.ExecutablePath).With("reason", app.PolicyBlocked).WithHint("Nothing was started.")
	case len(allow) > 0 && !a.Matches(allow...):
		return api.Errorf(api.ActionDenied, "launch %s (%s): --allow does not name it", a.Name, a.ExecutablePath).With("reason", app.PolicyBlocked).WithHint("Nothing was started.")
	}
	return nil
}

func targetLines(s *app.Status) string {
	var b strings.Builder
	for _, t := range s.Targets {
		b.WriteString("\n  " + run.OneLine(t.Type+"  "+t.Title+"  "+t.URL))
	}
	if s.MoreTargets > 0 {
		fmt.Fprintf(&b, "\n  … %d more", s.MoreTargets)
	}
	return b.String()
}

// connected returns the sessions that use the app of a launch: the one that launched it, and those that were connected to it later.
func (p *List) connected(c *Caller, r *app.Record) []Session {
	if r.Port == 0 {
		return nil
	}
	list := c.Attached(r.WebSocketDebuggerURL)
	p.mu.Lock()
	defer p.mu.Unlock()
	for s, a := range p.used {
		if a.Endpoint == r.Endpoint() && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	slices.SortFunc(list, func(a, b Session) int { return strings.Compare(a.Name(), b.Name()) })
	return list
}

func (p *List) status(ctx context.Context, c *Caller) (run.Result, error) {
	list, err := p.launches.Select(c.Call.Str("id"), c.Call.Bool("all"))
	if err != nil && !c.Call.Bool("all") {
		return run.Result{}, err
	}
	out := &Launches{Launches: []*Launch{}}
	if err != nil {
		out.Notes = strings.Split(err.Error(), "\n")
	}
	var lines []string
	for _, r := range list {
		l := &Launch{Status: p.launches.Status(ctx, r), Sessions: []string{}}
		for _, s := range p.connected(c, r) {
			l.Sessions = append(l.Sessions, s.Name())
		}
		if l.PortAlive && len(l.Sessions) == 0 {
			l.Mismatch = &Mismatch{Reason: "launch-session-not-current", NextActionIDs: []string{"reattach-electron-launch"},
				Summary: fmt.Sprintf("%s runs, but session %s is not connected to it, and no other: `connect %d` connects", r.AppName, r.SessionName, r.Port)}
			out.NextActionIDs = []string{"reattach-electron-launch"}
		}
		out.Launches = append(out.Launches, l)
		lines = append(lines, statusLine(l)+targetLines(l.Status))
	}
	if len(lines) == 0 {
		lines = []string{"No launched apps"}
	}
	return run.Result{Data: out, Text: strings.Join(lines, "\n"), Warning: strings.Join(out.Notes, "; ")}, nil
}

func statusLine(l *Launch) string {
	word := map[bool]string{true: "runs", false: "has ended"}[l.ProcessAlive]
	port := map[bool]string{true: "answers", false: "is closed"}[l.PortAlive]
	text := fmt.Sprintf("%s  %s  %s (pid %d), port %d %s, %s", l.LaunchID, run.OneLine(l.AppName), word, l.PID, l.Port, port, l.CleanupState)
	if l.PIDReused {
		text += "; the number of its process is another program's now"
	}
	if l.Mismatch != nil {
		text += "\n  " + l.Mismatch.Summary
	}
	return text
}

func (p *List) cleanup(ctx context.Context, c *Caller) (run.Result, error) {
	list, err := p.launches.Select(c.Call.Str("id"), c.Call.Bool("all"))
	if err != nil && len(list) == 0 {
		return run.Result{}, err
	}
	out := &CleanedUp{Launches: []*app.Cleanup{}}
	var lines, left []string
	for _, r := range list {
		closing := p.closeSessions(ctx, c, r)
		done := p.launches.Cleanup(ctx, r, c.Timeout)
		done.Add(closing)
		out.Launches = append(out.Launches, done)
		lines = append(lines, fmt.Sprintf("✓ %s (%s) cleaned up", run.OneLine(r.AppName), r.LaunchID))
		if !done.Complete {
			for _, s := range done.Steps {
				if s.Result == app.Failed || s.Result == app.Skipped {
					left = append(left, fmt.Sprintf("%s: %s %s: %s", r.LaunchID, s.Step, s.Result, s.Detail))
				}
			}
		}
	}
	if len(left) > 0 {
		return run.Result{}, api.Errorf(api.CleanupFailed, "clean up launched apps: %s", strings.Join(left, "; ")).With("cleanup", out).With("nextActionIds", []string{"retry-electron-cleanup"})
	}
	if err != nil {
		return run.Result{}, err
	}
	if len(lines) == 0 {
		lines = []string{"No launched apps to clean up"}
	}
	return run.Result{Data: out, Text: strings.Join(lines, "\n")}, nil
}

// closeSessions closes the sessions that use the app of a launch.
func (p *List) closeSessions(ctx context.Context, c *Caller, r *app.Record) app.Step {
	step := app.Step{Step: "managed-session", Result: app.AlreadyGone}
	for _, s := range p.connected(c, r) {
		if err := s.Close(ctx); err != nil {
			return app.Step{Step: step.Step, Result: app.Failed, Detail: fmt.Sprintf("close session %s: %v", s.Name(), err)}
		}
		step.Result = app.Removed
	}
	return step
}

// focusScript describes the element that has the focus, in open shadow roots, too. It gives no values.
const focusScript = `(()=>{let e=document.activeElement;while(e&&e.shadowRoot&&e.shadowRoot.activeElement)e=e.shadowRoot.activeElement;
if(!e||e===document.body||e===document.documentElement)return "";const a=n=>{const v=e.getAttribute(n);return v?" "+n+"="+JSON.stringify(v.slice(0,80)):""};
return "<"+e.tagName.toLowerCase()+a("id")+a("role")+a("name")+a("aria-label")+a("placeholder")+">"})()`

var refPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:ref=|@)(e\d+)\b`) })

func (p *List) probe(ctx context.Context, c *Caller) (run.Result, error) {
	out := &Probe{Mode: "current-managed-session", Tabs: []string{}, Refs: []string{}}
	in := c.Session
	if id := c.Call.Str("id"); id != "" {
		list, err := p.launches.Select(id, false)
		if err != nil {
			return run.Result{}, err
		}
		out.LaunchID, out.Mode = id, "launchId"
		connected := p.connected(c, list[0])
		at := slices.IndexFunc(connected, func(s Session) bool { return s.Name() == list[0].SessionName })
		switch {
		case at >= 0:
			in = connected[at]
		case len(connected) > 0:
			in = connected[0]
		default:
			return run.Result{}, api.Errorf(api.BrowserNotRunning, "probe %s: no session is connected to it", list[0].AppName).With("launch", p.launches.Status(ctx, list[0])).
				With("nextActionIds", []string{"reattach-electron-launch"}).WithHint("If it runs, `connect %d` connects this session; `app status %s` tells.", list[0].Port, id)
		}
	}
	out.Session = in.Name()
	part := func(words ...string) string {
		if c.Timeout > 0 {
			words = append(words, "--timeout", c.Timeout.String())
		}
		res, err := c.Run(ctx, in, words...)
		if err != nil {
			out.Problems = append(out.Problems, words[0]+" "+words[1]+": "+api.AsError(err).Message)
		}
		return res.Text
	}
	if _, err := c.Run(ctx, in, "get", "url"); err != nil {
		return run.Result{}, err
	}
	out.URL, out.Title, out.Focused = part("get", "url"), part("get", "title"), part("eval", focusScript)
	if text, err := strconv.Unquote(out.Focused); err == nil { // eval prints a text as JSON
		out.Focused = text
	}
	out.Tabs = strings.Split(part("tab", "list"), "\n")
	out.Truncated = len(out.Tabs) > maxTabs
	out.Tabs = out.Tabs[:min(len(out.Tabs), maxTabs)]
	lines := strings.Split(part("snapshot", "-i"), "\n")
	size, kept := 0, 0
	for _, line := range lines {
		if size += len(line) + 1; kept == maxLines || size > maxOutline {
			out.Truncated = true
			break
		}
		kept++
	}
	out.Snapshot = strings.Join(lines[:kept], "\n")
	for _, m := range refPattern().FindAllStringSubmatch(out.Snapshot, maxRefs) {
		out.Refs = append(out.Refs, m[1])
	}
	text := fmt.Sprintf("%s\n%s\nfocus: %s\n%s\n%s", run.OneLine(out.Title), out.URL, out.Focused, strings.Join(out.Tabs, "\n"), out.Snapshot)
	return run.Result{Data: out, Text: text, Warning: strings.Join(out.Problems, "; ")}, nil
}

// ResultTypes returns the types of the results by the names of the commands.
func ResultTypes() map[string]reflect.Type {
	return map[string]reflect.Type{
		"app list": reflect.TypeFor[*Installed](), "app launch": reflect.TypeFor[*Launched](), "app status": reflect.TypeFor[*Launches](),
		"app probe": reflect.TypeFor[*Probe](), "app cleanup": reflect.TypeFor[*CleanedUp](),
	}
}
