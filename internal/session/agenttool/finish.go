package agenttool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/input"
	"github.com/usher-browser/usher/internal/verb"
)

// invalid is the result of a call that was not made.
func (c *call) invalid(err error) *Result {
	e, d := api.AsError(err), c.details
	d.ValidationError, d.ErrorCode = e.Sentence(), string(e.Code)
	if d.FailureCategory = categoryOf(e.Code, nil); d.FailureCategory == upstreamError {
		d.FailureCategory = validationError
	}
	if c.session == "" {
		c.next.prefix = nil
	}
	return c.finish("error: " + e.Sentence())
}

// failed is the result of a call that failed as a whole.
func (c *call) failed(err *api.Error) *Result {
	c.details.FailureCategory, c.details.Error, c.details.ErrorCode = categoryOf(err.Code, nil), err.Message, string(err.Code)
	return c.finish("error: " + err.Sentence())
}

// finish completes the result, and removes secrets from all of it.
func (c *call) finish(text string) *Result {
	d := c.details
	r := &Result{Details: d, IsError: d.FailureCategory != ""}
	d.Success, d.ResultCategory = !r.IsError, "success"
	if r.IsError {
		d.ResultCategory, d.SuccessCategory = "failure", ""
	} else if d.SuccessCategory == "" {
		d.SuccessCategory = successOf(d.Artifacts)
	}
	if c.diag != nil && len(c.diag.lines) > 0 && !c.json {
		text += "\n" + strings.Join(c.diag.lines, "\n")
	}
	if line := c.outputLine(); line != "" {
		text += "\n" + line
	}
	if c.json {
		text = c.document()
	}
	d.NextActions = c.next.list
	for i := range d.NextActions {
		if p := d.NextActions[i].Params; p != nil && p.Args != nil {
			p.Args = redactArgs(p.Args)
		}
	}
	r.Content = append(r.Content, Content{Type: "text", Text: strings.TrimSpace(text)})
	r.Content = append(r.Content, c.images...)
	if r.IsError && !c.json {
		if next := c.next.text(); next != "" {
			r.Content = append(r.Content, Content{Type: "text", Text: next, Own: true})
		}
		r.Content = append(r.Content, Content{Type: "text", Text: fmt.Sprintf("resultCategory: failure, failureCategory: %s. isError is true.", d.FailureCategory), Own: true})
	}
	return redactResult(r, secrets(c.steps), nil)
}

// document is the text for callers that gave --json.
func (c *call) document() string {
	d := c.details
	doc := struct {
		Artifacts []Artifact     `json:"artifacts,omitzero"`
		Data      jsontext.Value `json:"data"`
		Error     *string        `json:"error"`
		Success   bool           `json:"success"`
		Warnings  []string       `json:"warnings,omitzero"`
	}{Artifacts: d.Artifacts, Data: d.Data, Success: d.FailureCategory == ""}
	if len(doc.Data) == 0 {
		doc.Data = jsontext.Value("null")
	}
	if !doc.Success {
		text := d.Error + d.ValidationError
		doc.Error = &text
	}
	if d.Warning != "" {
		doc.Warnings = []string{d.Warning}
	}
	raw := encode(doc)
	if err := raw.Indent(); err != nil {
		return string(encode(doc))
	}
	return string(raw)
}

// text is the text of the result for the model.
func (c *call) text() string {
	d := c.details
	switch {
	case d.QAPreset != nil:
		page := ""
		if t := d.SessionTabTarget; t != nil {
			page = strings.TrimSpace(t.Title + " " + t.URL)
		}
		return d.QAPreset.text(page)
	case c.batch:
		return c.batchText()
	}
	s := c.steps[0]
	text := s.res.Text
	if s.failed() {
		text = "error: " + s.message()
		if s.err != nil && s.category == "" {
			text = "error: " + s.err.Sentence()
		}
	}
	if s.res.Warning != "" {
		text += "\n⚠ " + s.res.Warning
	}
	d.Warning = s.res.Warning
	if n := d.NavigationSummary; n != nil {
		text += strings.TrimRight("\nCurrent page: "+n.Title+"\n"+n.URL, "\n")
	}
	return text
}

