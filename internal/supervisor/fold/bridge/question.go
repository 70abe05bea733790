package bridge

import (
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// paused takes a question to the agent.
func (m *Bridge) paused(ev *cdp.Event) (taken bool) {
	b := m.sessions[ev.SessionID]
	if b == nil {
		return false
	}
	var p struct {
		Frames []struct {
			ID       string `json:"callFrameId"`
			Location struct {
				Script string `json:"scriptId"`
			} `json:"location"`
			This struct {
				Value jsontext.Value `json:"value"`
			} `json:"this"`
		} `json:"callFrames"`
	}
	if !core.Decode(ev, &p) || len(p.Frames) == 0 {
		return false
	}
	top := &p.Frames[0]
	frame, ours := b.frames[top.Location.Script]
	q, ok := readQuestion(top.This.Value)
	f := m.State().Frame(frame)
	info := m.Sessions[ev.SessionID]
	if !ours || !ok || f == nil || f.Tab != info.Tab || m.State().Tabs[info.Tab] == nil {
		return false
	}
	b.pause = &pause{at: callFrame{ev.SessionID, top.ID}, frame: frame, question: q}
	m.decide(b.pause)
	return true
}

// question is a call of the script's ask: kind, message and default value.
type question struct{ kind, message, preset string }

// readQuestion parses the argument of ask: kind, NUL, length of the message in UTF-16 units, NUL, message, default
// value.
func readQuestion(raw jsontext.Value) (q question, ok bool) {
	var text string
	if len(raw) == 0 || jsonv2.Unmarshal(raw, &text, jsontext.AllowInvalidUTF8(true)) != nil {
		return q, false
	}
	kind, rest, ok := strings.Cut(text, "\x00")
	length, rest, found := strings.Cut(rest, "\x00")
	n, err := strconv.Atoi(length)
	if !ok || !found || err != nil || kind != "alert" && kind != "confirm" && kind != "prompt" {
		return q, false
	}
	message, preset, ok := cutUnits(rest, n)
	return question{kind, message, preset}, ok
}

// cutUnits cuts a text after n UTF-16 units.
func cutUnits(s string, n int) (before, after string, ok bool) {
	for i, r := range s {
		if n <= 0 {
			return s[:i], s[i:], n == 0
		}
		n--
		if r > 0xffff {
			n--
		}
	}
	return s, "", n == 0
}

// open opens the dialog of a question.
func (m *Bridge) open(p *pause) {
	f := m.State().Frame(p.frame)
	info := m.Sessions[p.at.session]
	if f == nil || m.State().Tabs[info.Tab] == nil {
		m.debugger.Resume(p.at.session)
		return
	}
	m.dialogs.Show(&model.Dialog{
		Tab: info.Tab, Frame: p.frame, Type: p.question.kind, Message: p.question.message, DefaultPrompt: p.question.preset,
		URL: f.URL, Bridge: true, Session: p.at.session, CallFrame: p.at.id, Loader: f.Loader,
	})
}

// Answer stores the answer in the variable of the page's function. The page is resumed after the browser has confirmed
// that: sent together, resume may overtake (measured on Chromium 156). It sets the variable and evaluates no script, so
// that no code of the page can interfere.
func (m *Bridge) Answer(d *model.Dialog) {
	reply := core.Params{"value": d.Accepted}
	if d.Type == "prompt" {
		reply["value"] = nil
		if d.Accepted {
			reply["value"] = d.Answer
		}
	}
	m.Send(d.Session, "Debugger.setVariableValue",
		core.Params{"callFrameId": d.CallFrame, "scopeNumber": 0, "variableName": "reply", "newValue": reply}, core.Tag{Kind: core.TagAnswer, Dialog: d.ID})
}

// resumed records that a paused page was resumed. If its dialog is still open, another debugger resumed it, because we
// resume only after the answer. The page then opens a native dialog, and the reply to a late answer is delayed by that.
func (m *Bridge) resumed(ev *cdp.Event) {
	b := m.sessions[ev.SessionID]
	if b == nil {
		return
	}
	b.pause = nil
	m.closeWhere(func(d *model.Dialog) bool { return d.Session == ev.SessionID })
}
