// Package diagnosis says about a command what its result alone does not: what covers the target, which element was meant, whether a
// field holds what was entered. It reads error codes, receipts of events and the page, never the text of an error.
package diagnosis

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// Diagnosis collects what can be said about a call besides its result.
type Diagnosis struct {
	Host      step.Host
	Details   *result.Details
	Next      *result.Actions
	Namespace string
	Session   string
	Told      *snapshot.Told
	Lines     []string // for the model
}

// Say adds a line for the model.
func (g *Diagnosis) Say(line string) { g.Lines = append(g.Lines, line) }

// Peek takes a snapshot of the tool's own.
func (g *Diagnosis) Peek(ctx context.Context) (shot snapshot.Data, err error) {
	row := step.Command(g.Host, g.Namespace, g.Session, "snapshot", "-i", "--reader", snapshot.Reader)
	res, err := g.Host.Run(ctx, row)
	if err != nil {
		return shot, err
	}
	result.Read(result.Encode(res.Data), &shot)
	return shot, nil
}

// Eval runs a script in the page and reads its result.
func (g *Diagnosis) Eval(ctx context.Context, script string, into any) bool {
	res, err := g.Host.Run(ctx, step.Command(g.Host, g.Namespace, g.Session, "eval", script))
	if err != nil {
		return false
	}
	var out struct {
		Result jsontext.Value `json:"result"`
	}
	result.Read(result.Encode(res.Data), &out)
	if len(out.Result) == 0 || out.Result.Kind() == 'n' {
		return false
	}
	result.Read(out.Result, into)
	return true
}

// Single examines a call of one command.
func (g *Diagnosis) Single(ctx context.Context, s *step.Step, semantic *input.CompiledSemanticAction) {
	call := s.Row.Call
	if call == nil {
		return
	}
	switch {
	case s.Err != nil && s.Err.Code == api.ActionNotDelivered && step.IsClick(call):
		g.dispatch(s)
	case s.Err != nil && s.Err.Code == api.ElementCovered:
		g.covered(s)
	case s.Err != nil && s.Err.Code == api.ElementNotFound && strings.HasPrefix(call.Verb.Name, "find "):
		g.missed(ctx, s, semantic)
	case s.Status != step.Completed:
	case call.Verb.Name == "snapshot":
		g.dialogIn(s)
	case call.Verb.Name == "scroll":
		g.scrolled(s)
	case call.Verb.Name == "get text":
		g.Visibility(ctx, s)
	case call.Verb.Name == "eval":
		g.evaluated(s)
	}
	if s.Status == step.Completed && s.Outcome.Value != nil && call.Verb.Name == "fill" {
		g.filled(s)
	}
	if s.Status == step.Completed && s.Outcome.Navigation == nil && g.onCombobox(ctx, call) {
		g.combobox(ctx)
	}
}

// targetOf returns the element of a command as it was named.
func (g *Diagnosis) targetOf(call *verb.Call) result.DispatchTarget {
	text := ""
	for i := range call.Verb.Args {
		if a := &call.Verb.Args[i]; a.Kind == verb.Selector {
			text = call.Str(a.Name)
			break
		}
	}
	switch id := snapshot.RefID(text); {
	case snapshot.IsRef().MatchString(text):
		t := result.DispatchTarget{Kind: "accessible", RefID: id}
		if g.Told.Refs != nil {
			t.Role, t.Name = g.Told.Refs.Refs[id].Role, g.Told.Refs.Refs[id].Name
		}
		return t
	case strings.HasPrefix(text, "xpath="):
		return result.DispatchTarget{Kind: "xpath", Selector: text}
	}
	return result.DispatchTarget{Kind: "selector", Selector: text}
}

func (g *Diagnosis) dispatch(s *step.Step) {
	g.Details.ClickDispatch = &result.ClickDispatch{
		Reason: "native-click-produced-no-target-dom-event", Status: "no-native-event-observed", Target: g.targetOf(s.Row.Call),
		Summary: "The browser accepted the mouse input, and the page reported that the target received no trusted event. The click was not repeated.",
	}
	result.Read(s.Data, &struct {
		Events *int `json:"events"`
	}{&g.Details.ClickDispatch.NativeEventCount})
	g.Next.Add("inspect-click-dispatch-miss", "See what is at the target now.", "snapshot", "-i")
	g.Next.Add("retry-click-after-dispatch-miss", "Repeat the click if the page is ready for it.", s.Words...).Safety = "Check first that the click had no effect."
	g.Say("Click dispatch diagnostic: no trusted event reached the target.")
}

