package agenttool

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/verb"
)

// ComboboxFocus is a combobox that has the focus and shows no options.
type ComboboxFocus struct {
	Reason              string        `json:"reason"`
	Message             string        `json:"message"`
	ActiveElement       ActiveElement `json:"activeElement"`
	VisibleListboxCount int           `json:"visibleListboxCount"`
	VisibleOptionCount  int           `json:"visibleOptionCount"`
	Recommendations     []string      `json:"recommendations"`
}

// ActiveElement is the element with the focus.
type ActiveElement struct {
	Role     string `json:"role,omitzero"`
	TagName  string `json:"tagName"`
	Expanded string `json:"expanded,omitzero"`
	HasPopup string `json:"hasPopup,omitzero"`
	Name     string `json:"name,omitzero"`
}

// SelectorTextVisibility is a selector whose first match may be another element than is visible.
type SelectorTextVisibility struct {
	Selector                string             `json:"selector"`
	MatchCount              int                `json:"matchCount"`
	VisibleCount            int                `json:"visibleCount"`
	FirstMatchVisible       bool               `json:"firstMatchVisible"`
	FirstVisibleTextPreview string             `json:"firstVisibleTextPreview,omitzero"`
	VisibleCandidates       []VisibleCandidate `json:"visibleCandidates"`
	Summary                 string             `json:"summary"`
}

// VisibleCandidate is a visible match of a selector.
type VisibleCandidate struct {
	Index       int    `json:"index"`
	TagName     string `json:"tagName"`
	Role        string `json:"role,omitzero"`
	TextPreview string `json:"textPreview,omitzero"`
}

// onCombobox reports whether a command acted on what was named as a combobox.
func (g *diagnosis) onCombobox(call *verb.Call) bool {
	if strings.HasPrefix(call.Verb.Name, "find ") {
		return call.Verb.Name == "find role" && call.Str("value") == "combobox" && slices.Contains([]string{"click", "fill", "focus"}, call.Str("action"))
	}
	if !slices.Contains([]string{"click", "focus", "fill"}, call.Verb.Name) || !call.Has("selector") {
		return false
	}
	t := g.targetOf(call)
	return t.Role == "combobox" || strings.Contains(strings.ToLower(t.Selector), "combobox")
}

const comboboxScript = `(() => {
const a = document.activeElement, combo = a && a.closest("[role=combobox],[aria-haspopup=listbox]");
if (!combo || !combo.hasAttribute("aria-expanded")) return null;
const shown = (el) => el.getClientRects().length > 0 && getComputedStyle(el).visibility !== "hidden";
const count = (s) => [...document.querySelectorAll(s)].filter(shown).length;
return {active: {role: combo.getAttribute("role") || "", tagName: combo.tagName.toLowerCase(), expanded: combo.getAttribute("aria-expanded"),
  hasPopup: combo.getAttribute("aria-haspopup") || "", name: (combo.getAttribute("aria-label") || "").slice(0, 80)},
  listboxes: count("[role=listbox]"), options: count("[role=option],[role=menuitem],[role=menuitemradio]")};
})()`

// combobox reports a combobox that has the focus now and shows no options.
func (g *diagnosis) combobox(ctx context.Context) {
	var seen struct {
		Active    *ActiveElement `json:"active"`
		Listboxes int            `json:"listboxes"`
		Options   int            `json:"options"`
	}
	if !g.eval(ctx, comboboxScript, &seen) || seen.Active == nil || seen.Options > 0 {
		return
	}
	g.d.ComboboxFocus = &ComboboxFocus{Reason: "focused-combobox-without-visible-options", Message: "The combobox has the focus, and no option is visible.",
		ActiveElement: *seen.Active, VisibleListboxCount: seen.Listboxes, VisibleOptionCount: seen.Options,
		Recommendations: []string{"Press ArrowDown or Enter to open the list, or type to filter it."}}
	g.next.add("inspect-focused-combobox", "See whether the list is open.", "snapshot", "-i")
	g.next.add("try-open-combobox-with-arrow", "Opens most lists.", "press", "ArrowDown")
	g.next.add("try-open-combobox-with-enter", "Opens some lists.", "press", "Enter")
	g.say("Combobox diagnostic: focused combobox did not expose visible options.")
}

