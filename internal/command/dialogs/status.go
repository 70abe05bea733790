package dialogs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// Status is the dialogs, the frame tree and the console errors of a page, in the names and shapes of the public
// supervisor design.
type Status struct {
	PendingDialogs []model.PendingDialog `json:"pending_dialogs"`
	RecentDialogs  []model.RecentDialog  `json:"recent_dialogs"`
	FrameTree      model.FrameTree       `json:"frame_tree"`
	ConsoleErrors  []ConsoleError        `json:"console_errors"`
}

// ConsoleError is a console message of the level error or warning, or an exception.
type ConsoleError struct {
	TS    float64 `json:"ts"`    // seconds since 1970
	Level string  `json:"level"` // error, warning or exception
	Text  string  `json:"text"`
	URL   string  `json:"url,omitzero"`
	// Earlier reports whether the tab has shown another document since.
	Earlier bool `json:"earlier,omitzero"`
}

// Limits of a Status.
const (
	maxConsoleErrors = 50
	maxConsoleText   = 1000 // bytes
)

func status(_ context.Context, e *run.Env, c *verb.Call) (run.Reply[*Status], error) {
	st := StatusOf(e, c.Bool("all-frames"))
	return run.Reply[*Status]{Data: &st, Text: st.text(time.Now())}, nil
}

// StatusOf returns the status of the session's page. It makes no call to the browser.
func StatusOf(e *run.Env, allFrames bool) Status {
	s := e.Browser.State()
	return Status{
		PendingDialogs: s.Pending(e.Context), RecentDialogs: s.Recent(e.Context),
		FrameTree: s.Tabs[e.Tab].Tree(allFrames), ConsoleErrors: consoleErrors(e),
	}
}

// consoleErrors returns the last errors, warnings and uncaught exceptions of the
// session's tabs, oldest first.
func consoleErrors(e *run.Env) []ConsoleError {
	tabs := e.Journal.Tabs(e.Context)
	messages, _ := e.Journal.Console(tabs...)
	thrown, _ := e.Journal.Errors(tabs...)
	out := []ConsoleError{}
	for i := range messages {
		if level := levelOf(&messages[i]); level != "" {
			out = append(out, consoleError(messages[i].Timestamp, level, messages[i].Text, messages[i].URL, messages[i].Earlier))
		}
	}
	for i := range thrown {
		out = append(out, consoleError(thrown[i].Timestamp, "exception", thrown[i].Text, thrown[i].URL, thrown[i].Earlier))
	}
	slices.SortStableFunc(out, func(a, b ConsoleError) int { return cmp.Compare(a.TS, b.TS) })
	return out[max(0, len(out)-maxConsoleErrors):]
}

func consoleError(ms int64, level, text, url string, earlier bool) ConsoleError {
	return ConsoleError{TS: float64(ms) / 1000, Level: level, Text: model.Cut(text, maxConsoleText), URL: model.Cut(url, maxConsoleText), Earlier: earlier}
}

// levelOf is empty for what is no trouble.
func levelOf(m *journal.Message) string {
	switch m.Type {
	case "error", "assert":
		return "error"
	case "warning":
		return "warning"
	}
	return ""
}

// text returns the status for people. now is for how long dialogs have been open.
func (st *Status) text(now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "open dialogs: %d", len(st.PendingDialogs))
	for _, d := range st.PendingDialogs {
		fmt.Fprintf(&b, "\n  %s %s %s", d.ID, d.Type, run.Quote(run.Printable(d.Message)))
		if d.DefaultPrompt != "" {
			b.WriteString(" (default " + run.Quote(run.Printable(d.DefaultPrompt)) + ")")
		}
		open := now.Sub(time.UnixMicro(int64(d.OpenedAt * 1e6))).Round(time.Second)
		fmt.Fprintf(&b, ", open for %s; answer with `dialog accept` or `dialog dismiss`", max(0, open))
	}
	fmt.Fprintf(&b, "\ndialogs closed: %d", len(st.RecentDialogs))
	for _, d := range st.RecentDialogs {
		fmt.Fprintf(&b, "\n  %s %s %s, %s", d.ID, d.Type, run.Quote(run.Printable(d.Message)), closingOf(&d))
	}
	b.WriteString("\nframes:")
	treeText(&b, &st.FrameTree)
	fmt.Fprintf(&b, "\nconsole errors: %d", len(st.ConsoleErrors))
	for _, e := range st.ConsoleErrors {
		fmt.Fprintf(&b, "\n  [%s] %s", e.Level, strings.ReplaceAll(run.Printable(e.Text), "\n", "\n  "))
		if e.URL != "" {
			b.WriteString(" (" + run.OneLine(e.URL) + ")")
		}
		if e.Earlier {
			b.WriteString(", on an earlier page")
		}
	}
	return b.String()
}

// closingOf returns how a dialog ended, as text.
func closingOf(d *model.RecentDialog) string {
	how := "dismissed"
	switch {
	case d.Accepted && d.Type == "prompt":
		how = "accepted with " + run.Quote(run.Printable(d.PromptText))
	case d.Accepted:
		how = "accepted"
	}
	who := map[model.ClosedBy]string{
		model.ByAgent: "by the agent", model.ByPolicy: "by the policy", model.ByWatchdog: "by the watchdog: no answer in time",
		model.ByRemote: "from elsewhere",
	}[d.ClosedBy]
	if d.Rule != "" {
		who = "by rule " + d.Rule
	}
	return how + " " + who
}

// treeText draws a frame tree, each frame set in below its parent.
func treeText(b *strings.Builder, t *model.FrameTree) {
	if t.Top == nil {
		b.WriteString(" none")
		return
	}
	depth := map[model.FrameID]int{t.Top.FrameID: 1}
	below := map[model.FrameID][]*model.FrameEntry{}
	for i := range t.Children {
		f := &t.Children[i]
		below[f.ParentID] = append(below[f.ParentID], f)
	}
	var draw func(f *model.FrameEntry)
	draw = func(f *model.FrameEntry) {
		fmt.Fprintf(b, "\n%s%s %s", strings.Repeat("  ", depth[f.FrameID]), f.FrameID, run.OneLine(f.URL))
		if f.Name != "" {
			b.WriteString(" " + run.Quote(run.OneLine(f.Name)))
		}
		if f.IsOOPIF {
			b.WriteString(" (separate process)")
		}
		for _, c := range below[f.FrameID] {
			depth[c.FrameID] = depth[f.FrameID] + 1
			draw(c)
		}
	}
	draw(t.Top)
	if t.Truncated {
		b.WriteString("\n  … more frames: `status --all-frames`")
	}
}
