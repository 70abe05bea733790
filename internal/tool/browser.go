package tool

import (
	"context"
	"encoding/base64"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Browser returns the tools of the toolset browser: they read a page as text with refs, and act on refs. Names,
// arguments, results and limits follow the Hermes browser tools.
func Browser() []Tool {
	return tellsPages(slices.Concat(looking(), acting(), around()))
}

// looking returns the tools that read the page, and the remaining Hermes tools: console, raw CDP and dialogs.
func looking() []Tool {
	return []Tool{
		{Name: "browser_navigate", Title: "Open a page",
			Doc:    "Open a URL. Returns the page's title and a compact snapshot with refs such as @e5 to act on.",
			Params: []Param{{Name: "url", Kind: String, Required: true}},
			Output: reflect.TypeFor[navigateResult](),
			Traits: OpenWorld, Run: navigate},
		{Name: "browser_snapshot", Title: "Read the page",
			Doc: "The page as text in reading order, with refs to act on, and open dialogs. Works even while a dialog blocks the page.",
			Params: []Param{
				{Name: "full", Kind: Boolean, Default: false, Doc: "also containers without text and refs"},
				{Name: "delta", Kind: Boolean, Default: false, Doc: "only what changed since you last saw the page"},
				{Name: "scope", Kind: String, Doc: "only this element: a ref or a selector"},
				{Name: "budget", Kind: Integer, Min: 50, Max: 1e6, Doc: "at most about this many tokens: the most important rows"},
			},
			Output: reflect.TypeFor[snapshotResult](),
			Traits: ReadOnly | Idempotent, Run: browserSnapshot},
		{Name: "browser_get_images", Title: "List images", Doc: "List the images of the page.",
			Output: reflect.TypeFor[imagesResult](), Traits: ReadOnly | Idempotent, Run: browserImages},
		{Name: "browser_vision", Title: "Look at the page",
			Doc: "Take a screenshot and look at it, for what text cannot tell: layout, captchas, charts. Of a long page only the viewport is shown.",
			Params: []Param{{Name: "question", Kind: String, Required: true},
				{Name: "annotate", Kind: Boolean, Default: false, Doc: "number the elements: [5] is @e5"}},
			Output: reflect.TypeFor[visionResult](),
			Traits: ReadOnly, Run: browserVision},
		{Name: "browser_console", Title: "Console",
			Doc: "Console messages and page errors; or, with expression, the value of JavaScript in the page.",
			Params: []Param{{Name: "clear", Kind: Boolean, Default: false},
				{Name: "expression", Kind: String}},
			Output: reflect.TypeFor[consoleResult](),
			Traits: Destructive, Run: browserConsole},
		{Name: "browser_cdp", Title: "Call the DevTools protocol",
			Doc: "Send a Chrome DevTools Protocol command, e.g. Runtime.evaluate, to the page, a frame of frame_tree or a target.",
			Params: []Param{{Name: "method", Kind: String, Required: true}, {Name: "params", Kind: Map},
				{Name: "target_id", Kind: String}, {Name: "frame_id", Kind: String}, {Name: "timeout", Kind: Number, Default: 30.0, Min: 1, Max: 300, Doc: "seconds"}},
			Output: reflect.TypeFor[cdpResult](),
			Traits: OpenWorld | Destructive | UsesRoots, Run: browserCDP},
		{Name: "browser_dialog", Title: "Answer a dialog",
			Doc: "Answer the JavaScript dialog that blocks the page (pending_dialogs of browser_snapshot).",
			Params: []Param{{Name: "action", Kind: String, Required: true, Enum: []string{"accept", "dismiss"}},
				{Name: "prompt_text", Kind: String, Doc: "for a prompt"},
				{Name: "dialog_id", Kind: String, Doc: "when several are open"}, changesParam},
			Output: reflect.TypeFor[dialogResult](),
			Traits: OpenWorld | UsesRoots, Run: browserDialog},
	}
}

// tellsPages adds the trait [TellsPages] to each tool and returns them.
func tellsPages(tools []Tool) []Tool {
	for i := range tools {
		tools[i].Traits |= TellsPages
	}
	return tools
}

// navigateLimit is the timeout of browser_navigate.
const navigateLimit = "60s"

// maxLogins bounds how often the person is asked for HTTP credentials while one page is opened: there can be a proxy's
// login and a server's.
const maxLogins = 3

// opened is the part of the data of `open` that browser_navigate uses.
type opened struct {
	URL    string      `json:"url"`
	Title  string      `json:"title"`
	Status int         `json:"status"`
	Dialog *api.Dialog `json:"dialog"`
	Wall   struct {
		Kind    string `json:"kind"`
		Message string `json:"message"`
	} `json:"wall"`
	Shot *shot `json:"snapshot"`
}

var (
	openPage = reading[opened]("open")
	pageURL  = reading[struct {
		URL string `json:"url"`
	}]("get url")
	pageTitle = reading[struct {
		Title string `json:"title"`
	}]("get title")
)

func navigate(ctx context.Context, h *Host, a Args) (*Result, error) {
	page, warning, err := openPage.ask(ctx, h, given("url", a.Str("url"), "snapshot", true, "reader", h.Reader, "timeout", navigateLimit))
	for tries := 0; err != nil; tries++ {
		again, failed := h.askLogin(ctx, err)
		if !again || tries == maxLogins {
			return nil, failed
		}
		page, warning, err = h.shown(ctx)
	}
	res := navigateResult{success: succeeded, URL: page.URL, Title: page.Title}
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
		return &Result{Value: res, Text: text, Page: said + "\n" + string(encoded(page.Dialog))}, nil
	}
	res.Warning = inTools(warning)
	if page.Shot == nil { // the page is open; the warning says why there is no snapshot
		return &Result{Value: res, Text: strings.TrimSpace(text), Page: said + "\nwarning: " + res.Warning}, nil
	}
	if page.Shot.Text, err = h.Bounded("snapshot", inOutline(page.Shot.Text)); err != nil {
		return nil, err
	}
	shot := page.Shot.outline()
	res.Shot = &shot
	return &Result{Value: res, Text: strings.TrimSpace(text), Page: said + "\n\n" + page.Shot.Text}, nil
}

