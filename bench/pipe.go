package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdptest"
)

// rawPipe is a page of a browser over the debugging pipe: messages are written and read as any program would, and nothing of usher is between.
type rawPipe struct {
	browser *cdptest.Browser
	in      *os.File
	out     *bufio.Reader
	session string
	id      int
}

// openPipe launches a browser and opens a page in it.
func openPipe(url string) (*rawPipe, error) {
	browser, err := cdptest.Start()
	if err != nil {
		return nil, err
	}
	in, out := browser.Pipe()
	p := &rawPipe{browser: browser, in: in, out: bufio.NewReaderSize(out, 64<<10)}
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

func (p *rawPipe) write(message []byte) error {
	_, err := p.in.Write(append(message, 0))
	return err
}

func (p *rawPipe) read() ([]byte, error) {
	message, err := p.out.ReadBytes(0)
	return bytes.TrimSuffix(message, []byte{0}), err
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
	if err := p.write(text); err != nil {
		return fmt.Errorf("send %s: %w", method, err)
	}
	for {
		text, err := p.read()
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
		if err := p.write([]byte(text)); err != nil {
			return fmt.Errorf("send an evaluation: %w", err)
		}
		head := []byte(`{"id":` + strconv.Itoa(p.id) + `,`)
		for {
			reply, err := p.read()
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

func (p *rawPipe) close() { p.browser.Close() }
