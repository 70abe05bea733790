package mcp

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/tool"
)

// person asks whoever sits at the client, by elicitation.
type person struct{ session *mcp.ServerSession }

// Ask implements [tool.Person].
func (p *person) Ask(ctx context.Context, question string, answers []tool.Param) (map[string]any, bool, error) {
	form := tool.Tool{Params: answers}
	res, err := p.session.Elicit(ctx, &mcp.ElicitParams{Message: question, RequestedSchema: form.InputSchema()})
	if err != nil {
		return nil, false, fmt.Errorf("ask the person: %w", err)
	}
	return res.Content, res.Action == "accept", nil
}

// sampler asks the client's model. Sampling is on its way out of the protocol (SEP-2577); clients that have it are served.
type sampler struct{ session *mcp.ServerSession }

// maxAnswer bounds a model's answer about an image, in tokens.
const maxAnswer = 2000

// Ask implements [tool.Model].
func (m *sampler) Ask(ctx context.Context, question string, image *tool.Image) (string, error) {
	messages := []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: question}}} //nolint:staticcheck // see above
	if image != nil {
		messages = append([]*mcp.SamplingMessage{ //nolint:staticcheck // see above
			{Role: "user", Content: &mcp.ImageContent{MIMEType: image.MIMEType, Data: image.Bytes}}}, messages...)
	}
	res, err := m.session.CreateMessage(ctx, &mcp.CreateMessageParams{Messages: messages, MaxTokens: maxAnswer}) //nolint:staticcheck // see above
	if err != nil {
		return "", fmt.Errorf("ask the client's model: %w", err)
	}
	text, ok := res.Content.(*mcp.TextContent)
	if !ok {
		return "", fmt.Errorf("ask the client's model: it answered with something else than text")
	}
	return text.Text, nil
}
