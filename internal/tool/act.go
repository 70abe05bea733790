package tool

import (
	"context"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

var (
	targetParam  = Param{Name: "ref", Kind: String, Required: true} // described once, at browser_click
	changesParam = Param{Name: "changes", Kind: String, Enum: []string{"none", "delta", "full"}, Default: "delta", Brief: true}
)

// acting returns the tools that act on the page. Each reports what the browser was observed to do and, unless changes is
// "none", what changed in the page.
func acting() []Tool {
	const acts = OpenWorld | Destructive
	with := func(params ...Param) []Param { return append(params, changesParam) }
	return []Tool{
		{Name: "browser_click", Title: "Click", Doc: "Click an element, or a point. Like every action, reports what happened and what changed in the page.",
			Params: []Param{{Name: "ref", Kind: String, Doc: "@e5, or a selector: CSS, text=Save"},
				{Name: "button", Kind: String, Enum: []string{"left", "right", "middle"}},
				{Name: "count", Kind: Integer, Min: 1, Max: 3, Brief: true, Doc: "2: double click"},
				{Name: "modifiers", Kind: Strings, Doc: "Control, Shift, Alt, Meta"},
				{Name: "x", Kind: Number}, {Name: "y", Kind: Number},
				{Name: "changes", Kind: String, Enum: changesParam.Enum, Default: "delta"}},
			Output: reflect.TypeFor[clickResult](), Traits: acts, Run: browserClick},
		{Name: "browser_type", Title: "Fill a field", Doc: "Clear a field and type text into it; without ref, type into the focused element.",
			Params: with(Param{Name: "ref", Kind: String}, Param{Name: "text", Kind: String, Required: true},
				Param{Name: "append", Kind: Boolean, Default: false, Doc: "keep the content"},
				Param{Name: "submit", Kind: Boolean, Default: false, Doc: "press Enter after it"}),
			Output: reflect.TypeFor[typeResult](), Traits: OpenWorld | Idempotent, Run: browserType},
		{Name: "browser_press", Title: "Press a key", Doc: "Press a key or combination: Enter, Tab, Escape, Control+a.",
			Params: with(Param{Name: "key", Kind: String, Required: true}), Output: reflect.TypeFor[pressResult](), Traits: acts, Run: browserPress},
		{Name: "browser_select", Title: "Choose options", Doc: "Choose options of a select or listbox by label or value.",
			Params: with(targetParam, Param{Name: "values", Kind: Strings, Required: true, MaxItems: 100, Brief: true}),
			Output: reflect.TypeFor[selectResult](), Unlisted: true, Traits: OpenWorld | Idempotent, Run: browserSelect},
		{Name: "browser_check", Title: "Check or uncheck", Doc: "Check a checkbox, radio or switch, or uncheck it.",
			Params: with(targetParam, Param{Name: "checked", Kind: Boolean, Default: true}),
			Output: reflect.TypeFor[checkResult](), Unlisted: true, Traits: OpenWorld | Idempotent, Run: browserCheck},
		{Name: "browser_fill_form", Title: "Fill a form", Doc: "Fill several fields in one call.",
			Params: with(Param{Name: "fields", Kind: Array, Required: true, Doc: `[{"ref":"@e5","value":"text" | true | ["option"]}]`},
				Param{Name: "submit", Kind: Boolean, Default: false, Doc: "press Enter in the last"}),
			Output: reflect.TypeFor[fillFormResult](), Unlisted: true, Traits: OpenWorld | Idempotent, Run: browserFillForm},
		{Name: "browser_hover", Title: "Hover", Doc: "Move the mouse over an element.",
			Params: with(targetParam), Output: reflect.TypeFor[hoverResult](), Unlisted: true, Traits: OpenWorld, Run: browserHover},
		{Name: "browser_drag", Title: "Drag", Doc: "Drag an element onto another, or to a point.",
			Params: with(Param{Name: "source", Kind: String, Required: true}, Param{Name: "target", Kind: String}, Param{Name: "x", Kind: Number}, Param{Name: "y", Kind: Number}),
			Output: reflect.TypeFor[dragResult](), Unlisted: true, Traits: acts, Run: browserDrag},
		{Name: "browser_upload", Title: "Upload files", Doc: "Select files in a file field, or with an element that opens a file chooser.",
			Params: with(targetParam, Param{Name: "paths", Kind: Strings, Required: true, MaxItems: 100, Brief: true}),
			Output: reflect.TypeFor[uploadResult](), Unlisted: true, Traits: acts | UsesRoots, Run: browserUpload},
		{Name: "browser_scroll", Title: "Scroll", Doc: "Scroll the page by 500 pixels.",
			Params: []Param{{Name: "direction", Kind: String, Required: true, Enum: []string{"up", "down"}}},
			Output: reflect.TypeFor[scrollResult](),
			Traits: ReadOnly, Run: browserScroll},
		{Name: "browser_back", Title: "Go back", Doc: "Go back in the history.", Params: with(),
			Output: reflect.TypeFor[backResult](), Traits: OpenWorld, Run: browserBack},
	}
}

var writtenRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?(?:ref=)?@?(e\d+)\]?$`) })

// target returns the selector for an element as a model wrote it. Models omit the @ of a ref or copy the brackets of a
// snapshot row; both become "@e5".
func target(written string) string {
	written = strings.TrimSpace(written)
	if m := writtenRef().FindStringSubmatch(written); m != nil {
		return "@" + m[1]
	}
	return written
}

// act runs the action command by and builds the result from its [api.Outcome] and the changes of the page. said is the
// first line of the result's text; of is the result, whose own members are set already.
func (h *Host) act(ctx context.Context, a Args, said string, of acted, by query[api.Outcome], values verb.Values) (*Result, error) {
	seen, warning, err := by.ask(ctx, h, h.telling(a, values))
	if err != nil {
		return nil, err
	}
	return h.outcome(said, of, &seen, warning)
}

// telling sets the flags that request the changes of the page, unless the argument changes is absent or "none". It
// modifies and returns values.
func (h *Host) telling(a Args, values verb.Values) verb.Values {
	if mode := a.Str("changes"); mode != "" && mode != "none" {
		values.Set("changes", mode)
		values.Set("reader", h.Reader)
	}
	return values
}

// outcome completes the result of an action with the outcome that the command reported.
func (h *Host) outcome(said string, of acted, seen *api.Outcome, warning string) (*Result, error) {
	lines := seen.Lines()
	changes, told := seen.Changes, of.led()
	told.Outcome = *seen
	told.Outcome.Changes = nil
	if warning != "" {
		told.Warning = inTools(warning)
		lines = append(lines, "warning: "+told.Warning)
	}
	for i := range lines {
		lines[i] = inTools(lines[i])
	}
	if changes == nil {
		if len(lines) > 0 {
			return &Result{Value: of, Text: said, Page: strings.Join(lines, "\n")}, nil
		}
		return &Result{Value: of}, nil
	}
	text, err := h.Bounded("changes", inOutline(changes.Text))
	if err != nil {
		return nil, err
	}
	if changes.Title != "" {
		lines = append(lines, changes.Title)
	}
	if changes.Error != "" {
		lines = append(lines, "no changes: "+inTools(changes.Error))
	}
	told.Title, told.Changes, told.Why, told.Truncated = changes.Title, text, changes.Why, changes.Truncated
	return &Result{Value: of, Text: said, Page: strings.TrimSpace(strings.Join(lines, "\n") + "\n" + text)}, nil
}

// point formats the arguments x and y as the value "x,y" of a command. It returns "" if neither is given, and an error if
// only one is.
func point(tool string, a Args) (string, error) {
	if a.Has("x") != a.Has("y") {
		return "", api.Errorf(api.InvalidArgument, "%s: x and y go together", tool)
	}
	if !a.Has("x") {
		return "", nil
	}
	return strconv.FormatFloat(a.Num("x"), 'f', -1, 64) + "," + strconv.FormatFloat(a.Num("y"), 'f', -1, 64), nil
}

func browserClick(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := given()
	on := target(a.Str("ref"))
	at, err := point("browser_click", a)
	if err != nil {
		return nil, err
	}
	if on != "" {
		values.Set("selector", on)
	}
	switch {
	case at != "":
		values.Set("at", at)
		if on == "" {
			on = at
		}
	case on == "":
		return nil, api.Errorf(api.MissingArgument, "browser_click: give ref, or x and y")
	}
	if a.Has("button") {
		values.Set("button", a.Str("button"))
	}
	if a.Has("count") {
		values.Set("count", a.Int("count"))
	}
	if held := a.Strings("modifiers"); len(held) > 0 {
		values.Set("modifiers", strings.Join(held, "+"))
	}
	return h.act(ctx, a, "clicked "+inOneLine(on, 100), &clickResult{success: succeeded, Clicked: on}, clicked, values)
}

// The action commands; each returns an [api.Outcome].
var (
	clicked   = reading[api.Outcome]("click")
	filled    = reading[api.Outcome]("fill")
	typed     = reading[api.Outcome]("type")
	keyed     = reading[api.Outcome]("keyboard type")
	pressed   = reading[api.Outcome]("press")
	selected  = reading[api.Outcome]("select")
	checked   = reading[api.Outcome]("check")
	unchecked = reading[api.Outcome]("uncheck")
	hovered   = reading[api.Outcome]("hover")
	dragged   = reading[api.Outcome]("drag")
	uploaded  = reading[api.Outcome]("upload")
	wentBack  = reading[api.Outcome]("back")
)

func browserType(ctx context.Context, h *Host, a Args) (*Result, error) {
	on, text := target(a.Str("ref")), a.Str("text")
	enter, values := filled, given("selector", on, "text", text)
	switch {
	case on == "":
		enter, values = keyed, given("text", text)
	case a.Bool("append"):
		enter = typed
		// Focusing a field does not define where its caret is, so move the caret to the end.
		if _, err := h.run(ctx, "focus", given("selector", on)); err != nil {
			return nil, err
		}
		if _, err := h.run(ctx, "press", given("key", "Control+End")); err != nil {
			return nil, err
		}
	}
	res := &typeResult{success: succeeded, Typed: veiled(text), Element: on}
	if !a.Bool("submit") {
		return h.act(ctx, a, "typed", res, enter, values)
	}
	seen, warning, err := enter.ask(ctx, h, values)
	if err != nil {
		return nil, err
	}
	return h.submit(ctx, a, "typed, and pressed Enter", res, &seen, warning)
}

// submit presses Enter after an earlier action whose outcome is seen. If that action opened a dialog or navigated, Enter
// is not pressed and the result has a warning.
func (h *Host) submit(ctx context.Context, a Args, said string, of acted, seen *api.Outcome, warning string) (*Result, error) {
	if seen.Dialog != nil || seen.Navigation != nil && !seen.Navigation.SameDocument {
		warning = strings.TrimPrefix(warning+"; Enter was not pressed, for something else happened before", "; ")
		return h.outcome(strings.TrimSuffix(said, ", and pressed Enter"), of, seen, warning)
	}
	res, err := h.act(ctx, a, said, of, pressed, given("key", "Enter"))
	if err == nil && warning != "" {
		warning = "before Enter: " + inTools(warning)
		told := of.led()
		told.Warning = api.JoinWarnings(warning, told.Warning)
		res.Page = strings.TrimSpace("warning: " + warning + "\n" + res.Page)
	}
	return res, err
}

func browserPress(ctx context.Context, h *Host, a Args) (*Result, error) {
	return h.act(ctx, a, "pressed "+inOneLine(a.Str("key"), 40), &pressResult{success: succeeded, Pressed: a.Str("key")}, pressed, given("key", a.Str("key")))
}

func browserSelect(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := a.Strings("values")
	return h.act(ctx, a, "selected", &selectResult{success: succeeded, Selected: values}, selected, given("selector", target(a.Str("ref")), "values", values))
}

func browserCheck(ctx context.Context, h *Host, a Args) (*Result, error) {
	by, said := checked, "checked"
	if !a.Bool("checked") {
		by, said = unchecked, "unchecked"
	}
	return h.act(ctx, a, said, &checkResult{success: succeeded, Checked: a.Bool("checked")}, by, given("selector", target(a.Str("ref"))))
}

func browserHover(ctx context.Context, h *Host, a Args) (*Result, error) {
	on := target(a.Str("ref"))
	return h.act(ctx, a, "hovered", &hoverResult{success: succeeded, Hovered: on}, hovered, given("selector", on))
}

func browserDrag(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := given("source", target(a.Str("source")))
	at, err := point("browser_drag", a)
	switch {
	case err != nil:
		return nil, err
	case a.Str("target") != "":
		values.Set("target", target(a.Str("target")))
	case at == "":
		return nil, api.Errorf(api.MissingArgument, "browser_drag: give target, or x and y")
	}
	if at != "" {
		values.Set("at", at)
	}
	return h.act(ctx, a, "dragged", &dragResult{success: succeeded, Dragged: true}, dragged, values)
}

func browserUpload(ctx context.Context, h *Host, a Args) (*Result, error) {
	paths := a.Strings("paths")
	return h.act(ctx, a, "uploaded "+count(len(paths), "file"), &uploadResult{success: succeeded, Uploaded: len(paths)}, uploaded, given("selector", target(a.Str("ref")), "files", paths))
}

var scrolled = reading[struct {
	AtEnd bool `json:"atEnd"`
}]("scroll")

func browserScroll(ctx context.Context, h *Host, a Args) (*Result, error) {
	seen, warning, err := scrolled.ask(ctx, h, given("direction", a.Str("direction"), "pixels", 500))
	if err != nil {
		return nil, err
	}
	return &Result{Value: scrollResult{succeeded, a.Str("direction"), seen.AtEnd, warning}}, nil
}

func browserBack(ctx context.Context, h *Host, a Args) (*Result, error) {
	return h.act(ctx, a, "went back", &backResult{success: succeeded}, wentBack, given())
}
