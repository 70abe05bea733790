package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api/line"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// dialogRows hold us against a client that speaks the protocol and does nothing else.
func dialogRows(site *cdptest.Site) []row {
	return []row{
		{
			name: "dialog in `dialog status`, after a raw client", bar: 5, absolute: true, ours: true,
			// Without the bridge: the raw client answers so soon that usher would take it for one that steals dialogs.
			prepare: func(at *round) error {
				return at.do([]string{"--session", watched, "open", site.URL("/dialogs"), "--dialog-bridge", "off", "--cdp-port", "0"})
			},
			measure: dialogSeen,
		},
		{
			name: "500 dialogs answered, over a raw client's", bar: 1.3, absolute: true, ours: true, alone: true, unit: "x",
			measure: func(at *round) (float64, error) { return dialogsInARow(at.ctx, 500) },
		},
	}
}

// watched is a session whose browser has a port for the raw client.
const watched = "watched"

// dialogSeen is how much later than a raw client's event `dialog status` tells of a dialog, in milliseconds. The
// daemon is asked over its socket without a pause: a process for each question would take longer than what is measured.
func dialogSeen(at *round) (float64, error) {
	var where struct {
		Data struct{ Socket, Build string }
	}
	if err := at.json(&where, "daemon", "status", "--json"); err != nil {
		return 0, err
	}
	var address struct {
		Data struct {
			URL string `json:"cdpUrl"`
		}
	}
	if err := at.json(&address, "--session", watched, "get", "cdp-url", "--json"); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(at.ctx, 30*time.Second)
	defer cancel()
	raw, err := dialRaw(ctx, address.Data.URL, "/dialogs")
	if err != nil {
		return 0, err
	}
	defer func() { _ = raw.conn.Close() }()                         // the measurement is over
	defer context.AfterFunc(ctx, func() { _ = raw.conn.Close() })() // ends what waits for an event that does not come
	opened := make(chan time.Time, 1)
	go func() {
		err := raw.until("Page.javascriptDialogOpening")
		if err != nil {
			close(opened)
			return
		}
		opened <- time.Now()
	}()
	ask := &line.Request{V: line.Version, Op: line.OpRun, Program: "usher", Argv: []string{"--session", watched, "dialog", "status", "--json"}, Cwd: at.program.Home,
		Env: at.program.Env, Build: where.Data.Build}
	if err := raw.send("Runtime.evaluate", map[string]any{"expression": `void setTimeout(() => confirm("seen?"), 30)`}); err != nil {
		return 0, err
	}
	var seen time.Time
	for seen.IsZero() {
		reply, err := question(ctx, where.Data.Socket, ask)
		if err != nil {
			return 0, err
		}
		if strings.Contains(reply, `"hasDialog":true`) {
			seen = time.Now()
		}
	}
	first, ok := <-opened
	if !ok {
		return 0, errors.New("the raw client did not see the dialog")
	}
	if err := raw.send("Page.handleJavaScriptDialog", map[string]any{"accept": true}); err != nil {
		return 0, err
	}
	if err := raw.until("Page.javascriptDialogClosed"); err != nil {
		return 0, err
	}
	return float64(seen.Sub(first).Microseconds()) / 1000, nil
}

// json runs a command whose time does not matter and reads what it printed.
func (at *round) json(into any, args ...string) error {
	_, err := at.timed(func(o program.Outcome) error {
		return json.Unmarshal([]byte(o.Stdout), into, json.MatchCaseInsensitiveNames(true))
	}, args...)
	return err
}

// question sends one request to the daemon and gives what it wrote to standard output.
func question(ctx context.Context, socket string, r *line.Request) (string, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	request, bad, ok := line.AppendRequest(nil, r)
	if !ok {
		return "", fmt.Errorf("%s cannot be sent", bad)
	}
	if _, err := conn.Write(request); err != nil {
		return "", err
	}
	var out strings.Builder
	for in := bufio.NewReader(conn); ; {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return "", fmt.Errorf("read the daemon's reply: %w", err)
		}
		var frame struct {
			Out, Err int64
			Exit     *int
		}
		if err := json.Unmarshal(text, &frame, json.MatchCaseInsensitiveNames(true)); err != nil {
			return "", err
		}
		switch {
		case frame.Exit != nil && *frame.Exit != 0:
			return "", fmt.Errorf("the daemon's reply has exit status %d: %s", *frame.Exit, out.String())
		case frame.Exit != nil:
			return out.String(), nil
		}
		if _, err := io.CopyN(&out, in, frame.Out+frame.Err); err != nil {
			return "", err
		}
	}
}

// rawClient is one page's CDP session and nothing more.
type rawClient struct {
	conn    wire.Conn
	session string
	id      int
}