var simpleID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^#[\w-]+$`) })

// visibilityScript examines the matches of a selector.
const visibilityScript = `(() => {
const all = [...document.querySelectorAll(%s)];
const shown = (el) => { if (!el.getClientRects().length) return false;
  for (let at = el; at; at = at.parentElement) { const s = getComputedStyle(at); if (s.display === "none" || s.visibility === "hidden" || s.opacity === "0") return false; }
  return true; };
const seen = all.map(shown);
const text = (el) => (el.innerText || "").replace(/\s+/g, " ").trim().slice(0, 80);
const visible = all.map((el, index) => ({el, index})).filter((c) => seen[c.index]);
return {matchCount: all.length, visibleCount: visible.length, firstMatchVisible: all.length > 0 && seen[0],
  firstVisibleTextPreview: visible.length ? text(visible[0].el) : "",
  visibleCandidates: visible.slice(0, 8).map((c) => ({index: c.index, tagName: c.el.tagName.toLowerCase(), role: c.el.getAttribute("role") || "", textPreview: text(c.el)}))};
})()`

// visibility reports a selector of `get text` that matches several elements, or a hidden one first.
func (g *diagnosis) visibility(ctx context.Context, s *step) {
	selector := s.row.Call.Str("selector")
	t := s.row.Call.Target("selector")
	if t.Kind != verb.CSS || simpleID().MatchString(selector) || strings.Contains(selector, "=") {
		return
	}
	script := fmt.Sprintf(visibilityScript, encode(selector))
	v := &SelectorTextVisibility{Selector: selector}
	if !g.eval(ctx, script, v) || v.MatchCount < 2 || v.VisibleCount == v.MatchCount && v.MatchCount < 2 {
		return
	}
	v.Summary = fmt.Sprintf("%d elements match, %d of them are visible; the text is that of the first match.", v.MatchCount, v.VisibleCount)
	if !v.FirstMatchVisible {
		v.Summary = fmt.Sprintf("The text is that of a hidden element: %d elements match, %d of them are visible.", v.MatchCount, v.VisibleCount)
	}
	n := len(g.d.SelectorTextVisibilityAll)
	g.d.SelectorTextVisibilityAll = append(g.d.SelectorTextVisibilityAll, v)
	a := g.next.add(numbered("inspect-visible-text-candidates", n), "Lists the visible matches with their texts.", "eval", "--stdin")
	a.Params.Stdin = script
	g.say("Selector visibility warning: " + v.Summary)
}

// settleVisibility sets the member for the first selector: hidden ones come first.
func (g *diagnosis) settleVisibility() {
	all := g.d.SelectorTextVisibilityAll
	slices.SortStableFunc(all, func(a, b *SelectorTextVisibility) int {
		switch {
		case a.FirstMatchVisible == b.FirstMatchVisible:
			return 0
		case a.FirstMatchVisible:
			return 1
		}
		return -1
	})
	if len(all) > 0 {
		g.d.SelectorTextVisibility = all[0]
	}
	if len(all) < 2 {
		g.d.SelectorTextVisibilityAll = nil
	}
}

