package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/media"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

func interruptVerbs() map[string]Func {
	return map[string]Func{"interrupt list": interruptList, "interrupt answer": interruptAnswer}
}

// mine says whether an interruption belongs to this session.
func (w *Workspace) mine(s *model.State, i *model.Interruption) bool {
	if i.Context != "" {
		return i.Context == w.Context
	}
	if t := s.Tabs[i.Tab]; t != nil {
		return t.Context == w.Context
	}
	for _, g := range s.Gone {
		if g.ID == i.Tab {
			return g.Context == w.Context
		}
	}
	for _, d := range s.Downloads {
		if i.Download != "" && d.GUID == i.Download {
			return w.owns(s, d)
		}
	}
	return false
}

// mineOf keeps the session's own of a list.
func (w *Workspace) mineOf(s *model.State, list []*model.Interruption) []*model.Interruption {
	return slices.DeleteFunc(list, func(i *model.Interruption) bool { return !w.mine(s, i) })
}

// InterruptionData is an interruption as results and errors show it.
func (w *Workspace) InterruptionData(i *model.Interruption) map[string]any {
	s := w.Browser.State()
	data := obj{
		"id": i.ID, "kind": string(i.Kind), "targetId": string(i.Tab), "frameId": string(i.Frame), "origin": i.Origin,
		"message": i.Message, "openedAt": float64(i.OpenedAt.UnixMilli()) / 1000, "blocks": i.Blocks, "notice": i.Notice,
	}
	if t := s.Tabs[i.Tab]; t != nil {
		data["tab"] = tabID(t)
	}
	if i.ClosedAt.IsZero() {
		data["answers"] = answers(i)
	} else {
		data["closedAt"], data["closedBy"], data["outcome"] = float64(i.ClosedAt.UnixMilli())/1000, string(i.ClosedBy), i.Outcome
	}
	switch {
	case i.Dialog != nil:
		data["type"], data["defaultPrompt"] = i.Dialog.Type, i.Dialog.DefaultPrompt
	case i.Chooser != nil:
		data["multiple"] = i.Chooser.Multiple
	case i.Login != nil:
		data["url"], data["scheme"], data["realm"], data["attempt"] = i.Login.URL, i.Login.Scheme, i.Login.Realm, i.Login.Attempt
	case i.Permission != "":
		data["permission"] = i.Permission
	case i.NewTab != "":
		if t := s.Tabs[i.NewTab]; t != nil {
			data["url"] = t.URL
		}
	case i.Download != "":
		for _, d := range s.Downloads {
			if d.GUID == i.Download {
				data["url"], data["suggestedFilename"], data["state"] = d.URL, d.SuggestedName, string(d.State)
			}
		}
	}
	return data
}

// answers are the commands that answer an open interruption.
func answers(i *model.Interruption) []string {
	to := "interrupt answer " + i.ID + " "
	switch {
	case i.Dialog != nil && i.Dialog.Type == "prompt":
		return []string{to + "accept <text>", to + "dismiss"}
	case i.Dialog != nil:
		return []string{to + "accept", to + "dismiss"}
	case i.Kind == model.KindUnresponsive:
		return []string{"tab interrupt", to + "ok"}
	case i.Notice:
		return []string{to + "ok"}
	case i.Chooser != nil && i.Chooser.Multiple:
		return []string{to + "<file>...", to + "dismiss"}
	case i.Chooser != nil:
		return []string{to + "<file>", to + "dismiss"}
	case i.Login != nil:
		return []string{to + "--username <name> --password-stdin", to + "dismiss"}
	case i.Permission != "":
		return []string{to + "allow", to + "deny"}
	}
	return []string{to + "ok"}
}

// interruptionLine is an interruption in one line.
func (w *Workspace) interruptionLine(i *model.Interruption) string {
	parts := []string{i.ID, string(i.Kind)}
	s := w.Browser.State()
	if t := s.Tabs[i.Tab]; t != nil {
		parts = append(parts, tabID(t))
		if i.NewTab != "" && t.URL != "" {
			parts = append(parts, t.URL)
		}
	}
	if i.Origin != "" && i.NewTab == "" {
		parts = append(parts, oneLine(i.Origin))
	}
	line := strings.Join(parts, " ")
	switch {
	case i.Dialog != nil:
		line += " " + i.Dialog.Type + ": " + quote(i.Message)
	case i.Download != "":
		line += ": " + media.PlainName(i.Message)
	case i.Message != "":
		line += ": " + oneLine(i.Message)
	}
	if i.Blocks && i.ClosedAt.IsZero() {
		line += " (blocks the tab)"
	}
	if !i.ClosedAt.IsZero() {
		line += fmt.Sprintf(" (over, by %s: %s)", i.ClosedBy, i.Outcome)
	}
	return line
}

func interruptList(_ context.Context, e *Env, c *verb.Call) (Result, error) {
	s := e.Browser.State()
	open := e.mineOf(s, s.Interruptions())
	rows, lines := []any{}, []string{}
	for _, i := range open {
		rows = append(rows, e.InterruptionData(i))
		lines = append(lines, e.interruptionLine(i)+"\n  answer with `"+strings.Join(answers(i), "` or `")+"`")
		e.told(i)
	}
	data := obj{"interruptions": rows}
	if len(open) == 0 {
		lines = append(lines, "✓ No open interruptions")
	}
	if c.Bool("all") {
		over := []any{}
		for _, i := range e.mineOf(s, s.RecentInterruptions()) {
			over = append(over, e.InterruptionData(i))
			lines = append(lines, e.interruptionLine(i))
		}
		data["recent"] = over
	}
	return Result{Data: data, Text: strings.Join(lines, "\n")}, nil
}

// told keeps an interruption out of the notices of this run.
func (e *Env) told(i *model.Interruption) {
	if e.said == nil {
		e.said = map[string]bool{}
	}
	e.said[i.ID] = true
}

// toldOf is told for the interruption that fits.
func (e *Env) toldOf(fits func(*model.Interruption) bool) {
	for _, i := range e.Browser.State().Interrupts {
		if fits(i) {
			e.told(i)
		}
	}
}

// news adds to a result what has come up since the last command of the session
// and the result does not tell itself. Nothing is told twice. A tab that a page
// opened, or its wish to print, is over as soon as it is told.
func (e *Env) news(res *Result) {
	s := e.Browser.State()
	since := e.toldUpTo(s)
	var fresh []string
	for _, i := range s.Interrupts {
		if i.Number <= since || !e.mine(s, i) {
			continue
		}
		if !e.said[i.ID] && (i.Tab != e.Tab || i.Kind != model.KindCrash) {
			fresh = append(fresh, e.newsLine(i))
		}
		if i.Kind == model.KindNewTab || i.Kind == model.KindPrint {
			e.Browser.Settle(i.ID, model.ByPolicy, "told")
		}
	}
	res.Warning = joined(res.Warning, strings.Join(fresh, "; "))
}

func (e *Env) newsLine(i *model.Interruption) string {
	line := "new: " + e.interruptionLine(i)
	if i.Notice {
		return line
	}
	return line + "; answer with `" + strings.Join(answers(i), "` or `") + "`"
}

// toldUpTo returns the number of the last interruption that was told of, and
// takes those of s as told.
func (w *Workspace) toldUpTo(s *model.State) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	since := w.lastTold
	for _, i := range s.Interrupts {
		w.lastTold = max(w.lastTold, i.Number)
	}
	return since
}
