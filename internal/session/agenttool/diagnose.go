package agenttool

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/verb"
)

var isRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:@|ref=)?e\d+$`) })

// ClickDispatch is a click of which the page received no event.
type ClickDispatch struct {
	Reason           string         `json:"reason"`
	Status           string         `json:"status"`
	NativeEventCount int            `json:"nativeEventCount"`
	Target           DispatchTarget `json:"target"`
	Summary          string         `json:"summary"`
}

// DispatchTarget is what was to be clicked.
type DispatchTarget struct {
	Kind     string `json:"kind"` // accessible, xpath or selector
	Role     string `json:"role,omitzero"`
	Name     string `json:"name,omitzero"`
	RefID    string `json:"refId,omitzero"`
	Selector string `json:"selector,omitzero"`
}

// OverlayBlockers is what covers the target of an action, with ways to close it.
type OverlayBlockers struct {
	// CoveredBy describes the element that the hit test found.
	CoveredBy  string             `json:"coveredBy,omitzero"`
	Candidates []OverlayCandidate `json:"candidates"`
	Summary    string             `json:"summary"`
}

// OverlayCandidate is a control that may close the cover.
type OverlayCandidate struct {
	Ref    string   `json:"ref"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Args   []string `json:"args"`
	Reason string   `json:"reason"`
}

// VisibleRefFallback are elements of the page that have the role and the name that were looked for in vain.
type VisibleRefFallback struct {
	Candidates []RefCandidate `json:"candidates"`
	Target     RefTarget      `json:"target"`
	Summary    string         `json:"summary"`
}

// RefCandidate is such an element.
type RefCandidate struct {
	Ref       string   `json:"ref"`
	Role      string   `json:"role"`
	Name      string   `json:"name"`
	Reason    string   `json:"reason"`
	Action    string   `json:"action,omitzero"`
	Args      []string `json:"args,omitzero"`
	FocusArgs []string `json:"focusArgs,omitzero"`
	ClickArgs []string `json:"clickArgs,omitzero"`
}

// RefTarget is what was looked for.
type RefTarget struct {
	Action     string   `json:"action"`
	Roles      []string `json:"roles"`
	TargetName string   `json:"targetName"`
}

// RichInputRecovery are fields that may be the one that a fill did not find.
type RichInputRecovery struct {
	Candidates      []RefCandidate `json:"candidates"`
	InputMethodHint string         `json:"inputMethodHint"`
	NextActionIDs   []string       `json:"nextActionIds"`
	Target          RefTarget      `json:"target"`
	Summary         string         `json:"summary"`
}

