package code

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// closeTabs closes one tab, or all that have names.
func closeTabs(ctx context.Context, h *tool.Host, name string, a tool.Args) (*tool.Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout(a)+grace, api.Errorf(api.Timeout, "browser: the tab was not closed within %v", timeout(a)))
	defer cancel()
	res := result{Success: tool.Succeeded, Action: "close", Name: name}
	names := []string{name}
	if a.Bool("all") {
		names = slices.Sorted(maps.Keys(h.Tabs.All()))
	}
	closed := 0
	for _, name := range names {
		t, ok, err := find(ctx, h, name)
		if err == nil && ok {
			closed++
			res.Browser = t.Kind
			var note string
			note, err = closeTab(ctx, h, name, &t, a.Bool("kill"))
			res.Warning = api.JoinWarnings(res.Warning, note)
		}
		if err != nil {
			return nil, err
		}
	}
	switch {
	case a.Bool("all"):
		res.Result, res.Browser = "Closed "+tool.Count(closed, "tab"), ""
	case closed == 1:
		res.Result = fmt.Sprintf("Closed tab %q", name)
	default:
		res.Result = fmt.Sprintf("No tab named %q", name)
	}
	return &tool.Result{Value: res, Text: withWarning(res.Result, res.Warning), Blocks: []tool.Block{}}, nil
}

// closeTab closes a tab. With its last tab a session of another browser ends, and the agent's own if nothing else is open in
// it. The pages of another browser stay open: they are the person's.
func closeTab(ctx context.Context, h *tool.Host, name string, t *tool.Tab, kill bool) (warning string, err error) {
	done, err := h.Tabs.Turn(ctx, t.Session)
	if err != nil {
		return "", err
	}
	defer done()
	there := in(h, t.Session)
	h.Tabs.Delete(name)
	if err := dropDialogs(ctx, there, t); err != nil && api.CodeOf(err) != api.URLBlocked { // the tab closes whatever it shows
		return "", err
	}
	tabs, err := tabsOf(ctx, h, t.Session)
	if err != nil {
		return "", err
	}
	used := map[string]bool{}
	for _, other := range h.Tabs.All() {
		if other.Session == t.Session {
			used[other.Target] = true
		}
	}
	others := 0 // tabs that are in use
	for _, other := range tabs {
		if used[other.Target] || other.Target != t.Target && (t.Kind == "headless" || other.Label != nil) {
			others++
		}
	}
	switch {
	case others == 0:
		_, warning, err = closeQuery.Run(ctx, there, tool.Values("kill", kill))
		warning = strings.TrimSpace(warning)
	case t.Kind == "headless":
		_, _, err = closeTabQuery.Run(ctx, there, tool.Values("tab", t.Target))
	default:
		_, _, err = labelQuery.Run(ctx, there, tool.Values("label", label(name), "remove", true))
		if kill {
			warning = "the app goes on running: another tab of it is open"
		}
	}
	if isGone(err) {
		err = nil
	}
	return warning, err
}
