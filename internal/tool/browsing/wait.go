package browsing

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// otherTools returns the tools that neither read a whole page nor act on an element: find, wait, tabs and downloads.
func otherTools() []tool.Tool {
	return []tool.Tool{
		{Name: "browser_find", Title: "Find in the page", Doc: "The lines of the snapshot that contain these words, with context.",
			Params: []tool.Param{{Name: "text", Kind: tool.String, Required: true}},
			Output: reflect.TypeFor[findResult](), Unlisted: true, Traits: tool.ReadOnly | tool.Idempotent, Run: browserFind},
		{Name: "browser_wait", Title: "Wait", Doc: "Wait for one of: a text, an element, an address, a load state, a time.",
			Params: []tool.Param{{Name: "text", Kind: tool.String}, {Name: "ref", Kind: tool.String},
				{Name: "gone", Kind: tool.Boolean, Default: false, Doc: "until it is gone"},
				{Name: "url", Kind: tool.String, Doc: "part of the address, or a glob"},
				{Name: "load", Kind: tool.String, Enum: []string{"load", "domcontentloaded", "networkidle"}},
				{Name: "seconds", Kind: tool.Number, Max: 300, Brief: true}, {Name: "timeout", Kind: tool.Number, Default: 25.0, Min: 0.1, Max: 300, Brief: true}, changesParam},
			Output: reflect.TypeFor[waitResult](), Unlisted: true, Traits: tool.ReadOnly, Run: browserWait},
		{Name: "browser_tabs", Title: "Tabs", Doc: "List tabs, open, switch to or close one, or stop scripts that block it.",
			Params: []tool.Param{{Name: "action", Kind: tool.String, Required: true, Enum: []string{"list", "new", "switch", "close", "interrupt"}},
				{Name: "tab", Kind: tool.String, Doc: "t2"}, {Name: "url", Kind: tool.String}, changesParam},
			Output: reflect.TypeFor[tabsResult](), Unlisted: true, Traits: tool.OpenWorld, Run: browserTabs},
		{Name: "browser_downloads", Title: "Downloads", Doc: "The files downloaded, with their paths.",
			Output: reflect.TypeFor[downloadsResult](), Unlisted: true, Traits: tool.ReadOnly | tool.Idempotent, Run: browserDownloads},
	}
}

func browserFind(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	if strings.TrimSpace(a.Str("text")) == "" {
		return nil, api.Errorf(api.InvalidArgument, "browser_find: text: give the words to look for")
	}
	page, err := takeSnapshot(ctx, h, tool.Values("compact", true, "find", a.Str("text")))
	if err != nil {
		return nil, err
	}
	summary := tool.Count(page.Matches, "line") + " found"
	if page.Matches == 0 {
		summary = "nothing found; use browser_snapshot for the page, or browser_scroll, which may load more of it"
	}
	return &tool.Result{Value: findResult{tool.Succeeded, page.Matches, page.outline()}, Text: summary, Page: page.Text}, nil
}

var waitQuery = tool.NewQuery[api.Outcome]("wait")

func browserWait(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	values := tool.Values("timeout", milliseconds(a.Num("timeout")))
	var conditions []string
	for _, name := range []string{"text", "ref", "url", "load", "seconds"} {
		if a.Has(name) {
			conditions = append(conditions, name)
		}
	}
	if len(conditions) != 1 {
		return nil, api.Errorf(api.InvalidArgument, "browser_wait: give one of text, ref, url, load and seconds, not %d of them", len(conditions))
	}
	gone := a.Bool("gone")
	switch conditions[0] {
	case "text":
		if gone {
			values.Set("target", "text= "+a.Str("text")) // after a space the command takes quotes literally
		} else {
			values.Set("text", a.Str("text"))
		}
	case "ref":
		values.Set("target", normalizeRef(a.Str("ref")))
	case "url", "load":
		values.Set(conditions[0], a.Str(conditions[0]))
		gone = false
	case "seconds":
		values = tool.Values("target", strconv.Itoa(int(a.Num("seconds")*1000)), "timeout", milliseconds(a.Num("seconds")+1))
		gone = false
	}
	if gone {
		values.Set("state", "hidden")
	}
	return runAction(ctx, h, a, "waited for "+conditions[0], &waitResult{Success: tool.Succeeded, Waited: conditions[0]}, waitQuery, values)
}