// dialRaw attaches to the first page whose address contains a part.
func dialRaw(ctx context.Context, url, part string) (*rawClient, error) {
	conn, err := wire.Dial(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	c := &rawClient{conn: conn}
	var targets struct {
		Infos []struct {
			ID   string `json:"targetId"`
			Type string `json:"type"`
			URL  string `json:"url"`
		} `json:"targetInfos"`
	}
	if err := c.call("Target.getTargets", nil, &targets); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	for _, t := range targets.Infos {
		if t.Type != "page" || !strings.Contains(t.URL, part) {
			continue
		}
		var attached struct {
			Session string `json:"sessionId"`
		}
		if err = c.call("Target.attachToTarget", map[string]any{"targetId": t.ID, "flatten": true}, &attached); err == nil {
			c.session = attached.Session
			err = c.call("Page.enable", nil, nil)
		}
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
		return c, nil
	}
	return nil, errors.Join(fmt.Errorf("no page has %s in its address", part), conn.Close())
}

func (c *rawClient) send(method string, params any) error {
	c.id++
	msg := map[string]any{"id": c.id, "method": method}
	if params != nil {
		msg["params"] = params
	}
	if c.session != "" {
		msg["sessionId"] = c.session
	}
	data, err := json.Marshal(msg)
	if err != nil {
		return err
	}
	return c.conn.Write(data)
}

type rawMessage struct {
	ID     int            `json:"id"`
	Method string         `json:"method"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

func (c *rawClient) read() (rawMessage, error) {
	var m rawMessage
	data, err := c.conn.Read()
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

func (c *rawClient) call(method string, params, result any) error {
	if err := c.send(method, params); err != nil {
		return err
	}
	for {
		m, err := c.read()
		switch {
		case err != nil:
			return err
		case m.ID != c.id:
		case m.Error != nil:
			return fmt.Errorf("%s: %s", method, m.Error)
		case result == nil:
			return nil
		default:
			return json.Unmarshal(m.Result, result)
		}
	}
}

// until reads up to an event.
func (c *rawClient) until(method string) error {
	for {
		if m, err := c.read(); err != nil || m.Method == method {
			return err
		}
	}
}

// dialogsInARow is our time for so many confirms in a row, answered one by one, over a raw client's: medians of
// five runs each, in turn, in one browser.
func dialogsInARow(ctx context.Context, n int) (float64, error) {
	browser, err := cdptest.Start()
	if err != nil {
		return 0, err
	}
	defer browser.Close()
	var raws, ours []float64
	for range 5 {
		took, err := rawInARow(ctx, browser.WebSocketURL, n)
		if err != nil {
			return 0, fmt.Errorf("the raw client: %w", err)
		}
		raws = append(raws, took.Seconds())
		if took, err = oursInARow(ctx, browser.WebSocketURL, n); err != nil {
			return 0, fmt.Errorf("the supervisor: %w", err)
		}
		ours = append(ours, took.Seconds())
	}
	slices.Sort(raws)
	slices.Sort(ours)
	return ours[2] / raws[2], nil
}

func loop(n int) map[string]any {
	return map[string]any{"returnByValue": true, "expression": fmt.Sprintf(`(() => { let yes = 0; for (let i = 0; i < %d; i++) yes += confirm("again?"); return yes })()`, n)}
}

func rawInARow(ctx context.Context, url string, n int) (time.Duration, error) {
	c, err := dialRaw(ctx, url, "about:blank")
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.conn.Close() }() // the measurement is over
	began := time.Now()
	if err := c.send("Runtime.evaluate", loop(n)); err != nil {
		return 0, err
	}
	for range n {
		if err := c.until("Page.javascriptDialogOpening"); err != nil {
			return 0, err
		}
		if err := c.send("Page.handleJavaScriptDialog", map[string]any{"accept": true}); err != nil {
			return 0, err
		}
	}
	err = c.until("Page.javascriptDialogClosed")
	return time.Since(began), err
}

func oursInARow(ctx context.Context, url string, n int) (time.Duration, error) {
	conn, err := wire.Dial(ctx, url, nil)
	if err != nil {
		return 0, err
	}
	b := supervisor.New(conn, supervisor.Options{})
	defer func() { _ = b.Close() }() // the measurement is over
	var tab *model.Tab
	err = b.Wait(ctx, func(s *model.State) (bool, error) {
		for _, t := range s.Tabs {
			if t.Ready && t.URL == "about:blank" {
				tab = t
			}
		}
		return tab != nil, s.Closed
	})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	b.Session(tab.Session).Post("Runtime.evaluate", loop(n), nil)
	for range n {
		var d *model.Dialog
		if err := b.Wait(ctx, func(s *model.State) (bool, error) { d = s.Dialog(tab.ID); return d != nil, s.Closed }); err != nil {
			return 0, err
		}
		if _, err := b.Answer(ctx, d.ID, true, ""); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}
