// Package agentbrowser has the tool agent_browser. What it does is the command `agent-tool` of the daemon: a call is one request. This
// package has its arguments, and puts the text of pages between marks.
package agentbrowser

import (
	"context"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/skills"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/verb"
)

// Tools returns the tool of the toolset agent_browser.
func Tools() []tool.Tool {
	return tool.WithPageContent([]tool.Tool{{Name: "agent_browser", Title: "Drive a browser by commands", Doc: skills.ToolDescription(), Params: params(),
		Output: reflect.TypeFor[details](), Traits: tool.OpenWorld | tool.Destructive | tool.UsesRoots, Lane: lane, Run: call}})
}

// besides are the words of commands that wait for none: they answer what others may be waiting for, or wait for what others do.
var besides = []string{"dialog", "interrupt", "wait", "confirm", "deny"}

// lane is the session that the command names, or the client's. A script has a session of its own.
func lane(arguments jsontext.Value) (session string, ordered bool) {
	var named struct {
		Args   []string `json:"args"`
		Script *string  `json:"script"`
	}
	_ = json.Unmarshal(arguments, &named) // wrong arguments are refused later
	if at := slices.Index(named.Args, "--session"); at >= 0 && at+1 < len(named.Args) {
		session = named.Args[at+1]
	}
	return session, named.Script == nil && !slices.ContainsFunc(named.Args, func(word string) bool { return slices.Contains(besides, word) })
}

// params are the arguments; package session/agenttool checks them.
func params() []tool.Param {
	return []tool.Param{
		{Name: "args", Kind: tool.Strings, Doc: `words of one command, without the program's name: ["open", "https://example.com"]`},
		{Name: "semanticAction", Kind: tool.Map, Doc: "an action on an element named by its meaning", Schema: semanticSchema},
		{Name: "job", Kind: tool.Map, Doc: "steps, run as one batch", Schema: jobSchema},
		{Name: "qa", Kind: tool.Map, Doc: "checks a page: PASS or FAIL with each check", Schema: qaSchema},
		{Name: "sourceLookup", Kind: tool.Map, Doc: "where an element or component comes from", Schema: sourceSchema},
		{Name: "networkSourceLookup", Kind: tool.Map, Doc: "where a failed request comes from", Schema: networkSchema},
		{Name: "electron", Kind: tool.Map, Doc: "desktop apps: list, launch, status, probe, cleanup", Schema: electronSchema},
		{Name: "script", Kind: tool.String, Doc: "JavaScript, the body of an async function, with browser({args, stdin?, timeoutMs?}) and emit(value)"},
		{Name: "stdin", Kind: tool.String, Doc: "for batch, eval --stdin, auth save --password-stdin"},
		{Name: "outputPath", Kind: tool.String, Doc: "file for the data of the result"},
		{Name: "timeoutMs", Kind: tool.Number, Doc: "bounds the call"},
		{Name: "sessionMode", Kind: tool.String, Doc: "fresh: a new browser, which later calls use, too"},
	}
}

// answer is the part of the data of `agent-tool` that the tool uses.
type answer struct {
	Content []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Own      bool   `json:"own"`
		Data     []byte `json:"data"`
		MIMEType string `json:"mimeType"`
	} `json:"content"`
	Details jsontext.Value `json:"details"`
	IsError bool           `json:"isError"`
}

// from returns the values that name the client.
func from(h *tool.Host) verb.Values {
	values := verb.Values{}
	if h.Client != "" {
		values.Set("client", h.Client)
	}
	return values
}

var query = tool.NewQuery[answer]("agent-tool")

func call(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	var in tool.Object
	for _, p := range params() {
		if v, ok := a.Value(p.Name); ok {
			in.Set(p.Name, v)
		}
	}
	values := from(h)
	values.Set("input", string(in.JSON()))
	if h.UserPrompt != "" {
		values.Set("user-prompt", h.UserPrompt)
	}
	out, warning, err := query.Run(ctx, h.Anonymous(), values)
	if err != nil {
		return nil, err
	}
	h.AtEnd("agent_browser", func(ctx context.Context, h *tool.Host) error {
		values := from(h)
		values.Set("release", true)
		_, _, err := query.Run(ctx, h.Anonymous(), values)
		return err
	})
	res := &tool.Result{Failed: out.IsError, Text: warning}
	var d details
	if err := json.Unmarshal(out.Details, &d, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)); err != nil {
		return nil, api.Errorf(api.InvalidRequest, "agent_browser: the answer of the daemon cannot be read: %w", err)
	}
	res.Value = &d
	for _, c := range out.Content {
		if c.Type != "image" {
			res.Blocks = append(res.Blocks, tool.Block{Text: c.Text, Own: c.Own})
		} else if h.AcceptsImages {
			res.Blocks = append(res.Blocks, tool.Block{Image: &tool.Image{MIMEType: c.MIMEType, Bytes: c.Data}})
		}
	}
	return res, nil
}
