package main

import (
	"context"
	"regexp"

	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// call is a call of a tool.
type call struct {
	tool string
	args map[string]any
}

// contender is one MCP server and how a model that knows its tools uses them.
type contender struct {
	*peer.Server
	// do is the calls for a step; on and to are the refs of what it acts on.
	do func(s step, on, to string) []call
	// ref finds the ref in a line of a snapshot.
	ref *regexp.Regexp
	// gone finds the refs that an answer says are there no more, or is nil.
	gone *regexp.Regexp
	// byText makes a target of text that a snapshot shows without a ref, or is nil.
	byText func(text string) string
	// shows says whether the answer of a tool is the whole page.
	shows    func(tool string) bool
	snapshot call
	find     func(text string) call
}

// How refs stand in snapshots, and in ours those that are gone.
const (
	ourRef   = `\bref=(e\d+)`
	ourGone  = `(?m)^\s*- removed: (.*)$`
	theirRef = ` \[ref=((?:f\d+)?e\d+)\]`
)

func contenders(ctx context.Context, binary string) ([]*contender, error) {
	usher, err := peer.UsherServer(binary)
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
	find := func(text string) call { return call{"browser_find", map[string]any{"text": text}} }
	snapshot := call{"browser_snapshot", map[string]any{}}
	return []*contender{
		{Server: usher, do: ourCalls, snapshot: snapshot, find: find,
			ref: regexp.MustCompile(ourRef), gone: regexp.MustCompile(ourGone),
			byText: func(text string) string { return "text=" + text },
			shows:  func(tool string) bool { return tool == "browser_snapshot" || tool == "browser_navigate" }},
		{Server: playwright, do: playwrightCalls, snapshot: snapshot, find: find,
			ref: regexp.MustCompile(theirRef), shows: func(tool string) bool { return tool == "browser_snapshot" }},
	}, nil
}

func ourCalls(s step, on, to string) []call {
	switch s.verb {
	case "navigate":
		return []call{{"browser_navigate", map[string]any{"url": s.text}}}
	case "click":
		return []call{{"browser_click", map[string]any{"ref": on}}}
	case "doubleClick":
		return []call{{"browser_click", map[string]any{"ref": on, "count": 2}}}
	case "rightClick":
		return []call{{"browser_click", map[string]any{"ref": on, "button": "right"}}}
	case "fill":
		return []call{{"browser_type", map[string]any{"ref": on, "text": s.text}}}
	case "add":
		return []call{{"browser_type", map[string]any{"ref": on, "text": s.text, "append": true}}}
	case "select":
		return []call{{"browser_select", map[string]any{"ref": on, "values": []string{s.text}}}}
	case "press":
		return []call{{"browser_press", map[string]any{"key": s.text}}}
	case "drag":
		return []call{{"browser_drag", map[string]any{"source": on, "target": to}}}
	case "upload": // also to what opens a file chooser
		return []call{{"browser_upload", map[string]any{"ref": on, "paths": []string{s.text}}}}
	case "accept":
		return []call{{"browser_dialog", map[string]any{"action": "accept"}}}
	case "see":
		return []call{{"browser_wait", map[string]any{"text": s.text}}}
	}
	panic("no such verb: " + s.verb)
}

func playwrightCalls(s step, on, to string) []call {
	target := func(more map[string]any) map[string]any {
		args := map[string]any{"target": on, "element": s.on.name}
		for key, value := range more {
			args[key] = value
		}
		return args
	}
	switch s.verb {
	case "navigate":
		return []call{{"browser_navigate", map[string]any{"url": s.text}}}
	case "click":
		return []call{{"browser_click", target(nil)}}
	case "doubleClick":
		return []call{{"browser_click", target(map[string]any{"doubleClick": true})}}
	case "rightClick":
		return []call{{"browser_click", target(map[string]any{"button": "right"})}}
	case "fill":
		return []call{{"browser_type", target(map[string]any{"text": s.text})}}
	case "add": // slowly types where the caret is; else the field is filled
		return []call{{"browser_press_key", map[string]any{"key": "Control+End"}}, {"browser_type", target(map[string]any{"text": s.text, "slowly": true})}}
	case "select":
		return []call{{"browser_select_option", target(map[string]any{"values": []string{s.text}})}}
	case "press":
		return []call{{"browser_press_key", map[string]any{"key": s.text}}}
	case "drag":
		return []call{{"browser_drag", map[string]any{"startTarget": on, "startElement": s.on.name, "endTarget": to, "endElement": s.to.name}}}
	case "upload": // files are for a chooser that is open
		return []call{{"browser_click", target(nil)}, {"browser_file_upload", map[string]any{"paths": []string{s.text}}}}
	case "accept":
		return []call{{"browser_handle_dialog", map[string]any{"accept": true}}}
	case "see":
		return []call{{"browser_wait_for", map[string]any{"text": s.text}}}
	}
	panic("no such verb: " + s.verb)
}

// again is the same server in a fresh home.
func (c *contender) again() (*contender, error) {
	server, err := c.Again()
	if err != nil {
		return nil, err
	}
	fresh := *c
	fresh.Server = server
	return &fresh, nil
}
