package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json/jsontext"
)

// floor prints the least that an evaluation through any extension takes: this process sends a WebSocket message to the extension's worker, which
// calls chrome.debugger.sendCommand and sends the result. There is no relay, no client of one and no protocol.
func (w *way) floor(ctx context.Context, c *cdpClient) error {
	session, err := c.attachWorker()
	if err != nil {
		return err
	}
	conns := make(chan *websocket.Conn, 1)
	server, address, err := accept(conns)
	if err != nil {
		return err
	}
	defer server.Close() //nolint:errcheck // the measuring is over
	var got struct {
		Thrown jsontext.Value `json:"exceptionDetails"`
	}
	params := map[string]any{"expression": fmt.Sprintf("(%s)(%q, %q)", floorScript, address, benchPage), "awaitPromise": true}
	if err := c.call(session, "Runtime.evaluate", params, &got); err != nil {
		return err
	}
	if got.Thrown != nil {
		return fmt.Errorf("connect the worker: %s", got.Thrown)
	}
	conn := <-conns
	defer conn.CloseNow() //nolint:errcheck // the measuring is over
	single, err := repeated(400, func() (float64, error) {
		took, err := exchange(ctx, conn, 1)
		return float64(took.Nanoseconds()) / 1e6, err
	})
	if err != nil {
		return err
	}
	const n = 1000
	rate, err := repeated(7, func() (float64, error) {
		took, err := exchange(ctx, conn, n)
		return n / took.Seconds(), err
	})
	if err != nil {
		return err
	}
	fmt.Printf("%-28s %12s %9.2f ms  the extension's worker alone, without a relay\n", rowFloor, "", single)
	fmt.Printf("%-28s %12s %9.2f /s\n", "floor of pipelined evaluates", "", rate)
	return nil
}

// floorScript runs in the worker. Each message is an evaluation.
const floorScript = `async (address, page) => {
	const target = (await chrome.debugger.getTargets()).find((t) => t.attached && t.url === page);
	if (!target) throw new Error("the debugger is not attached to the page of the bench");
	const socket = new WebSocket(address);
	await new Promise((resolve, reject) => { socket.onopen = resolve; socket.onerror = () => reject(new Error("no WebSocket")); });
	socket.onmessage = async () => {
		socket.send(JSON.stringify(await chrome.debugger.sendCommand({ tabId: target.tabId }, "Runtime.evaluate", { expression: "1+1", returnByValue: true })));
	};
}`

// exchange sends so many messages at once, and waits for as many.
func exchange(ctx context.Context, conn *websocket.Conn, n int) (time.Duration, error) {
	began := time.Now()
	failed := make(chan error, 1)
	go func() {
		for range n {
			if err := conn.Write(ctx, websocket.MessageText, []byte("evaluate")); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for range n {
		if _, _, err := conn.Read(ctx); err != nil {
			return 0, err
		}
	}
	return time.Since(began), <-failed
}

// repeated returns the median of n samples, after one for warmth.
func repeated(n int, one func() (float64, error)) (float64, error) {
	samples := make([]float64, 0, n)
	for run := -1; run < n; run++ {
		value, err := one()
		if err != nil {
			return 0, err
		}
		if run >= 0 {
			samples = append(samples, value)
		}
	}
	slices.Sort(samples)
	return samples[n/2], nil
}

// attachWorker attaches to the worker of usher's extension.
func (c *cdpClient) attachWorker() (session string, err error) {
	var got struct {
		Infos []pageInfo `json:"targetInfos"`
	}
	if err := c.call("", "Target.getTargets", nil, &got); err != nil {
		return "", err
	}
	for _, t := range got.Infos {
		if t.Type != "service_worker" || !strings.HasPrefix(t.URL, "chrome-extension://") {
			continue
		}
		var made struct {
			Session string `json:"sessionId"`
		}
		err := c.call("", "Target.attachToTarget", map[string]any{"targetId": t.ID, "flatten": true}, &made)
		return made.Session, err
	}
	return "", errors.New("the worker of the extension is not there")
}

// accept serves WebSockets on an address of this machine.
func accept(conns chan<- *websocket.Conn) (server *http.Server, address string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	server = &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			fmt.Println("the worker's WebSocket:", err)
			return
		}
		conns <- conn
	})}
	go server.Serve(listener) //nolint:errcheck // it ends with Close
	return server, "ws://" + listener.Addr().String(), nil
}
