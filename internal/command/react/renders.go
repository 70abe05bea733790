package react

import (
	"context"
	"fmt"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/verb"
)

// Renders is the result of `react renders`: the first three members of start, the others of stop.
type Renders struct {
	Recording  bool   `json:"recording"`           // true after start
	Identifier string `json:"identifier,omitzero"` // of the init script that records in later documents
	Message    string `json:"message,omitzero"`

	Report     string     `json:"report,omitzero"`
	Elapsed    float64    `json:"elapsed,omitzero"` // seconds
	Commits    int        `json:"commits,omitzero"`
	Mounts     int        `json:"mounts,omitzero"`
	ReRenders  int        `json:"reRenders,omitzero"`
	Measured   bool       `json:"measured,omitzero"` // React has measured times
	Components []Rendered `json:"components,omitzero"`
	More       int        `json:"more,omitzero"`    // components that are left out
	Partial    int        `json:"partial,omitzero"` // commits that were too large to be read in full
}

// Rendered is a component that has rendered.
type Rendered struct {
	Name      string   `json:"name"`
	Instances int      `json:"instances"`
	Mounts    int      `json:"mounts"`
	ReRenders int      `json:"reRenders"`
	Total     float64  `json:"total"` // milliseconds, with what is inside
	Self      float64  `json:"self"`
	Measured  bool     `json:"measured"`
	Reasons   []Reason `json:"reasons"` // most frequent first
	Changes   []string `json:"changes"` // examples: reason, value before and after
}

// Reason is why a component has rendered.
type Reason struct {
	Reason string `json:"reason"` // mount, props (name), state (name), context (name), parent (name)
	Count  int    `json:"count"`
}

// recordingFrom is what `initscripts` calls the script that records in later documents.
const recordingFrom = "react renders start"

func renders(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Renders], error) {
	if c.Str("action") == "start" {
		return startRenders(ctx, e)
	}
	return stopRenders(ctx, e)
}

func startRenders(ctx context.Context, e *run.Env) (run.Reply[*Renders], error) {
	ctx, in, done, err := enter(ctx, e, "react renders start")
	if err != nil {
		return run.Reply[*Renders]{}, err
	}
	defer done()
	var roots int
	if err := in.call(ctx, &roots, "record", nil); err != nil {
		return run.Reply[*Renders]{}, err
	}
	data := &Renders{Recording: true, Message: "recording renders - interact with the page, then run `react renders stop`"}
	for _, s := range e.Browser.InitScripts(e.Context) {
		if s.From == recordingFrom {
			data.Identifier = s.ID
		}
	}
	if data.Identifier == "" {
		if data.Identifier, err = e.Browser.AddInitScript(ctx, e.Context, supervisor.InitScript{Source: recordScript(), From: recordingFrom, BuiltIn: true}); err != nil {
			return run.Reply[*Renders]{}, e.Explain(err, in.doing)
		}
	}
	reply := run.Reply[*Renders]{Data: data, Text: run.Done}
	if roots == 0 {
		reply.Warning = "no React root was found in the page; documents that load from now on are recorded from the start"
	}
	return reply, nil
}

func stopRenders(ctx context.Context, e *run.Env) (run.Reply[*Renders], error) {
	ctx, in, done, err := enter(ctx, e, "react renders stop")
	if err != nil {
		return run.Reply[*Renders]{}, err
	}
	defer done()
	for _, s := range e.Browser.InitScripts(e.Context) {
		if s.From == recordingFrom {
			if _, err := e.Browser.RemoveInitScript(ctx, e.Context, s.ID); err != nil {
				return run.Reply[*Renders]{}, e.Explain(err, in.doing)
			}
		}
	}
	var got *Renders
	if err := in.call(ctx, &got, "stop", nil); err != nil {
		return run.Reply[*Renders]{}, err
	}
	if got == nil {
		return run.Reply[*Renders]{}, api.Errorf(api.InvalidArgument, "react renders stop: renders are not recorded in this document").
			WithHint("Begin with `react renders start`. A recording that was started in another tab or frame is stopped there.")
	}
	got.Elapsed /= 1000
	got.Report = got.report()
	return run.Reply[*Renders]{Data: got, Text: got.Report}, nil
}

// report is the text for people.
func (r *Renders) report() string {
	if len(r.Components) == 0 {
		return fmt.Sprintf("(no renders captured in %.2fs, %s)", r.Elapsed, run.Plural(r.Commits, "commit"))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Render Profile - %.2fs recording, %s\n", r.Elapsed, run.Plural(r.Commits, "commit"))
	fmt.Fprintf(&b, "# %s (%s + %s) across %s\n", run.Plural(r.Mounts+r.ReRenders, "render"), run.Plural(r.Mounts, "mount"), run.Plural(r.ReRenders, "re-render"), run.Plural(len(r.Components)+r.More, "component"))
	if !r.Measured {
		b.WriteString("# No times: they need a development or profiling build that loads with --enable react-devtools, or after `react renders start`\n")
	}
	if r.Partial > 0 {
		fmt.Fprintf(&b, "# %s too large to be read in full: the counts are too low\n", run.Plural(r.Partial, "commit"))
	}
	b.WriteString("\n| Component | Insts | Mounts | Re-renders | Total | Self | Top change reason |\n| --- | --- | --- | --- | --- | --- | --- |")
	for _, c := range r.Components {
		total, self := "-", "-"
		if c.Measured {
			total, self = fmt.Sprintf("%.1fms", c.Total), fmt.Sprintf("%.1fms", c.Self)
		}
		reason := "-"
		if len(c.Reasons) > 0 {
			reason = fmt.Sprintf("%s ×%d", cell(c.Reasons[0].Reason), c.Reasons[0].Count)
		}
		fmt.Fprintf(&b, "\n| %s | %d | %d | %d | %s | %s | %s |", cell(c.Name), c.Instances, c.Mounts, c.ReRenders, total, self, reason)
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "\n… %d more", r.More)
	}
	b.WriteString("\n\n## Change details (prev -> next)")
	for _, c := range r.Components {
		if len(c.Changes) == 0 {
			continue
		}
		b.WriteString("\n  " + run.OneLine(c.Name))
		for _, change := range c.Changes {
			b.WriteString("\n    " + run.OneLine(change))
		}
	}
	return strings.TrimSuffix(b.String(), "\n\n## Change details (prev -> next)")
}

// cell is a text of the page in a table.
func cell(text string) string { return strings.ReplaceAll(run.OneLine(text), "|", "\\|") }
