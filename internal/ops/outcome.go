package ops

import (
	"context"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// settleLimit is how long an action that began a navigation waits for the new
// document, so that the next command does not see the old one.
const settleLimit = 5 * time.Second

// outcome adds to data what the browser was seen to do, and says it in words.
func (e *Env) outcome(ctx context.Context, data obj, out *element.Outcome) (Result, error) {
	seen, err := e.seen(ctx, out)
	if err != nil {
		return Result{}, err
	}
	res := Result{Data: data}
	if seen.DialogOpened && e.Settings.Compatible {
		d := out.Dialog
		res.Warning = "A JavaScript " + d.Type + " dialog is blocking the page: " + quote(d.Message) + "; answer with `dialog accept` or `dialog dismiss`"
	}
	return res, e.say(&res, seen)
}

// say puts an outcome into a result, behind what is there.
func (e *Env) say(res *Result, seen *api.Outcome) error {
	members, err := json.Marshal(seen)
	if err != nil {
		return api.Errorf(api.ProtocolError, "tell what the action did: %w", err)
	}
	var more obj
	if err := json.Unmarshal(members, &more); err != nil {
		return api.Errorf(api.ProtocolError, "tell what the action did: %w", err)
	}
	data := res.Data.(obj)
	for name, value := range more {
		data[name] = value
	}
	if res.Text == "" {
		res.Text = done
	}
	for _, line := range seen.Lines() {
		res.Text += "\n  " + line
	}
	if c := seen.Changes; c != nil && c.Text != "" {
		res.Text += "\n" + c.Text
	}
	return nil
}

// seen makes the outcome that is told of the one that was observed: it waits for the documents that come, and makes a tab
// that was opened the active one.
func (e *Env) seen(ctx context.Context, out *element.Outcome) (*api.Outcome, error) {
	seen := &api.Outcome{TabClosed: out.TabClosed}
	if n := out.Navigation; n != nil && n.Main {
		e.follow(ctx, n)
		seen.Navigation = &api.Navigation{URL: n.URL, Committed: n.Committed, SameDocument: n.SameDocument}
	}
	var err error
	if d := out.Dialog; d != nil {
		seen.DialogOpened = true
		if seen.Dialog, err = rawJSON(DialogData(d)); err != nil {
			return nil, err
		}
	}
	if !e.Settings.Compatible {
		for _, d := range out.Answered {
			one, err := rawJSON(d.View())
			if err != nil {
				return nil, err
			}
			seen.Dialogs = append(seen.Dialogs, one)
		}
	}
	for _, id := range out.NewTabs {
		t := e.opened(ctx, id)
		if t == nil && !out.AddDownloads(e.Browser.State()) {
			e.awaitBegin(ctx, out)
		}
		if t != nil {
			e.SetActive(id)
			e.toldOf(func(i *model.Interruption) bool { return i.NewTab == id })
			seen.NewTab, seen.URL, seen.TabID = true, t.URL, tabID(t)
		}
	}
	out.AddDownloads(e.Browser.State())
	for _, d := range out.Downloads {
		e.toldOf(func(i *model.Interruption) bool { return i.Download == d.GUID })
		if !e.later {
			seen.Downloads = append(seen.Downloads, e.downloadOf(d))
		}
	}
	for _, i := range out.Interruptions {
		e.told(i)
		if seen.Interruption, err = rawJSON(e.InterruptionData(i)); err != nil {
			return nil, err
		}
		seen.Waits = e.interruptionLine(i) + "; answer with `" + strings.Join(answers(i), "` or `") + "`"
	}
	return seen, nil
}

// rawJSON is the JSON of a value, its names in order.
func rawJSON(v any) (jsontext.Value, error) {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, api.Errorf(api.ProtocolError, "tell what the action did: %w", err)
	}
	return raw, nil
}

// follow waits a little for the document an action leads to.
func (e *Env) follow(ctx context.Context, n *element.Navigation) {
	if n.SameDocument {
		return
	}
	ctx, stop := e.Browser.Guard(ctx, e.Tab)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, min(settleLimit, e.Limit))
	defer cancel()
	// Not arriving in time is no failure of the action; the result says how far it came.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := mainFrame(s, e.Tab)
		if f == nil {
			return true, nil
		}
		n.Committed = n.Committed || f.URL == n.URL
		return n.Committed && f.DOMReady, lost(s, e.Tab)
	})
	if t := e.Browser.State().Tabs[e.Tab]; t != nil && n.Committed {
		n.URL = t.URL
	}
}

// beginGrace is how long a window that is gone may take to become a download.
const beginGrace = 200 * time.Millisecond

// awaitBegin waits a little for the download of a window that was opened for nothing else.
func (e *Env) awaitBegin(ctx context.Context, out *element.Outcome) {
	ctx, cancel := context.WithTimeout(ctx, beginGrace)
	defer cancel()
	// That none begins is no failure of the action.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) { return out.AddDownloads(s), closed(s) })
}

// opened waits a little for the document of a tab that an action opened, for until
// it comes the tab has no address. nil if the tab has gone again.
func (e *Env) opened(ctx context.Context, id model.TargetID) *model.Tab {
	ctx, stop := e.Browser.Guard(ctx, id)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, min(settleLimit, e.Limit))
	defer cancel()
	// Not arriving in time is no failure of the action.
	_ = e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f := mainFrame(s, id)
		return f != nil && f.Going == "" && f.DOMReady && s.Tabs[id].URL != "", lost(s, id)
	})
	return e.Browser.State().Tabs[id]
}