// FillVerification is a field that has another value than was entered.
type FillVerification struct {
	Selector string `json:"selector"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Method   string `json:"method"` // value
	Reason   string `json:"reason"` // value-fill-mismatch
	Status   string `json:"status"` // mismatch
}

// ScrollNoop is a scroll that moved nothing.
type ScrollNoop struct {
	Reason          string         `json:"reason"`
	Moved           jsontext.Value `json:"moved"` // pixels
	AtEnd           bool           `json:"atEnd"`
	Message         string         `json:"message"`
	Recommendations []string       `json:"recommendations"`
}

// Hint is advice on a result.
type Hint struct {
	Reason     string `json:"reason"`
	Suggestion string `json:"suggestion"`
}

// RecordingDependencyNotice is not sent: usher's recordings need no other program. The schema has it for clients that read it.
type RecordingDependencyNotice struct {
	Reason     string `json:"reason"`
	Dependency string `json:"dependency"`
	Command    string `json:"command"`
	Message    string `json:"message"`
}

// diagnosis collects what can be said about a call besides its result.
type diagnosis struct {
	h       Host
	d       *Details
	next    *actions
	session string
	told    *told
	lines   []string // for the model
}

func (g *diagnosis) say(line string) { g.lines = append(g.lines, line) }

// peek takes a snapshot of the tool's own.
func (g *diagnosis) peek(ctx context.Context) (shot snapshotData, ok bool) {
	row := command(g.h, g.session, "snapshot", "-i", "--reader", previewReader)
	res, err := g.h.Run(ctx, row)
	if err != nil {
		return shot, false
	}
	read(encode(res.Data), &shot)
	return shot, true
}

// eval runs a script in the page and reads its result.
func (g *diagnosis) eval(ctx context.Context, script string, into any) bool {
	res, err := g.h.Run(ctx, command(g.h, g.session, "eval", script))
	if err != nil {
		return false
	}
	var out struct {
		Result jsontext.Value `json:"result"`
	}
	read(encode(res.Data), &out)
	if len(out.Result) == 0 || out.Result.Kind() == 'n' {
		return false
	}
	read(out.Result, into)
	return true
}

// single examines a call of one command.
func (g *diagnosis) single(ctx context.Context, s *step, semantic *input.CompiledSemanticAction) {
	call := s.row.Call
	if call == nil {
		return
	}
	switch {
	case s.err != nil && s.err.Code == api.ActionNotDelivered && isClick(call):
		g.dispatch(s)
	case s.err != nil && s.err.Code == api.ElementCovered:
		g.covered(s)
	case s.err != nil && s.err.Code == api.ElementNotFound && strings.HasPrefix(call.Verb.Name, "find "):
		g.missed(ctx, s, semantic)
	case s.status != statusCompleted:
	case call.Verb.Name == "snapshot":
		g.dialogIn(s)
	case call.Verb.Name == "scroll":
		g.scrolled(s)
	case call.Verb.Name == "get text":
		g.visibility(ctx, s)
	case call.Verb.Name == "eval":
		g.evaluated(s)
	}
	if s.status == statusCompleted && s.outcome.Value != nil && call.Verb.Name == "fill" {
		g.filled(s)
	}
	if s.status == statusCompleted && s.outcome.Navigation == nil && g.onCombobox(call) {
		g.combobox(ctx)
	}
}

func isClick(call *verb.Call) bool {
	switch call.Verb.Name {
	case "click", "dblclick", "tap":
		return true
	}
	return strings.HasPrefix(call.Verb.Name, "find ") && call.Str("action") == "click"
}

// targetOf returns the element of a command as it was named.
func (g *diagnosis) targetOf(call *verb.Call) DispatchTarget {
	text := ""
	for i := range call.Verb.Args {
		if a := &call.Verb.Args[i]; a.Kind == verb.Selector {
			text = call.Str(a.Name)
			break
		}
	}
	switch id := refID(text); {
	case isRef().MatchString(text):
		t := DispatchTarget{Kind: "accessible", RefID: id}
		if g.told.refs != nil {
			t.Role, t.Name = g.told.refs.Refs[id].Role, g.told.refs.Refs[id].Name
		}
		return t
	case strings.HasPrefix(text, "xpath="):
		return DispatchTarget{Kind: "xpath", Selector: text}
	}
	return DispatchTarget{Kind: "selector", Selector: text}
}

// refID returns a ref without its mark.
func refID(text string) string { return strings.TrimPrefix(strings.TrimPrefix(text, "@"), "ref=") }

func (g *diagnosis) dispatch(s *step) {
	g.d.ClickDispatch = &ClickDispatch{
		Reason: "native-click-produced-no-target-dom-event", Status: "no-native-event-observed", Target: g.targetOf(s.row.Call),
		Summary: "The browser accepted the mouse input, and the page reported that the target received no trusted event. The click was not repeated.",
	}
	read(s.data, &struct {
		Events *int `json:"events"`
	}{&g.d.ClickDispatch.NativeEventCount})
	g.next.add("inspect-click-dispatch-miss", "See what is at the target now.", "snapshot", "-i")
	g.next.add("retry-click-after-dispatch-miss", "Repeat the click if the page is ready for it.", s.words...).Safety = "Check first that the click had no effect."
	g.say("Click dispatch diagnostic: no trusted event reached the target.")
}

// covered names what the hit test found over the target, and the controls in it that may close it.
func (g *diagnosis) covered(s *step) {
	var data struct {
		Blocker string `json:"blocker"`
		Closers []struct {
			Ref  string `json:"ref"`
			Role string `json:"role"`
			Name string `json:"name"`
		} `json:"closers"`
	}
	read(s.data, &data)
	o := &OverlayBlockers{CoveredBy: data.Blocker, Candidates: []OverlayCandidate{}, Summary: "The hit test found another element over the target: " + data.Blocker + ". Nothing was clicked."}
	for _, c := range data.Closers {
		o.Candidates = append(o.Candidates, OverlayCandidate{c.Ref, c.Role, c.Name, []string{"click", c.Ref}, "It is a control inside of what covers the target."})
	}
	g.overlay(o)
}

// closing are the names of controls that close something.
var closing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(close|dismiss|no,? thanks|not now|maybe later|hide|skip|continue without|x|×|✕|✖)(\b.*)?\s*$`)
})

