package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lines reads the messages of a client, one a line. A line that is none gets an error of JSON-RPC as its answer and is left out: the SDK
// would end the connection, and the agent would lose its tools.
type lines struct {
	in    *bufio.Reader
	out   io.Writer
	calls *arrivals
	rest  []byte // of the line that was read last
}

// overStdio is the transport over standard input and output. It reads a message when the call before it has its place.
func overStdio(in io.Reader, out io.Writer, calls *arrivals) mcp.Transport {
	shared := &wholeWriter{out: out, calls: calls}
	return &mcp.IOTransport{Reader: io.NopCloser(&lines{in: bufio.NewReader(in), out: shared, calls: calls}), Writer: shared}
}

// Read implements [io.Reader].
func (l *lines) Read(b []byte) (int, error) {
	for len(l.rest) == 0 {
		l.calls.wait()
		line, err := l.next()
		if err != nil {
			return 0, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if bad := badMessage(line); bad != nil {
			if err := l.refuse(line, bad); err != nil {
				return 0, err
			}
			continue
		}
		if id, is := callID(line); is {
			l.calls.came(id)
		}
		l.rest = append(line, '\n')
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

var errLongLine = fmt.Errorf("the line has more than %d bytes", mcp.DefaultMaxLineLength-1)

// next returns the next line. Of one that is too long the beginning is returned, which is no message.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		if room := mcp.DefaultMaxLineLength - len(line); len(part) > room {
			part = part[:room]
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		default:
			return line, err
		}
	}
}

// badMessage returns why a line is no message that the SDK takes; nil if it is one. A batch is left to the SDK.
func badMessage(line []byte) error {
	switch {
	case len(line) >= mcp.DefaultMaxLineLength:
		return errLongLine
	case !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)):
		return errors.New("it is no JSON text")
	case line[0] == '[':
		return nil
	}
	_, err := jsonrpc.DecodeMessage(line)
	return err
}

// callID returns the id of a call of a tool, and whether the message is one.
func callID(line []byte) (id any, is bool) {
	if !bytes.Contains(line, []byte(`"tools/call"`)) {
		return nil, false
	}
	msg, err := jsonrpc.DecodeMessage(line)
	req, ok := msg.(*jsonrpc.Request)
	if err != nil || !ok || !req.IsCall() || req.Method != "tools/call" {
		return nil, false
	}
	return req.ID.Raw(), true
}

// The codes of JSON-RPC 2.0 for what is no message.
const (
	codeParse   = -32700
	codeRequest = -32600
)

// refuse answers a line that is no message, with its id if it has one.
func (l *lines) refuse(line []byte, why error) error {
	var given struct {
		ID jsontext.Value `json:"id"`
	}
	code := codeRequest
	if json.Unmarshal(line, &given, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		code = codeParse
	}
	if kind := given.ID.Kind(); kind != '"' && kind != '0' {
		given.ID = jsontext.Value("null")
	}
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	reply, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id"`
		Error   failure        `json:"error"`
	}{"2.0", given.ID, failure{code, fmt.Sprintf("this line is not one message of JSON-RPC 2.0: %v", why)}}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return err
	}
	_, err = l.out.Write(append(reply, '\n'))
	return err
}

// wholeWriter lets several goroutines write whole lines.
type wholeWriter struct {
	calls *arrivals
	mu    sync.Mutex
	out   io.Writer // guarded by mu
}

// Write implements [io.Writer].
func (w *wholeWriter) Write(b []byte) (int, error) {
	w.calls.answered(b)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(b)
}

// Close implements [io.Closer]. Standard output stays open.
func (w *wholeWriter) Close() error { return nil }
