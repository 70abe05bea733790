package code

import (
	"context"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/policy"
)

// The WebSockets of a page are told of by events of the domain Network. Those that are open already are not known.

// listenToSockets begins to tell the code of the WebSockets that the tab opens, and of their messages.
func (o operation) listenToSockets(ctx context.Context, _ jsontext.Value) (any, error) {
	c, err := o.ofTab(ctx)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	was := c.sockets
	c.sockets = true
	o.following.Store(true)
	c.mu.Unlock()
	if was {
		return o.state(ctx, nil)
	}
	for i, s := range c.sessions() {
		if i > 0 { // a frame, which may have gone
			s.Post(networkEnable, nil, nil)
			continue
		}
		if err := s.Call(ctx, networkEnable, nil, nil); err != nil {
			return nil, api.Errorf(api.ProtocolError, "listen to the network: %w", err)
		}
	}
	return o.state(ctx, nil)
}

const (
	networkEnable   = "Network.enable"
	webSocketEvents = "Network.webSocket" // the beginning of their names
)

// socketEvent is an event of a WebSocket as the code gets it.
type socketEvent struct {
	Tab    string `json:"tab"`
	ID     string `json:"id"`
	Kind   string `json:"kind"` // opened, sent, received, failed or closed
	URL    string `json:"url,omitzero"`
	Data   string `json:"data,omitzero"`   // a text, or base64
	Binary bool   `json:"binary,omitzero"` // Data is base64
	Error  string `json:"error,omitzero"`
}

// The opcodes of messages, RFC 6455, section 5.2. Others are of control frames.
const (
	opcodeText   = 1
	opcodeBinary = 2
)

// socketEvent tells the code of an event of a WebSocket, unless it is one to an address that the site guard refuses.
func (c *client) socketEvent(ev cdp.Event) {
	c.mu.Lock()
	listening := c.sockets
	c.mu.Unlock()
	var p struct {
		ID       string `json:"requestId"`
		URL      string `json:"url"`
		Error    string `json:"errorMessage"`
		Response struct {
			Opcode int    `json:"opcode"`
			Data   string `json:"payloadData"`
			Status int    `json:"status"`
			Text   string `json:"statusText"`
		} `json:"response"`
	}
	if !listening || json.Unmarshal(ev.Params, &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	told := socketEvent{Tab: string(c.tab), ID: p.ID}
	switch ev.Method {
	case "Network.webSocketCreated":
		told.Kind, told.URL = "opened", p.URL
		if !c.mayAnswer("", strings.Replace(p.URL, "ws", "http", 1)) { // the guard judges the server
			return
		}
		c.open[p.ID] = true
	case "Network.webSocketFrameSent", "Network.webSocketFrameReceived":
		if p.Response.Opcode != opcodeText && p.Response.Opcode != opcodeBinary {
			return
		}
		told.Kind, told.Data, told.Binary = "received", p.Response.Data, p.Response.Opcode == opcodeBinary
		if ev.Method == "Network.webSocketFrameSent" {
			told.Kind = "sent"
		}
	case "Network.webSocketHandshakeResponseReceived":
		if p.Response.Status < 400 {
			return
		}
		told.Kind, told.Error = "failed", p.Response.Text+": "+strconv.Itoa(p.Response.Status) // as Playwright says it
	case "Network.webSocketFrameError":
		told.Kind, told.Error = "failed", p.Error
	case "Network.webSocketClosed":
		told.Kind = "closed"
	default:
		return
	}
	if !c.open[p.ID] {
		return
	}
	if told.Kind == "closed" {
		delete(c.open, p.ID)
	}
	if c.driver.session.Redacts() {
		told.URL, told.Error = policy.Text(told.URL), policy.Text(told.Error)
		if !told.Binary {
			told.Data = policy.Text(told.Data)
		}
	}
	c.tell("socket", told)
}