// dialogIn looks for a dialog in a snapshot, with controls that close it.
func (g *diagnosis) dialogIn(s *step) {
	var shot snapshotData
	read(s.data, &shot)
	o := &OverlayBlockers{}
	depth := -1
	for line := range strings.Lines(shot.Snapshot) {
		indent := len(line) - len(strings.TrimLeft(line, " "))
		text := strings.TrimPrefix(strings.TrimSpace(line), "- ")
		if depth >= 0 && indent <= depth {
			depth = -1
		}
		if depth < 0 && (strings.HasPrefix(text, "dialog") || strings.HasPrefix(text, "alertdialog")) {
			depth = indent
			o.CoveredBy = strings.TrimSuffix(text, ":")
		}
		if depth < 0 {
			continue
		}
		if _, after, ok := strings.Cut(text, "ref="); ok && len(o.Candidates) < 3 {
			id := after[:strings.IndexAny(after+"]", ",]")]
			r := shot.Refs[id]
			if slices.Contains([]string{"button", "link", "menuitem"}, r.Role) && closing().MatchString(r.Name) {
				o.Candidates = append(o.Candidates, OverlayCandidate{"@" + id, r.Role, r.Name, []string{"click", "@" + id}, "It is in the open dialog, and its name says that it closes something."})
			}
		}
	}
	if len(o.Candidates) > 0 {
		o.Summary = "A dialog is open, and has controls that close it."
		g.overlay(o)
	}
}

func (g *diagnosis) overlay(o *OverlayBlockers) {
	g.d.OverlayBlockers = o
	g.next.add("inspect-overlay-state", "See what covers the page before you close it.", "snapshot", "-i")
	if o.CoveredBy != "" {
		g.say("Covered by: " + o.CoveredBy)
	}
	if len(o.Candidates) > 0 {
		g.say("Possible overlay blockers:")
	}
	for i := range o.Candidates[:min(len(o.Candidates), 3)] {
		c := &o.Candidates[i]
		g.next.add("try-overlay-blocker-candidate-"+string(rune('1'+i)), "Closes what covers the page, if "+quote(c.Name)+" does that.", c.Args...).Safety = "Only if closing it is what the user wants."
		g.say("- " + c.Role + " " + quote(c.Name) + " " + c.Ref)
	}
}

