package debug

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/supervisor/guard"
	"github.com/usher-browser/usher/internal/verb"
)

// Audit is the result of `a11y`.
type Audit struct {
	AxeVersion string      `json:"axeVersion"`
	Counts     AuditCounts `json:"counts"`
	Incomplete []Finding   `json:"incomplete"` // what a person has to decide
	URL        string      `json:"url"`
	Violations []Finding   `json:"violations"`
}

// AuditCounts are numbers of rules.
type AuditCounts struct {
	Inapplicable int `json:"inapplicable"`
	Incomplete   int `json:"incomplete"`
	Passes       int `json:"passes"`
	Violations   int `json:"violations"`
}

// Finding is a rule of axe-core that elements of the page break, or may break.
type Finding struct {
	Help      string        `json:"help"`
	HelpURL   string        `json:"helpUrl"`
	ID        string        `json:"id"`
	Impact    *string       `json:"impact"`    // minor, moderate, serious or critical
	NodeCount int           `json:"nodeCount"` // how many elements
	Nodes     []FindingNode `json:"nodes"`     // the first ten of them
	Tags      []string      `json:"tags"`      // the standards that have the rule
}

// FindingNode is an element.
type FindingNode struct {
	FailureSummary string `json:"failureSummary"` // what would repair it
	HTML           string `json:"html"`
	// Target is the element's selector: one for each frame on the way, the element's own last. A list in place of a
	// selector has one for each shadow root on the way.
	Target []jsontext.Value `json:"target"`
}

// auditOptions are the options of axe.runPartial and axe.finishRun. Nothing is preloaded: that would make requests.
type auditOptions struct {
	RunOnly     *runOnly `json:"runOnly,omitempty"`
	ResultTypes []string `json:"resultTypes"`
	Preload     bool     `json:"preload"`
}

type runOnly struct {
	Type   string   `json:"type"`
	Values []string `json:"values"`
}

// a11yRules checks the selector: axe-core knows CSS only.
func a11yRules(c *verb.Call) *verb.Error {
	if c.Has("selector") && c.Target("selector").Kind != verb.CSS {
		return verb.Invalid("--selector: " + plain.Quote(c.Str("selector")) + " is no CSS selector, which a11y needs")
	}
	return nil
}

func a11y(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Audit], error) {
	warning, err := load(ctx, e, c, false)
	if err != nil {
		return run.Reply[*Audit]{}, err
	}
	// While it runs, the renderer does not answer: that is ours.
	ctx, stop := e.Guard(guard.WithUnresponsiveTimeout(ctx, guard.UnresponsiveTimeout{Ignore: true}))
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Audit]{}, err
	}
	a := &auditor{env: e, options: auditOptions{ResultTypes: []string{"violations", "incomplete"}}}
	top, err := a.enter(ctx, tab.Main)
	if err != nil {
		return run.Reply[*Audit]{}, e.Explain(err, "a11y")
	}
	if tags := c.List("tags"); len(tags) > 0 {
		if err := a.checkTags(ctx, top, tags); err != nil {
			return run.Reply[*Audit]{}, err
		}
		a.options.RunOnly = &runOnly{"tag", tags}
	}
	within := "document"
	if c.Has("selector") {
		if within, err = a.scope(ctx, top, c.Str("selector")); err != nil {
			return run.Reply[*Audit]{}, err
		}
	}
	partials, err := a.run(ctx, top, within)
	if err != nil {
		return run.Reply[*Audit]{}, e.Explain(err, "a11y")
	}
	res := &Audit{}
	if err := a.finish(ctx, top, partials, res); err != nil {
		return run.Reply[*Audit]{}, e.Explain(err, "a11y")
	}
	if err := e.MayEnter(context.WithoutCancel(ctx), tab.Main); err != nil { // it may have become another document
		return run.Reply[*Audit]{}, err
	}
	if tab, err = e.CurrentTab(); err != nil {
		return run.Reply[*Audit]{}, err
	}
	res.URL = tab.URL
	return run.Reply[*Audit]{Data: res, Text: res.text(), Warning: api.JoinWarnings(warning, a.note())}, nil
}

// note says which frames are missing.
func (a *auditor) note() string {
	if len(a.missing) == 0 {
		return ""
	}
	slices.Sort(a.missing)
	return "not examined: " + strings.Join(slices.Compact(a.missing), "; ")
}

// text is the report for people.
func (d *Audit) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "url: %s\naxe-core: %s  violations: %d  incomplete: %d  passes: %d", d.URL, d.AxeVersion, d.Counts.Violations, d.Counts.Incomplete, d.Counts.Passes)
	write := func(list []Finding) {
		for _, f := range list {
			impact := "-"
			if f.Impact != nil {
				impact = *f.Impact
			}
			fmt.Fprintf(&b, "\n[%s] %s: %s (%s)\n  %s", impact, f.ID, run.OneLine(f.Help), run.Plural(f.NodeCount, "node"), f.HelpURL)
			for _, n := range f.Nodes {
				b.WriteString("\n  - " + n.where())
			}
			if more := f.NodeCount - len(f.Nodes); more > 0 {
				fmt.Fprintf(&b, "\n  - … %d more", more)
			}
		}
	}
	if len(d.Violations) > 0 {
		b.WriteString("\n")
		write(d.Violations)
	}
	if len(d.Incomplete) > 0 {
		b.WriteString("\n\nTo be decided by a person:")
		write(d.Incomplete)
	}
	return b.String()
}

// where is the selector path of an element: frames with ->, shadow roots with >>>.
func (n *FindingNode) where() string {
	var frames []string
	for _, part := range n.Target {
		frames = append(frames, strings.Join(selectors(part), " >>> "))
	}
	return run.OneLine(strings.Join(frames, " -> "))
}
