package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/chrome"
	"github.com/usher-browser/usher/internal/devtools/join"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// way is a way to a browser beside its own port: a client of both sees the same tab.
type way struct {
	name     string
	direct   string // the address of the browser's own port
	endpoint string // the address of usher's
	server   int    // the process that serves it
	close    func()
}

// endpointRow is a figure of one client of CDP, in the unit that show prints.
type endpointRow struct {
	name  string
	runs  int // of the n that were asked for: large results take long
	one   func(*cdpClient) (float64, error)
	unit  string
	ratio float64 // the bar: ours over direct; 0 for none
	more  float64 // the bar: ours minus direct
	rate  bool    // larger is better
}

func endpointRows() []endpointRow {
	result := func(mb, runs int) endpointRow {
		return endpointRow{name: strconv.Itoa(mb) + " MB result", runs: runs, unit: "ms", ratio: 1.15, one: func(c *cdpClient) (float64, error) {
			return c.timed(fmt.Sprintf("'x'.repeat(%d)", mb*1_000_000), mb*1_000_000)
		}}
	}
	return []endpointRow{
		{name: "Runtime.evaluate", runs: 400, unit: "ms", more: 0.1, one: func(c *cdpClient) (float64, error) { return c.timed("1+1", 1) }},
		{name: "1,000 pipelined evaluates", runs: 7, unit: "/s", rate: true, one: (*cdpClient).pipelined},
		result(1, 15), result(5, 15), result(20, 9),
		{name: "5 MB expression", runs: 15, unit: "ms", one: func(c *cdpClient) (float64, error) {
			return c.timed("'"+strings.Repeat("x", 5_000_000)+"'.length", 1)
		}},
	}
}

