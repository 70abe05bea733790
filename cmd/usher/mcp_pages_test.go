package main

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/cdptest"
)

// TestAgentIsToldOfWalls: a page that a site shows in the place of the one asked for is not passed off as that.
func TestAgentIsToldOfWalls(t *testing.T) {
	site := cdptest.NewSite(t)
	a, shell := connectAgent(t, nil, "--allow-private-urls")
	out := a.must("browser_navigate", map[string]any{"url": site.URL("/challenge")})
	if told, _ := out["bot_detection_warning"].(string); !strings.Contains(told, "a header of Cloudflare") || out["status"] != 403.0 || out["auth_wall_warning"] != nil {
		t.Errorf("of a check for bots it is told %v", out)
	}
	out = a.must("browser_navigate", map[string]any{"url": site.URL("/members")})
	if told, _ := out["auth_wall_warning"].(string); !strings.Contains(told, "login page") || out["bot_detection_warning"] != nil {
		t.Errorf("of a login in the way it is told %v", out)
	}
	out = a.must("browser_navigate", map[string]any{"url": site.URL("/sign-in")})
	if out["auth_wall_warning"] != nil {
		t.Errorf("of a login that was asked for it is told %v", out)
	}
	if said := shell("--session", "shared", "open", site.URL("/members")); !strings.Contains(said, "The site redirected to a login page") {
		t.Errorf("the command line says\n%s", said)
	}
	out = a.call("browser_navigate", map[string]any{"url": "http://169.254.169.254/latest/"})
	if by, _ := out["blocked_by_policy"].(map[string]any); out["code"] != "url_blocked" || by["host"] != "169.254.169.254" || by["rule"] != "cloud_metadata" || by["source"] == nil {
		t.Errorf("of a refused address it is told %v", out)
	}
	out = a.must("web_extract", map[string]any{"urls": []string{site.URL("/small"), "http://169.254.169.254/latest/"}})
	if by, _ := out["results"].([]any)[1].(map[string]any)["blocked_by_policy"].(map[string]any); by["rule"] != "cloud_metadata" {
		t.Errorf("of a refused address web_extract tells %v", out)
	}
}

// TestAgentSeesPages: a page that a model can read in one picture is shown whole, of others the part that shows, and the
// warning says so. Annotated elements are listed.
func TestAgentSeesPages(t *testing.T) {
	site := cdptest.NewSite(t)
	a, _ := connectAgent(t, nil)
	look := func(url string) (map[string]any, image.Config) {
		a.must("browser_navigate", map[string]any{"url": url})
		res, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "browser_vision", Arguments: map[string]any{"question": "?", "annotate": true}})
		if err != nil || len(res.Content) < 2 {
			t.Fatalf("vision: %v, %+v", err, res)
		}
		shown, err := png.DecodeConfig(bytes.NewReader(res.Content[1].(*mcp.ImageContent).Data))
		if err != nil {
			t.Fatal(err)
		}
		return res.StructuredContent.(map[string]any), shown
	}
	told, shown := look(site.URL("/buttons?n=900"))
	if warning, _ := told["warning"].(string); shown.Height <= 720 || shown.Height > 1600 || warning != "" {
		t.Errorf("a page that is not long is %d pixels high, warning %q", shown.Height, warning)
	}
	marks, _ := told["annotations"].([]any)
	if len(marks) != 900 || marks[0].(map[string]any)["ref"] == nil {
		t.Errorf("%d elements are listed: %.200v", len(marks), marks)
	}
	told, shown = look(site.URL("/buttons?n=4000"))
	if warning, _ := told["warning"].(string); shown.Height != 720 || !strings.Contains(warning, "pixels high") {
		t.Errorf("a long page is %d pixels high, warning %q", shown.Height, warning)
	}
}

// TestAgentAsksTheModel: with --images ask the client's model is asked about a picture.
func TestAgentAsksTheModel(t *testing.T) {
	for _, protocol := range protocols {
		t.Run(protocol, func(t *testing.T) { asksAsksTheModel(t, protocol) })
	}
}

func asksAsksTheModel(t *testing.T, protocol string) {
	site := cdptest.NewSite(t)
	var asked string
	var picture int
	a, _ := connectAgentBy(t, protocol, &mcp.ClientOptions{
		//nolint:staticcheck // served where it is there
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			for _, m := range req.Params.Messages {
				switch c := m.Content.(type) {
				case *mcp.TextContent:
					asked = c.Text
				case *mcp.ImageContent:
					picture = len(c.Data)
				}
			}
			//nolint:staticcheck // as above
			return &mcp.CreateMessageResult{Model: "test", Role: "assistant", Content: &mcp.TextContent{Text: "a small page"}}, nil
		},
	}, "--images", "ask")
	a.must("browser_navigate", map[string]any{"url": site.URL("/small")})
	if got := a.must("browser_vision", map[string]any{"question": "what is it?"}); got["analysis"] != "a small page" || asked != "what is it?" || picture < 1000 {
		t.Errorf("%v; the model was asked %q about %d bytes", got, asked, picture)
	}
}
