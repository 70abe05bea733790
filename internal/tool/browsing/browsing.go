// Package browsing has the tools of agents that drive the browser: the toolsets browser and session_search.
package browsing

import (
	"context"
	"encoding/base64"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// Tools returns the tools of the toolset browser: they read a page as text with refs, and act on refs. Names,
// arguments, results and limits follow the Hermes browser tools.
func Tools() []tool.Tool {
	all := slices.Concat(readTools(), actionTools(), otherTools())
	for i := range all {
		if !slices.Contains(besides, all[i].Name) {
			all[i].Lane = lane
		}
	}
	return tool.WithPageContent(all)
}

// besides are the tools whose calls wait for none: they answer what others may be waiting for, or wait for what others do.
var besides = []string{"browser_dialog", "browser_wait", "browser_downloads"}

// lane is the lane of the other tools. Scripts are interrupted at once.
func lane(arguments jsontext.Value) (string, bool) {
	var tabs struct {
		Action string `json:"action"`
	}
	_ = json.Unmarshal(arguments, &tabs) // wrong arguments are refused later
	return "", tabs.Action != "interrupt"
}

// readTools returns the tools that read the page, and the remaining Hermes tools: console, raw CDP and dialogs.
func readTools() []tool.Tool {
	return []tool.Tool{
		{Name: "browser_navigate", Title: "Open a page",
			Doc:    "Open a URL. Returns the page's title and a compact snapshot with refs such as @e5 to act on.",
			Params: []tool.Param{{Name: "url", Kind: tool.String, Required: true}},
			Output: reflect.TypeFor[navigateResult](),
			Traits: tool.OpenWorld, Run: browserNavigate},
		{Name: "browser_snapshot", Title: "Read the page",
			Doc: "The page as text in reading order, with refs to act on, and open dialogs. Works even while a dialog blocks the page.",
			Params: []tool.Param{
				{Name: "full", Kind: tool.Boolean, Default: false, Doc: "also containers without text and refs"},
				{Name: "delta", Kind: tool.Boolean, Default: false, Doc: "only what changed since you last saw the page"},
				{Name: "scope", Kind: tool.String, Doc: "only this element: a ref or a selector"},
				{Name: "budget", Kind: tool.Integer, Min: 50, Max: 1e6, Doc: "at most about this many tokens: the most important rows"},
			},
			Output: reflect.TypeFor[snapshotResult](),
			Traits: tool.ReadOnly | tool.Idempotent, Run: browserSnapshot},
		{Name: "browser_get_images", Title: "List images", Doc: "List the images of the page.",
			Output: reflect.TypeFor[imagesResult](), Traits: tool.ReadOnly | tool.Idempotent, Run: browserImages},
		{Name: "browser_vision", Title: "Look at the page",
			Doc: "Take a screenshot and look at it, for what text cannot tell: layout, captchas, charts. Of a long page only the viewport is shown.",
			Params: []tool.Param{{Name: "question", Kind: tool.String, Required: true},
				{Name: "annotate", Kind: tool.Boolean, Default: false, Doc: "number the elements: [5] is @e5"}},
			Output: reflect.TypeFor[visionResult](),
			Traits: tool.ReadOnly, Run: browserVision},
		{Name: "browser_console", Title: "Console",
			Doc: "Console messages and page errors; or, with expression, the value of JavaScript in the page.",
			Params: []tool.Param{{Name: "clear", Kind: tool.Boolean, Default: false},
				{Name: "expression", Kind: tool.String}},
			Output: reflect.TypeFor[consoleResult](),
			Traits: tool.Destructive, Run: browserConsole},
		{Name: "browser_cdp", Title: "Call the DevTools protocol",
			Doc: "Send a Chrome DevTools Protocol command, e.g. Runtime.evaluate, to the page, a frame of frame_tree or a target.",
			Params: []tool.Param{{Name: "method", Kind: tool.String, Required: true}, {Name: "params", Kind: tool.Map},
				{Name: "target_id", Kind: tool.String}, {Name: "frame_id", Kind: tool.String}, {Name: "timeout", Kind: tool.Number, Default: 30.0, Min: 1, Max: 300, Doc: "seconds"}},
			Output: reflect.TypeFor[cdpResult](),
			Traits: tool.OpenWorld | tool.Destructive | tool.UsesRoots, Run: browserCDP},
		{Name: "browser_dialog", Title: "Answer a dialog",
			Doc: "Answer the JavaScript dialog that blocks the page (pending_dialogs of browser_snapshot).",
			Params: []tool.Param{{Name: "action", Kind: tool.String, Required: true, Enum: []string{"accept", "dismiss"}},
				{Name: "prompt_text", Kind: tool.String, Doc: "for a prompt"},
				{Name: "dialog_id", Kind: tool.String, Doc: "when several are open"}, changesParam},
			Output: reflect.TypeFor[dialogResult](),
			Traits: tool.OpenWorld | tool.UsesRoots, Run: browserDialog},
	}
}

// The limits of browser_navigate: for the document, which is less than the minute after which many clients give a call up, and for what
// follows the document.
const (
	navigateTimeout = "50s"
	loadLimit       = "10s"
)

// maxLogins bounds how often the person is asked for HTTP credentials while one page is opened: there can be a proxy's
// login and a server's.
const maxLogins = 3

// openData is the part of the data of `open` that browser_navigate uses.
type openData struct {
	URL    string      `json:"url"`
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Dialog *api.Dialog `json:"dialog"`
	Wall   struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"wall"`
	Shot *snapshotData `json:"snapshot"`
}

var (
	openQuery = tool.NewQuery[openData]("open")
	urlQuery  = tool.NewQuery[struct {
		URL string `json:"url"`
	}]("get url")
	titleQuery = tool.NewQuery[struct {
		Title string `json:"title"`
	}]("get title")
)

func browserNavigate(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	page, warning, err := openQuery.Run(ctx, h, tool.Values("url", a.Str("url"), "snapshot", true, "reader", h.Reader, "timeout", navigateTimeout, "load-limit", loadLimit))
	for tries := 0; err != nil; tries++ {
		again, failed := answerLogin(ctx, h, err)
		if !again || tries == maxLogins {
			return nil, failed
		}
		page, warning, err = pageAfterLogin(ctx, h)
	}
	res := navigateResult{Success: tool.Succeeded, URL: page.URL, Title: page.Title}
	said := page.Title + "\n" + page.URL
	text := ""
	if page.Status >= 400 {
		res.Status = page.Status
		text += "HTTP " + strconv.Itoa(page.Status) + "\n"
	}
	switch page.Wall.Kind {
	case "bot_check":
		res.Bot = page.Wall.Message
		text += "bot_detection_warning: " + page.Wall.Message + "\n"
	case "login":
		res.Login = page.Wall.Message
		text += "auth_wall_warning: " + page.Wall.Message + "\n"
	}
	if page.Dialog != nil {
		res.Dialog = page.Dialog
		text += "a dialog blocks the page; answer it with browser_dialog"
		return &tool.Result{Value: res, Text: text, Page: said + "\n" + string(tool.Encode(page.Dialog))}, nil
	}
	res.Warning = tool.ReplaceCommands(warning)
	if page.Shot == nil { // the page is open; the warning says why there is no snapshot
		return &tool.Result{Value: res, Text: strings.TrimSpace(text), Page: said + "\nwarning: " + res.Warning}, nil
	}
	if page.Shot.Text, err = h.Bounded("snapshot", replaceOutlineCommands(page.Shot.Text)); err != nil {
		return nil, err
	}
	shot := page.Shot.outline()
	res.Shot = &shot
	said += "\n\n" + page.Shot.Text
	if res.Warning != "" {
		said += "\nwarning: " + res.Warning
	}
	return &tool.Result{Value: res, Text: strings.TrimSpace(text), Page: said}, nil
}

// pageAfterLogin reads the page that loaded after HTTP authentication was answered. No `open` is needed: the browser
// continues the navigation.
func pageAfterLogin(ctx context.Context, h *tool.Host) (page openData, warning string, err error) {
	where, _, err := urlQuery.Run(ctx, h, nil)
	if err != nil {
		return page, "", err
	}
	what, _, err := titleQuery.Run(ctx, h, nil)
	if err != nil {
		return page, "", err
	}
	page.URL, page.Title = where.URL, what.Title
	shot, warning, err := snapshotQuery.Run(ctx, h, tool.Values("compact", true, "reader", h.Reader))
	page.Shot = &shot
	return page, warning, err
}

var snapshotQuery = tool.NewQuery[snapshotData]("snapshot")

// snapshotData is the part of the data of `snapshot` that tools use.
type snapshotData struct {
	URL       string                    `json:"url"`
	Title     string                    `json:"title"`
	Text      string                    `json:"snapshot"`
	Refs      map[string]jsontext.Value `json:"refs"`
	Matches   int                       `json:"matches"`
	Delta     bool                      `json:"delta"`
	Why       string                    `json:"why"` // why the whole outline was returned though a delta was requested
	Truncated bool                      `json:"truncated"`
	Total     int                       `json:"total_tokens"` // of the whole outline, if it was cut to a budget
	warning   string                    `json:"-"`
}

// outline returns the snapshot's members of a result.
func (s *snapshotData) outline() outline {
	o := outline{Snapshot: s.Text, Elements: len(s.Refs), Delta: s.Delta, Why: s.Why, Truncated: s.Truncated}
	if s.Truncated {
		o.Total = s.Total
	}
	return o
}

func takeSnapshot(ctx context.Context, h *tool.Host, values verb.Values) (*snapshotData, error) {
	values.Set("reader", h.Reader)
	s, warning, err := snapshotQuery.Run(ctx, h, values)
	if err != nil {
		return nil, err
	}
	s.warning = warning
	if s.Text, err = h.Bounded("snapshot", replaceOutlineCommands(s.Text)); err != nil {
		return nil, err
	}
	return &s, nil
}

// statusData is the part of the data of `status` that tools use. That command sends nothing to the page, so it works
// while a dialog is open.
type statusData struct {
	Pending []jsontext.Value `json:"pending_dialogs"`
	Recent  []jsontext.Value `json:"recent_dialogs"`
	Tree    frameTree        `json:"frame_tree"`
}

// addTo adds to the result the open dialogs, the closed dialogs that the agent has not seen, and the frame tree if it
// differs from the last one reported. It returns the same as text. A tree of one frame is not reported.
func (s *statusData) addTo(h *tool.Host, res *snapshotResult) string {
	text := ""
	if len(s.Pending) > 0 {
		res.Pending = s.Pending
		text += "\npending_dialogs: " + string(tool.Encode(s.Pending))
	}
	if closed := h.Reported.NewDialogs(s.Recent); len(closed) > 0 {
		res.Recent = closed
		text += "\nrecent_dialogs: " + string(tool.Encode(closed))
	}
	if tree := tool.Encode(s.Tree); h.Reported.Changed("frame_tree", tree) && len(s.Tree.Children) > 0 {
		res.Tree = &s.Tree
		text += "\nframe_tree: " + string(tree)
	}
	return text
}

var statusQuery = tool.NewQuery[statusData]("status")

func browserSnapshot(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	values := tool.Values("compact", !a.Bool("full"), "delta", a.Bool("delta"))
	if scope := a.Str("scope"); scope != "" {
		values.Set("selector", normalizeRef(scope))
	}
	if a.Has("budget") {
		values.Set("budget", a.Int("budget"))
	}
	page, failed := takeSnapshot(ctx, h, values)
	now, _, err := statusQuery.Run(ctx, h, nil)
	if err != nil {
		if failed != nil {
			return nil, failed
		}
		return nil, err
	}
	if failed != nil && (api.CodeOf(failed) != api.DialogOpen || len(now.Pending) == 0) {
		return nil, failed
	}
	data := snapshotResult{Success: tool.Succeeded}
	res := &tool.Result{}
	if failed != nil {
		data.Warning = tool.ReplaceCommands(api.AsError(failed).Sentence())
		res.Text, res.Page = "no snapshot: "+string(api.CodeOf(failed)), data.Warning
	} else {
		data.outline, data.Warning, data.URL, data.Title = page.outline(), page.warning, page.URL, page.Title
		res.Page = strings.TrimSpace(page.Title + "\n" + page.URL + "\n\n" + page.Text)
		if page.warning != "" {
			res.Page += "\nwarning: " + page.warning
		}
	}
	more := now.addTo(h, &data)
	if len(now.Pending) > 0 {
		res.Text = strings.TrimSpace(res.Text + "\na dialog in pending_dialogs blocks the page; answer with browser_dialog")
	}
	res.Value, res.Page = data, res.Page+more
	return res, nil
}

// maxImages bounds the list of images; count has the number of all.
const maxImages = 200

// imagesScript lists the images of a document, without those at data: URLs.
const imagesScript = `Array.from(document.images, i => ({src: i.currentSrc || i.src, alt: i.alt, width: i.naturalWidth, height: i.naturalHeight}))` +
	`.filter(i => i.src && !i.src.startsWith("data:"))`

func browserImages(ctx context.Context, h *tool.Host, _ tool.Args) (*tool.Result, error) {
	value, err := evaluate(ctx, h, imagesScript)
	if err != nil {
		return nil, err
	}
	var list []jsontext.Value
	if err := json.Unmarshal(value.Result, &list); err != nil {
		return nil, api.Errorf(api.ProtocolError, "the page's list of images cannot be read: %w", err)
	}
	return &tool.Result{Value: imagesResult{tool.Succeeded, list[:min(len(list), maxImages)], len(list)}}, nil
}

// evalData is the data of `eval`.
type evalData struct {
	Result         jsontext.Value `json:"result"`
	Unserializable string         `json:"unserializable"`
}

var evalQuery = tool.NewQuery[evalData]("eval")

func evaluate(ctx context.Context, h *tool.Host, script string) (*evalData, error) {
	value, _, err := evalQuery.Run(ctx, h, tool.Values("base64", base64.StdEncoding.EncodeToString([]byte(script))))
	return &value, err
}

// replaceOutlineCommands replaces commands by tools in the lines of an outline that say how to read what was left out.
func replaceOutlineCommands(text string) string {
	for _, command := range [...]string{": snapshot -c -s ", ": snapshot -s "} {
		text = strings.ReplaceAll(text, command, ": browser_snapshot with scope ")
	}
	return cutOutline().ReplaceAllString(text, "$1: browser_find or browser_snapshot")
}

// cutOutline matches the last line of an outline that was cut, which names the command for the whole page.
var cutOutline = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^(- … .*): snapshot(?: -c)?$`) })