var looksLikeFunction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(?\s*(async\s+)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)`)
})

// evaluated gives advice on the result of a script.
func (g *diagnosis) evaluated(s *step) {
	script := strings.TrimSpace(s.row.Stdin)
	if script == "" {
		return
	}
	var data struct {
		Result jsontext.Value `json:"result"`
		Kind   string         `json:"unserializable"`
		Origin string         `json:"origin"`
	}
	read(s.data, &data)
	result := strings.TrimSpace(string(data.Result))
	called := strings.HasSuffix(script, ")()") || strings.HasSuffix(script, ")();")
	if looksLikeFunction().MatchString(script) && !called && (result == "{}" || data.Kind != "") {
		g.d.EvalStdinHint = &Hint{"The script is a function, which was not called: its value has no JSON.",
			"Call it, as in (() => ({ title: document.title }))(), or give an expression, as in ({ title: document.title })."}
		g.say("Eval stdin hint: " + g.d.EvalStdinHint.Suggestion)
	}
	if strings.HasPrefix(data.Origin, "file:") && result == "null" && data.Kind == "" && script != "null" && script != "undefined" {
		g.d.EvalResultWarning = &Hint{"The result of a script on a file: page is null, which proves nothing about the page.",
			"Use snapshot -i, get with a ref, a screenshot, or serve the page over HTTP."}
		g.say("Eval result warning: " + g.d.EvalResultWarning.Suggestion)
	}
}

// failedRequests returns the requests that failed and matter, and how many others failed.
func failedRequests(data jsontext.Value) (failed []request, benign int) {
	var out struct {
		Requests []request `json:"requests"`
	}
	read(data, &out)
	for _, r := range out.Requests {
		switch {
		case !r.failed():
		case r.benign():
			benign++
		default:
			failed = append(failed, r)
		}
	}
	return failed, benign
}

// request is a part of a row of `network requests`.
type request struct {
	ID       string `json:"requestId"`
	URL      string `json:"url"`
	Method   string `json:"method"`
	Status   int    `json:"status"`
	Type     string `json:"resourceType"`
	Failed   bool   `json:"failed"`
	Error    string `json:"error"`
	Canceled bool   `json:"canceled"`
}

func (r *request) failed() bool { return r.Status >= 400 || r.Failed || r.Error != "" }

// benign reports whether the failure says nothing about the page: an icon that is not there, a request that the page cancelled.
func (r *request) benign() bool {
	path, _, _ := strings.Cut(r.URL, "?")
	return strings.HasSuffix(path, "/favicon.ico") || strings.Contains(path, "/apple-touch-icon") || r.Canceled || strings.Contains(r.Error, "ERR_ABORTED") || r.Type == "Ping"
}

// maxNetworkActions bounds what is suggested after a list of requests.
const maxNetworkActions = 6

// network suggests what to do with a list of requests.
func (g *diagnosis) network(s *step) {
	var out struct {
		Requests []request `json:"requests"`
	}
	read(s.data, &out)
	if len(out.Requests) == 0 {
		return
	}
	failed, _ := failedRequests(s.data)
	best, id, why := out.Requests[len(out.Requests)-1], "inspect-network-request", "Shows its headers and body."
	switch i := slices.IndexFunc(out.Requests, func(r request) bool { return r.failed() }); {
	case len(failed) > 0:
		best, id, why = failed[0], "inspect-actionable-network-request", "Shows why it failed."
	case i >= 0:
		best, id = out.Requests[i], "inspect-benign-network-request"
	}
	g.next.add(id, why, "network", "request", best.ID)
	if len(failed) > 0 {
		g.next.put(NextAction{ID: "trace-actionable-network-source", Reason: "Looks for the code that sent it.",
			Params: &ActionParams{NetworkSourceLookup: &LookupParams{best.ID, g.session}}})
	}
	if path := pathOf(best.URL); path != "" {
		g.next.add("filter-network-requests-by-path", "Lists the requests to this path.", "network", "requests", "--filter", path)
	}
	g.next.add("clear-network-requests-before-repro", "Empties the list before you repeat what failed.", "network", "requests", "--clear")
	g.next.add("start-network-har-capture", "Records what follows, with bodies.", "network", "har", "start")
}

func pathOf(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return ""
	}
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return ""
	}
	path, _, _ := strings.Cut(rest[i:], "?")
	return path
}