// batchText has a block for each row. Runs of single typed characters are one line.
func (c *call) batchText() string {
	var b strings.Builder
	if s := first(c.steps); s != nil {
		ok := 0
		for _, one := range c.steps {
			if one.status == statusCompleted {
				ok++
			}
		}
		fmt.Fprintf(&b, "Batch failed: %d/%d succeeded; step %d (%s) is the first that failed.\n", ok, len(c.steps), s.index, s.name())
	}
	typed := ""
	for i, s := range c.steps {
		if s.status == statusPending {
			continue
		}
		if s.status == statusCompleted && s.name() == "keyboard type" && len([]rune(s.row.Call.Rest("text"))) == 1 {
			typed += s.row.Call.Rest("text")
			if i+1 < len(c.steps) {
				continue
			}
		}
		if typed != "" {
			if s.from == "type.delayMs" && i+1 < len(c.steps) {
				continue
			}
			fmt.Fprintf(&b, "Typed %s with pauses\n", quote(typed))
			typed = ""
			if s.name() == "keyboard type" {
				continue
			}
		}
		word, text := "succeeded", s.res.Text
		if s.failed() {
			word, text = "failed", s.message()
			if s.err != nil && s.category == "" {
				text = s.err.Sentence()
			}
		}
		fmt.Fprintf(&b, "Step %d — %s (%s)\n%s\n", s.index, s.name(), word, text)
		if s.res.Warning != "" {
			fmt.Fprintf(&b, "⚠ %s\n", s.res.Warning)
		}
	}
	if n := len(c.steps); n > 0 && c.steps[n-1].status == statusPending {
		left := 0
		for _, s := range c.steps {
			if s.status == statusPending {
				left++
			}
		}
		fmt.Fprintf(&b, "%d steps were not run.\n", left)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// change returns what a step changed. It is a navigation only if one was committed.
func (s *step) change() *PageChangeSummary {
	call := s.row.Call
	if call == nil || s.status == statusPending || s.status == statusRunning {
		return nil
	}
	p := &PageChangeSummary{Command: s.name(), ArtifactCount: len(s.artifacts)}
	var opened struct {
		URL   string `json:"url"`
		Title string `json:"title"`
	}
	n := s.outcome.Navigation
	switch {
	case s.err != nil && s.err.Code == api.ConfirmationRequired:
		p.ChangeType = "confirmation"
	case s.failed():
		return nil
	case len(s.artifacts) > 0:
		p.ChangeType, p.SavedFilePath = "artifact", s.artifacts[0].AbsolutePath
	case call.Verb.Name == "open":
		read(s.data, &opened)
		if opened.URL == "" {
			return nil
		}
		p.ChangeType, p.URL, p.Title = "navigation", opened.URL, opened.Title
	case n != nil && n.Committed:
		p.ChangeType, p.URL = "navigation", n.URL
	case mayChange(call.Verb) && call.Verb.Name != "eval":
		p.ChangeType = "mutation"
	default:
		return nil
	}
	parts := []string{p.Command, p.ChangeType}
	for _, part := range []string{p.Title, p.SavedFilePath, p.URL} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	p.Summary = strings.Join(parts, " → ")
	p.NextActionIDs = s.next.ids()
	return p
}

// changes sets what the whole call changed.
func (c *call) changes() {
	d := c.details
	if !c.batch {
		d.PageChangeSummary = c.steps[0].change()
		if n := c.steps[0].outcome.Navigation; n != nil && n.Committed && d.SessionTabTarget != nil {
			page := *d.SessionTabTarget
			d.NavigationSummary = &page
			if d.PageChangeSummary != nil && d.PageChangeSummary.ChangeType == "navigation" {
				d.PageChangeSummary.Title = page.Title
			}
		}
		return
	}
	counts := map[string]int{}
	files := 0
	for _, s := range c.steps {
		if p := s.change(); p != nil {
			counts[p.ChangeType]++
			files += p.ArtifactCount
		}
	}
	p := &PageChangeSummary{Command: "batch", ArtifactCount: files}
	switch {
	case files > 0:
		p.ChangeType, p.Summary = "artifact", fmt.Sprintf("batch → artifact → %d files", files)
	case counts["navigation"]+counts["mutation"] > 0:
		p.ChangeType = "mutation"
		if counts["mutation"] == 0 {
			p.ChangeType = "navigation"
		}
		p.Summary = fmt.Sprintf("batch → %s → %d changed steps", p.ChangeType, counts["navigation"]+counts["mutation"])
	default:
		return
	}
	if page := d.SessionTabTarget; page != nil {
		p.Title, p.URL = page.Title, page.URL
	}
	d.PageChangeSummary = p
}

// suggest adds what can follow a step.
func (c *call) suggest(s *step, to *actions) {
	to.prefix = c.next.prefix
	call := s.row.Call
	if call == nil || s.status == statusPending {
		return
	}
	if s.status == statusCompleted {
		c.suggestAfter(s, to)
		return
	}
	v := call.Verb
	switch s.failureCategory() {
	case staleRef, selectorNotFound, selectorUnsupported:
		to.add("refresh-interactive-refs", "Takes new refs of the present page.", "snapshot", "-i")
		if c.semantic != nil && s.failureCategory() == staleRef {
			to.add("retry-semantic-action-after-stale-ref", "Finds the element anew.", c.semantic.Unnamed()...)
		}
	case artifactMissing:
		for _, a := range s.artifacts {
			to.file("verify-artifact-path", "The file is not there.", a.AbsolutePath)
		}
	case downloadNotVerified:
		if path := destinations(s, c.request.Cwd); len(path) > 0 {
			to.add("wait-for-download", "Waits for the download that the page starts.", "wait", "--download", path[0])
		} else {
			to.add("wait-for-download", "Waits for the download that the page starts.", "wait", "--download")
		}
	case confirmationRequired:
		var held struct {
			ID string `json:"confirmationId"`
		}
		read(s.data, &held)
		if !c.h.Guarded() { // an agent must not confirm its own commands
			to.add("approve-confirmation", "Runs the command, if the person allows it.", "confirm", held.ID).Safety = "Only after the person has agreed."
		}
		to.add("deny-confirmation", "Drops the command.", "deny", held.ID)
	case tabGone:
		to.add("list-tabs-after-tab-gone", "Shows which tabs are open.", "tab", "list")
		to.add("open-tab-after-tab-gone", "Opens another tab.", "tab", "new")
		if v.Name == "snapshot" {
			to.add("list-tabs-after-no-active-page", "Shows which tabs are open.", "tab", "list")
		}
	case tabDrift:
		to.add("list-tabs-for-recovery", "Shows which tabs are open.", "tab", "list")
	case timeout:
		c.suggestTimeout(s, to)
	case upstreamError:
		if v.Category == verb.CatNavigate {
			to.add("inspect-page-after-navigation-error", "Shows where the tab is.", "get", "url")
		}
		if s.err != nil && s.err.Code == api.BrowserNotRunning && v.Name == "snapshot" {
			to.add("list-tabs-after-no-active-page", "Shows which tabs are open.", "tab", "list")
		}
	}
}

// suggestTimeout adds what can follow a step that took too long.
func (c *call) suggestTimeout(s *step, to *actions) {
	call := s.row.Call
	if s.err != nil && (s.err.Code == api.DialogOpen || s.err.Code == api.InterruptionOpen) {
		to.add("inspect-dialog-after-timeout", "Shows the dialog that blocks the page.", "dialog", "status")
		to.add("dismiss-dialog-after-timeout", "Dismisses it.", "dialog", "dismiss").Safety = "Only if cancelling is what the user wants."
		to.fresh("recover-fresh-session-after-dialog-timeout", "Goes on in another browser, without the dialog.", "open", "about:blank")
		return
	}
	if call.Verb.Name == "wait" && call.Has("text") || s.from == input.FromText {
		to.add("inspect-after-text-assertion-failure", "Shows what the page says instead.", "snapshot", "-i")
	} else {
		to.add("inspect-after-timeout", "Shows how far the page is.", "snapshot", "-i")
	}
	if call.Verb.Name == "wait" && call.Has("url") {
		to.fresh("fresh-session-after-url-wait-timeout", "Starts again with a browser of its own.", "open", "about:blank")
	}
}

// suggestAfter adds what can follow a step that succeeded.
func (c *call) suggestAfter(s *step, to *actions) {
	call := s.row.Call
	v := call.Verb
	for _, a := range s.artifacts {
		switch a.Status {
		case "saved":
			to.file("use-saved-artifact", "The file exists.", a.AbsolutePath)
		case "pending":
			to.add("stop-pending-recording", "Completes the file.", "record", "stop")
		}
	}
	switch {
	case v.Name == "open" && s.change() != nil:
		to.add("inspect-opened-page", "Takes refs of the page.", "snapshot", "-i")
	case v.Name == "connect":
		to.add("verify-connected-session-url", "Shows what the browser shows.", "get", "url")
		to.add("list-connected-session-tabs", "Lists its tabs.", "tab", "list")
	case v.Name == "network requests" && !call.Bool("clear") && !c.batch:
		c.diag.network(s)
	case acts(v) && v.Category != verb.CatEval:
		to.add("inspect-after-mutation", "Shows the page after the action.", "snapshot", "-i")
	}
}

// collect makes one list of the actions of the steps: all of a single command; of a batch those of the first failure, else those about
// files and about the last step.
func (c *call) collect() {
	add := func(list []NextAction) {
		for _, n := range list {
			c.next.put(n)
		}
	}
	diagnosed := c.next.list
	c.next.list = nil
	failed := first(c.steps)
	switch {
	case failed != nil && failed.failureCategory() == staleRef:
		add(failed.next.list)
		return // what was collected before is of no use
	case failed != nil:
		add(failed.next.list)
	case !c.batch:
		add(c.steps[0].next.list)
	default:
		for _, s := range c.steps {
			for _, n := range s.next.list {
				if n.ArtifactPath != "" || s == c.steps[len(c.steps)-1] {
					add([]NextAction{n})
				}
			}
		}
	}
	add(diagnosed)
	if p := c.details.PageChangeSummary; p != nil {
		ids := c.next.ids()
		p.NextActionIDs = slices.Compact(slices.Clone(ids))
	}
}
