package tool

import (
	"context"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// Browser are the tools of the toolset of that name: a page as text with refs, and
// hands to act on it. Names, arguments, results and limits are those of the Hermes
// browser tools.
func Browser() []Tool {
	return tellsPages(slices.Concat(looking(), acting(), around()))
}

// looking are the tools that show the page, and those of the original that neither act nor look around.
func looking() []Tool {
	return []Tool{
		{Name: "browser_navigate", Title: "Open a page",
			Doc:    "Open a URL. Returns the page's title and a compact snapshot with refs such as @e5 to act on.",
			Params: []Param{{Name: "url", Kind: String, Required: true}},
			Fields: append([]Param{{Name: "url", Kind: String}, {Name: "title", Kind: String}, {Name: "status", Kind: Integer},
				{Name: botWarning, Kind: String}, {Name: loginWarning, Kind: String}}, snapshotFields...),
			Traits: OpenWorld, Run: navigate},
		{Name: "browser_snapshot", Title: "Read the page",
			Doc: "The page as text in reading order, with refs to act on, and open dialogs. Works even while a dialog blocks the page.",
			Params: []Param{
				{Name: "full", Kind: Boolean, Default: false, Doc: "also containers without text and refs"},
				{Name: "delta", Kind: Boolean, Default: false, Doc: "only what changed since you last saw the page"},
				{Name: "scope", Kind: String, Doc: "only this element: a ref or a selector"},
				{Name: "budget", Kind: Integer, Min: 50, Max: 1e6, Doc: "at most about this many tokens: the most important rows"},
			},
			Fields: append(append([]Param{{Name: "delta", Kind: Boolean}, {Name: "truncated", Kind: Boolean}}, snapshotFields...), statusFields...),
			Traits: ReadOnly | Idempotent, Run: browserSnapshot},
		{Name: "browser_get_images", Title: "List images", Doc: "List the images of the page.",
			Fields: []Param{{Name: "images", Kind: Array}, {Name: "count", Kind: Integer}}, Traits: ReadOnly | Idempotent, Run: browserImages},
		{Name: "browser_vision", Title: "Look at the page",
			Doc: "Take a screenshot and look at it, for what text cannot tell: layout, captchas, charts. Of a long page only the viewport is shown.",
			Params: []Param{{Name: "question", Kind: String, Required: true},
				{Name: "annotate", Kind: Boolean, Default: false, Doc: "number the elements: [5] is @e5"}},
			Fields: []Param{{Name: "analysis", Kind: String}, {Name: "screenshot_path", Kind: String}, {Name: "annotations", Kind: Array}},
			Traits: ReadOnly, Run: browserVision},
		{Name: "browser_console", Title: "Console",
			Doc: "Console messages and page errors; or, with expression, the value of JavaScript in the page.",
			Params: []Param{{Name: "clear", Kind: Boolean, Default: false},
				{Name: "expression", Kind: String}},
			Fields: []Param{{Name: "console_messages", Kind: Array}, {Name: "js_errors", Kind: Array}, {Name: "total_messages", Kind: Integer},
				{Name: "total_errors", Kind: Integer}, {Name: "result", Kind: Any}, {Name: "result_type", Kind: String}},
			Traits: Destructive, Run: browserConsole},
		{Name: "browser_cdp", Title: "Call the DevTools protocol",
			Doc: "Send a Chrome DevTools Protocol command, e.g. Runtime.evaluate, to the page, a frame of frame_tree or a target.",
			Params: []Param{{Name: "method", Kind: String, Required: true}, {Name: "params", Kind: Map},
				{Name: "target_id", Kind: String}, {Name: "frame_id", Kind: String}, {Name: "timeout", Kind: Number, Default: 30.0, Min: 1, Max: 300, Doc: "seconds"}},
			Fields: []Param{{Name: "method", Kind: String}, {Name: "result", Kind: Map}, {Name: "target_id", Kind: String}, {Name: "frame_id", Kind: String}},
			Traits: OpenWorld | Destructive | UsesRoots, Run: browserCDP},
		{Name: "browser_dialog", Title: "Answer a dialog",
			Doc: "Answer the JavaScript dialog that blocks the page (pending_dialogs of browser_snapshot).",
			Params: []Param{{Name: "action", Kind: String, Required: true, Enum: []string{"accept", "dismiss"}},
				{Name: "prompt_text", Kind: String, Doc: "for a prompt"},
				{Name: "dialog_id", Kind: String, Doc: "when several are open"}, changesParam},
			Fields: []Param{{Name: "action", Kind: String}, {Name: "dialog", Kind: Map}},
			Traits: OpenWorld | UsesRoots, Run: browserDialog},
	}
}

// tellsPages adds that trait.
func tellsPages(tools []Tool) []Tool {
	for i := range tools {
		tools[i].Traits |= TellsPages
	}
	return tools
}

var snapshotFields = []Param{{Name: "snapshot", Kind: String}, {Name: "element_count", Kind: Integer}}

var statusFields = []Param{{Name: "pending_dialogs", Kind: Array}, {Name: "recent_dialogs", Kind: Array}, {Name: "frame_tree", Kind: Map}}

func success() Object { return Object{{"success", true}} }

// navigateLimit is what opening a page may take: the floor of the facts.
const navigateLimit = "60s"

// The fields that tell what stands before the page that was asked for, and which is for which kind of wall.
const (
	botWarning   = "bot_detection_warning"
	loginWarning = "auth_wall_warning"
)

var wallWarnings = map[string]string{"bot_check": botWarning, "login": loginWarning}

// maxLogins bounds how often the person is asked while one page is opened: a proxy's
// login and a server's.
const maxLogins = 3

func navigate(ctx context.Context, h *Host, a Args) (*Result, error) {
	var page struct {
		URL    string         `json:"url"`
		Title  string         `json:"title"`
		Status int            `json:"status"`
		Dialog jsontext.Value `json:"dialog"`
		Wall   struct {
			Kind    string `json:"kind"`
			Message string `json:"message"`
		} `json:"wall"`
		Shot *shot `json:"snapshot"`
	}
	warning, err := h.into(ctx, &page, "open", []string{"--snapshot", "--reader=" + h.Reader, "--timeout=" + navigateLimit}, a.Str("url"))
	for tries := 0; err != nil; tries++ {
		again, failed := h.askLogin(ctx, err)
		if !again || tries == maxLogins {
			return nil, failed
		}
		// The page comes by itself once the login is accepted.
		if warning, err = h.into(ctx, &page, "get url", nil); err == nil {
			if warning, err = h.into(ctx, &page, "get title", nil); err == nil {
				page.Shot = &shot{}
				warning, err = h.into(ctx, page.Shot, "snapshot", []string{"--compact", "--reader=" + h.Reader})
			}
		}
	}
	data := success()
	data.Set("url", page.URL)
	data.Set("title", page.Title)
	said := page.Title + "\n" + page.URL
	text := ""
	if page.Status >= 400 {
		data.Set("status", page.Status)
		text += "HTTP " + strconv.Itoa(page.Status) + "\n"
	}
	if name := wallWarnings[page.Wall.Kind]; name != "" {
		data.Set(name, page.Wall.Message)
		text += name + ": " + page.Wall.Message + "\n"
	}
	if len(page.Dialog) > 0 && page.Dialog.Kind() == '{' {
		data.Set("dialog", page.Dialog)
		text += "a dialog blocks the page; answer it with browser_dialog"
		return &Result{Data: data, Text: text, Page: said + "\n" + string(page.Dialog)}, nil
	}
	warning = inTools(warning)
	data.SetIf("warning", warning)
	if page.Shot == nil { // the page is there all the same, and the warning says why it cannot be told
		return &Result{Data: data, Text: strings.TrimSpace(text), Page: said + "\nwarning: " + warning}, nil
	}
	if page.Shot.Text, err = h.Bounded("snapshot", inOutline(page.Shot.Text)); err != nil {
		return nil, err
	}
	page.Shot.addTo(&data)
	return &Result{Data: data, Text: strings.TrimSpace(text), Page: said + "\n\n" + page.Shot.Text}, nil
}

// shot is a snapshot as the verb gives it.
type shot struct {
	URL       string                    `json:"url"`
	Title     string                    `json:"title"`
	Text      string                    `json:"snapshot"`
	Refs      map[string]jsontext.Value `json:"refs"`
	Matches   int                       `json:"matches"`
	Delta     bool                      `json:"delta"`
	Why       string                    `json:"why"` // it is no delta though one was asked for
	Truncated bool                      `json:"truncated"`
	Total     int                       `json:"total_tokens"` // of the whole, when it was cut to a budget
	warning   string
}

func (s *shot) addTo(data *Object) {
	data.Set("snapshot", s.Text)
	data.Set("element_count", len(s.Refs))
	if s.Delta {
		data.Set("delta", true)
	}
	data.SetIf("why_whole", s.Why)
	if s.Truncated {
		data.Set("truncated", true)
		data.Set("total_tokens", s.Total)
	}
}

func (h *Host) snapshot(ctx context.Context, flags []string) (*shot, error) {
	var s shot
	warning, err := h.into(ctx, &s, "snapshot", append(flags, "--reader="+h.Reader))
	if err != nil {
		return nil, err
	}
	s.warning = warning
	if s.Text, err = h.Bounded("snapshot", inOutline(s.Text)); err != nil {
		return nil, err
	}
	return &s, nil
}

// status is what the browser waits for; the verb of that name asks no page.
type status struct {
	Pending jsontext.Value   `json:"pending_dialogs"`
	Recent  []jsontext.Value `json:"recent_dialogs"`
	Tree    struct {
		Top       jsontext.Value   `json:"top"`
		Children  []jsontext.Value `json:"children"`
		Truncated bool             `json:"truncated"`
	} `json:"frame_tree"`
}

// closedAt is when a dialog of recent_dialogs was closed, in seconds since 1970.
func closedAt(d jsontext.Value) float64 {
	var when struct {
		ClosedAt float64 `json:"closed_at"`
	}
	if json.Unmarshal(d, &when, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return math.Inf(1) // rather told twice than not
	}
	return when.ClosedAt
}

// tell adds what is worth telling to the data, and returns it as text: what waits, and of the rest what is not as the agent
// was told last. A tree of one frame is the page itself.
func (s *status) tell(h *Host, data *Object) string {
	var text strings.Builder
	add := func(name string, value jsontext.Value) {
		data.Set(name, value)
		text.WriteString("\n" + name + ": " + string(value))
	}
	if len(s.Pending) > 2 {
		add("pending_dialogs", s.Pending)
	}
	if closed := h.Told.closedDialogs(s.Recent); len(closed) > 0 {
		add("recent_dialogs", encoded(closed))
	}
	if tree := encoded(s.Tree); h.Told.fresh("frame_tree", tree) && len(s.Tree.Children) > 0 {
		add("frame_tree", tree)
	}
	return text.String()
}

func browserSnapshot(ctx context.Context, h *Host, a Args) (*Result, error) {
	var flags []string
	if !a.Bool("full") {
		flags = append(flags, "--compact")
	}
	if a.Bool("delta") {
		flags = append(flags, "--delta")
	}
	if scope := a.Str("scope"); scope != "" {
		flags = append(flags, "--selector="+target(scope))
	}
	if a.Has("budget") {
		flags = append(flags, "--budget="+strconv.Itoa(a.Int("budget")))
	}
	page, failed := h.snapshot(ctx, flags)
	var now status
	if _, err := h.into(ctx, &now, "status", nil); err != nil {
		if failed != nil {
			return nil, failed
		}
		return nil, err
	}
	if failed != nil && (api.CodeOf(failed) != api.DialogOpen || len(now.Pending) <= 2) {
		return nil, failed
	}
	data := success()
	res := &Result{}
	if failed != nil {
		data.Set("snapshot", "")
		data.Set("element_count", 0)
		data.Set("warning", inTools(api.AsError(failed).Sentence()))
		res.Text, res.Page = "no snapshot: "+string(api.CodeOf(failed)), inTools(api.AsError(failed).Sentence())
	} else {
		page.addTo(&data)
		data.SetIf("warning", page.warning)
		data.SetIf("url", page.URL)
		data.SetIf("title", page.Title)
		res.Page = strings.TrimSpace(page.Title + "\n" + page.URL + "\n\n" + page.Text)
		if page.warning != "" {
			res.Page += "\nwarning: " + page.warning
		}
	}
	more := now.tell(h, &data)
	if len(now.Pending) > 2 {
		res.Text = strings.TrimSpace(res.Text + "\na dialog in pending_dialogs blocks the page; answer with browser_dialog")
	}
	res.Data, res.Page = data, res.Page+more
	return res, nil
}

// maxImages bounds the list of images; all are counted.
const maxImages = 200

// imagesScript lists the images of a document that have an address of their own.
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
	data := success()
	data.Set("images", list[:min(len(list), maxImages)])
	data.Set("count", len(list))
	return &Result{Data: data}, nil
}

// evaluated is the value of a script.
type evaluated struct {
	Result         jsontext.Value `json:"result"`
	Unserializable string         `json:"unserializable"`
}

func (h *Host) eval(ctx context.Context, script string) (*evaluated, error) {
	var value evaluated
	_, err := h.into(ctx, &value, "eval", []string{"--base64=" + base64.StdEncoding.EncodeToString([]byte(script))})
	return &value, err
}
