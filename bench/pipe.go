package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/wire"
)

// rawPipe is a page of a browser over the debugging pipe: messages are written and read, and nothing is between.
type rawPipe struct {
	browser *chrome.Process
	wire    wire.Conn
	session string
	id      int
}

// openPipe launches a browser and opens a page in it.
func openPipe(ctx context.Context, url string) (*rawPipe, error) {
	path, err := cdptest.Path()
	if err != nil {
		return nil, err
	}
	browser, err := chrome.Launch(ctx, chrome.Options{Executable: path, Args: cdptest.Arguments()})
	if err != nil {
		return nil, err
	}
	p := &rawPipe{browser: browser, wire: wire.Pipe(browser.Conn())}
	if err := p.attach(url); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *rawPipe) attach(url string) error {
	var target struct {
		ID string `json:"targetId"`
	}
	if err := p.call("Target.createTarget", map[string]any{"url": url}, &target); err != nil {
		return err
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	if err := p.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached); err != nil {
		return err
	}
	p.session = attached.Session
	for range 500 { // the page is one of our own on loopback
		var state struct {
			Result struct {
				Value string `json:"value"`
			} `json:"result"`
		}
		if err := p.call("Runtime.evaluate", map[string]any{"expression": "location.href + ' ' + document.readyState"}, &state); err != nil {
			return err
		}
		if state.Result.Value == url+" complete" {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("%s did not load", url)
}

// call sends a command and waits for its reply; what else arrives is dropped.
func (p *rawPipe) call(method string, params, result any) error {
	p.id++
	message := map[string]any{"id": p.id, "method": method, "params": params}
	if p.session != "" {
		message["sessionId"] = p.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	if err := p.wire.Write(text); err != nil {
		return fmt.Errorf("send %s: %w", method, err)
	}
	for {
		text, err := p.wire.Read()
		if err != nil {
			return fmt.Errorf("wait for %s: %w", method, err)
		}
		var reply struct {
			ID     int            `json:"id"`
			Result jsontext.Value `json:"result"`
			Error  jsontext.Value `json:"error"`
		}
		if err := json.Unmarshal(text, &reply); err != nil {
			return fmt.Errorf("read the reply to %s: %w", method, err)
		}
		switch {
		case reply.ID != p.id:
		case reply.Error != nil:
			return fmt.Errorf("%s: %s", method, reply.Error)
		default:
			return json.Unmarshal(reply.Result, result)
		}
	}
}

// evaluate evaluates 1 in the page, one time after the other. It reads no more of a reply than it must.
func (p *rawPipe) evaluate(times int) error {
	for range times {
		p.id++
		text := `{"id":` + strconv.Itoa(p.id) + `,"method":"Runtime.evaluate","params":{"expression":"1","returnByValue":true,"awaitPromise":true},"sessionId":"` + p.session + `"}`
		if err := p.wire.Write([]byte(text)); err != nil {
			return fmt.Errorf("send an evaluation: %w", err)
		}
		head := []byte(`{"id":` + strconv.Itoa(p.id) + `,`)
		for {
			reply, err := p.wire.Read()
			if err != nil {
				return fmt.Errorf("wait for an evaluation: %w", err)
			}
			if !bytes.HasPrefix(reply, head) {
				continue
			}
			if !bytes.Contains(reply, []byte(`"value":1`)) {
				return fmt.Errorf("an evaluation of 1 gave %.200q", reply)
			}
			break
		}
	}
	return nil
}

func (p *rawPipe) close() {
	_ = p.wire.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := p.browser.Close(ctx); err != nil {
		fmt.Println("end the browser of the loop:", err)
	}
}
