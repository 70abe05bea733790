package ops

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
)

// listFrames tells what the model knows; the page is not asked, so that it works whatever holds the page.
func listFrames(_ context.Context, e *Env, _ *verb.Call) (Result, error) {
	t, err := e.tab()
	if err != nil {
		return Result{}, err
	}
	var frames []*model.Frame
	var lines []string
	for f, depth := range t.InOrder() {
		frames = append(frames, f)
		lines = append(lines, e.frameLine(t, f, depth))
	}
	return Result{Data: obj{"frames": e.frameRows(frames), "tabId": tabID(t)}, Text: strings.Join(lines, "\n")}, nil
}

func (e *Env) frameLine(t *model.Tab, f *model.Frame, depth int) string {
	mark := "  "
	if f.ID == e.Scope(t.ID) {
		mark = "→ "
	}
	line := mark + strings.Repeat("  ", depth) + "[" + string(f.ID) + "] "
	if f.ID == t.Main {
		line += "main "
	} else if f.Name != "" {
		line += strconv.Quote(f.Name) + " "
	}
	line += oneLine(f.URL)
	switch {
	case f.Crash != nil:
		line += fmt.Sprintf(" (crashed: %s)", f.Crash.Status)
	case f.OOPIF:
		line += " (own process)"
	}
	return line
}

// frameRows describes frames for a program.
func (e *Env) frameRows(frames []*model.Frame) []any {
	rows := []any{}
	for _, f := range frames {
		row := obj{
			"frameId": string(f.ID), "parentFrameId": orNull(string(f.Parent)), "name": orNull(f.Name), "url": f.URL,
			"origin": f.Origin, "outOfProcess": f.OOPIF, "current": f.ID == e.Scope(f.Tab),
		}
		if f.Crash != nil {
			row["crashed"] = f.Crash.Status
		}
		rows = append(rows, row)
	}
	return rows
}