// covered names what the hit test found over the target, and the controls in it that may close it.
func (g *Diagnosis) covered(s *step.Step) {
	var data struct {
		Blocker string `json:"blocker"`
		Closers []struct {
			Ref  string `json:"ref"`
			Role string `json:"role"`
			Name string `json:"name"`
		} `json:"closers"`
	}
	result.Read(s.Data, &data)
	if data.Blocker == "" {
		return // it lets the pointer through
	}
	o := &result.OverlayBlockers{CoveredBy: data.Blocker, Candidates: []result.OverlayCandidate{}, Summary: "The hit test found another element over the target: " + data.Blocker + ". Nothing was clicked."}
	for _, c := range data.Closers {
		o.Candidates = append(o.Candidates, result.OverlayCandidate{Ref: c.Ref, Role: c.Role, Name: c.Name, Args: []string{"click", c.Ref}, Reason: "It is a control inside of what covers the target."})
	}
	g.overlay(o)
}

// closing are the names of controls that close something.
var closing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(close|dismiss|no,? thanks|not now|maybe later|hide|skip|continue without|x|×|✕|✖)(\b.*)?\s*$`)
})

// dialogIn looks for a dialog in a snapshot, with controls that close it.
func (g *Diagnosis) dialogIn(s *step.Step) {
	var shot snapshot.Data
	result.Read(s.Data, &shot)
	o := &result.OverlayBlockers{}
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
				o.Candidates = append(o.Candidates, result.OverlayCandidate{Ref: "@" + id, Role: r.Role, Name: r.Name, Args: []string{"click", "@" + id}, Reason: "It is in the open dialog, and its name says that it closes something."})
			}
		}
	}
	if len(o.Candidates) > 0 {
		o.Summary = "A dialog is open, and has controls that close it."
		g.overlay(o)
	}
}

func (g *Diagnosis) overlay(o *result.OverlayBlockers) {
	g.Details.OverlayBlockers = o
	g.Next.Add("inspect-overlay-state", "See what covers the page before you close it.", "snapshot", "-i")
	if o.CoveredBy != "" {
		g.Say("Covered by: " + o.CoveredBy)
	}
	if len(o.Candidates) > 0 {
		g.Say("Possible overlay blockers:")
	}
	for i := range o.Candidates[:min(len(o.Candidates), 3)] {
		c := &o.Candidates[i]
		g.Next.Add("try-overlay-blocker-candidate-"+string(rune('1'+i)), "Closes what covers the page, if "+result.Quote(c.Name)+" does that.", c.Args...).Safety = "Only if closing it is what the user wants."
		g.Say("- " + c.Role + " " + result.Quote(c.Name) + " " + c.Ref)
	}
}

// pressable are the roles of elements that are pressed.
var pressable = []string{"button", "link", "menuitem", "tab", "option", "checkbox", "radio", "switch"}

// rolesOf are the roles that a locator can mean.
var rolesOf = map[string][]string{
	"text": pressable, "title": {"button", "link", "img"}, "alt": {"img", "button", "link"},
	"label": {"textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton", "slider", "switch"}, "placeholder": {"textbox", "searchbox", "combobox"},
}

// missed looks for elements with exactly the name that a locator looked for.
func (g *Diagnosis) missed(ctx context.Context, s *step.Step, semantic *input.CompiledSemanticAction) {
	call := s.Row.Call
	locator := strings.TrimPrefix(call.Verb.Name, "find ")
	action := call.Str("action")
	t := result.RefTarget{Action: action, Roles: rolesOf[locator]}
	if locator == "role" {
		t.Roles, t.TargetName = []string{call.Str("value")}, call.Str("name")
	} else if t.Roles != nil {
		t.TargetName = call.Str("value")
	}
	if t.TargetName == "" {
		return
	}
	if action == "fill" || action == "type" {
		t.Roles = snapshot.EditableRoles
	}
	shot, err := g.Peek(ctx)
	if err != nil {
		return // the step's own error says more
	}
	found := snapshot.Matching(shot.Refs, t.Roles, t.TargetName)
	reason, summary := "Its role and its name are those that were looked for.", "The page has elements with exactly this name."
	if len(found) == 0 && locator == "role" && action != "fill" && action != "type" {
		found = snapshot.Matching(shot.Refs, pressable, t.TargetName)
		reason, summary = "Its name is the one that was looked for; its role is another.", "The page has elements with exactly this name, and another role."
	}
	if len(found) == 0 {
		return
	}
	g.Told.Note(result.Encode(shot))
	found = found[:min(len(found), 3)]
	f := &result.VisibleRefFallback{Target: t, Summary: summary}
	rich := &result.RichInputRecovery{Target: t, Summary: "The page has fields with exactly this name.",
		InputMethodHint: "Focus or click the field, then type with keyboard inserttext. The text to enter is not repeated here."}
	for i, c := range found {
		c.Reason = reason
		if action == "fill" || action == "type" {
			rich.Candidates = append(rich.Candidates, result.RefCandidate{Ref: c.Ref, Role: c.Role, Name: c.Name, Reason: c.Reason, FocusArgs: []string{"focus", c.Ref}, ClickArgs: []string{"click", c.Ref}})
			focus, click := result.Numbered("focus-current-editable-ref", i), result.Numbered("click-current-editable-ref", i)
			g.Next.Add(focus, "Focuses the field "+result.Quote(c.Name)+".", "focus", c.Ref)
			g.Next.Add(click, "Clicks the field "+result.Quote(c.Name)+".", "click", c.Ref)
			rich.NextActionIDs = append(rich.NextActionIDs, focus, click)
		} else {
			c.Action, c.Args = action, []string{action, c.Ref}
			g.Next.Add(result.Numbered("try-current-visible-ref", i), "Does it to the "+c.Role+" "+result.Quote(c.Name)+".", c.Args...)
		}
		f.Candidates = append(f.Candidates, c)
		named := semantic != nil && semantic.Locator == "text" || locator == "role" && !slices.Contains(t.Roles, c.Role)
		if named && action == "click" && (c.Role == "button" || c.Role == "link") {
			g.Next.Add("try-"+c.Role+"-name-candidate", "Looks for the "+c.Role+" by its name.", "find", "role", c.Role, "click", "--name", t.TargetName)
		}
	}
	g.Details.VisibleRefFallback = f
	g.Say("Current snapshot ref fallback:")
	for _, c := range f.Candidates {
		g.Say("- " + c.Role + " " + result.Quote(c.Name) + " " + c.Ref)
	}
	if rich.Candidates != nil {
		g.Details.RichInputRecovery = rich
		g.Say("Rich input recovery: " + rich.InputMethodHint)
	}
}

func (g *Diagnosis) scrolled(s *step.Step) {
	var data struct {
		Scrolled bool           `json:"scrolled"`
		Moved    jsontext.Value `json:"moved"`
		AtEnd    bool           `json:"atEnd"`
	}
	result.Read(s.Data, &data)
	if data.Scrolled {
		return
	}
	g.Details.ScrollNoop = &result.ScrollNoop{Reason: "no-observed-scroll-position-change", Moved: data.Moved, AtEnd: data.AtEnd,
		Message:         "The wheel was turned, and nothing scrolled.",
		Recommendations: []string{"Scroll the element that scrolls, with scroll <direction> <pixels> -s <selector>.", "Use scrollintoview on the element that you need."}}
	s.Fail(result.UpstreamError, "scroll: nothing moved")
	g.Next.Add("inspect-after-noop-scroll", "See what the page shows.", "snapshot", "-i")
	g.Next.Add("verify-noop-scroll-visually", "Look at the page.", "screenshot")
	g.Say("Scroll diagnostic: no observed scroll movement. " + strings.Join(g.Details.ScrollNoop.Recommendations, " "))
}

func (g *Diagnosis) filled(s *step.Step) {
	selector := s.Row.Call.Str("selector")
	g.Details.FillVerification = &result.FillVerification{Selector: selector, Expected: s.Row.Call.Rest("text"), Actual: *s.Outcome.Value,
		Method: "value", Reason: "value-fill-mismatch", Status: "mismatch"}
	g.Next.Add("inspect-after-fill-verification", "See what the field shows.", "snapshot", "-i")
	g.Next.Add("verify-filled-value", "Read the value of the field.", "get", "value", selector)
	g.Say("Fill verification: the field holds " + result.Quote(*s.Outcome.Value) + ".")
}
