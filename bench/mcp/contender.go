package main

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	json "github.com/go-json-experiment/json/v1"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// contender is one MCP server.
type contender struct {
	*peer.Server
	node bool
	// call makes a tool call of a step; ref is what the snapshot calls the element.
	call func(s step, ref string) (tool string, args map[string]any)
	// ref finds elements in a snapshot: the line's text and the ref.
	ref *regexp.Regexp
}

// step is one thing a model does.
type step struct{ verb, name, value string }

func contenders(ctx context.Context, binary string) ([]*contender, error) {
	usher, err := peer.UsherServer(binary)
	if err != nil {
		return nil, err
	}
	agentBrowser, err := peer.AgentBrowser(ctx, "bench/package.json", ".cache/bench")
	if err != nil {
		return nil, err
	}
	modules, err := peer.Modules(ctx, "bench/mcp/package.json", ".cache/bench-mcp")
	if err != nil {
		return nil, err
	}
	playwright, err := peer.PlaywrightServer(modules)
	if err != nil {
		return nil, err
	}
	devtools, err := peer.DevToolsServer(modules)
	if err != nil {
		return nil, err
	}
	theirs := &peer.Server{Name: peer.Name, Program: agentBrowser, Command: []string{agentBrowser.Path, "mcp"}}
	return []*contender{
		{Server: usher, call: ourCall, ref: regexp.MustCompile(`(?m)^(.*)ref=(e\d+)`)},
		{Server: theirs, call: agentBrowserCall, ref: regexp.MustCompile(`(?m)^(.*)ref=(e\d+)`)},
		{Server: playwright, node: true, call: playwrightCall, ref: regexp.MustCompile(`(?m)^(.*)\[ref=((?:f\d+)?e\d+)\]`)},
		{Server: devtools, node: true, call: devtoolsCall, ref: regexp.MustCompile(`(?m)uid=(\S+) (.*)$`)},
	}, nil
}

func ourCall(s step, ref string) (string, map[string]any) {
	switch s.verb {
	case "navigate":
		return "browser_navigate", map[string]any{"url": s.value}
	case "snapshot":
		return "browser_snapshot", nil
	case "click":
		return "browser_click", map[string]any{"ref": ref}
	case "press":
		return "browser_press", map[string]any{"key": s.value}
	}
	return "browser_type", map[string]any{"ref": ref, "text": s.value}
}

func agentBrowserCall(s step, ref string) (string, map[string]any) {
	switch s.verb {
	case "navigate":
		return "agent_browser_open", map[string]any{"url": s.value}
	case "snapshot":
		return "agent_browser_snapshot", map[string]any{}
	case "click":
		return "agent_browser_click", map[string]any{"selector": "@" + ref}
	case "press":
		return "agent_browser_press", map[string]any{"key": s.value}
	}
	return "agent_browser_fill", map[string]any{"selector": "@" + ref, "text": s.value}
}

func playwrightCall(s step, ref string) (string, map[string]any) {
	switch s.verb {
	case "navigate":
		return "browser_navigate", map[string]any{"url": s.value}
	case "snapshot":
		return "browser_snapshot", map[string]any{}
	case "click":
		return "browser_click", map[string]any{"target": ref, "element": s.name}
	case "press":
		return "browser_press_key", map[string]any{"key": s.value}
	}
	return "browser_type", map[string]any{"target": ref, "element": s.name, "text": s.value}
}

func devtoolsCall(s step, ref string) (string, map[string]any) {
	const page = 1 // the one it starts with
	switch s.verb {
	case "navigate":
		return "navigate_page", map[string]any{"pageId": page, "type": "url", "url": s.value}
	case "snapshot":
		return "take_snapshot", map[string]any{"pageId": page}
	case "click":
		return "click", map[string]any{"pageId": page, "uid": ref}
	case "press":
		return "press_key", map[string]any{"pageId": page, "key": s.value}
	}
	return "fill", map[string]any{"pageId": page, "uid": ref, "value": s.value}
}

// session is a client's, with what the model has read so far.
type session struct {
	*mcp.ClientSession
	of           *contender
	last         string   // the last answer that showed elements
	before       []string // those before it, of the same page
	listed, read int      // bytes
}

func (c *contender) open(ctx context.Context) (*session, error) {
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	s := &session{ClientSession: conn, of: c}
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		return nil, err
	}
	s.listed = len(raw)
	return s, nil
}

// close ends the server; how it ends was looked at when starts were measured.
func (s *session) close() { _ = s.Close() }

var looking = step{verb: "snapshot"}

func (s *session) do(ctx context.Context, steps ...step) error {
	for _, step := range steps {
		ref := ""
		if step.verb == "see" { // a model looks if it has not been shown what it needs
			if s.refOf(step.name) != "" {
				continue
			}
			step = looking
		}
		if step.name != "" {
			if ref = s.refOf(step.name); ref == "" {
				return fmt.Errorf("no element %q in its snapshot:\n%s", step.name, s.last)
			}
		}
		tool, args := s.of.call(step, ref)
		res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return fmt.Errorf("%s: %w", tool, err)
		}
		text := peer.Text(res)
		s.read += len(text)
		if res.IsError {
			return fmt.Errorf("%s %v: %s", tool, args, text)
		}
		if step.verb == "navigate" || step.verb == "snapshot" {
			s.before, s.last = nil, ""
		}
		if s.of.ref.MatchString(text) {
			s.before, s.last = append(s.before, s.last), text
		}
	}
	return nil
}

// controls are the roles of what the steps act on; labels have the same names.
var controls = regexp.MustCompile(`\b(textbox|combobox|checkbox|radio|button)\b`)

// refOf finds the control with exactly this name in what was shown of the page, the newest first.
func (s *session) refOf(name string) string {
	if ref := s.refIn(s.last, name); ref != "" {
		return ref
	}
	for _, shown := range slices.Backward(s.before) {
		if ref := s.refIn(shown, name); ref != "" {
			return ref
		}
	}
	return ""
}

func (s *session) refIn(shown, name string) string {
	quoted := fmt.Sprintf("%q", name)
	for _, m := range s.of.ref.FindAllStringSubmatch(shown, -1) {
		line, ref := m[1], m[2]
		if strings.HasPrefix(s.of.ref.String(), "(?m)uid") {
			line, ref = m[2], m[1]
		}
		if strings.Contains(line, quoted) && controls.MatchString(line) {
			return ref
		}
	}
	return ""
}

// resident is the memory of everything the server runs but browsers, in bytes.
func (c *contender) resident() (int64, error) {
	all, err := c.Program.Processes()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, p := range all {
		if strings.Contains(filepath.Base(p.Exe), "chrom") { // a server may call itself after the browser
			continue
		}
		size, err := p.PSS()
		if err != nil {
			return 0, err
		}
		sum += size
	}
	return sum, nil
}