// rolesOf are the roles that a locator can mean.
var rolesOf = map[string][]string{
	"text": {"button", "link", "menuitem", "tab", "option", "checkbox", "radio", "switch"}, "title": {"button", "link", "img"}, "alt": {"img", "button", "link"},
	"label": {"textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "slider", "switch"}, "placeholder": {"textbox", "searchbox", "combobox"},
}

var editableRoles = []string{"combobox", "searchbox", "textbox"}

// missed looks for elements with exactly the name that a locator looked for.
func (g *diagnosis) missed(ctx context.Context, s *step, semantic *input.CompiledSemanticAction) {
	call := s.row.Call
	locator := strings.TrimPrefix(call.Verb.Name, "find ")
	action := call.Str("action")
	t := RefTarget{Action: action, Roles: rolesOf[locator]}
	if locator == "role" {
		t.Roles, t.TargetName = []string{call.Str("value")}, call.Str("name")
	} else if t.Roles != nil {
		t.TargetName = call.Str("value")
	}
	if t.TargetName == "" {
		return
	}
	if action == "fill" || action == "type" {
		t.Roles = editableRoles
	}
	shot, ok := g.peek(ctx)
	if !ok {
		return
	}
	found := matching(shot.Refs, t.Roles, t.TargetName)
	if len(found) == 0 {
		return
	}
	g.told.note(encode(shot))
	found = found[:min(len(found), 3)]
	f := &VisibleRefFallback{Target: t, Summary: "The page has elements with exactly this name."}
	rich := &RichInputRecovery{Target: t, Summary: "The page has fields with exactly this name.",
		InputMethodHint: "Focus or click the field, then type with keyboard inserttext. The text to enter is not repeated here."}
	for i, c := range found {
		c.Reason = "Its role and its name are those that were looked for."
		if action == "fill" || action == "type" {
			rich.Candidates = append(rich.Candidates, RefCandidate{Ref: c.Ref, Role: c.Role, Name: c.Name, Reason: c.Reason, FocusArgs: []string{"focus", c.Ref}, ClickArgs: []string{"click", c.Ref}})
			focus, click := numbered("focus-current-editable-ref", i), numbered("click-current-editable-ref", i)
			g.next.add(focus, "Focuses the field "+quote(c.Name)+".", "focus", c.Ref)
			g.next.add(click, "Clicks the field "+quote(c.Name)+".", "click", c.Ref)
			rich.NextActionIDs = append(rich.NextActionIDs, focus, click)
		} else {
			c.Action, c.Args = action, []string{action, c.Ref}
			g.next.add(numbered("try-current-visible-ref", i), "Does it to the "+c.Role+" "+quote(c.Name)+".", c.Args...)
		}
		f.Candidates = append(f.Candidates, c)
		if semantic != nil && semantic.Locator == "text" && action == "click" && (c.Role == "button" || c.Role == "link") {
			g.next.add("try-"+c.Role+"-name-candidate", "Looks for the "+c.Role+" by its name.", "find", "role", c.Role, "click", "--name", t.TargetName)
		}
	}
	g.d.VisibleRefFallback = f
	g.say("Current snapshot ref fallback:")
	for _, c := range f.Candidates {
		g.say("- " + c.Role + " " + quote(c.Name) + " " + c.Ref)
	}
	if rich.Candidates != nil {
		g.d.RichInputRecovery = rich
		g.say("Rich input recovery: " + rich.InputMethodHint)
	}
}

// matching returns the refs with one of the roles and exactly the name, in order. White space and case make no difference.
func matching(refs map[string]RefInfo, roles []string, name string) (out []RefCandidate) {
	for _, id := range sortedIDs(refs) {
		if r := refs[id]; slices.Contains(roles, r.Role) && normal(r.Name) == normal(name) {
			out = append(out, RefCandidate{Ref: "@" + id, Role: r.Role, Name: r.Name})
		}
	}
	return out
}

func sortedIDs(refs map[string]RefInfo) (ids []string) {
	for id := range refs {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, byNumber)
	return ids
}

func normal(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

func (g *diagnosis) scrolled(s *step) {
	var data struct {
		Scrolled bool           `json:"scrolled"`
		Moved    jsontext.Value `json:"moved"`
		AtEnd    bool           `json:"atEnd"`
	}
	read(s.data, &data)
	if data.Scrolled {
		return
	}
	g.d.ScrollNoop = &ScrollNoop{Reason: "no-observed-scroll-position-change", Moved: data.Moved, AtEnd: data.AtEnd,
		Message:         "The wheel was turned, and nothing scrolled.",
		Recommendations: []string{"Scroll the element that scrolls, with scroll <direction> <pixels> -s <selector>.", "Use scrollintoview on the element that you need."}}
	s.fail(upstreamError, "scroll: nothing moved")
	g.next.add("inspect-after-noop-scroll", "See what the page shows.", "snapshot", "-i")
	g.next.add("verify-noop-scroll-visually", "Look at the page.", "screenshot")
	g.say("Scroll diagnostic: no observed scroll movement. " + strings.Join(g.d.ScrollNoop.Recommendations, " "))
}

func (g *diagnosis) filled(s *step) {
	selector := s.row.Call.Str("selector")
	g.d.FillVerification = &FillVerification{Selector: selector, Expected: s.row.Call.Rest("text"), Actual: *s.outcome.Value,
		Method: "value", Reason: "value-fill-mismatch", Status: "mismatch"}
	g.next.add("inspect-after-fill-verification", "See what the field shows.", "snapshot", "-i")
	g.next.add("verify-filled-value", "Read the value of the field.", "get", "value", selector)
	g.say("Fill verification: the field holds " + quote(*s.outcome.Value) + ".")
}
