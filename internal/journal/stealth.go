package journal

import (
	"crypto/rand"
	_ "embed"
	"slices"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

//go:embed reporter.js
var reporter string

// Reporter returns the script by which a stealth browser reports uncaught errors to this journal. Without
// Runtime.enable the protocol reports console messages only (Console.enable, which a page cannot detect: measured on
// Chromium 156), so the script writes errors to the console, with a secret mark that pages cannot guess. It cannot run
// in an isolated world: error events do not reach listeners there.
//
// Call it before the first Tap.
func (j *Journal) Reporter() supervisor.Reporter {
	j.mark = "usher-" + rand.Text()
	return supervisor.Reporter{Mark: j.mark, Script: strings.ReplaceAll(reporter, "MARK", j.mark)}
}

// AcceptReporter makes the journal accept the reporter of a recorded run.
func (j *Journal) AcceptReporter(mark string) { j.mark = mark }

// consoleAdded records a console message of a stealth browser: its text, without the arguments.
func (j *Journal) consoleAdded(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		Message struct {
			Source string `json:"source"`
			Level  string `json:"level"`
			Text   string `json:"text"`
			URL    string `json:"url"`
			Line   int    `json:"line"`   // from 1
			Column int    `json:"column"` // from 1
		} `json:"message"`
	}
	if !decode(ev, &p) || p.Message.Source != "console-api" {
		return
	}
	now := time.Now().UnixMilli() // the event has no time
	if text, ok := strings.CutPrefix(p.Message.Text, j.mark); ok && j.mark != "" {
		j.reported(ev.SessionID, tab, text, now)
		return
	}
	m := &Message{
		Type: p.Message.Level, Text: cut(p.Message.Text), Args: []jsontext.Value{}, Timestamp: now,
		URL: cut(p.Message.URL), Line: p.Message.Line, Column: p.Message.Column,
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.recordsOf(ev.SessionID, tab); b != nil {
		m.Worker = j.isWorker(ev.SessionID)
		j.addMessage(b, m)
	}
}

// reported records an error from the reporter: [text, url, line, column, without a value, time of the event].
func (j *Journal) reported(session string, tab model.TargetID, text string, now int64) {
	var parts []jsontext.Value
	e := &Error{Timestamp: now, session: session}
	if jsonv2.Unmarshal([]byte(text), &parts, jsontext.AllowInvalidUTF8(true)) != nil || len(parts) != 6 {
		return
	}
	for i, into := range []any{&e.Text, &e.URL, &e.Line, &e.Column, &e.echo, &e.stamp} {
		if jsonv2.Unmarshal(parts[i], into, jsontext.AllowInvalidUTF8(true)) != nil {
			return
		}
	}
	e.Text, e.URL = cut(e.Text), cut(e.URL)
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(session, tab)
	if b == nil {
		return
	}
	if e.Worker = j.isWorker(session); !b.repeats(e) {
		j.addError(b, e)
	}
}

// repeats reports whether e is recorded already: from the same event by a reporter that runs twice in one window, or
// from the other of worker and page. An uncaught error in a dedicated worker is an error of its page too, without the
// value; the order of the two reports is not fixed.
func (b *tabRecords) repeats(e *Error) bool {
	for _, old := range slices.Backward(b.errors.all()) {
		if e.Timestamp-old.Timestamp > 1000 {
			return false
		}
		if old.session == e.session && old.stamp == e.stamp && old.Text == e.Text && old.URL == e.URL {
			return true
		}
		if old.paired || old.Text != e.Text || old.URL != e.URL || old.Line != e.Line || old.Column != e.Column {
			continue
		}
		if old.Worker && !e.Worker && e.echo || e.Worker && !old.Worker && old.echo {
			old.paired, old.Worker = true, true
			return true
		}
	}
	return false
}
