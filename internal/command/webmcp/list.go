package webmcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/world"
)

// Listed is the result of `webmcp list`. All texts in it are the page's.
type Listed struct {
	Experimental bool   `json:"experimental"` // true: WebMCP may change
	Tools        []Tool `json:"tools"`
	Untrusted    bool   `json:"untrusted"` // true: the page wrote the texts
}

// Tool is a tool that a page offers.
type Tool struct {
	// Annotations are the page's claims about the tool.
	Annotations Annotations `json:"annotations"`
	Description string      `json:"description"`
	FrameID     string      `json:"frameId"`
	// InputSchema is the JSON schema of the parameters, OutputSchema of the answer; absent where there is none, or a schema
	// of more than 64 kB.
	InputSchema  jsontext.Value `json:"inputSchema,omitzero"`
	Name         string         `json:"name"`
	Origin       string         `json:"origin"`
	OutputSchema jsontext.Value `json:"outputSchema,omitzero"`
	Title        string         `json:"title,omitzero"`

	loader string
}

// Annotations are a page's claims about a tool; absent where it makes none.
type Annotations struct {
	Consequential    *bool `json:"consequential,omitzero"`    // it has consequences, such as a payment
	Debugging        *bool `json:"debugging,omitzero"`        // it is for developers
	ReadOnly         *bool `json:"readOnly,omitzero"`         // it changes nothing
	UntrustedContent *bool `json:"untrustedContent,omitzero"` // its answer has texts of others
}

func list(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Listed], error) {
	ctx, stop := e.Guard(ctx)
	defer stop()
	found, err := registered(ctx, e, "webmcp list")
	if err != nil {
		return run.Reply[Listed]{}, err
	}
	name := c.Str("tool")
	if name != "" {
		all := found.tools
		found.tools = slices.DeleteFunc(slices.Clone(all), func(t Tool) bool { return t.Name != name })
		if len(found.tools) == 0 {
			return run.Reply[Listed]{}, notRegistered(name, all)
		}
	}
	var lines []string
	for _, t := range found.tools {
		lines = append(lines, run.OneLine(t.Name)+" ["+t.FrameID+"]", "  "+run.OneLine(t.Description), "  "+t.Origin)
		if name != "" && t.InputSchema != nil {
			lines = append(lines, "  parameters: "+run.Printable(string(t.InputSchema)))
		}
	}
	text := strings.Join(lines, "\n")
	if len(found.tools) == 0 {
		text = "No WebMCP tools registered on the current page"
	}
	return run.Reply[Listed]{Data: Listed{Experimental: true, Tools: found.tools, Untrusted: true}, Text: text, Warning: found.warning}, nil
}

// notRegistered returns the error for a tool that the page has not registered.
func notRegistered(name string, tools []Tool) error {
	err := api.Errorf(api.ToolNotRegistered, "No WebMCP tool named '%s'", name)
	names := make([]string, 0, len(tools))
	for _, t := range tools {
		names = append(names, run.OneLine(t.Name))
	}
	if len(names) > 0 {
		return err.WithHint("The page has %s.", strings.Join(names, ", "))
	}
	return err.WithHint("The page has registered none.")
}

// tools are those of the page, or of a frame.
type tools struct {
	tools   []Tool
	warning string
}

// ofDocument is what our script says of a document.
type ofDocument struct {
	Available bool `json:"available"`
	Secure    bool `json:"secure"`
	More      int  `json:"more"`
	Tools     []struct {
		Name         string         `json:"name"`
		Title        string         `json:"title"`
		Description  string         `json:"description"`
		InputSchema  jsontext.Value `json:"inputSchema"`
		OutputSchema jsontext.Value `json:"outputSchema"`
		Annotations  *struct {
			Consequential    bool `json:"consequential"`
			Debugging        bool `json:"debugging"`
			ReadOnly         bool `json:"readOnly"`
			UntrustedContent bool `json:"untrustedContent"`
		} `json:"annotations"`
	} `json:"tools"`
}

// registered returns the tools of the frame of --frame, or of all frames, in their order. Frames that the site guard refuses
// are left out. Chromium 156 does not report the tools of frames in the process of their parent when WebMCP is enabled, so
// our script asks each document.
func registered(ctx context.Context, e *run.Env, doing string) (tools, error) {
	out := tools{tools: []Tool{}}
	tab, err := e.CurrentTab()
	if err != nil {
		return out, err
	}
	available, secure := false, false
	for f := range tab.InOrder() {
		if e.Frame != "" && f.ID != e.Frame || e.Sites != nil && e.Refusal(ctx, f) != nil {
			continue
		}
		var got ofDocument
		doc, err := e.Worlds.CallIn(ctx, f.ID, "pageTools", nil, &got)
		if err != nil {
			if f.ID != tab.Main && f.ID != e.Frame && ctx.Err() == nil && (world.DocumentGone(err) || errors.Is(err, world.ErrNoFrame)) {
				continue // a frame that has gone meanwhile
			}
			return out, e.Explain(err, doing)
		}
		available, secure = available || got.Available, secure || got.Secure
		if got.More > 0 {
			out.warning = api.JoinWarnings(out.warning, "the document "+f.URL+" has "+run.Plural(got.More, "tool")+" more, which are left out")
		}
		out.tools = append(out.tools, toolsOf(f, doc.Loader, &got)...)
	}
	if secure && !available && !e.Settings.Compatible {
		return out, api.Errorf(api.Unsupported, "%s: this browser has no WebMCP (document.modelContext)", doing).
			WithHint("It was started with --no-webmcp or --stealth, or attached, or is older than Chromium 146.")
	}
	return out, nil
}

func toolsOf(f *model.Frame, loader string, got *ofDocument) []Tool {
	var out []Tool
	for _, t := range got.Tools {
		one := Tool{
			Description: t.Description, FrameID: string(f.ID), InputSchema: object(t.InputSchema), Name: t.Name, Origin: f.Origin,
			OutputSchema: object(t.OutputSchema), Title: t.Title, loader: loader,
		}
		if a := t.Annotations; a != nil {
			one.Annotations = Annotations{&a.Consequential, &a.Debugging, &a.ReadOnly, &a.UntrustedContent}
		}
		out = append(out, one)
	}
	return out
}

// object returns a JSON object; nil for anything else.
func object(v jsontext.Value) jsontext.Value {
	if v.Kind() != '{' {
		return nil
	}
	return v
}
