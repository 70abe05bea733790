package diagnosis

import (
	"context"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// lookTime is how long the target of an action that has been done is looked for again, in ms: it is there, or the page has replaced it.
const lookTime = "200"

// onCombobox reports whether a command acted on a combobox: by its role, or because the element says whether its list is open.
func (g *Diagnosis) onCombobox(ctx context.Context, call *verb.Call) bool {
	if strings.HasPrefix(call.Verb.Name, "find ") {
		return call.Verb.Name == "find role" && call.Str("value") == "combobox" && slices.Contains([]string{"click", "fill", "focus"}, call.Str("action"))
	}
	if !slices.Contains([]string{"click", "tap", "focus", "fill"}, call.Verb.Name) || !call.Has("selector") {
		return false
	}
	if t := g.targetOf(call); t.Role == "combobox" || strings.Contains(strings.ToLower(t.Selector), "combobox") {
		return true
	}
	words := []string{"get", "attr", call.Str("selector"), "aria-expanded", "--timeout", lookTime}
	if call.Has("frame") {
		words = append(words, "--frame", call.Str("frame"))
	}
	res, err := g.Host.Run(ctx, step.Command(g.Host, g.Namespace, g.Session, words...))
	if err != nil {
		return false // the action has replaced it
	}
	var attr struct {
		Value *string `json:"value"`
	}
	result.Read(result.Encode(res.Data), &attr)
	return attr.Value != nil
}

const comboboxScript = `(() => {
let a = document.activeElement;
while (a?.shadowRoot?.activeElement) a = a.shadowRoot.activeElement;
const combo = a && a.closest("[role=combobox],[aria-haspopup=listbox]");
if (!combo || !combo.hasAttribute("aria-expanded")) return null;
const shown = (el) => el.getClientRects().length > 0 && getComputedStyle(el).visibility !== "hidden";
const count = (s) => [...document.querySelectorAll(s)].filter(shown).length;
return {active: {role: combo.getAttribute("role") || "", tagName: combo.tagName.toLowerCase(), expanded: combo.getAttribute("aria-expanded"),
  hasPopup: combo.getAttribute("aria-haspopup") || "", name: (combo.getAttribute("aria-label") || combo.labels?.[0]?.innerText || "").trim().slice(0, 80)},
  listboxes: count("[role=listbox]"), options: count("[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]")};
})()`

// combobox reports a combobox that has the focus now and shows no options.
func (g *Diagnosis) combobox(ctx context.Context) {
	var seen struct {
		Active    *result.ActiveElement `json:"active"`
		Listboxes int                   `json:"listboxes"`
		Options   int                   `json:"options"`
	}
	if !g.Eval(ctx, comboboxScript, &seen) || seen.Active == nil || seen.Options > 0 {
		return
	}
	g.Details.ComboboxFocus = &result.ComboboxFocus{Reason: "focused-combobox-without-visible-options", Message: "The combobox has the focus, and no option is visible.",
		ActiveElement: *seen.Active, VisibleListboxCount: seen.Listboxes, VisibleOptionCount: seen.Options,
		Recommendations: []string{"Press ArrowDown or Enter to open the list, or type to filter it."}}
	g.Next.Add("inspect-focused-combobox", "See whether the list is open.", "snapshot", "-i")
	if seen.Active.Expanded == "true" { // a key would choose what comes first
		g.Details.ComboboxFocus.Recommendations = []string{"The list is open: wait for its options, or type to filter it."}
		g.Say("Combobox diagnostic: the list of the focused combobox is open, and no option is visible in it.")
		return
	}
	g.Next.Add("try-open-combobox-with-arrow", "Opens most lists.", "press", "ArrowDown")
	g.Next.Add("try-open-combobox-with-enter", "Opens some lists.", "press", "Enter")
	g.Say("Combobox diagnostic: focused combobox did not expose visible options.")
}