var (
	tabNewQuery    = tool.NewQuery[api.Outcome]("tab new")
	tabSwitchQuery = tool.NewQuery[api.Outcome]("tab switch")
	tabCloseQuery  = tool.NewQuery[api.Outcome]("tab close")
)

func browserTabs(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	action, tab := a.Str("action"), a.Str("tab")
	values := tool.Values()
	switch action {
	case "list":
		return listTabs(ctx, h)
	case "new":
		if url := a.Str("url"); url != "" {
			values.Set("url", url)
			values.Set("load-limit", loadLimit)
		}
	default:
		if tab == "" && action == "switch" {
			return nil, api.Errorf(api.MissingArgument, "browser_tabs: tab is missing: which tab to %s, such as t2", action)
		}
		if tab != "" {
			values.Set("tab", tab)
		}
	}
	if action == "interrupt" {
		return interruptTab(ctx, h, values)
	}
	query, summary := tabSwitchQuery, "switched"
	switch action {
	case "new":
		query, summary = tabNewQuery, "opened a tab"
	case "close":
		query, summary = tabCloseQuery, "closed a tab"
	}
	return runAction(ctx, h, a, summary, &tabsResult{Success: tool.Succeeded}, query, values)
}

var tabInterruptQuery = tool.NewQuery[struct {
	Tab     string           `json:"tabId"`
	Going   string           `json:"goingTo"`
	Stopped []jsontext.Value `json:"stopped"`
}]("tab interrupt")

// interruptTab terminates the scripts that block a tab, and returns them.
func interruptTab(ctx context.Context, h *tool.Host, values verb.Values) (*tool.Result, error) {
	ended, warning, err := tabInterruptQuery.Run(ctx, h, values)
	if err != nil {
		return nil, err
	}
	if ended.Stopped == nil {
		ended.Stopped = []jsontext.Value{}
	}
	res := tabsResult{Success: tool.Succeeded, Tab: ended.Tab, Stopped: ended.Stopped, Going: ended.Going, outcome: outcome{Warning: warning}}
	return &tool.Result{Value: res, Text: "ended " + tool.Count(len(ended.Stopped), "script")}, nil
}

var tabListQuery = tool.NewQuery[struct {
	Tabs []struct {
		ID      string         `json:"tabId"`
		Title   string         `json:"title"`
		URL     string         `json:"url"`
		Active  bool           `json:"active"`
		Crashed string         `json:"crashed"`
		Dialog  jsontext.Value `json:"dialog"`
	} `json:"tabs"`
}]("tab list")

func listTabs(ctx context.Context, h *tool.Host) (*tool.Result, error) {
	list, warning, err := tabListQuery.Run(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	rows := []tabRow{}
	var text strings.Builder
	for _, t := range list.Tabs {
		rows = append(rows, tabRow(t))
		fmt.Fprintf(&text, "%s %s - %s", t.ID, t.Title, t.URL)
		if t.Active {
			text.WriteString(" (active)")
		}
		if t.Crashed != "" {
			text.WriteString(" (crashed)")
		}
		if len(t.Dialog) > 0 {
			text.WriteString(" (a dialog is open)")
		}
		text.WriteByte('\n')
	}
	return &tool.Result{Value: tabsResult{Success: tool.Succeeded, Tabs: rows, outcome: outcome{Warning: warning}}, Text: tool.Count(len(rows), "tab"), Page: strings.TrimSpace(text.String())}, nil
}

var downloadsQuery = tool.NewQuery[struct {
	Downloads []api.Download `json:"downloads"`
}]("downloads")

func browserDownloads(ctx context.Context, h *tool.Host, _ tool.Args) (*tool.Result, error) {
	list, warning, err := downloadsQuery.Run(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	if list.Downloads == nil {
		list.Downloads = []api.Download{}
	}
	return &tool.Result{Value: downloadsResult{tool.Succeeded, list.Downloads, warning}}, nil
}
