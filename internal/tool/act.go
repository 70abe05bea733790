package tool

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

var (
	targetParam  = Param{Name: "ref", Kind: String, Required: true} // told with browser_click
	changesParam = Param{Name: "changes", Kind: String, Enum: []string{"none", "delta", "full"}, Default: "delta", Brief: true}
)

// acting are the tools that act on the page. Each tells what the browser was seen to do, and, unless changes is none, what
// changed in the page.
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
			Fields: []Param{{Name: "clicked", Kind: String}, changesField}, Traits: acts, Run: browserClick},
		{Name: "browser_type", Title: "Fill a field", Doc: "Clear a field and type text into it; without ref, type into the focused element.",
			Params: with(Param{Name: "ref", Kind: String}, Param{Name: "text", Kind: String, Required: true},
				Param{Name: "append", Kind: Boolean, Default: false, Doc: "keep the content"},
				Param{Name: "submit", Kind: Boolean, Default: false, Doc: "press Enter after it"}),
			Fields: []Param{{Name: "typed", Kind: String}, {Name: "element", Kind: String}, changesField}, Traits: OpenWorld | Idempotent, Run: browserType},
		{Name: "browser_press", Title: "Press a key", Doc: "Press a key or combination: Enter, Tab, Escape, Control+a.",
			Params: with(Param{Name: "key", Kind: String, Required: true}), Fields: []Param{{Name: "pressed", Kind: String}, changesField}, Traits: acts, Run: browserPress},
		{Name: "browser_select", Title: "Choose options", Doc: "Choose options of a select or listbox by label or value.",
			Params: with(targetParam, Param{Name: "values", Kind: Strings, Required: true, MaxItems: 100, Brief: true}),
			Traits: OpenWorld | Idempotent, Run: browserSelect},
		{Name: "browser_check", Title: "Check or uncheck", Doc: "Check a checkbox, radio or switch, or uncheck it.",
			Params: with(targetParam, Param{Name: "checked", Kind: Boolean, Default: true}),
			Traits: OpenWorld | Idempotent, Run: browserCheck},
		{Name: "browser_fill_form", Title: "Fill a form", Doc: "Fill several fields in one call.",
			Params: with(Param{Name: "fields", Kind: Array, Required: true, Doc: `[{"ref":"@e5","value":"text" | true | ["option"]}]`},
				Param{Name: "submit", Kind: Boolean, Default: false, Doc: "press Enter in the last"}),
			Traits: OpenWorld | Idempotent, Run: browserFillForm},
		{Name: "browser_hover", Title: "Hover", Doc: "Move the mouse over an element.",
			Params: with(targetParam), Traits: OpenWorld, Run: browserHover},
		{Name: "browser_drag", Title: "Drag", Doc: "Drag an element onto another, or to a point.",
			Params: with(Param{Name: "source", Kind: String, Required: true}, Param{Name: "target", Kind: String}, Param{Name: "x", Kind: Number}, Param{Name: "y", Kind: Number}),
			Traits: acts, Run: browserDrag},
		{Name: "browser_upload", Title: "Upload files", Doc: "Select files in a file field, or with an element that opens a file chooser.",
			Params: with(targetParam, Param{Name: "paths", Kind: Strings, Required: true, MaxItems: 100, Brief: true}),
			Traits: acts | UsesRoots, Run: browserUpload},
		{Name: "browser_scroll", Title: "Scroll", Doc: "Scroll the page by 500 pixels.",
			Params: []Param{{Name: "direction", Kind: String, Required: true, Enum: []string{"up", "down"}}},
			Fields: []Param{{Name: "scrolled", Kind: String}, {Name: "at_end", Kind: Boolean}},
			Traits: ReadOnly, Run: browserScroll},
		{Name: "browser_back", Title: "Go back", Doc: "Go back in the history.", Params: with(),
			Fields: []Param{{Name: "url", Kind: String}, changesField}, Traits: OpenWorld, Run: browserBack},
	}
}

// changesField is the text of an outcome's changes. The other members of an [api.Outcome] are there when they happened; to
// name them all for each tool would cost more than they tell.
var changesField = Param{Name: "changes", Kind: String}

var writtenRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[?(?:ref=)?@?(e\d+)\]?$`) })

// target is an element as commands take it: models leave out the @ of a ref, or write its brackets.
func target(written string) string {
	written = strings.TrimSpace(written)
	if m := writtenRef().FindStringSubmatch(written); m != nil {
		return "@" + m[1]
	}
	return written
}

// act carries an action out, and tells what the browser was seen to do and what changed in the page. said is the result in
// our own words, first its own fields.
func (h *Host) act(ctx context.Context, a Args, said string, first Object, verb string, flags []string, args ...string) (*Result, error) {
	if mode := a.Str("changes"); mode != "" && mode != "none" {
		flags = append(flags, "--changes="+mode, "--reader="+h.Reader)
	}
	var raw jsontext.Value
	warning, err := h.into(ctx, &raw, verb, flags, args...)
	if err != nil {
		return nil, err
	}
	return h.outcome(said, append(success(), first...), raw, warning)
}

// outcome makes the result of an action of what its command answered.
func (h *Host) outcome(said string, data Object, raw jsontext.Value, warning string) (*Result, error) {
	var seen api.Outcome
	if err := json.Unmarshal(raw, &seen, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, api.Errorf(api.InvalidRequest, "the answer of the daemon cannot be read: %w", err)
	}
	lines := seen.Lines()
	changes := seen.Changes
	seen.Changes = nil
	var members map[string]jsontext.Value
	if err := json.Unmarshal(encoded(seen), &members); err != nil {
		return nil, fmt.Errorf("read what was just written: %w", err)
	}
	for _, name := range []string{"navigation", "dialogOpened", "dialog", "dialogs", "newTab", "url", "tabId", "opened", "downloads", "interruption",
		"waits", "tabClosed", "value", "files", "invalid", "unsettled"} {
		data.SetIf(name, members[name])
	}
	if warning != "" {
		warning = inTools(warning)
		data.Set("warning", warning)
		lines = append(lines, "warning: "+warning)
	}
	for i := range lines {
		lines[i] = inTools(lines[i])
	}
	if changes == nil {
		if len(lines) > 0 {
			return &Result{Data: data, Text: said, Page: strings.Join(lines, "\n")}, nil
		}
		return &Result{Data: data}, nil
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
	data.SetIf("title", changes.Title)
	data.SetIf("changes", text)
	data.SetIf("why_whole", changes.Why)
	if changes.Truncated {
		data.Set("truncated", true)
	}
	return &Result{Data: data, Text: said, Page: strings.TrimSpace(strings.Join(lines, "\n") + "\n" + text)}, nil
}

// point is the place that x and y name as commands take it, empty if they name none.
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
	var flags, args []string
	on := target(a.Str("ref"))
	at, err := point("browser_click", a)
	if err != nil {
		return nil, err
	}
	if at != "" {
		flags = append(flags, "--at="+at)
		if on == "" {
			on = at
		}
	}
	switch {
	case a.Str("ref") != "":
		args = []string{on}
	case !a.Has("x"):
		return nil, api.Errorf(api.MissingArgument, "browser_click: give ref, or x and y")
	}
	if a.Has("button") {
		flags = append(flags, "--button="+a.Str("button"))
	}
	if a.Has("count") {
		flags = append(flags, "--count="+strconv.Itoa(a.Int("count")))
	}
	if held := a.Strings("modifiers"); len(held) > 0 {
		flags = append(flags, "--modifiers="+strings.Join(held, "+"))
	}
	return h.act(ctx, a, "clicked "+inOneLine(on, 100), Object{{"clicked", on}}, "click", flags, args...)
}

func browserType(ctx context.Context, h *Host, a Args) (*Result, error) {
	on, text := target(a.Str("ref")), a.Str("text")
	verb, args := "fill", []string{on, text}
	switch {
	case on == "":
		verb, args = "keyboard type", []string{text}
	case a.Bool("append"):
		verb = "type"
		// Where the caret is in a field that has the focus, nobody has said.
		if _, err := h.run(ctx, "focus", nil, on); err != nil {
			return nil, err
		}
		if _, err := h.run(ctx, "press", nil, "Control+End"); err != nil {
			return nil, err
		}
	}
	first := Object{{"typed", veiled(text)}}
	first.SetIf("element", on)
	if !a.Bool("submit") {
		return h.act(ctx, a, "typed", first, verb, nil, args...)
	}
	var seen api.Outcome
	warning, err := h.into(ctx, &seen, verb, nil, args...)
	if err != nil {
		return nil, err
	}
	return h.submit(ctx, a, "typed, and pressed Enter", first, &seen, warning)
}

// submit presses Enter behind something else, which has been seen to do what seen says.
func (h *Host) submit(ctx context.Context, a Args, said string, first Object, seen *api.Outcome, warning string) (*Result, error) {
	if seen.Dialog != nil || seen.Navigation != nil && !seen.Navigation.SameDocument {
		warning = strings.TrimPrefix(warning+"; Enter was not pressed, for something else happened before", "; ")
		return h.outcome(strings.TrimSuffix(said, ", and pressed Enter"), append(success(), first...), encoded(seen), warning)
	}
	res, err := h.act(ctx, a, said, first, "press", nil, "Enter")
	if err == nil && warning != "" {
		res.Data.Set("warning", inTools(warning))
		res.Page = strings.TrimSpace("warning: " + inTools(warning) + "\n" + res.Page)
	}
	return res, err
}

func browserPress(ctx context.Context, h *Host, a Args) (*Result, error) {
	return h.act(ctx, a, "pressed "+inOneLine(a.Str("key"), 40), Object{{"pressed", a.Str("key")}}, "press", nil, a.Str("key"))
}

func browserSelect(ctx context.Context, h *Host, a Args) (*Result, error) {
	values := a.Strings("values")
	return h.act(ctx, a, "selected", Object{{"selected", values}}, "select", nil, append([]string{target(a.Str("ref"))}, values...)...)
}

func browserCheck(ctx context.Context, h *Host, a Args) (*Result, error) {
	verb, said := "check", "checked"
	if !a.Bool("checked") {
		verb, said = "uncheck", "unchecked"
	}
	return h.act(ctx, a, said, Object{{"checked", a.Bool("checked")}}, verb, nil, target(a.Str("ref")))
}

func browserHover(ctx context.Context, h *Host, a Args) (*Result, error) {
	on := target(a.Str("ref"))
	return h.act(ctx, a, "hovered", Object{{"hovered", on}}, "hover", nil, on)
}

func browserDrag(ctx context.Context, h *Host, a Args) (*Result, error) {
	args := []string{target(a.Str("source"))}
	at, err := point("browser_drag", a)
	switch {
	case err != nil:
		return nil, err
	case a.Str("target") != "":
		args = append(args, target(a.Str("target")))
	case at == "":
		return nil, api.Errorf(api.MissingArgument, "browser_drag: give target, or x and y")
	}
	var flags []string
	if at != "" {
		flags = append(flags, "--at="+at)
	}
	return h.act(ctx, a, "dragged", Object{{"dragged", true}}, "drag", flags, args...)
}

func browserUpload(ctx context.Context, h *Host, a Args) (*Result, error) {
	paths := a.Strings("paths")
	return h.act(ctx, a, "uploaded "+count(len(paths), "file"), Object{{"uploaded", len(paths)}}, "upload", nil, append([]string{target(a.Str("ref"))}, paths...)...)
}

func browserScroll(ctx context.Context, h *Host, a Args) (*Result, error) {
	var seen struct {
		AtEnd bool `json:"atEnd"`
	}
	warning, err := h.into(ctx, &seen, "scroll", nil, a.Str("direction"), "500")
	if err != nil {
		return nil, err
	}
	data := append(success(), Member{"scrolled", a.Str("direction")}, Member{"at_end", seen.AtEnd})
	data.SetIf("warning", warning)
	return &Result{Data: data}, nil
}

func browserBack(ctx context.Context, h *Host, a Args) (*Result, error) {
	return h.act(ctx, a, "went back", nil, "back", nil)
}
