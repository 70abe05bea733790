package code

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/policy"
)

// What the browser itself writes to the console of a page, such as resources that failed to load, are events of the domain Log.

// logsFromHere is queued behind the entries from before the code listened, with which Chromium answers Log.enable.
const logsFromHere = "usher.logsFromHere"

// listenToLog begins to pass on what the browser writes to the console of the tab.
func (o operation) listenToLog(ctx context.Context, _ jsontext.Value) (any, error) {
	c, err := o.ofTab(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	was := c.logging
	c.logging = true
	o.following.Store(true)
	c.mu.Unlock()
	if was {
		return o.state(ctx, nil)
	}
	enabled := make(chan error, 1)
	for i, s := range c.sessions() {
		c.enableLog(s, func(err error) {
			if i == 0 { // a frame may have gone
				enabled <- err
			}
		})
	}
	select {
	case err := <-enabled:
		if err != nil {
			return nil, api.Errorf(api.ProtocolError, "listen to the console: %w", err)
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return o.state(ctx, nil)
}

func (c *client) enableLog(s *cdp.Session, done func(error)) {
	id := s.ID()
	if main := c.session.Session(""); main != nil && main.ID() == id {
		id = ""
	}
	s.Post("Log.enable", nil, func(_ jsontext.Value, err error) {
		if err == nil {
			c.enqueue(queued{Event: cdp.Event{SessionID: id, Method: logsFromHere}})
		}
		done(err)
	})
}

// logEntry is an entry as the code gets it.
type logEntry struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	URL   string `json:"url,omitzero"`
	Line  int    `json:"line,omitzero"` // from 1
}

// entryAdded tells the code of an entry. Those of workers are not the page's.
func (c *client) entryAdded(ev cdp.Event) {
	var p struct {
		Entry struct {
			Source string `json:"source"`
			Level  string `json:"level"`
			Text   string `json:"text"`
			URL    string `json:"url"`
			Line   int    `json:"lineNumber"` // from 0
		} `json:"entry"`
	}
	if json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil || p.Entry.Source == "worker" {
		return
	}
	entry := logEntry{Level: p.Entry.Level, Text: p.Entry.Text, URL: p.Entry.URL, Line: p.Entry.Line + 1}
	if c.driver.session.Redacts() {
		entry.Text, entry.URL = policy.Text(entry.Text), policy.Text(entry.URL)
	}
	c.tell("logged", map[string]any{"tab": c.tab, "entry": entry})
}

// flush waits until the entries, and the events of WebSockets, so far were passed on.
func (d *driver) flush(ctx context.Context, limit <-chan time.Time) {
	d.clients.mu.Lock()
	var following []*client
	for _, c := range d.clients.tabs {
		c.mu.Lock()
		if c.logging || c.sockets {
			following = append(following, c)
		}
		c.mu.Unlock()
	}
	d.clients.mu.Unlock()
	for _, c := range following {
		done := make(chan struct{})
		c.enqueue(queued{done: done})
		select {
		case <-done:
		case <-ctx.Done():
			return
		case <-limit: // a slow handler must not hold results
			return
		}
	}
}