// shown reads the page that loaded after HTTP authentication was answered. No `open` is needed: the browser continues the
// navigation.
func (h *Host) shown(ctx context.Context) (page opened, warning string, err error) {
	where, _, err := pageURL.ask(ctx, h, nil)
	if err != nil {
		return page, "", err
	}
	what, _, err := pageTitle.ask(ctx, h, nil)
	if err != nil {
		return page, "", err
	}
	page.URL, page.Title = where.URL, what.Title
	shot, warning, err := snapshots.ask(ctx, h, given("compact", true, "reader", h.Reader))
	page.Shot = &shot
	return page, warning, err
}

var snapshots = reading[shot]("snapshot")

// shot is the part of the data of `snapshot` that tools use.
type shot struct {
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
func (s *shot) outline() outline {
	o := outline{Snapshot: s.Text, Elements: len(s.Refs), Delta: s.Delta, Why: s.Why, Truncated: s.Truncated}
	if s.Truncated {
		o.Total = s.Total
	}
	return o
}

func (h *Host) snapshot(ctx context.Context, values verb.Values) (*shot, error) {
	values.Set("reader", h.Reader)
	s, warning, err := snapshots.ask(ctx, h, values)
	if err != nil {
		return nil, err
	}
	s.warning = warning
	if s.Text, err = h.Bounded("snapshot", inOutline(s.Text)); err != nil {
		return nil, err
	}
	return &s, nil
}

// status is the part of the data of `status` that tools use. That command sends nothing to the page, so it works while a
// dialog is open.
type status struct {
	Pending []jsontext.Value `json:"pending_dialogs"`
	Recent  []jsontext.Value `json:"recent_dialogs"`
	Tree    frameTree        `json:"frame_tree"`
}

// closedAt returns when a dialog of recent_dialogs was closed, in seconds since 1970; +Inf if that cannot be read.
func closedAt(d jsontext.Value) float64 {
	var when struct {
		ClosedAt float64 `json:"closed_at"`
	}
	if json.Unmarshal(d, &when, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return math.Inf(1) // report it again rather than never
	}
	return when.ClosedAt
}

// tell adds to the result the open dialogs, the closed dialogs that the agent has not seen, and the frame tree if it
// differs from the last one reported. It returns the same as text. A tree of one frame is not reported.
func (s *status) tell(h *Host, res *snapshotResult) string {
	text := ""
	if len(s.Pending) > 0 {
		res.Pending = s.Pending
		text += "\npending_dialogs: " + string(encoded(s.Pending))
	}
	if closed := h.Told.closedDialogs(s.Recent); len(closed) > 0 {
		res.Recent = closed
		text += "\nrecent_dialogs: " + string(encoded(closed))
	}
	if tree := encoded(s.Tree); h.Told.fresh("frame_tree", tree) && len(s.Tree.Children) > 0 {
		res.Tree = &s.Tree
		text += "\nframe_tree: " + string(tree)
	}
	return text
}

var statuses = reading[status]("status")

func browserSnapshot(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := given("compact", !a.Bool("full"), "delta", a.Bool("delta"))
	if scope := a.Str("scope"); scope != "" {
		values.Set("selector", target(scope))
	}
	if a.Has("budget") {
		values.Set("budget", a.Int("budget"))
	}
	page, failed := h.snapshot(ctx, values)
	now, _, err := statuses.ask(ctx, h, nil)
	if err != nil {
		if failed != nil {
			return nil, failed
		}
		return nil, err
	}
	if failed != nil && (api.CodeOf(failed) != api.DialogOpen || len(now.Pending) == 0) {
		return nil, failed
	}
	told := snapshotResult{success: succeeded}
	res := &Result{}
	if failed != nil {
		told.Warning = inTools(api.AsError(failed).Sentence())
		res.Text, res.Page = "no snapshot: "+string(api.CodeOf(failed)), told.Warning
	} else {
		told.outline, told.Warning, told.URL, told.Title = page.outline(), page.warning, page.URL, page.Title
		res.Page = strings.TrimSpace(page.Title + "\n" + page.URL + "\n\n" + page.Text)
		if page.warning != "" {
			res.Page += "\nwarning: " + page.warning
		}
	}
	more := now.tell(h, &told)
	if len(now.Pending) > 0 {
		res.Text = strings.TrimSpace(res.Text + "\na dialog in pending_dialogs blocks the page; answer with browser_dialog")
	}
	res.Value, res.Page = told, res.Page+more
	return res, nil
}

// maxImages bounds the list of images; count has the number of all.
const maxImages = 200

// imagesScript lists the images of a document, without those at data: URLs.
const imagesScript = `Array.from(document.images, i => ({src: i.currentSrc || i.src, alt: i.alt, width: i.naturalWidth, height: i.naturalHeight}))` +
	`.filter(i => i.src && !i.src.startsWith("data:"))`

func browserImages(ctx context.Context, h *Host, _ Args) (*Result, error) {
	value, err := h.eval(ctx, imagesScript)
	if err != nil {
		return nil, err
	}
	var list []jsontext.Value
	if err := json.Unmarshal(value.Result, &list); err != nil {
		return nil, api.Errorf(api.ProtocolError, "the page's list of images cannot be read: %w", err)
	}
	return &Result{Value: imagesResult{succeeded, list[:min(len(list), maxImages)], len(list)}}, nil
}

// evaluated is the data of `eval`.
type evaluated struct {
	Result         jsontext.Value `json:"result"`
	Unserializable string         `json:"unserializable"`
}

var evaluations = reading[evaluated]("eval")

func (h *Host) eval(ctx context.Context, script string) (*evaluated, error) {
	value, _, err := evaluations.ask(ctx, h, given("base64", base64.StdEncoding.EncodeToString([]byte(script))))
	return &value, err
}