// measureEndpoint prints the table of `make bench BENCH=-cdp`: a client of the endpoint of `get cdp-url` beside one of the browser's own port, in the same tab,
// interleaved. The browser has a port only for that. In the first part usher has launched the browser and drives it over its pipe; in the
// second usher is connected to the same port as the client.
func measureEndpoint(ctx context.Context, binary string, wanted *regexp.Regexp) error {
	for _, open := range []func(context.Context, string) (*way, error){launchedWay, attachedWay} {
		w, err := open(ctx, binary)
		if err != nil {
			return err
		}
		err = w.measure(ctx, wanted)
		w.close()
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

func (w *way) measure(ctx context.Context, wanted *regexp.Regexp) error {
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("\n%s; load %s%-28s %12s %12s %8s %8s  %s\n", w.name, load, "", "direct", "endpoint", "ratio", "more", "bar")
	var clients [2]*cdpClient
	for i, address := range []string{w.direct, w.endpoint} {
		c, err := dialCDP(ctx, address)
		if err != nil {
			return err
		}
		defer c.wire.Close() //nolint:errcheck // the measuring is over
		if err := c.attach(); err != nil {
			return err
		}
		clients[i] = c
	}
	for _, r := range endpointRows() {
		if !wanted.MatchString(r.name) {
			continue
		}
		samples := [2]sample{}
		for run := -1; run < r.runs; run++ { // the first is for warmth
			for k := range clients {
				i := k ^ (run & 1)
				value, err := r.one(clients[i])
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				if run >= 0 {
					samples[i].values = append(samples[i].values, value)
				}
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		r.print(samples[0].median(), samples[1].median())
	}
	for _, tabs := range []int{1, 10, 50} {
		if name := fmt.Sprintf("connect, %d tabs usable", tabs); wanted.MatchString(name) {
			if err := w.connects(ctx, name, tabs, clients[0]); err != nil {
				return err
			}
		}
	}
	if name := "memory after 50 x 20 MB"; wanted.MatchString(name) {
		before := resident(w.server)
		for range 50 {
			if _, err := clients[1].timed("'x'.repeat(20000000)", 20_000_000); err != nil {
				return err
			}
		}
		fmt.Printf("%-28s %12s %9.0f MB %8s %+7.0f\n", name, "", resident(w.server), "", resident(w.server)-before)
	}
	return nil
}

func (r *endpointRow) print(direct, ours float64) {
	verdict := ""
	switch {
	case r.ratio > 0:
		verdict = fmt.Sprintf("%.2f x  %s", r.ratio, judge(ours/direct, r.ratio))
	case r.more > 0:
		verdict = fmt.Sprintf("+%.2f %s  %s", r.more, r.unit, judge(ours-direct, r.more))
	}
	fmt.Printf("%-28s %9.2f %-2s %9.2f %-2s %8.2f %+8.2f  %s\n", r.name, direct, r.unit, ours, r.unit, ours/direct, ours-direct, verdict)
}

// connects measures how long a client takes until it has evaluated in all of some tabs, from before its WebSocket is opened.
func (w *way) connects(ctx context.Context, name string, tabs int, opener *cdpClient) error {
	have, err := opener.pages()
	if err != nil {
		return err
	}
	for range tabs - len(have) {
		params := map[string]any{"url": "about:blank"}
		if opener.context != "" {
			params["browserContextId"] = opener.context
		}
		if err := opener.call("", "Target.createTarget", params, nil); err != nil {
			return err
		}
	}
	samples := [2]sample{}
	for run := range 7 {
		for k, address := range []string{w.direct, w.endpoint} {
			if run%2 == 1 {
				k, address = 1-k, []string{w.direct, w.endpoint}[1-k]
			}
			began := time.Now()
			c, err := dialCDP(ctx, address)
			if err != nil {
				return err
			}
			if err := c.useAll(tabs); err != nil {
				return err
			}
			samples[k].values = append(samples[k].values, float64(time.Since(began).Microseconds())/1000)
			_ = c.wire.Close() // nothing is to be told
		}
	}
	r := endpointRow{name: name, unit: "ms"}
	r.print(samples[0].median(), samples[1].median())
	return nil
}

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

// attachedWay connects usher, in a home of its own, to a browser.
func attachedWay(ctx context.Context, binary string) (*way, error) {
	browser, err := cdptest.Start(benchPage)
	if err != nil {
		return nil, err
	}
	usher, err := peer.Usher(binary)
	if err != nil {
		browser.Close()
		return nil, fmt.Errorf("%w; run make build", err)
	}
	w := &way{name: "attached: usher connect", direct: browser.WebSocketURL, close: func() { end(usher); browser.Close() }}
	for _, args := range [][]string{{"connect", browser.WebSocketURL}, {"get", "cdp-url"}} {
		outcome, err := usher.Run(ctx, args...)
		if err = errors.Join(err, outcome.Failed()); err != nil {
			w.close()
			return nil, err
		}
		w.endpoint = strings.TrimSpace(outcome.Stdout)
	}
	own, err := filepath.EvalSymlinks(usher.Path)
	if err != nil {
		w.close()
		return nil, err
	}
	living, err := usher.Processes()
	for _, p := range living {
		if p.Exe == own {
			w.server = p.PID
		}
	}
	return w, err
}

// serveVariable is set in a process of this program that serves the endpoint of a browser; see launchedWay.
const serveVariable = "USHER_BENCH_SERVE"

// launchedWay starts a process that launches a browser as usher does, over a pipe, and serves the endpoint of a session in it. `usher` itself
// does not serve one for a browser with a port.
func launchedWay(ctx context.Context, _ string) (*way, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), serveVariable+"=1")
	child.Stderr = os.Stderr
	stay, err := child.StdinPipe()
	if err != nil {
		return nil, err
	}
	said, err := child.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := child.Start(); err != nil {
		return nil, err
	}
	w := &way{name: "launched: usher on the pipe", server: child.Process.Pid, close: func() { _ = stay.Close(); _ = child.Wait() }}
	line, err := bufio.NewReader(said).ReadString('\n')
	if _, scanned := fmt.Sscan(line, &w.direct, &w.endpoint); err != nil || scanned != nil {
		w.close()
		return nil, fmt.Errorf("serve the endpoint of a launched browser: %q, %w", line, errors.Join(err, scanned))
	}
	return w, nil
}

// serveEndpoint is the main of that process. It ends with its standard input.
func serveEndpoint(ctx context.Context) error {
	path, err := cdptest.Path()
	if err != nil {
		return err
	}
	process, err := chrome.Launch(ctx, chrome.Options{Executable: path, Args: cdptest.Arguments(), DebugPort: "0"})
	if err != nil {
		return err
	}
	defer process.Close(context.WithoutCancel(ctx)) //nolint:errcheck // nobody is left to tell
	direct, err := process.DebugURL()
	if err != nil {
		return err
	}
	b := supervisor.New(wire.Pipe(process.Conn()), supervisor.Options{Script: "1"})
	defer b.Close() //nolint:errcheck // the measuring is over
	var made struct {
		Context model.ContextID `json:"browserContextId"`
		Target  string          `json:"targetId"`
	}
	if err := b.Session("").Call(ctx, "Target.createBrowserContext", nil, &made); err != nil {
		return err
	}
	if err := b.Session("").Call(ctx, "Target.createTarget", map[string]any{"url": benchPage, "browserContextId": made.Context}, &made); err != nil {
		return err
	}
	server, err := endpoint.Serve(b.Done(), endpoint.Options{
		Browser: join.New(b, made.Context, join.Options{Downloads: func() string { return "" }}), Token: endpoint.NewToken(),
	}, 0)
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Println(direct, server.URL())
	_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	if ctx.Err() == nil {
		return nil // the bench has ended
	}
	return err
}

// resident returns the memory of a process in MB, 0 if it is not known.
func resident(pid int) float64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kb / 1024
		}
	}
	return 0
}
