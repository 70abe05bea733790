package browsing

import (
	"context"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/elicitation"
	"github.com/usher-browser/usher/internal/verb"
)

var (
	targetParam  = tool.Param{Name: "ref", Kind: tool.String, Required: true} // described once, at browser_click
	changesParam = tool.Param{Name: "changes", Kind: tool.String, Enum: []string{"none", "delta", "full"}, Default: "delta", Brief: true}
)

// actionTools returns the tools that act on the page. Each reports what the browser was observed to do and, unless
// changes is "none", what changed in the page.
func actionTools() []tool.Tool {
	const acts = tool.OpenWorld | tool.Destructive
	with := func(params ...tool.Param) []tool.Param { return append(params, changesParam) }
	return []tool.Tool{
		{Name: "browser_click", Title: "Click", Doc: "Click an element or a point. Like every action, reports what happened and what changed in the page.",
			Params: []tool.Param{{Name: "ref", Kind: tool.String, Doc: "@e5, or a selector: CSS, text=Save"},
				{Name: "button", Kind: tool.String, Enum: []string{"left", "right", "middle"}},
				{Name: "count", Kind: tool.Integer, Min: 1, Max: 3, Brief: true, Doc: "2: double click"},
				{Name: "modifiers", Kind: tool.Strings, Doc: "Control, Shift, Alt, Meta"},
				{Name: "x", Kind: tool.Number}, {Name: "y", Kind: tool.Number},
				{Name: "changes", Kind: tool.String, Enum: changesParam.Enum, Default: "delta"}},
			Output: reflect.TypeFor[clickResult](), Traits: acts, Run: browserClick},
		{Name: "browser_type", Title: "Fill a field", Doc: "Clear a field and type text into it; without ref, type into the focused element.",
			Params: with(tool.Param{Name: "ref", Kind: tool.String}, tool.Param{Name: "text", Kind: tool.String, Required: true},
				tool.Param{Name: "append", Kind: tool.Boolean, Default: false, Doc: "keep the content"},
				tool.Param{Name: "submit", Kind: tool.Boolean, Default: false, Doc: "press Enter after it"}),
			Output: reflect.TypeFor[typeResult](), Traits: tool.OpenWorld | tool.Idempotent, Run: browserType},
		{Name: "browser_press", Title: "Press a key", Doc: "Press a key or combination: Enter, Tab, Escape, Control+a.",
			Params: with(tool.Param{Name: "key", Kind: tool.String, Required: true}), Output: reflect.TypeFor[pressResult](), Traits: acts, Run: browserPress},
		{Name: "browser_select", Title: "Choose options", Doc: "Choose options of a select or listbox by label or value.",
			Params: with(targetParam, tool.Param{Name: "values", Kind: tool.Strings, Required: true, MaxItems: 100, Brief: true}),
			Output: reflect.TypeFor[selectResult](), Unlisted: true, Traits: tool.OpenWorld | tool.Idempotent, Run: browserSelect},
		{Name: "browser_check", Title: "Check or uncheck", Doc: "Check a checkbox, radio or switch, or uncheck it.",
			Params: with(targetParam, tool.Param{Name: "checked", Kind: tool.Boolean, Default: true}),
			Output: reflect.TypeFor[checkResult](), Unlisted: true, Traits: tool.OpenWorld | tool.Idempotent, Run: browserCheck},
		{Name: "browser_fill_form", Title: "Fill a form", Doc: "Fill several fields in one call.",
			Params: with(tool.Param{Name: "fields", Kind: tool.Array, Required: true, Doc: `[{"ref":"@e5","value":"text" | true | ["option"]}]`},
				tool.Param{Name: "submit", Kind: tool.Boolean, Default: false, Doc: "press Enter in the last"}),
			Output: reflect.TypeFor[fillFormResult](), Unlisted: true, Traits: tool.OpenWorld | tool.Idempotent, Run: browserFillForm},
		{Name: "browser_hover", Title: "Hover", Doc: "Move the mouse over an element.",
			Params: with(targetParam), Output: reflect.TypeFor[hoverResult](), Unlisted: true, Traits: tool.OpenWorld, Run: browserHover},
		{Name: "browser_drag", Title: "Drag", Doc: "Drag an element onto another, or to a point.",
			Params: with(tool.Param{Name: "source", Kind: tool.String, Required: true}, tool.Param{Name: "target", Kind: tool.String}, tool.Param{Name: "x", Kind: tool.Number}, tool.Param{Name: "y", Kind: tool.Number}),
			Output: reflect.TypeFor[dragResult](), Unlisted: true, Traits: acts, Run: browserDrag},
		{Name: "browser_upload", Title: "Upload files", Doc: "Select files in a file field, or by an element that opens a file chooser.",
			Params: with(targetParam, tool.Param{Name: "paths", Kind: tool.Strings, Required: true, MaxItems: 100, Brief: true}),
			Output: reflect.TypeFor[uploadResult](), Unlisted: true, Traits: acts | tool.UsesRoots, Run: browserUpload},
		{Name: "browser_scroll", Title: "Scroll", Doc: "Scroll the page by 500 pixels.",
			Params: []tool.Param{{Name: "direction", Kind: tool.String, Required: true, Enum: []string{"up", "down"}}},
			Output: reflect.TypeFor[scrollResult](),
			Traits: tool.ReadOnly, Run: browserScroll},
		{Name: "browser_back", Title: "Go back", Doc: "Go back in the history.", Params: with(),
			Output: reflect.TypeFor[backResult](), Traits: tool.OpenWorld, Run: browserBack},
	}
}

var refPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?(?:ref=)?@?(e\d+)\]?$`) })

// normalizeRef returns the selector for an element as a model wrote it. Models omit the @ of a ref or copy the brackets
// of a snapshot row; both become "@e5".
func normalizeRef(written string) string {
	written = strings.TrimSpace(written)
	if m := refPattern().FindStringSubmatch(written); m != nil {
		return "@" + m[1]
	}
	return written
}

// runAction runs the action command query and builds the result from its [api.Outcome] and the changes of the page.
// summary is the first line of the result's text; value is the result, whose own members are set already.
func runAction(ctx context.Context, h *tool.Host, a tool.Args, summary string, value actionResult, query tool.Query[api.Outcome], values verb.Values) (*tool.Result, error) {
	observed, warning, err := query.Run(ctx, h, requestChanges(h, a, values))
	if err != nil {
		return nil, err
	}
	return outcomeResult(h, summary, value, &observed, warning)
}

// requestChanges sets the flags that request the changes of the page, unless the argument changes is absent or "none".
// It modifies and returns values.
func requestChanges(h *tool.Host, a tool.Args, values verb.Values) verb.Values {
	if mode := a.Str("changes"); mode != "" && mode != "none" {
		values.Set("changes", mode)
		values.Set("reader", h.Reader)
	}
	return values
}

// outcomeResult completes the result of an action with the outcome that the command reported.
func outcomeResult(h *tool.Host, summary string, value actionResult, observed *api.Outcome, warning string) (*tool.Result, error) {
	lines := observed.Lines()
	changes, out := observed.Changes, value.actionOutcome()
	out.Outcome = *observed
	out.Outcome.Changes = nil
	if warning != "" {
		out.Warning = tool.ReplaceCommands(warning)
		lines = append(lines, "warning: "+out.Warning)
	}
	for i := range lines {
		lines[i] = tool.ReplaceCommands(lines[i])
	}
	if changes == nil {
		if len(lines) > 0 {
			return &tool.Result{Value: value, Text: summary, Page: strings.Join(lines, "\n")}, nil
		}
		return &tool.Result{Value: value}, nil
	}
	text, err := h.Bounded("changes", replaceOutlineCommands(changes.Text))
	if err != nil {
		return nil, err
	}
	if changes.Title != "" {
		lines = append(lines, changes.Title)
	}
	if changes.Error != "" {
		lines = append(lines, "no changes: "+tool.ReplaceCommands(changes.Error))
	}
	out.Title, out.Changes, out.Why, out.Truncated = changes.Title, text, changes.Why, changes.Truncated
	return &tool.Result{Value: value, Text: summary, Page: strings.TrimSpace(strings.Join(lines, "\n") + "\n" + text)}, nil
}

// point formats the arguments x and y as the value "x,y" of a command. It returns "" if neither is given, and an error
// if only one is.
func point(tool string, a tool.Args) (string, error) {
	if a.Has("x") != a.Has("y") {
		return "", api.Errorf(api.InvalidArgument, "%s: x and y go together", tool)
	}
	if !a.Has("x") {
		return "", nil
	}
	return strconv.FormatFloat(a.Num("x"), 'f', -1, 64) + "," + strconv.FormatFloat(a.Num("y"), 'f', -1, 64), nil
}

func browserClick(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	values := tool.Values()
	selector := normalizeRef(a.Str("ref"))
	at, err := point("browser_click", a)
	if err != nil {
		return nil, err
	}
	if selector != "" {
		values.Set("selector", selector)
	}
	switch {
	case at != "":
		values.Set("at", at)
		if selector == "" {
			selector = at
		}
	case selector == "":
		return nil, api.Errorf(api.MissingArgument, "browser_click: give ref, or x and y")
	}
	if a.Has("button") {
		values.Set("button", a.Str("button"))
	}
	if a.Has("count") {
		values.Set("count", a.Int("count"))
	}
	if modifiers := a.Strings("modifiers"); len(modifiers) > 0 {
		values.Set("modifiers", strings.Join(modifiers, "+"))
	}
	return runAction(ctx, h, a, "clicked "+elicitation.Quote(selector, 100), &clickResult{Success: tool.Succeeded, Clicked: selector}, clickQuery, values)
}

// The action commands; each returns an [api.Outcome].
var (
	clickQuery        = tool.NewQuery[api.Outcome]("click")
	fillQuery         = tool.NewQuery[api.Outcome]("fill")
	typeQuery         = tool.NewQuery[api.Outcome]("type")
	keyboardTypeQuery = tool.NewQuery[api.Outcome]("keyboard type")
	pressQuery        = tool.NewQuery[api.Outcome]("press")
	selectQuery       = tool.NewQuery[api.Outcome]("select")
	checkQuery        = tool.NewQuery[api.Outcome]("check")
	uncheckQuery      = tool.NewQuery[api.Outcome]("uncheck")
	hoverQuery        = tool.NewQuery[api.Outcome]("hover")
	dragQuery         = tool.NewQuery[api.Outcome]("drag")
	uploadQuery       = tool.NewQuery[api.Outcome]("upload")
	backQuery         = tool.NewQuery[api.Outcome]("back")
)

func browserType(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	selector, text := normalizeRef(a.Str("ref")), a.Str("text")
	enter, values := fillQuery, tool.Values("selector", selector, "text", text)
	switch {
	case selector == "":
		enter, values = keyboardTypeQuery, tool.Values("text", text)
	case a.Bool("append"):
		enter = typeQuery
		// Focusing a field does not define where its caret is, so move the caret to the end.
		if _, err := h.Run(ctx, "focus", tool.Values("selector", selector)); err != nil {
			return nil, err
		}
		if _, err := h.Run(ctx, "press", tool.Values("key", "Control+End")); err != nil {
			return nil, err
		}
	}
	res := &typeResult{Success: tool.Succeeded, Typed: redactSecret(text), Element: selector}
	if !a.Bool("submit") {
		return runAction(ctx, h, a, "typed", res, enter, values)
	}
	observed, warning, err := enter.Run(ctx, h, values)
	if err != nil {
		return nil, err
	}
	return submit(ctx, h, a, "typed, and pressed Enter", res, &observed, warning)
}

// submit presses Enter after an earlier action whose outcome is observed. If that action opened a dialog or navigated,
// Enter is not pressed and the result has a warning.
func submit(ctx context.Context, h *tool.Host, a tool.Args, summary string, value actionResult, observed *api.Outcome, warning string) (*tool.Result, error) {
	if observed.Dialog != nil || observed.Navigation != nil && !observed.Navigation.SameDocument {
		warning = strings.TrimPrefix(warning+"; Enter was not pressed, for something else happened before", "; ")
		return outcomeResult(h, strings.TrimSuffix(summary, ", and pressed Enter"), value, observed, warning)
	}
	res, err := runAction(ctx, h, a, summary, value, pressQuery, tool.Values("key", "Enter"))
	if err == nil && warning != "" {
		warning = "before Enter: " + tool.ReplaceCommands(warning)
		out := value.actionOutcome()
		out.Warning = api.JoinWarnings(warning, out.Warning)
		res.Page = strings.TrimSpace("warning: " + warning + "\n" + res.Page)
	}
	return res, err
}

func browserPress(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	return runAction(ctx, h, a, "pressed "+elicitation.Quote(a.Str("key"), 40), &pressResult{Success: tool.Succeeded, Pressed: a.Str("key")}, pressQuery, tool.Values("key", a.Str("key")))
}

func browserSelect(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	values := a.Strings("values")
	return runAction(ctx, h, a, "selected", &selectResult{Success: tool.Succeeded, Selected: values}, selectQuery, tool.Values("selector", normalizeRef(a.Str("ref")), "values", values))
}

func browserCheck(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	query, summary := checkQuery, "checked"
	if !a.Bool("checked") {
		query, summary = uncheckQuery, "unchecked"
	}
	return runAction(ctx, h, a, summary, &checkResult{Success: tool.Succeeded, Checked: a.Bool("checked")}, query, tool.Values("selector", normalizeRef(a.Str("ref"))))
}

func browserHover(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	selector := normalizeRef(a.Str("ref"))
	return runAction(ctx, h, a, "hovered", &hoverResult{Success: tool.Succeeded, Hovered: selector}, hoverQuery, tool.Values("selector", selector))
}

func browserDrag(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	values := tool.Values("source", normalizeRef(a.Str("source")))
	at, err := point("browser_drag", a)
	switch {
	case err != nil:
		return nil, err
	case a.Str("target") != "":
		values.Set("target", normalizeRef(a.Str("target")))
	case at == "":
		return nil, api.Errorf(api.MissingArgument, "browser_drag: give target, or x and y")
	}
	if at != "" {
		values.Set("at", at)
	}
	return runAction(ctx, h, a, "dragged", &dragResult{Success: tool.Succeeded, Dragged: true}, dragQuery, values)
}

func browserUpload(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	paths := a.Strings("paths")
	return runAction(ctx, h, a, "uploaded "+tool.Count(len(paths), "file"), &uploadResult{Success: tool.Succeeded, Uploaded: len(paths)}, uploadQuery, tool.Values("selector", normalizeRef(a.Str("ref")), "files", paths))
}

var scrollQuery = tool.NewQuery[struct {
	AtEnd bool `json:"atEnd"`
}]("scroll")

func browserScroll(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	observed, warning, err := scrollQuery.Run(ctx, h, tool.Values("direction", a.Str("direction"), "pixels", 500))
	if err != nil {
		return nil, err
	}
	return &tool.Result{Value: scrollResult{tool.Succeeded, a.Str("direction"), observed.AtEnd, warning}}, nil
}

func browserBack(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	return runAction(ctx, h, a, "went back", &backResult{Success: tool.Succeeded}, backQuery, tool.Values())
}

// redactSecret returns text as a result may repeat it. What looks like a secret (at least 8 bytes, with letters and
// digits, without spaces or @) is shortened or replaced by ***; other text is cut to 200 bytes.
func redactSecret(text string) string {
	letters, digits := false, false
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			return tool.Cut(text, 200)
		case unicode.IsDigit(r):
			digits = true
		case unicode.IsLetter(r):
			letters = true
		}
	}
	if len(text) < 8 || !letters || !digits || strings.Contains(text, "@") {
		return tool.Cut(text, 200)
	}
	if len(text) < 18 {
		return "***"
	}
	return text[:6] + "…" + text[len(text)-4:]
}
