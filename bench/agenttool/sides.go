package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// side is one of the two programs.
type side interface {
	name() string
	call(ctx context.Context, in map[string]any) (*answer, error)
	// ref returns the ref of a control of the last snapshot.
	ref(name string) (string, error)
	// started counts the processes that calls have started.
	started() (int64, error)
	end()
}

// answer is the result of a call.
type answer struct {
	ms     float64
	bytes  int // of details, as JSON
	text   string
	failed bool
}

// known are the refs of the last snapshot that a side has sent.
type known map[string]struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

// learn reads the refs of details, if they have any.
func (k *known) learn(details []byte) error {
	var d struct {
		RefSnapshot struct {
			Refs known `json:"refs"`
		} `json:"refSnapshot"`
	}
	if err := json.Unmarshal(details, &d); err != nil {
		return err
	}
	if d.RefSnapshot.Refs != nil {
		*k = d.RefSnapshot.Refs
	}
	return nil
}

var controls = []string{"textbox", "combobox", "checkbox", "radio", "button"}

// ref returns the ref of the control with exactly this name.
func (k known) ref(name string) (string, error) {
	for id, r := range k {
		if r.Name == name && slices.Contains(controls, r.Role) {
			return "@" + id, nil
		}
	}
	return "", fmt.Errorf("no control %q in the last snapshot", name)
}

// usher is the tool over MCP.
type usher struct {
	known
	server  *peer.Server
	session *mcp.ClientSession
}

func openUsher(ctx context.Context, binary string) (*usher, error) {
	server, err := peer.UsherServer(binary)
	if err != nil {
		return nil, err
	}
	server.Command = append(server.Command, "--toolsets", "agent_browser", "--allow-private-urls")
	session, err := server.Connect(ctx, server.Program.Home)
	if err != nil {
		return nil, err
	}
	return &usher{server: server, session: session}, nil
}

func (*usher) name() string { return "usher" }

func (u *usher) call(ctx context.Context, in map[string]any) (*answer, error) {
	began := time.Now()
	res, err := u.session.CallTool(ctx, &mcp.CallToolParams{Name: "agent_browser", Arguments: in})
	took := time.Since(began)
	if err != nil {
		return nil, err
	}
	details, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return nil, err
	}
	if err := u.learn(details); err != nil {
		return nil, err
	}
	return &answer{float64(took) / float64(time.Millisecond), len(details), peer.Text(res), res.IsError}, nil
}

// started adds up the page faults of the processes that the server and the daemon have started and waited for: none if there was none.
// It is 1 if there were some, since faults are not processes.
func (u *usher) started() (int64, error) {
	all, err := u.server.Program.Processes()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, p := range all {
		if strings.Contains(filepath.Base(p.Exe), "chrom") {
			continue
		}
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID))
		if err != nil {
			return 0, err
		}
		fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
		faults, err := strconv.ParseInt(fields[8], 10, 64) // cminflt
		if err != nil {
			return 0, err
		}
		sum += faults
	}
	return sum, nil
}

func (u *usher) end() {
	if err := u.session.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	u.server.End()
}

// reference is pi-agent-browser-native in Node, with a host that only makes its calls.
type reference struct {
	known
	home   *program.Program
	node   *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	counts string // a file with a line for each start of agent-browser
}

func openReference(ctx context.Context, dir string) (*reference, error) {
	browser, err := peer.AgentBrowser(ctx, "bench/agenttool/package.json", ".cache/bench-agent-tool")
	if err != nil {
		return nil, err
	}
	r := &reference{home: browser, counts: filepath.Join(browser.Home, "starts")}
	bundle := filepath.Join(browser.Home, "agent-browser.mjs")
	entry := filepath.Join(dir, "dist/extensions/agent-browser/index.js")
	if _, err := os.Stat(entry); errors.Is(err, os.ErrNotExist) {
		entry = filepath.Join(dir, "extensions/agent-browser/index.ts")
	}
	here, err := filepath.Abs("bench/agenttool")
	if err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "tool", "-modfile=tools/go.mod", "esbuild", entry, "--bundle", "--platform=node", "--format=esm", "--target=node20",
		"--alias:@earendil-works/pi-tui="+filepath.Join(here, "tui.mjs"), "--outfile="+bundle, "--log-level=warning")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("bundle %s: %w: %s", entry, err, out)
	}
	bin, work := filepath.Join(browser.Home, "bin"), filepath.Join(browser.Home, "work")
	for _, d := range []string{bin, work} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	// It calls itself agent-browser and counts. That costs a start of sh, 1 ms.
	script := fmt.Sprintf("#!/bin/sh\necho >>%q\nexec %q \"$@\"\n", r.counts, browser.Path)
	if err := os.WriteFile(filepath.Join(bin, "agent-browser"), []byte(script), 0o700); err != nil {
		return nil, err
	}
	r.node = exec.CommandContext(ctx, "node", filepath.Join(here, "host.mjs"), bundle)
	r.node.Env = append(append(os.Environ(), browser.Env...), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+browser.Home)
	r.node.Dir, r.node.Stderr = work, os.Stderr
	if r.in, err = r.node.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := r.node.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := r.node.Start(); err != nil {
		return nil, err
	}
	r.out = bufio.NewReaderSize(out, 1<<20)
	if line, err := r.out.ReadString('\n'); err != nil || line != "ready\n" {
		return nil, fmt.Errorf("the host of the reference did not start: %q %w", line, err)
	}
	return r, nil
}

func (*reference) name() string { return "reference" }

func (r *reference) call(_ context.Context, in map[string]any) (*answer, error) {
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	if _, err := r.in.Write(append(raw, '\n')); err != nil {
		return nil, err
	}
	line, err := r.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var res struct {
		MS      float64 `json:"ms"`
		IsError bool    `json:"isError"`
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
		Details any `json:"details"`
	}
	if err := json.Unmarshal(line, &res); err != nil {
		return nil, err
	}
	details, err := json.Marshal(res.Details)
	if err != nil {
		return nil, err
	}
	if err := r.learn(details); err != nil {
		return nil, err
	}
	a := &answer{ms: res.MS, bytes: len(details), failed: res.IsError}
	for _, c := range res.Content {
		a.text += c.Text + "\n"
	}
	return a, nil
}

func (r *reference) started() (int64, error) {
	raw, err := os.ReadFile(r.counts)
	return int64(len(raw)), err
}

func (r *reference) end() {
	err := r.in.Close()
	if waited := r.node.Wait(); err == nil {
		err = waited
	}
	if err == nil {
		_, err = r.home.End()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
}
