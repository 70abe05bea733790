package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/command/run"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Data returns the result as a JSON object.
func (r *Result) Data() *Shown {
	s := r.State
	out := &Shown{Start: r.Start, Offset: r.At.Seconds(), Step: r.Step, Tabs: r.tabs(), Dialogs: dialogs(s.Dialogs),
		RecentDialogs: dialogs(s.RecentDialogs), Downloads: downloads(s.Downloads), Gone: gone(s.Gone), Events: r.Events, Ended: r.Ended}
	if s.Closed != nil {
		out.Closed = new(s.Closed.Error())
	}
	return out
}

func tabID(number int) string { return "t" + strconv.Itoa(number) }

func (r *Result) tabs() []Tab {
	rows := []Tab{}
	for _, id := range r.State.Order {
		t := r.State.Tabs[id]
		row := Tab{Tab: tabID(t.Number), TargetID: string(t.ID), ContextID: string(t.Context), URL: t.URL, Title: t.Title, Ready: t.Ready,
			Frames: frameRow(t, t.MainFrame()), Opener: string(t.Opener)}
		if t.Crash != nil {
			row.Crashed = t.Crash.Status
		}
		rows = append(rows, row)
	}
	return rows
}

func frameRow(t *model.Tab, f *model.Frame) *Frame {
	if f == nil {
		return nil
	}
	row := &Frame{FrameID: string(f.ID), URL: f.URL, Load: loadOf(f), Name: f.Name, OwnProcess: f.OOPIF, LeavingFor: f.PendingURL}
	if f.Crash != nil {
		row.Crashed = f.Crash.Status
	}
	for _, c := range t.Children(f.ID) {
		row.Children = append(row.Children, frameRow(t, c))
	}
	return row
}

// loadOf returns the load state of a frame's document.
func loadOf(f *model.Frame) string {
	switch {
	case f.Stopped:
		return "stopped"
	case f.NetworkIdle:
		return "networkidle"
	case f.Loaded:
		return "load"
	case f.DOMReady:
		return "domcontentloaded"
	}
	return "loading"
}

func dialogs(list []*model.Dialog) []Dialog {
	rows := []Dialog{}
	for _, d := range list {
		row := Dialog{Dialog: *run.DialogData(d), TargetID: string(d.Tab)}
		if d.ClosedBy != "" {
			row.ClosedBy, row.Accepted, row.Answer = string(d.ClosedBy), &d.Accepted, &d.Answer
			row.ClosedAt = float64(d.ClosedAt.UnixMilli()) / 1000
		}
		rows = append(rows, row)
	}
	return rows
}

func downloads(list []*model.Download) []Download {
	rows := []Download{}
	for _, d := range list {
		rows = append(rows, Download{GUID: d.GUID, TargetID: string(d.Tab), URL: d.URL, SuggestedFilename: d.SuggestedName, State: string(d.State),
			ReceivedBytes: d.Received, TotalBytes: d.Total})
	}
	return rows
}

func gone(list []model.GoneTab) []GoneTab {
	rows := []GoneTab{}
	for _, g := range list {
		rows = append(rows, GoneTab{Tab: tabID(g.Number), TargetID: string(g.ID), ContextID: string(g.Context), URL: g.URL})
	}
	return rows
}

// Text returns the result as text.
func (r *Result) Text() string {
	var b strings.Builder
	for i := range r.Events {
		e := &r.Events[i]
		tab := e.TabID
		if tab == "" {
			tab = "-"
		}
		fmt.Fprintf(&b, "%9.3fs  #%-6d %-3s %s\n", e.Offset, e.Step, tab, e.Sentence(run.OneLine))
	}
	if len(r.Events) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "At %s (step %d) of a recording begun %s", r.At.Round(time.Millisecond), r.Step, r.Start.Format(time.RFC3339))
	for _, c := range r.contexts() {
		fmt.Fprintf(&b, "\ncontext %s", c)
		for _, t := range r.State.ContextTabs(c) {
			r.writeTab(&b, t)
		}
	}
	for _, d := range r.State.RecentDialogs {
		fmt.Fprintf(&b, "\ndialog %s %s %q: closed by %s, accepted %v", d.ID, d.Type, run.OneLine(d.Message), d.ClosedBy, d.Accepted)
	}
	for _, d := range r.State.Downloads {
		fmt.Fprintf(&b, "\ndownload %s %s: %s, %d bytes", d.GUID, run.OneLine(d.SuggestedName), d.State, d.Received)
	}
	for _, g := range r.State.Gone {
		fmt.Fprintf(&b, "\nclosed %s %s", tabID(g.Number), run.OneLine(g.URL))
	}
	if r.State.Closed != nil {
		fmt.Fprintf(&b, "\nthe connection ended: %v", r.State.Closed)
	}
	if r.Ended != "" {
		fmt.Fprintf(&b, "\nthe recording ended early: %s", r.Ended)
	}
	return b.String()
}

// contexts lists those with tabs, in the order of their first tabs.
func (r *Result) contexts() []model.ContextID {
	var list []model.ContextID
	for _, id := range r.State.Order {
		if c := r.State.Tabs[id].Context; !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

func (r *Result) writeTab(b *strings.Builder, t *model.Tab) {
	fmt.Fprintf(b, "\n  [%s] %s - ", tabID(t.Number), run.OneLine(t.Title))
	if t.Crash != nil {
		fmt.Fprintf(b, "(crashed: %s) ", t.Crash.Status)
	}
	writeFrame(b, t, t.MainFrame(), "    ")
	for _, d := range r.State.Dialogs {
		if d.Tab == t.ID {
			fmt.Fprintf(b, "\n    open: %s dialog %s %q", d.Type, d.ID, run.OneLine(d.Message))
		}
	}
}

func writeFrame(b *strings.Builder, t *model.Tab, f *model.Frame, indent string) {
	if f == nil {
		return
	}
	fmt.Fprintf(b, "%s (%s)", run.OneLine(f.URL), loadOf(f))
	if f.OOPIF {
		b.WriteString(" own process")
	}
	for _, c := range t.Children(f.ID) {
		fmt.Fprintf(b, "\n%sframe %s ", indent, c.ID)
		writeFrame(b, t, c, indent+"  ")
	}
}
