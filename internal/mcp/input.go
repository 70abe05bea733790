package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// questions are what a call asks the client for: an answer of the person or of the model, or the roots.
//
// Up to protocol version 2025-11-25 the server sends a request to the client during the call. In later versions the
// call's result contains the questions, and the client repeats the call with the answers. Answers are matched by the
// question's text. A tool that asks must therefore tolerate being run again up to its question.
type questions struct {
	session  *mcp.ServerSession
	repeated bool // the client repeats the call with the answers
	answers  mcp.InputResponseMap
	requests mcp.InputRequestMap
}

// inputRequestVersion is the first protocol version in which the client repeats calls.
const inputRequestVersion = "2026-07-28"

func newQuestions(req *mcp.CallToolRequest) *questions {
	return &questions{session: req.Session, repeated: req.ProtocolVersion() >= inputRequestVersion, answers: req.Params.InputResponses}
}

// errInputRequired ends a run of a tool whose question is sent in the call's result. It is never reported.
var errInputRequired = errors.New("the client is asked")

// requestInput returns the answer to a question that the repeated call contains. If there is none it records the
// question and returns errInputRequired.
func requestInput[R mcp.InputResponse](q *questions, text string, request mcp.InputRequest) (answer R, err error) {
	sum := sha256.Sum256([]byte(text))
	key := hex.EncodeToString(sum[:8])
	if given, ok := q.answers[key]; ok {
		if answer, ok = given.(R); ok {
			return answer, nil
		}
		return answer, api.Errorf(api.Unsupported, "the client answered with something else: %T", given)
	}
	if q.requests == nil {
		q.requests = mcp.InputRequestMap{}
	}
	q.requests[key] = request
	return answer, errInputRequired
}

// person asks the user of the client by elicitation.
type person struct{ *questions }

// Ask implements [tool.Person].
func (p *person) Ask(ctx context.Context, question string, answers []tool.Param) (map[string]any, bool, error) {
	form := tool.Tool{Params: answers}
	params := &mcp.ElicitParams{Message: question, RequestedSchema: form.InputSchema()}
	var res *mcp.ElicitResult
	var err error
	if p.repeated {
		res, err = requestInput[*mcp.ElicitResult](p.questions, question, params)
	} else {
		res, err = p.session.Elicit(ctx, params)
	}
	if err != nil {
		return nil, false, fmt.Errorf("ask the person: %w", err)
	}
	return res.Content, res.Action == "accept", nil
}

// sampler asks the client's model. Sampling is deprecated in the protocol (SEP-2577); clients that support it are
// served.
type sampler struct{ *questions }

// maxAnswer bounds a model's answer about an image, in tokens.
const maxAnswer = 2000

// Ask implements [tool.Model].
func (m *sampler) Ask(ctx context.Context, question string, image *tool.Image) (string, error) {
	messages := []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: question}}} //nolint:staticcheck // see above
	if image != nil {
		messages = append([]*mcp.SamplingMessage{ //nolint:staticcheck // see above
			{Role: "user", Content: &mcp.ImageContent{MIMEType: image.MIMEType, Data: image.Bytes}}}, messages...)
	}
	params := &mcp.CreateMessageParams{Messages: messages, MaxTokens: maxAnswer} //nolint:staticcheck // see above
	var content mcp.Content
	if m.repeated {
		res, err := requestInput[mcp.InputResponse](m.questions, question, params)
		if err != nil {
			return "", fmt.Errorf("ask the client's model: %w", err)
		}
		content = sampledContent(res)
	} else {
		res, err := m.session.CreateMessage(ctx, params) //nolint:staticcheck // see above
		if err != nil {
			return "", api.Errorf(api.Unsupported, "ask the client's model: %w", err)
		}
		content = res.Content
	}
	text, ok := content.(*mcp.TextContent)
	if !ok {
		return "", api.Errorf(api.Unsupported, "ask the client's model: it answered with something else than text: %T", content)
	}
	return text.Text, nil
}

// sampledContent returns the content of a model's answer. The SDK decodes answers of the newer protocol as
// [mcp.CreateMessageWithToolsResult].
func sampledContent(answer mcp.InputResponse) mcp.Content {
	switch r := answer.(type) {
	case *mcp.CreateMessageResult: //nolint:staticcheck // see above
		return r.Content
	case *mcp.CreateMessageWithToolsResult: //nolint:staticcheck // see above
		if len(r.Content) > 0 {
			return r.Content[0]
		}
	}
	return nil
}
