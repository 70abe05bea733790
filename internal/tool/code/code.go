// Package code has the tool browser, with which agents drive tabs by JavaScript: the toolset code. Names, arguments, results
// and limits follow the tool of that name in oh-my-pi.
//
// A tab of the tool is a tab of a browser session with a label. Tabs without an app are in the agent's own session; each
// running browser or app that is used has a session of its own, which ends with its last tab.
package code

import (
	"context"
	"math"
	"reflect"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// Tools returns the tool of the toolset code.
func Tools() []tool.Tool {
	return tool.WithPageContent([]tool.Tool{{Name: "browser", Title: "Run code in the browser", Doc: doc,
		Params: []tool.Param{
			{Name: "action", Kind: tool.String, Required: true, Enum: []string{"open", "run", "close"}},
			{Name: "name", Kind: tool.String, Default: "main", Doc: "of the tab"},
			{Name: "timeout", Kind: tool.Number, Default: float64(defaultTimeout), Doc: "seconds, 1 to 300"},
			{Name: "code", Kind: tool.String, Doc: "run: body of an async function"},
			{Name: "url", Kind: tool.String, Doc: "open: where to go"},
			{Name: "viewport", Kind: tool.Map, Doc: "open: {width, height, scale?}"},
			{Name: "wait_until", Kind: tool.String, Enum: []string{"load", "domcontentloaded", "networkidle0", "networkidle2"}, Doc: "open: default load"},
			{Name: "dialogs", Kind: tool.String, Enum: []string{"accept", "dismiss"}, Doc: "open: answer the tab's dialogs so; default: they wait for an answer"},
			{Name: "app", Kind: tool.Map, Doc: "open: {path, args?, target?} for a desktop app built on Chromium, {cdp_url, target?} for a running browser; " +
				"target: part of the title or URL of the page"},
			{Name: "all", Kind: tool.Boolean, Default: false, Doc: "close: every tab"},
			{Name: "kill", Kind: tool.Boolean, Default: false, Doc: "close: also end the app, if this tool started it"},
		},
		Output: reflect.TypeFor[result](),
		Traits: tool.OpenWorld | tool.Destructive | tool.UsesRoots, Run: browser}})
}

const doc = `Drive tabs with JavaScript. open makes or reuses the tab of that name, run executes code in it, close ends it.
code has in scope: tab (goto, observe, id, click, type, fill, press, select, scroll, waitFor, waitForUrl, extract, screenshot, evaluate, ...), ` +
	`page (methods of Playwright and Puppeteer), browser, display(value), assert(ok, text), wait(ms), console, timers, URL, Buffer. ` +
	`It is neither Node (no require, fs, process, fetch) nor the page (use page.evaluate(() => document.title)). ` +
	`The result has what was displayed and logged, then the returned value. Variables do not outlive a run; the tab does.
Example: await tab.goto("https://example.com/login"); await tab.fill("#user", "ada"); await tab.click("text/Sign in"); await tab.waitForUrl("/home"); return await tab.title()`

// result is the result of the tool browser.
type result struct {
	tool.Success
	Action  string `json:"action"`            // open, run or close
	Name    string `json:"name"`              // of the tab
	Browser string `json:"browser,omitzero"`  // the kind: headless, connected or spawned
	URL     string `json:"url,omitzero"`      // of the tab
	View    *size  `json:"viewport,omitzero"` // of the opened tab
	// Shots are the pictures that the code took with tab.screenshot.
	Shots []screenshot `json:"screenshots,omitzero"`
	// Result is the text of the content: what was opened or closed; of run, what was displayed and logged, and the value.
	Result  string `json:"result"`
	Warning string `json:"warning,omitzero"`
}

// size is the size of a page, in CSS pixels.
type size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
	Scale  float64 `json:"scale,omitzero"` // device pixels to a CSS pixel
}

const (
	defaultTimeout = 30 // seconds
	minTimeout     = 1
	maxTimeout     = 300
)

// timeout returns the time of a call, within its bounds.
func timeout(a tool.Args) time.Duration {
	return time.Duration(math.Round(min(max(a.Num("timeout"), minTimeout), maxTimeout)*1000)) * time.Millisecond
}

func browser(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	name := strings.TrimSpace(a.Str("name"))
	if name == "" || len(name) > maxName {
		return nil, api.Errorf(api.InvalidArgument, "browser: the name of a tab has 1 to %d characters", maxName)
	}
	if h.Tabs == nil { // a host without an agent
		h.Tabs = tool.NewTabs()
	}
	switch a.Str("action") {
	case "open":
		return open(ctx, h, name, a)
	case "close":
		return closeTabs(ctx, h, name, a)
	}
	return run(ctx, h, name, a)
}

// maxName bounds the name of a tab, in bytes.
const maxName = 200
