package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/wire"
)

// rawPage is a page of a browser over its debugging port, with nothing of usher between: what the steps of the job cost a
// client that makes one call after the other.
type rawPage struct {
	browser *cdptest.Browser
	conn    wire.Conn
	session string
	id      int64
	loads   int // how many documents have loaded
}

func openRaw(ctx context.Context) (*rawPage, error) {
	browser, err := cdptest.Start()
	if err != nil {
		return nil, err
	}
	p := &rawPage{browser: browser}
	if p.conn, err = wire.Dial(ctx, browser.WebSocketURL, nil); err == nil {
		err = p.attach()
	}
	if err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *rawPage) close() {
	if p.conn != nil {
		p.conn.Close() //nolint:errcheck // the measuring is over
	}
	p.browser.Close()
}

func (p *rawPage) attach() error {
	var target struct {
		ID string `json:"targetId"`
	}
	if err := p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	if err := p.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached); err != nil {
		return err
	}
	p.session = attached.Session
	return p.call("Page.enable", nil, nil)
}

func (p *rawPage) send(method string, params map[string]any) (int64, error) {
	p.id++
	text, err := json.Marshal(params)
	if err != nil {
		return 0, err
	}
	cmd := wire.Command{ID: p.id, Method: method, Params: text, SessionID: p.session}
	return p.id, p.conn.Write(cmd.Append(nil))
}

// next reads a message.
func (p *rawPage) next() (wire.Envelope, error) {
	msg, err := p.conn.Read()
	if err != nil {
		return wire.Envelope{}, err
	}
	env, err := wire.Peek(msg)
	if env.Method == "Page.loadEventFired" {
		p.loads++
	}
	return env, err
}

func (p *rawPage) reply(id int64, result any) error {
	for {
		env, err := p.next()
		switch {
		case err != nil:
			return err
		case env.Method != "" || env.ID != id:
			continue
		case env.IsError:
			return fmt.Errorf("the browser answered %s", env.Payload)
		case result == nil:
			return nil
		}
		return json.Unmarshal(env.Payload, result)
	}
}

func (p *rawPage) call(method string, params map[string]any, result any) error {
	if params == nil {
		params = map[string]any{}
	}
	id, err := p.send(method, params)
	if err != nil {
		return err
	}
	return p.reply(id, result)
}

// eval evaluates a function of the control with a label.
func (p *rawPage) eval(label, f string, result any) error {
	const find = `[...document.querySelectorAll("label")].find((l) => l.textContent.trim() === %q)`
	expression := fmt.Sprintf("(%s)(((l) => l.control ?? l.querySelector('input'))("+find+"))", f, label)
	var got struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
	}
	got.Result.Value = result
	return p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &got)
}

// job carries out the steps of jobSteps with as few calls as they can be made of, each of which looks at what it has done.
func (p *rawPage) job(site *cdptest.Site) (ms float64, err error) {
	began := time.Now()
	loads := p.loads
	if err := p.call("Page.navigate", map[string]any{"url": site.URL("/forms")}, nil); err != nil {
		return 0, err
	}
	for p.loads == loads {
		if _, err := p.next(); err != nil {
			return 0, err
		}
	}
	for _, field := range [][2]string{{"Text", "Ada Lovelace"}, {"E-mail", "ada@example.org"}, {"Telephone", "555 0100"}, {"City", "Bern"}} {
		if err := p.fill(field[0], field[1]); err != nil {
			return 0, err
		}
	}
	for _, label := range []string{"Checkbox", "One"} {
		if err := p.click(label); err != nil {
			return 0, err
		}
	}
	for _, expression := range []string{"location.href", "document.body.innerText"} {
		if err := p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, nil); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(began)) / float64(time.Millisecond), nil
}

func (p *rawPage) fill(label, text string) error {
	if err := p.eval(label, "(e) => { e.scrollIntoView({block: 'center'}); e.focus(); e.select(); }", nil); err != nil {
		return err
	}
	if err := p.call("Input.insertText", map[string]any{"text": text}, nil); err != nil {
		return err
	}
	var value string
	if err := p.eval(label, "(e) => e.value", &value); err != nil || value != text {
		return errors.Join(err, fmt.Errorf("%s has %q", label, value))
	}
	return nil
}

func (p *rawPage) click(label string) error {
	var at struct{ X, Y float64 }
	const center = `(e) => { e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2}; }`
	if err := p.eval(label, center, &at); err != nil {
		return err
	}
	var last int64
	for _, kind := range []string{"mouseMoved", "mousePressed", "mouseReleased"} {
		params := map[string]any{"type": kind, "x": at.X, "y": at.Y}
		if kind != "mouseMoved" {
			params["button"], params["clickCount"] = "left", 1
		}
		id, err := p.send("Input.dispatchMouseEvent", params)
		if err != nil {
			return err
		}
		last = id
	}
	if err := p.reply(last, nil); err != nil {
		return err
	}
	var checked bool
	if err := p.eval(label, "(e) => e.checked", &checked); err != nil || !checked {
		return errors.Join(err, fmt.Errorf("%s is not checked", label))
	}
	return nil
}

// overRawCDP measures the job over raw CDP.
func overRawCDP(ctx context.Context, site *cdptest.Site, n int) (float64, error) {
	p, err := openRaw(ctx)
	if err != nil {
		return 0, err
	}
	defer p.close()
	var all []float64
	for run := -1; run < n; run++ { // the first is for warmth
		ms, err := p.job(site)
		if err != nil {
			return 0, fmt.Errorf("raw CDP: %w", err)
		}
		if run >= 0 {
			all = append(all, ms)
		}
	}
	return medians([][]float64{all})[0], nil
}
