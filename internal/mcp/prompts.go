package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/skills"
)

// prompt is an MCP prompt for a common job.
type prompt struct {
	name, doc string
	args      []*mcp.PromptArgument
	text      func(args map[string]string) string
}

func prompts() []prompt {
	return []prompt{
		{"read_page", "Read a page and report what it says", []*mcp.PromptArgument{{Name: "url", Required: true}, {Name: "question"}},
			func(a map[string]string) string {
				q := a["question"]
				if q == "" {
					q = "What does it say?"
				}
				return fmt.Sprintf("Open %s with browser_navigate and read it. %s Quote the page where it matters, and name what you could not see.", a["url"], q)
			}},
		{"fill_form", "Fill in a form and stop before it is sent", []*mcp.PromptArgument{{Name: "url", Required: true}, {Name: "data", Required: true}},
			func(a map[string]string) string {
				return fmt.Sprintf("Open %s and fill in its form with this: %s\nCheck each field with browser_snapshot afterwards. Do not send the form: say what is filled in and ask.", a["url"], a["data"])
			}},
		{"agent_browser", "How to use the tool agent_browser", nil, func(map[string]string) string { return skills.Playbook() }},
		{"check_page", "Look for what is broken on a page", []*mcp.PromptArgument{{Name: "url", Required: true}},
			func(a map[string]string) string {
				return fmt.Sprintf("Open %s. Look at browser_console, browser_get_images and the snapshot for errors, images without text, and controls without names. List what is broken, worst first.", a["url"])
			}},
	}
}

func (s *Server) addPrompts() {
	for _, p := range prompts() {
		s.addPrompt(p)
	}
}

func (s *Server) addPrompt(p prompt) {
	s.sdk.AddPrompt(&mcp.Prompt{Name: p.name, Description: p.doc, Arguments: p.args},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			for _, a := range p.args {
				if a.Required && req.Params.Arguments[a.Name] == "" {
					return nil, fmt.Errorf("prompt %s: the argument %s is missing", p.name, a.Name)
				}
			}
			return &mcp.GetPromptResult{Description: p.doc, Messages: []*mcp.PromptMessage{
				{Role: "user", Content: &mcp.TextContent{Text: p.text(req.Params.Arguments)}},
			}}, nil
		})
}
