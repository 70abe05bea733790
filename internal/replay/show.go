package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/ops"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Data is the result as a JSON object.
func (r *Result) Data() map[string]any {
	s := r.State
	out := map[string]any{
		"start": r.Start, "offset": r.At.Seconds(), "step": r.Step, "tabs": r.tabs(), "dialogs": dialogs(s.Dialogs),
		"recentDialogs": dialogs(s.RecentDialogs), "downloads": downloads(s.Downloads), "gone": gone(s.Gone), "closed": nil,
	}
	if s.Closed != nil {
		out["closed"] = s.Closed.Error()
	}
	if r.Events != nil {
		out["events"] = r.Events
	}
	if r.Ended != "" {
		out["ended"] = r.Ended
	}
	return out
}

func tabID(number int) string { return "t" + strconv.Itoa(number) }

func (r *Result) tabs() []any {
	rows := []any{}
	for _, id := range r.State.Order {
		t := r.State.Tabs[id]
		row := map[string]any{
			"tab": tabID(t.Number), "targetId": t.ID, "contextId": t.Context, "url": t.URL, "title": t.Title, "ready": t.Ready,
			"frames": frameRow(t, t.MainFrame()),
		}
		if t.Opener != "" {
			row["opener"] = t.Opener
		}
		if t.Crash != nil {
			row["crashed"] = t.Crash.Status
		}
		rows = append(rows, row)
	}
	return rows
}

func frameRow(t *model.Tab, f *model.Frame) map[string]any {
	if f == nil {
		return nil
	}
	row := map[string]any{"frameId": f.ID, "url": f.URL, "load": loadOf(f)}
	if f.Name != "" {
		row["name"] = f.Name
	}
	if f.OOPIF {
		row["ownProcess"] = true
	}
	if f.Going != "" {
		row["leavingFor"] = f.Going
	}
	if f.Crash != nil {
		row["crashed"] = f.Crash.Status
	}
	if children := t.Children(f.ID); len(children) > 0 {
		rows := []any{}
		for _, c := range children {
			rows = append(rows, frameRow(t, c))
		}
		row["children"] = rows
	}
	return row
}

// loadOf is how far the document of a frame has come.
func loadOf(f *model.Frame) string {
	switch {
	case f.NetworkIdle:
		return "networkidle"
	case f.Loaded:
		return "load"
	case f.DOMReady:
		return "domcontentloaded"
	}
	return "loading"
}

func dialogs(list []*model.Dialog) []any {
	rows := []any{}
	for _, d := range list {
		row := ops.DialogData(d)
		row["targetId"] = d.Tab
		if d.ClosedBy != "" {
			row["closedBy"], row["accepted"], row["answer"] = d.ClosedBy, d.Accepted, d.Answer
			row["closedAt"] = float64(d.ClosedAt.UnixMilli()) / 1000
		}
		rows = append(rows, row)
	}
	return rows
}

func downloads(list []*model.Download) []any {
	rows := []any{}
	for _, d := range list {
		rows = append(rows, map[string]any{
			"guid": d.GUID, "targetId": d.Tab, "url": d.URL, "suggestedFilename": d.SuggestedName, "state": d.State,
			"receivedBytes": d.Received, "totalBytes": d.Total,
		})
	}
	return rows
}

func gone(list []model.GoneTab) []any {
	rows := []any{}
	for _, g := range list {
		rows = append(rows, map[string]any{"tab": tabID(g.Number), "targetId": g.ID, "contextId": g.Context, "url": g.URL})
	}
	return rows
}

// Text is the result for people.
func (r *Result) Text() string {
	var b strings.Builder
	for i := range r.Events {
		e := &r.Events[i]
		tab := e.TabID
		if tab == "" {
			tab = "-"
		}
		fmt.Fprintf(&b, "%9.3fs  #%-6d %-3s %s\n", e.Offset, e.Step, tab, e.Sentence(ops.OneLine))
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
		fmt.Fprintf(&b, "\ndialog %s %s %q: closed by %s, accepted %v", d.ID, d.Type, ops.OneLine(d.Message), d.ClosedBy, d.Accepted)
	}
	for _, d := range r.State.Downloads {
		fmt.Fprintf(&b, "\ndownload %s %s: %s, %d bytes", d.GUID, ops.OneLine(d.SuggestedName), d.State, d.Received)
	}
	for _, g := range r.State.Gone {
		fmt.Fprintf(&b, "\nclosed %s %s", tabID(g.Number), ops.OneLine(g.URL))
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
	fmt.Fprintf(b, "\n  [%s] %s - ", tabID(t.Number), ops.OneLine(t.Title))
	if t.Crash != nil {
		fmt.Fprintf(b, "(crashed: %s) ", t.Crash.Status)
	}
	writeFrame(b, t, t.MainFrame(), "    ")
	for _, d := range r.State.Dialogs {
		if d.Tab == t.ID {
			fmt.Fprintf(b, "\n    open: %s dialog %s %q", d.Type, d.ID, ops.OneLine(d.Message))
		}
	}
}

func writeFrame(b *strings.Builder, t *model.Tab, f *model.Frame, indent string) {
	if f == nil {
		return
	}
	fmt.Fprintf(b, "%s (%s)", ops.OneLine(f.URL), loadOf(f))
	if f.OOPIF {
		b.WriteString(" own process")
	}
	for _, c := range t.Children(f.ID) {
		fmt.Fprintf(b, "\n%sframe %s ", indent, c.ID)
		writeFrame(b, t, c, indent+"  ")
	}
}
