package code

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// app is the argument app: a browser other than the session's own.
type app struct {
	Path   string   `json:"path"`
	CDP    string   `json:"cdp_url"`
	Args   []string `json:"args"`
	Target string   `json:"target"`
}

// readApp returns the argument app, nil without one.
func readApp(h *tool.Host, a tool.Args) (*app, error) {
	raw := a.JSON("app")
	if raw == nil {
		return nil, nil
	}
	var out app
	if err := json.Unmarshal(raw, &out, json.RejectUnknownMembers(true)); err != nil {
		return nil, invalid("app", "an object {path, args, target} or {cdp_url, target}", raw)
	}
	out.Path, out.CDP = strings.TrimSpace(out.Path), strings.TrimRight(strings.TrimSpace(out.CDP), "/")
	switch {
	case out.CDP != "": // it has precedence, as in oh-my-pi
		out.Path = ""
	case out.Path == "":
		return nil, invalid("app", "path, the executable of an app, or cdp_url, the address of a running browser", raw)
	case !filepath.IsAbs(out.Path):
		out.Path = filepath.Join(h.Cwd, out.Path)
	}
	if len(out.Args) > 0 && out.Path == "" {
		return nil, api.Errorf(api.InvalidArgument, "browser: app.args are for app.path: a running browser takes none")
	}
	return &out, nil
}

// invalid returns the error of an argument.
func invalid(name, expected string, raw jsontext.Value) error {
	return api.Errorf(api.InvalidArgument, "browser: %s: give %s, not %s", name, expected, tool.Cut(string(raw), 80))
}

// kind is where a tab is opened.
type kind struct {
	tag     string // headless, connected or spawned
	session string
	app     *app // nil for headless
}

func kindOf(h *tool.Host, a *app) kind {
	switch {
	case a == nil:
		return kind{tag: "headless", session: h.Session}
	case a.CDP != "":
		return kind{tag: "connected", session: sessionFor(h, connectedPart, a.CDP), app: a}
	}
	return kind{tag: "spawned", session: sessionFor(h, spawnedPart, filepath.Clean(a.Path)), app: a}
}

// The parts of the names of sessions of other browsers, between the name of the agent's session and a hash.
const (
	connectedPart = "-cdp-"
	spawnedPart   = "-app-"
)

// longest bounds the agent's session in the names of others, in characters; a name has at most 128.
const longest = 100

func sessionFor(h *tool.Host, part, about string) string {
	base := []rune(h.Session)
	return string(base[:min(len(base), longest)]) + part + hash(about)
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:5])
}

// tagOf returns the kind of a session of this agent, "" for those of others.
func tagOf(h *tool.Host, session string) string {
	switch {
	case session == h.Session:
		return "headless"
	case strings.HasPrefix(session, strings.TrimSuffix(sessionFor(h, connectedPart, ""), hash(""))):
		return "connected"
	case strings.HasPrefix(session, strings.TrimSuffix(sessionFor(h, spawnedPart, ""), hash(""))):
		return "spawned"
	}
	return ""
}

// in returns the host for commands in a session. The flags that choose or start the agent's own browser are not for others.
func in(h *tool.Host, session string) *tool.Host {
	if session == h.Session {
		return h
	}
	other := *h
	other.Session, other.Globals = session, maps.Clone(h.Globals)
	for _, name := range ownBrowser {
		delete(other.Globals, name)
	}
	return &other
}

// ownBrowser are the flags that say which browser the agent's own session has, and how it starts.
var ownBrowser = []string{"cdp", "cdp-headers", "auto-connect", "provider", "engine", "executable-path", "profile", "headed", "extension", "args",
	"cdp-port", "proxy", "proxy-bypass", "restore", "state", "webgpu", "ca-cert"}

// label returns the label of a tab with this name: the name, if it can be one.
func label(name string) string {
	if !isLabel().MatchString(name) || isTabID(name) {
		return "tab-" + hash(name)
	}
	return name
}

var isLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`) })

func isTabID(name string) bool {
	_, err := strconv.Atoi(strings.TrimLeft(name, "tT"))
	return err == nil
}

// tab is the part of a row of `tab list` that the tool uses.
type tab struct {
	Label  *string `json:"label"`
	Target string  `json:"targetId"`
	Title  string  `json:"title"`
	URL    string  `json:"url"`
}

var (
	tabsQuery = tool.NewQuery[struct {
		Tabs []tab `json:"tabs"`
	}]("tab list")
	sessionsQuery = tool.NewQuery[struct {
		Sessions []string `json:"sessions"`
	}]("session list")
)

// tabsOf returns the tabs of a session; none if it has no browser.
func tabsOf(ctx context.Context, h *tool.Host, session string) ([]tab, error) {
	list, _, err := tabsQuery.Run(ctx, in(h, session), nil)
	if isGone(err) {
		return nil, nil
	}
	return list.Tabs, err
}

// isGone reports whether an error says that a tab, or its browser, is not there.
func isGone(err error) bool {
	switch api.CodeOf(err) {
	case api.BrowserNotRunning, api.BrowserCrashed, api.TabNotFound, api.TabGone:
		return true
	}
	return false
}

// find returns the tab with a name, if it is open. One that this process does not know is found by its label: the server may
// have been started again, or another agent of the session has opened it.
func find(ctx context.Context, h *tool.Host, name string) (tool.Tab, bool, error) {
	known, ok := h.Tabs.Get(name)
	if ok {
		tabs, err := tabsOf(ctx, h, known.Session)
		if err != nil {
			return tool.Tab{}, false, err
		}
		for _, t := range tabs {
			if t.Target == known.Target {
				known.URL = t.URL
				return known, true, nil
			}
		}
		h.Tabs.Delete(name)
		return tool.Tab{}, false, nil
	}
	open, _, err := sessionsQuery.Run(ctx, h, nil)
	if err != nil {
		return tool.Tab{}, false, err
	}
	for _, session := range open.Sessions {
		tag := tagOf(h, session)
		if tag == "" {
			continue
		}
		tabs, err := tabsOf(ctx, h, session)
		if err != nil {
			return tool.Tab{}, false, err
		}
		for _, t := range tabs {
			if t.Label != nil && *t.Label == label(name) {
				found := tool.Tab{Session: session, Target: t.Target, Kind: tag, Browser: describe(ctx, in(h, session), tag, nil), URL: t.URL}
				h.Tabs.Set(name, found)
				return found, true, nil
			}
		}
	}
	return tool.Tab{}, false, nil
}

var infoQuery = tool.NewQuery[struct {
	Browser *struct {
		Headed   bool `json:"headed"`
		Attached bool `json:"attached"`
	} `json:"browser"`
	App *struct {
		Path string `json:"path"`
		PID  int    `json:"pid"`
	} `json:"app"`
}]("session info")

// describe returns the browser of a session in words.
func describe(ctx context.Context, h *tool.Host, tag string, a *app) string {
	info, _, err := infoQuery.Run(ctx, h, nil)
	switch {
	case a != nil && a.CDP != "":
		return "connected " + shown(a.CDP)
	case err != nil: // the description is no reason to fail
		return tag
	case info.App != nil:
		return fmt.Sprintf("spawned %s (pid %d)", info.App.Path, info.App.PID)
	case tag != "headless":
		return tag
	case info.Browser != nil && info.Browser.Attached:
		return "the session's own browser"
	case info.Browser != nil && info.Browser.Headed:
		return "headless (visible)"
	}
	return "headless (hidden)"
}

// shown returns an address without credentials and tokens.
func shown(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "the address"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
