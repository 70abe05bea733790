package mount

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/tool"
)

// Bounds of what a result contains. The rest is saved to files that the result names.
const (
	maxImage  = 4 << 20
	maxImages = 8
)

// result converts a server's result: text and images are passed on, other content is named. Text that is too long is
// cut, and saved completely to a file.
func (m *Mount) result(h *tool.Host, res *mcp.CallToolResult) (*tool.Result, error) {
	out := &tool.Result{Failed: res.IsError}
	var texts []string
	what := "mcp-" + m.server.Name
	keep := func(ending string, content []byte) error {
		file, err := h.Keep(what, ending, content)
		if err == nil {
			texts = append(texts, fmt.Sprintf("[%d bytes are in %s]", len(content), file))
		}
		return err
	}
	for _, c := range res.Content {
		var err error
		switch c := c.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			if len(c.Data) <= maxImage && len(out.Images) < maxImages && strings.HasPrefix(c.MIMEType, "image/") {
				out.Images = append(out.Images, tool.Image{MIMEType: c.MIMEType, Bytes: c.Data})
			} else {
				err = keep(".image", c.Data)
			}
		case *mcp.AudioContent:
			err = keep(".audio", c.Data)
		case *mcp.EmbeddedResource:
			switch r := c.Resource; {
			case r == nil:
			case len(r.Blob) > 0:
				err = keep(".bin", r.Blob)
			default:
				texts = append(texts, r.URI+"\n"+r.Text)
			}
		case *mcp.ResourceLink:
			texts = append(texts, fmt.Sprintf("[resource %s: %s]", c.Name, c.URI))
		default:
			texts = append(texts, fmt.Sprintf("[content of a kind that is not known: %T]", c))
		}
		if err != nil {
			return nil, err
		}
	}
	if len(texts) == 0 && len(out.Images) == 0 && res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err != nil {
			return nil, fmt.Errorf("read the result of the server %s: %w", m.server.Name, err)
		}
		texts = append(texts, string(raw))
	}
	text, err := h.Bounded(what, strings.ToValidUTF8(strings.Join(texts, "\n"), "\uFFFD"))
	out.Text = text
	return out, err
}
