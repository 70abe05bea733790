package diagnosis

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

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

// Visibility reports a selector of `get text` that matches several elements, or a hidden one first.
func (g *Diagnosis) Visibility(ctx context.Context, s *step.Step) {
	selector := s.Row.Call.Str("selector")
	t := s.Row.Call.Target("selector")
	if t.Kind != verb.CSS || simpleID().MatchString(selector) || strings.Contains(selector, "=") {
		return
	}
	script := fmt.Sprintf(visibilityScript, result.Encode(selector))
	v := &result.SelectorTextVisibility{Selector: selector}
	if !g.Eval(ctx, script, v) || v.MatchCount < 2 || v.VisibleCount == v.MatchCount && v.MatchCount < 2 {
		return
	}
	v.Summary = fmt.Sprintf("%d elements match, %d of them are visible; the text is that of the first match.", v.MatchCount, v.VisibleCount)
	if !v.FirstMatchVisible {
		v.Summary = fmt.Sprintf("The text is that of a hidden element: %d elements match, %d of them are visible.", v.MatchCount, v.VisibleCount)
	}
	n := len(g.Details.SelectorTextVisibilityAll)
	g.Details.SelectorTextVisibilityAll = append(g.Details.SelectorTextVisibilityAll, v)
	a := g.Next.Add(result.Numbered("inspect-visible-text-candidates", n), "Lists the visible matches with their texts.", "eval", "--stdin")
	a.Params.Stdin = script
	g.Say("Selector visibility warning: " + v.Summary)
}

// SettleVisibility sets the member for the first selector: hidden ones come first.
func (g *Diagnosis) SettleVisibility() {
	all := g.Details.SelectorTextVisibilityAll
	slices.SortStableFunc(all, func(a, b *result.SelectorTextVisibility) int {
		switch {
		case a.FirstMatchVisible == b.FirstMatchVisible:
			return 0
		case a.FirstMatchVisible:
			return 1
		}
		return -1
	})
	if len(all) > 0 {
		g.Details.SelectorTextVisibility = all[0]
	}
	if len(all) < 2 {
		g.Details.SelectorTextVisibilityAll = nil
	}
}

var looksLikeFunction = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(?\s*(async\s+)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)`)
})

// evaluated gives advice on the result of a script.
func (g *Diagnosis) evaluated(s *step.Step) {
	script := strings.TrimSpace(s.Row.Stdin)
	if script == "" {
		return
	}
	var data struct {
		Result jsontext.Value `json:"result"`
		Kind   string         `json:"unserializable"`
		Origin string         `json:"origin"`
	}
	result.Read(s.Data, &data)
	value := strings.TrimSpace(string(data.Result))
	called := strings.HasSuffix(script, ")()") || strings.HasSuffix(script, ")();")
	if looksLikeFunction().MatchString(script) && !called && (value == "{}" || data.Kind != "") {
		g.Details.EvalStdinHint = &result.Hint{Reason: "The script is a function, which was not called: its value has no JSON.",
			Suggestion: "Call it, as in (() => ({ title: document.title }))(), or give an expression, as in ({ title: document.title })."}
		g.Say("Eval stdin hint: " + g.Details.EvalStdinHint.Suggestion)
	}
	if strings.HasPrefix(data.Origin, "file:") && value == "null" && data.Kind == "" && script != "null" && script != "undefined" {
		g.Details.EvalResultWarning = &result.Hint{Reason: "The result of a script on a file: page is null, which proves nothing about the page.",
			Suggestion: "Use snapshot -i, get with a ref, a screenshot, or serve the page over HTTP."}
		g.Say("Eval result warning: " + g.Details.EvalResultWarning.Suggestion)
	}
}

// FailedRequests returns the requests that failed and matter, and how many others failed.
func FailedRequests(data jsontext.Value) (failed []request, benign int) {
	var out struct {
		Requests []request `json:"requests"`
	}
	result.Read(data, &out)
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
	Failed   string `json:"failed"`
	Blocked  string `json:"blockedReason"`
	Done     bool   `json:"done"`
	Canceled bool   `json:"canceled"`
}

// String returns what failed, in one line.
func (r *request) String() string {
	why := cmp.Or(r.Blocked, r.Failed)
	if why == "" {
		why = strconv.Itoa(r.Status)
	}
	return r.Method + " " + plain.Cut(r.URL, 120) + " " + why
}

func (r *request) failed() bool { return r.Status >= 400 || r.Failed != "" || r.Blocked != "" }

// benign reports whether the failure says nothing about the page: an icon that is not there, a request that the page cancelled.
func (r *request) benign() bool {
	path, _, _ := strings.Cut(r.URL, "?")
	return strings.HasSuffix(path, "/favicon.ico") || strings.Contains(path, "/apple-touch-icon") || r.Canceled || r.Failed == "net::ERR_ABORTED" || r.Type == "Ping"
}

// Network suggests what to do with a list of requests.
func (g *Diagnosis) Network(ctx context.Context, s *step.Step) {
	var out struct {
		Requests []request `json:"requests"`
	}
	result.Read(s.Data, &out)
	if len(out.Requests) == 0 {
		return
	}
	failed, _ := FailedRequests(s.Data)
	best, id, why := out.Requests[len(out.Requests)-1], "inspect-network-request", "Shows its headers and body."
	switch i := slices.IndexFunc(out.Requests, func(r request) bool { return r.failed() }); {
	case len(failed) > 0:
		best, id, why = failed[len(failed)-1], "inspect-actionable-network-request", "Shows why it failed."
	case i >= 0:
		best, id = out.Requests[i], "inspect-benign-network-request"
	}
	g.Next.Add(id, why, "network", "request", best.ID)
	if len(failed) > 0 {
		g.Next.Put(result.NextAction{ID: "trace-actionable-network-source", Reason: "Looks for the code that sent it.",
			Params: &result.ActionParams{NetworkSourceLookup: &result.LookupParams{RequestID: best.ID, Session: g.Session}}})
	}
	if path := pathOf(best.URL); path != "" {
		g.Next.Add("filter-network-requests-by-path", "Lists the requests to this path.", "network", "requests", "--filter", path)
	}
	g.routed(ctx, out.Requests)
	g.Next.Add("clear-network-requests-before-repro", "Empties the list before you repeat what failed.", "network", "requests", "--clear")
	if !g.recordsHAR() {
		g.Next.Add("start-network-har-capture", "Records what follows, with bodies.", "network", "har", "start")
	}
}

// recordsHAR reports whether the session's requests are being recorded.
func (g *Diagnosis) recordsHAR() bool {
	work := g.Host.Work(g.Namespace, g.Session)
	return work != nil && work.Journal.HARPath(work.Context) != ""
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
