package tool

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// around are the tools for what is around the page: its tabs, what to wait for, where something stands in it.
func around() []Tool {
	return []Tool{
		{Name: "browser_find", Title: "Find in the page", Doc: "The lines of the snapshot that contain these words, with context.",
			Params: []Param{{Name: "text", Kind: String, Required: true}},
			Traits: ReadOnly | Idempotent, Run: browserFind},
		{Name: "browser_wait", Title: "Wait", Doc: "Wait for one of: a text, an element, an address, a load state, a time.",
			Params: []Param{{Name: "text", Kind: String}, {Name: "ref", Kind: String},
				{Name: "gone", Kind: Boolean, Default: false, Doc: "until it is gone"},
				{Name: "url", Kind: String, Doc: "part of the address, or a glob"},
				{Name: "load", Kind: String, Enum: []string{"load", "domcontentloaded", "networkidle"}},
				{Name: "seconds", Kind: Number, Max: 300, Brief: true}, {Name: "timeout", Kind: Number, Default: 25.0, Min: 0.1, Max: 300, Brief: true}, changesParam},
			Traits: ReadOnly, Run: browserWait},
		{Name: "browser_tabs", Title: "Tabs", Doc: "List tabs, open, switch to or close one, or stop scripts that block it.",
			Params: []Param{{Name: "action", Kind: String, Required: true, Enum: []string{"list", "new", "switch", "close", "interrupt"}},
				{Name: "tab", Kind: String, Doc: "t2"}, {Name: "url", Kind: String}, changesParam},
			Traits: OpenWorld, Run: browserTabs},
		{Name: "browser_downloads", Title: "Downloads", Doc: "The files downloaded, with their paths.",
			Traits: ReadOnly | Idempotent, Run: browserDownloads},
	}
}

func browserFind(ctx context.Context, h *Host, a Args) (*Result, error) {
	if strings.TrimSpace(a.Str("text")) == "" {
		return nil, api.Errorf(api.InvalidArgument, "browser_find: text: give the words to look for")
	}
	page, err := h.snapshot(ctx, []string{"--compact", "--find=" + a.Str("text")})
	if err != nil {
		return nil, err
	}
	data := append(success(), Member{"matches", page.Matches})
	page.addTo(&data)
	said := count(page.Matches, "line") + " found"
	if page.Matches == 0 {
		said = "nothing found; use browser_snapshot for the page, or browser_scroll, which may load more of it"
	}
	return &Result{Data: data, Text: said, Page: page.Text}, nil
}

func browserWait(ctx context.Context, h *Host, a Args) (*Result, error) {
	flags := []string{"--timeout=" + strconv.Itoa(int(a.Num("timeout")*1000)) + "ms"}
	var args, given []string
	state := ""
	if a.Bool("gone") {
		state = "hidden"
	}
	for _, name := range []string{"text", "ref", "url", "load", "seconds"} {
		if a.Has(name) {
			given = append(given, name)
		}
	}
	if len(given) != 1 {
		return nil, api.Errorf(api.InvalidArgument, "browser_wait: give one of text, ref, url, load and seconds, not %d of them", len(given))
	}
	switch given[0] {
	case "text":
		if state != "" {
			args = []string{"text= " + a.Str("text")} // the space has quotes stand for themselves
		} else {
			flags = append(flags, "--text="+a.Str("text"))
		}
	case "ref":
		args = []string{target(a.Str("ref"))}
	case "url":
		flags, state = append(flags, "--url="+a.Str("url")), ""
	case "load":
		flags, state = append(flags, "--load="+a.Str("load")), ""
	case "seconds":
		ms := strconv.Itoa(int(a.Num("seconds") * 1000))
		flags, args, state = []string{"--timeout=" + strconv.Itoa(int(a.Num("seconds")*1000)+1000) + "ms"}, []string{ms}, ""
	}
	if state != "" {
		flags = append(flags, "--state="+state)
	}
	return h.act(ctx, a, "waited for "+given[0], Object{{"waited", given[0]}}, "wait", flags, args...)
}

func browserTabs(ctx context.Context, h *Host, a Args) (*Result, error) {
	action, tab := a.Str("action"), a.Str("tab")
	var args []string
	switch action {
	case "list":
		return listTabs(ctx, h)
	case "new":
		if url := a.Str("url"); url != "" {
			args = []string{url}
		}
	default:
		if tab == "" && action == "switch" {
			return nil, api.Errorf(api.MissingArgument, "browser_tabs: tab is missing: which tab to %s, such as t2", action)
		}
		if tab != "" {
			args = []string{tab}
		}
	}
	if action == "interrupt" {
		return interruptTab(ctx, h, args)
	}
	said := map[string]string{"new": "opened a tab", "switch": "switched", "close": "closed a tab"}[action]
	return h.act(ctx, a, said, nil, "tab "+action, nil, args...)
}

// interruptTab ends the scripts that keep a tab from answering, and tells which.
func interruptTab(ctx context.Context, h *Host, args []string) (*Result, error) {
	var ended struct {
		Tab     string           `json:"tabId"`
		Going   string           `json:"goingTo"`
		Stopped []jsontext.Value `json:"stopped"`
	}
	warning, err := h.into(ctx, &ended, "tab interrupt", nil, args...)
	if err != nil {
		return nil, err
	}
	if ended.Stopped == nil {
		ended.Stopped = []jsontext.Value{}
	}
	data := append(success(), Member{"tab", ended.Tab}, Member{"stopped", ended.Stopped})
	data.SetIf("going_to", ended.Going)
	data.SetIf("warning", warning)
	return &Result{Data: data, Text: "ended " + count(len(ended.Stopped), "script")}, nil
}

func listTabs(ctx context.Context, h *Host) (*Result, error) {
	var list struct {
		Tabs []struct {
			ID      string         `json:"tabId"`
			Title   string         `json:"title"`
			URL     string         `json:"url"`
			Active  bool           `json:"active"`
			Crashed string         `json:"crashed"`
			Dialog  jsontext.Value `json:"dialog"`
		} `json:"tabs"`
	}
	warning, err := h.into(ctx, &list, "tab list", nil)
	if err != nil {
		return nil, err
	}
	rows := []Object{}
	var text strings.Builder
	for _, t := range list.Tabs {
		row := Object{{"tab", t.ID}, {"title", t.Title}, {"url", t.URL}}
		fmt.Fprintf(&text, "%s %s - %s", t.ID, t.Title, t.URL)
		if t.Active {
			row.Set("active", true)
			text.WriteString(" (active)")
		}
		if t.Crashed != "" {
			row.Set("crashed", t.Crashed)
			text.WriteString(" (crashed)")
		}
		if len(t.Dialog) > 0 {
			row.Set("dialog", t.Dialog)
			text.WriteString(" (a dialog is open)")
		}
		rows = append(rows, row)
		text.WriteByte('\n')
	}
	data := append(success(), Member{"tabs", rows})
	data.SetIf("warning", warning)
	return &Result{Data: data, Text: count(len(rows), "tab"), Page: strings.TrimSpace(text.String())}, nil
}

func browserDownloads(ctx context.Context, h *Host, _ Args) (*Result, error) {
	var list struct {
		Downloads []api.Download `json:"downloads"`
	}
	warning, err := h.into(ctx, &list, "downloads", nil)
	if err != nil {
		return nil, err
	}
	if list.Downloads == nil {
		list.Downloads = []api.Download{}
	}
	data := append(success(), Member{"downloads", list.Downloads})
	data.SetIf("warning", warning)
	return &Result{Data: data}, nil
}
