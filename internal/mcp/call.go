package mcp

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
	"github.com/usher-browser/usher/internal/tool/commands"
	"github.com/usher-browser/usher/internal/verb/spelling"
)

// Called is the result of `mcp call`, in one line.
type Called struct {
	Meta              CalledMeta       `json:"_meta"`
	Content           []jsontext.Value `json:"content,omitzero"`
	IsError           *bool            `json:"isError,omitzero"`           // the tool reports an error; the exit status is 1
	StructuredContent jsontext.Value   `json:"structuredContent,omitzero"` // see docs/mcp.md
	Error             *CallError       `json:"error,omitzero"`             // there was no call; the exit status is 2
}

// CalledMeta says which program called the tool.
type CalledMeta struct {
	Version string `json:"agentBrowserVersion"`
}

// CallError says why there was no call, as an error of JSON-RPC.
type CallError struct {
	Code    int    `json:"code"` // -32602: an unknown tool, or arguments that are not those of the tool
	Message string `json:"message"`
}

// invalidParams is JSON-RPC's code for an unknown tool or invalid arguments.
const invalidParams = -32602

// Call runs one tool for `mcp call`, as [Stdio] would, writes the result and returns the exit status. The arguments may come from in.
func Call(ctx context.Context, p Process, in io.Reader, out io.Writer) (exit int, err error) {
	called := &Called{Meta: CalledMeta{p.Version}}
	t, args, err := p.requested(in)
	if err != nil {
		called.Error, exit = &CallError{invalidParams, api.AsError(err).Sentence()}, 2
	} else if exit, err = p.call(ctx, t, args, called); err != nil {
		return 0, err
	}
	if _, err := out.Write(append(tool.Encode(called), '\n')); err != nil {
		return 0, api.Errorf(api.FileWriteFailed, "the result cannot be written: %w", err)
	}
	return exit, nil
}

// requested returns the tool and the arguments of the command line.
func (p *Process) requested(in io.Reader) (*tool.Tool, jsontext.Value, error) {
	name := p.Call.Str("tool")
	t := commands.Find(p.commands(), name)
	if t == nil {
		err := api.Errorf(api.InvalidArgument, "Unknown tool: %.80s", name)
		if near := spelling.Nearest(name, commands.Names()); len(near) > 0 {
			err = err.WithHint("Did you mean %s?", near[0])
		}
		return nil, nil, err
	}
	if profiles := p.Call.List("tools"); len(profiles) > 0 && !slices.ContainsFunc(commands.Tools(p.commands(), profiles), func(o tool.Tool) bool { return o.Name == name }) {
		return nil, nil, api.Errorf(api.InvalidArgument, "%s is in none of the profiles %s", name, tool.Alternatives(profiles)).
			WithHint("Leave --tools out, or give a profile that has it.")
	}
	args := jsontext.Value(p.Call.Str("arguments"))
	if string(args) == "-" {
		raw, err := io.ReadAll(in)
		if err != nil {
			return nil, nil, api.Errorf(api.FileNotFound, "standard input cannot be read: %w", err)
		}
		args = raw
	}
	if len(args) == 0 {
		args = jsontext.Value("{}")
	}
	if !args.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) || args.Kind() != '{' {
		return nil, nil, api.Errorf(api.InvalidArgument, "the arguments of the tool are not a JSON object")
	}
	parsed, err := t.Parse(args)
	if err == nil {
		err = commands.Refused(p.commands(), name, parsed)
	}
	return t, args, err
}

// call calls a tool over a connection inside of this process.
func (p *Process) call(ctx context.Context, t *tool.Tool, args jsontext.Value, called *Called) (exit int, err error) {
	opts, err := p.oneTool(t)
	if err != nil {
		return 0, err
	}
	here, there := mcp.NewInMemoryTransports()
	ended := make(chan error, 1)
	serving, stop := context.WithCancel(ctx)
	defer stop()
	server := New(opts)
	go func() { ended <- server.Run(serving, there) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "usher", Version: p.Version}, nil).Connect(ctx, here, nil)
	if err != nil {
		stop()
		return 0, api.Errorf(api.Internal, "mcp call: %w", errors.Join(err, <-ended))
	}
	res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: args})
	// The connection is in memory: all that it can report is that it has ended.
	_ = session.Close()
	if err = errors.Join(err, <-ended); err != nil {
		return 0, api.Errorf(api.Cancelled, "mcp call: %w", err)
	}
	called.IsError = &res.IsError
	for _, c := range res.Content {
		raw, err := c.MarshalJSON()
		if err != nil {
			return 0, api.Errorf(api.Internal, "mcp call: %w", err)
		}
		called.Content = append(called.Content, raw)
	}
	called.StructuredContent = tool.Encode(res.StructuredContent)
	if res.IsError {
		return 1, nil
	}
	return 0, nil
}
