package tool

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// around returns the tools that neither read a whole page nor act on an element: find, wait, tabs and downloads.
func around() []Tool {
	return []Tool{
		{Name: "browser_find", Title: "Find in the page", Doc: "The lines of the snapshot that contain these words, with context.",
			Params: []Param{{Name: "text", Kind: String, Required: true}},
			Output: reflect.TypeFor[findResult](), Unlisted: true, Traits: ReadOnly | Idempotent, Run: browserFind},
		{Name: "browser_wait", Title: "Wait", Doc: "Wait for one of: a text, an element, an address, a load state, a time.",
			Params: []Param{{Name: "text", Kind: String}, {Name: "ref", Kind: String},
				{Name: "gone", Kind: Boolean, Default: false, Doc: "until it is gone"},
				{Name: "url", Kind: String, Doc: "part of the address, or a glob"},
				{Name: "load", Kind: String, Enum: []string{"load", "domcontentloaded", "networkidle"}},
				{Name: "seconds", Kind: Number, Max: 300, Brief: true}, {Name: "timeout", Kind: Number, Default: 25.0, Min: 0.1, Max: 300, Brief: true}, changesParam},
			Output: reflect.TypeFor[waitResult](), Unlisted: true, Traits: ReadOnly, Run: browserWait},
		{Name: "browser_tabs", Title: "Tabs", Doc: "List tabs, open, switch to or close one, or stop scripts that block it.",
			Params: []Param{{Name: "action", Kind: String, Required: true, Enum: []string{"list", "new", "switch", "close", "interrupt"}},
				{Name: "tab", Kind: String, Doc: "t2"}, {Name: "url", Kind: String}, changesParam},
			Output: reflect.TypeFor[tabsResult](), Unlisted: true, Traits: OpenWorld, Run: browserTabs},
		{Name: "browser_downloads", Title: "Downloads", Doc: "The files downloaded, with their paths.",
			Output: reflect.TypeFor[downloadsResult](), Unlisted: true, Traits: ReadOnly | Idempotent, Run: browserDownloads},
	}
}

func browserFind(ctx context.Context, h *Host, a Args) (*Result, error) {
	if strings.TrimSpace(a.Str("text")) == "" {
		return nil, api.Errorf(api.InvalidArgument, "browser_find: text: give the words to look for")
	}
	page, err := h.snapshot(ctx, given("compact", true, "find", a.Str("text")))
	if err != nil {
		return nil, err
	}
	said := count(page.Matches, "line") + " found"
	if page.Matches == 0 {
		said = "nothing found; use browser_snapshot for the page, or browser_scroll, which may load more of it"
	}
	return &Result{Value: findResult{succeeded, page.Matches, page.outline()}, Text: said, Page: page.Text}, nil
}

var waited = reading[api.Outcome]("wait")

func browserWait(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := given("timeout", milliseconds(a.Num("timeout")))
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
		values.Set("target", target(a.Str("ref")))
	case "url", "load":
		values.Set(conditions[0], a.Str(conditions[0]))
		gone = false
	case "seconds":
		values = given("target", strconv.Itoa(int(a.Num("seconds")*1000)), "timeout", milliseconds(a.Num("seconds")+1))
		gone = false
	}
	if gone {
		values.Set("state", "hidden")
	}
	return h.act(ctx, a, "waited for "+conditions[0], &waitResult{success: succeeded, Waited: conditions[0]}, waited, values)
}

var (
	openedTab   = reading[api.Outcome]("tab new")
	switchedTab = reading[api.Outcome]("tab switch")
	closedTab   = reading[api.Outcome]("tab close")
)

func browserTabs(ctx context.Context, h *Host, a Args) (*Result, error) {
	action, tab := a.Str("action"), a.Str("tab")
	values := given()
	switch action {
	case "list":
		return listTabs(ctx, h)
	case "new":
		if url := a.Str("url"); url != "" {
			values.Set("url", url)
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
	by, said := switchedTab, "switched"
	switch action {
	case "new":
		by, said = openedTab, "opened a tab"
	case "close":
		by, said = closedTab, "closed a tab"
	}
	return h.act(ctx, a, said, &tabsResult{success: succeeded}, by, values)
}

var endScripts = reading[struct {
	Tab     string           `json:"tabId"`
	Going   string           `json:"goingTo"`
	Stopped []jsontext.Value `json:"stopped"`
}]("tab interrupt")

// interruptTab terminates the scripts that block a tab, and returns them.
func interruptTab(ctx context.Context, h *Host, values verb.Values) (*Result, error) {
	ended, warning, err := endScripts.ask(ctx, h, values)
	if err != nil {
		return nil, err
	}
	if ended.Stopped == nil {
		ended.Stopped = []jsontext.Value{}
	}
	res := tabsResult{success: succeeded, Tab: ended.Tab, Stopped: ended.Stopped, Going: ended.Going, outcome: outcome{Warning: warning}}
	return &Result{Value: res, Text: "ended " + count(len(ended.Stopped), "script")}, nil
}

var tabLists = reading[struct {
	Tabs []struct {
		ID      string         `json:"tabId"`
		Title   string         `json:"title"`
		URL     string         `json:"url"`
		Active  bool           `json:"active"`
		Crashed string         `json:"crashed"`
		Dialog  jsontext.Value `json:"dialog"`
	} `json:"tabs"`
}]("tab list")

func listTabs(ctx context.Context, h *Host) (*Result, error) {
	list, warning, err := tabLists.ask(ctx, h, nil)
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
	return &Result{Value: tabsResult{success: succeeded, Tabs: rows, outcome: outcome{Warning: warning}}, Text: count(len(rows), "tab"), Page: strings.TrimSpace(text.String())}, nil
}

var downloadLists = reading[struct {
	Downloads []api.Download `json:"downloads"`
}]("downloads")

func browserDownloads(ctx context.Context, h *Host, _ Args) (*Result, error) {
	list, warning, err := downloadLists.ask(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	if list.Downloads == nil {
		list.Downloads = []api.Download{}
	}
	return &Result{Value: downloadsResult{succeeded, list.Downloads, warning}}, nil
}
