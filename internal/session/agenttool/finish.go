package agenttool

import (
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
)

// invalid is the result of a call that was not made.
func (c *call) invalid(err error) *result.Result {
	e, d := api.AsError(err), c.details
	d.ValidationError, d.ErrorCode = e.Sentence(), string(e.Code)
	if d.FailureCategory = step.CategoryOf(e.Code, nil); d.FailureCategory == result.UpstreamError {
		d.FailureCategory = result.ValidationError
	}
	if c.session == "" {
		c.next.Prefix = nil
	}
	return c.finish("error: " + e.Sentence())
}

// failed is the result of a call that failed as a whole.
func (c *call) failed(err *api.Error) *result.Result {
	c.details.FailureCategory, c.details.Error, c.details.ErrorCode = step.CategoryOf(err.Code, nil), err.Message, string(err.Code)
	return c.finish("error: " + err.Sentence())
}

// finish completes the result, and removes secrets from all of it.
func (c *call) finish(text string) *result.Result {
	d := c.details
	r := &result.Result{Details: d, IsError: d.FailureCategory != ""}
	d.Success, d.ResultCategory = !r.IsError, "success"
	if r.IsError {
		d.ResultCategory, d.SuccessCategory = "failure", ""
	} else if d.SuccessCategory == "" {
		d.SuccessCategory = step.SuccessOf(d.Artifacts)
	}
	if c.diag != nil && len(c.diag.Lines) > 0 && !c.json {
		text += "\n" + strings.Join(c.diag.Lines, "\n")
	}
	if line := c.outputLine(); line != "" {
		text += "\n" + line
	}
	if c.json {
		text = c.document()
	}
	if c.nested {
		c.next.List = inScript(c.next.List)
		if p := d.PageChangeSummary; p != nil {
			p.NextActionIDs = c.next.IDs()
		}
	}
	d.NextActions = c.next.List
	for i := range d.NextActions {
		if p := d.NextActions[i].Params; p != nil && p.Args != nil {
			p.Args = step.RedactArgs(p.Args)
		}
	}
	r.Content = append(r.Content, result.Content{Type: "text", Text: strings.TrimSpace(text)})
	r.Content = append(r.Content, c.images...)
	if r.IsError && !c.json {
		if next := c.next.Text(); next != "" {
			r.Content = append(r.Content, result.Content{Type: "text", Text: next, Own: true})
		}
		r.Content = append(r.Content, result.Content{Type: "text", Text: fmt.Sprintf("resultCategory: failure, failureCategory: %s. isError is true.", d.FailureCategory), Own: true})
	}
	return redactResult(r, step.Secrets(c.steps), nil)
}

// changes sets what the whole call changed.
func (c *call) changes() {
	d := c.details
	if !c.batch {
		d.PageChangeSummary = c.steps[0].Change()
		n, p := c.steps[0].Outcome.Navigation, d.PageChangeSummary
		navigated := p != nil && p.ChangeType == "navigation" && p.Command != "open"
		if d.SessionTabTarget != nil && (navigated || n != nil && n.Committed) {
			page := *d.SessionTabTarget
			d.NavigationSummary = &page
			if navigated {
				p.Title = page.Title
			}
		}
		return
	}
	counts := map[string]int{}
	files := 0
	for _, s := range c.steps {
		if p := s.Change(); p != nil {
			counts[p.ChangeType]++
			files += p.ArtifactCount
		}
	}
	p := &result.PageChangeSummary{Command: "batch", ArtifactCount: files}
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
