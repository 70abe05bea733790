package code

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// ExecuteTools returns the tools of the toolset playwright: code whose state is kept between calls. Names, arguments and results
// follow the tools of BrowserForce.
func ExecuteTools() []tool.Tool {
	return tool.WithPageContent([]tool.Tool{
		{
			Name: "execute", Title: "Run Playwright code", Doc: executeDoc,
			Params: []tool.Param{
				{Name: "code", Kind: tool.String, Required: true, Doc: "body of an async function, or one expression, whose value is returned"},
				{Name: "timeout", Kind: tool.Number, Default: 30_000.0, Doc: "ms, 100 to 300000; then the code is stopped"},
				{Name: "intent", Kind: tool.String, Enum: []string{"inspect", "open", "auto"}, Default: "inspect", Doc: "open: to open new tabs"},
			},
			Output: reflect.TypeFor[executed](),
			Traits: tool.OpenWorld | tool.Destructive | tool.UsesRoots, Lane: tool.OneLane, Run: runExecute,
		},
		{
			Name: "reset", Title: "Reset the code's state", Doc: "End code of execute that runs, and forget state and what it holds. The browser and its tabs stay. " +
				"Only when state is of no use any more, or code hangs.",
			Output: reflect.TypeFor[executed](), Unlisted: true,
			Traits: tool.Idempotent, Run: runReset,
		},
	})
}

const executeDoc = `Run Playwright code in the browser. In scope: page (the active tab), context (pages(), newPage(), cookies(), waitForEvent("page"), ...), ` +
	`state (an object kept between calls, until reset; also pages and locators), console, Buffer, URL, timers. No require, fs, process, fetch (use page.evaluate).
Look first, then act with locators or refs, then look again:
await page.goto("https://example.com"); return await snapshot()
- snapshot({selector, frame, locator, interactiveOnly, search, showDiffSinceLastCall}): outline with refs; again: what changed. showDiffSinceLastCall: false: all of it
- refToLocator({ref: "e5"}): await refToLocator({ref: "e5"}).click()
- waitForPageLoad({timeout})
- getLogs({count, search}), clearLogs(): console and errors of the page
- screenshotWithAccessibilityLabels({selector}): picture with numbered elements; return it
- cleanHTML(selector, {search}), pageMarkdown({search})
- getCDPSession({page})
Return texts, data or pictures (return await page.screenshot()). What is not returned, displayed with display(value) or logged is not seen.
Handle a dialog before what opens it: page.once("dialog", d => d.accept()). A popup: const [popup] = await Promise.all([page.waitForEvent("popup"), page.click("a")]); state.popup = popup`

// executed is the result of the tools execute and reset.
type executed struct {
	tool.Success
	// Result is the text of the content: what was displayed and logged, the value, and warnings.
	Result string `json:"result"`
	// URL is the address of the page.
	URL string `json:"url,omitzero"`
	// Warnings tell of pages that opened or closed, dialogs that wait, and calls that were not awaited.
	Warnings []string `json:"warnings,omitzero"`
}

// maxExecuted bounds the text of a result, in characters.
const maxExecuted = 25_000

const (
	leastTimeout = 100 // milliseconds
	mostTimeout  = maxTimeout * 1000
)

func runExecute(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	code := a.Str("code")
	if strings.TrimSpace(code) == "" {
		return nil, api.Errorf(api.MissingArgument, "execute: the code is empty").WithHint("Give the body of an async function, such as: await page.title()")
	}
	limit := time.Duration(min(max(a.Num("timeout"), leastTimeout), mostTimeout) * float64(time.Millisecond))
	h.States.Use(h.Reader)
	out, warning, err := runQuery.Run(ctx, h, tool.Values("code", code, "playwright", true, "keep", h.Reader, "intent", a.Str("intent"), "timeout", limit.String()))
	if err != nil {
		return executeFailed(h, err)
	}
	blocks := out.blocks(h)
	if !out.Undefined {
		blocks = append(blocks, tool.Block{Text: out.text()})
	}
	res := executed{Success: tool.Succeeded, URL: out.URL, Warnings: out.News}
	// The command's warning has the news, too.
	if note := strings.Trim(strings.Replace(warning, strings.Join(out.News, "; "), "", 1), "; "); note != "" {
		res.Warnings = append([]string{tool.ReplaceCommands(note)}, res.Warnings...)
	}
	if len(blocks) == 0 {
		blocks = append(blocks, tool.Block{Text: "(nothing was returned)"})
	}
	if blocks, res.Result, err = boundedTo(h, "execute", blocks, maxExecuted); err != nil {
		return nil, err
	}
	if len(res.Warnings) > 0 {
		text := "warning: " + strings.Join(res.Warnings, "\nwarning: ")
		blocks = append(blocks, tool.Block{Text: text})
		res.Result += "\n" + text
	}
	return &tool.Result{Value: res, Blocks: blocks}, nil
}

// executeFailed returns the result of code that failed: what it had displayed and logged, the error, and warnings.
func executeFailed(h *tool.Host, err error) (*tool.Result, error) {
	e := api.AsError(err)
	var out ran
	if raw, encodeErr := json.Marshal(e.Data); encodeErr != nil || json.Unmarshal(raw, &out) != nil || out.Error == nil {
		relay, _ := e.Data["relayCode"].(string)
		if relay == "" {
			return nil, err // not of the code
		}
		res := tool.Failure(err)
		data := res.Value.(*tool.FailureData)
		data.RelayCode = relay
		res.Text, res.Page = "error: "+relay, data.Error
		return res, nil
	}
	blocks, output, err := boundedTo(h, "execute", out.blocks(h), maxExecuted)
	if err != nil {
		return nil, err
	}
	res := tool.Failure(&api.Error{Code: e.Code, Message: e.Message, Hint: e.Hint})
	data := res.Value.(*tool.FailureData)
	data.Line, data.Column, data.Hint, data.Output = out.Error.Line, out.Error.Column, tool.ReplaceCommands(e.Hint), output
	text := data.Error
	for _, news := range out.News {
		text += "\nwarning: " + news
	}
	res.Text, res.Blocks = "error: "+string(e.Code), append(blocks, tool.Block{Text: text})
	return res, nil
}

func runReset(ctx context.Context, h *tool.Host, _ tool.Args) (*tool.Result, error) {
	out, err := Reset(ctx, h)
	if err != nil {
		return nil, err
	}
	res := executed{Success: tool.Succeeded, Result: "The state was reset. The browser and its tabs stay."}
	if !out {
		res.Result = "There was no state to reset."
	}
	return &tool.Result{Value: res, Text: res.Result, Blocks: []tool.Block{}}, nil
}

// Reset ends the code of an agent and its state. It reports whether there was any.
func Reset(ctx context.Context, h *tool.Host) (bool, error) {
	out, _, err := runQuery.Run(ctx, h, tool.Values("reset", true, "keep", h.Reader))
	if err != nil {
		return false, fmt.Errorf("reset: %w", err)
	}
	h.States.Forget(h.Reader)
	return out.Reset, nil
}
