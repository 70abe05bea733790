package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/wire"
)

// cdpClient is a client of CDP without anything between: a WebSocket, and ids.
type cdpClient struct {
	wire    wire.Conn
	session string
	context string
	id      int64
}

func dialCDP(ctx context.Context, address string) (*cdpClient, error) {
	conn, err := wire.Dial(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	return &cdpClient{wire: conn}, nil
}

func (c *cdpClient) send(session, method string, params any) error {
	c.id++
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	cmd := wire.Command{ID: c.id, Method: method, Params: text, SessionID: session}
	return c.wire.Write(cmd.Append(nil))
}

// receive returns the next message and its envelope.
func (c *cdpClient) receive() (wire.Envelope, error) {
	msg, err := c.wire.Read()
	if err != nil {
		return wire.Envelope{}, err
	}
	return wire.Peek(msg)
}

// reply waits for the reply to the command that was sent last, and drops what comes before.
func (c *cdpClient) reply() (wire.Envelope, error) {
	for {
		env, err := c.receive()
		if err != nil {
			return env, err
		}
		if env.Method == "" && env.ID == c.id {
			if env.IsError {
				return env, fmt.Errorf("the browser answered %s", env.Payload)
			}
			return env, nil
		}
	}
}

func (c *cdpClient) call(session, method string, params map[string]any, result any) error {
	if params == nil {
		params = map[string]any{}
	}
	if err := c.send(session, method, params); err != nil {
		return err
	}
	env, err := c.reply()
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(env.Payload, result)
}

// benchPage begins the address of the tab that both clients use.
const benchPage = "about:blank#bench"

type pageInfo struct {
	ID      string `json:"targetId"`
	Type    string `json:"type"`
	URL     string `json:"url"`
	Context string `json:"browserContextId"`
}

// pages returns the tabs of the context of the page for the bench, or all.
func (c *cdpClient) pages() ([]pageInfo, error) {
	var got struct {
		Infos []pageInfo `json:"targetInfos"`
	}
	if err := c.call("", "Target.getTargets", nil, &got); err != nil {
		return nil, err
	}
	var list []pageInfo
	for _, t := range got.Infos {
		if t.Type == "page" && (c.context == "" || t.Context == c.context) {
			list = append(list, t)
		}
	}
	return list, nil
}

// attach attaches to the page of the bench.
func (c *cdpClient) attach() error {
	list, err := c.pages()
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.URL == benchPage {
			c.context = t.Context
			var made struct {
				Session string `json:"sessionId"`
			}
			err := c.call("", "Target.attachToTarget", map[string]any{"targetId": t.ID, "flatten": true}, &made)
			c.session = made.Session
			return err
		}
	}
	return errors.New("the page of the bench is not there")
}

// timed evaluates an expression and returns the milliseconds. The result must have a size in bytes.
func (c *cdpClient) timed(expression string, size int) (float64, error) {
	params := map[string]any{"expression": expression, "returnByValue": true}
	began := time.Now()
	if err := c.send(c.session, "Runtime.evaluate", params); err != nil {
		return 0, err
	}
	env, err := c.reply()
	took := float64(time.Since(began).Nanoseconds()) / 1e6
	if err == nil && len(env.Payload) < size {
		err = fmt.Errorf("the result is %.100s", env.Payload)
	}
	return took, err
}

// pipelined returns how many evaluations a second are answered, of 1,000 that are sent at once.
func (c *cdpClient) pipelined() (float64, error) {
	const n = 1000
	began := time.Now()
	failed := make(chan error, 1)
	last := c.id + n
	go func() {
		for range n {
			if err := c.send(c.session, "Runtime.evaluate", map[string]any{"expression": "1+1", "returnByValue": true}); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for seen := 0; seen < n; {
		env, err := c.receive()
		if err != nil {
			return 0, err
		}
		if env.Method == "" && env.ID <= last {
			seen++
		}
	}
	return n / time.Since(began).Seconds(), <-failed
}

// useAll attaches to all tabs as Playwright does, and evaluates in each.
func (c *cdpClient) useAll(tabs int) error {
	if err := c.send("", "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true}); err != nil {
		return err
	}
	evaluations := map[int64]bool{}
	for done := 0; done < tabs; {
		env, err := c.receive()
		if err != nil {
			return err
		}
		switch {
		case env.Method == "Target.attachedToTarget":
			var p struct {
				Session string   `json:"sessionId"`
				Info    pageInfo `json:"targetInfo"`
			}
			if err := json.Unmarshal(env.Payload, &p); err != nil {
				return err
			}
			if p.Info.Type != "page" {
				continue
			}
			for _, method := range []string{"Page.enable", "Page.getFrameTree", "Runtime.enable", "Network.enable", "Runtime.runIfWaitingForDebugger"} {
				if err := c.send(p.Session, method, map[string]any{}); err != nil {
					return err
				}
			}
			if err := c.send(p.Session, "Runtime.evaluate", map[string]any{"expression": "1"}); err != nil {
				return err
			}
			evaluations[c.id] = true
		case env.Method == "" && evaluations[env.ID]:
			done++
		}
	}
	return nil
}
