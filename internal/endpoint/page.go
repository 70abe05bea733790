package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/wire"
)

// errNoPage is the error when a client names a page that is not there.
var errNoPage = errors.New("there is no such page; GET /json/list lists them")

// pageConn is a connection with one page: its session takes the place of the browser's.
type pageConn struct {
	wire.Conn
	session string
	tail    []byte
}

// toPage attaches a connection with the browser to one of its pages. It owns the connection.
func toPage(ctx context.Context, conn wire.Conn, target string) (wire.Conn, error) {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	session, err := attach(conn, target)
	if err != nil {
		_ = conn.Close() // the cause is known
		return nil, err
	}
	return &pageConn{Conn: conn, session: session, tail: []byte(`,"sessionId":"` + session + `"}`)}, nil
}

func attach(conn wire.Conn, target string) (session string, err error) {
	params, err := json.Marshal(map[string]any{"targetId": target, "flatten": true})
	if err != nil {
		return "", errNoPage
	}
	command := wire.Command{ID: 1, Method: "Target.attachToTarget", Params: params}
	if err := conn.Write(command.Append(nil)); err != nil {
		return "", err
	}
	for {
		msg, err := conn.Read()
		if err != nil {
			return "", err
		}
		env, err := wire.Peek(msg)
		switch {
		case err != nil || env.Method != "":
			continue
		case env.IsError:
			return "", errNoPage
		}
		var made struct {
			SessionID string `json:"sessionId"`
		}
		if err := json.Unmarshal(env.Payload, &made); err != nil || made.SessionID == "" {
			return "", fmt.Errorf("attach to the page: %s", env.Payload)
		}
		return made.SessionID, nil
	}
}

// Lost is that of the connection with the browser.
func (p *pageConn) Lost() <-chan struct{} {
	if l, ok := p.Conn.(interface{ Lost() <-chan struct{} }); ok {
		return l.Lost()
	}
	return nil
}

// Read returns the next message of the page, or of what is attached below it.
func (p *pageConn) Read() ([]byte, error) {
	for {
		msg, err := p.Conn.Read()
		if err != nil {
			return nil, err
		}
		if cut, ok := bytes.CutSuffix(msg, p.tail); ok {
			return append(cut, '}'), nil
		}
		env, err := wire.Peek(msg)
		switch {
		case err != nil:
			return nil, err
		case env.SessionID == p.session:
			env.SessionID = ""
			return env.Append(nil), nil
		case env.SessionID != "":
			return msg, nil
		case env.Method == "Target.detachedFromTarget" && bytes.Contains(env.Payload, []byte(p.session)):
			return []byte(`{"method":"Inspector.detached","params":{"reason":"target_closed"}}`), p.Close()
		case env.Method == "" && env.IsError:
			return msg, nil
		}
	}
}

// Write takes a command for the page, or for what is attached below it.
func (p *pageConn) Write(msg []byte) error {
	command, err := wire.ParseCommand(msg)
	if err != nil {
		return p.Conn.Write(msg) // it is answered as it deserves
	}
	if command.SessionID == "" {
		command.SessionID = p.session
	}
	return p.Conn.Write(command.Append(nil))
}
