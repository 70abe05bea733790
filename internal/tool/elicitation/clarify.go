package elicitation

import (
	"context"
	"reflect"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// Tools returns the tool of the toolset clarify, which asks the person a question by MCP elicitation.
func Tools() []tool.Tool {
	return []tool.Tool{{Name: "clarify", Title: "Ask the person",
		Doc: "Ask the person a question, with choices or without, and wait for the answer.",
		Params: []tool.Param{{Name: "question", Kind: tool.String, Required: true},
			{Name: "choices", Kind: tool.Strings, MaxItems: 8}},
		Output: reflect.TypeFor[clarifyResult](),
		Unavailable: func(h *tool.Host) string {
			if h.Person == nil {
				return "the client cannot ask the person (it does not support elicitation)"
			}
			return ""
		},
		Run: clarify}}
}

// maxChoice bounds one of the answers to choose from, in bytes.
const maxChoice = 300

func clarify(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	if h.Person == nil {
		return nil, api.Errorf(api.Unsupported, "clarify: this client cannot ask the person").WithHint("Ask in your answer instead.")
	}
	var p prompt
	p.line("A question from the agent. usher has not checked it; your answer goes to the agent and permits nothing else:")
	p.quote(a.Str("question"))
	if p.err != nil {
		return nil, api.Errorf(api.TooLarge, "clarify: the question has %d bytes, and %w", len(a.Str("question")), p.err).WithHint("Ask for less at once.")
	}
	choices := a.Strings("choices")
	for _, c := range choices {
		if escapeInvisible(c) != c || strings.Contains(c, "\n") || len(c) > maxChoice {
			return nil, api.Errorf(api.InvalidArgument, "clarify: choices must be short single-line texts without invisible characters, not %s", Quote(c, maxChoice))
		}
	}
	given, ok, err := h.Person.Ask(ctx, p.String(), []tool.Param{{Name: "answer", Kind: tool.String, Required: true, Enum: choices}})
	if err != nil {
		return nil, api.Errorf(api.Unsupported, "clarify: %w", err).WithHint("Ask in your answer instead.")
	}
	if !ok {
		return &tool.Result{Value: clarifyResult{Success: tool.Succeeded, Declined: true}}, nil
	}
	answer, _ := given["answer"].(string)
	return &tool.Result{Value: clarifyResult{Success: tool.Succeeded, Answer: &answer}}, nil
}

// clarifyResult is the result of clarify.
type clarifyResult struct {
	tool.Success
	Answer   *string `json:"answer,omitzero"`
	Declined bool    `json:"declined,omitzero"` // the person declined to answer
}
