package tool

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
)

// Clarify returns the tool of the toolset clarify, which asks the person a question by MCP elicitation.
func Clarify() []Tool {
	return []Tool{{Name: "clarify", Title: "Ask the person",
		Doc: "Ask the person a question, with choices or without, and wait for the answer.",
		Params: []Param{{Name: "question", Kind: String, Required: true},
			{Name: "choices", Kind: Strings, MaxItems: 8}},
		Output: reflect.TypeFor[clarifyResult](),
		Missing: func(h *Host) string {
			if h.Person == nil {
				return "the client cannot ask the person (it does not support elicitation)"
			}
			return ""
		},
		Run: clarify}}
}

// maxChoice bounds one of the answers to choose from, in bytes.
const maxChoice = 300

func clarify(ctx context.Context, h *Host, a Args) (*Result, error) {
	if h.Person == nil {
		return nil, api.Errorf(api.Unsupported, "clarify: this client cannot ask the person").WithHint("Ask in your answer instead.")
	}
	var s shown
	s.line("A question from the agent. usher has not checked it; your answer goes to the agent and permits nothing else:")
	s.quote(a.Str("question"))
	if s.err != nil {
		return nil, api.Errorf(api.TooLarge, "clarify: the question has %d bytes, and %w", len(a.Str("question")), s.err).WithHint("Ask for less at once.")
	}
	choices := a.Strings("choices")
	for _, c := range choices {
		if visible(c) != c || strings.Contains(c, "\n") || len(c) > maxChoice {
			return nil, api.Errorf(api.InvalidArgument, "clarify: choices must be short single-line texts without invisible characters, not %s", inOneLine(c, maxChoice))
		}
	}
	given, ok, err := h.Person.Ask(ctx, s.String(), []Param{{Name: "answer", Kind: String, Required: true, Enum: choices}})
	if err != nil {
		return nil, api.Errorf(api.Unsupported, "clarify: %w", err).WithHint("Ask in your answer instead.")
	}
	if !ok {
		return &Result{Value: clarifyResult{success: succeeded, Declined: true}}, nil
	}
	answer, _ := given["answer"].(string)
	return &Result{Value: clarifyResult{success: succeeded, Answer: &answer}}, nil
}

// Vision returns the tool of the toolset vision, which answers a question about an image file.
func Vision() []Tool {
	return tellsPages([]Tool{{Name: "vision_analyze", Title: "Look at an image",
		Doc:    "Look at an image file and answer a question about it.",
		Params: []Param{{Name: "image_path", Kind: String, Required: true}, {Name: "question", Kind: String, Required: true}},
		Output: reflect.TypeFor[lookResult](),
		Traits: ReadOnly | UsesRoots, Missing: needsRoots, Run: visionAnalyze}})
}

// maxImage bounds an image in a result, in bytes.
const maxImage = 20 << 20

func visionAnalyze(ctx context.Context, h *Host, a Args) (*Result, error) {
	raw, err := h.read(ctx, a.Str("image_path"), maxImage)
	if err != nil {
		return nil, err
	}
	image := Image{MIMEType: http.DetectContentType(raw), Bytes: raw}
	if !strings.HasPrefix(image.MIMEType, "image/") {
		return nil, api.Errorf(api.InvalidArgument, "%s is not an image but %s", a.Str("image_path"), image.MIMEType)
	}
	path := a.Str("image_path")
	analysis, images, err := h.look(ctx, a.Str("question"), image)
	if err != nil {
		res, told := unseen(err, path)
		told.Image = path
		return res, nil
	}
	return &Result{Value: lookResult{succeeded, analysis, path}, Images: images}, nil
}

// look returns the image for the agent's model if that accepts images (Host.Sees). Otherwise it asks Host.Model or
// Host.Fallback and returns the answer.
func (h *Host) look(ctx context.Context, question string, image Image) (analysis *string, images []Image, err error) {
	if h.Sees {
		return nil, []Image{image}, nil
	}
	answer := ""
	switch {
	case h.Model != nil:
		answer, err = h.Model.Ask(ctx, question, &image)
	case h.Fallback != nil:
		answer, err = h.Fallback.Ask(ctx, question, &image)
	default:
		err = api.Errorf(api.Unsupported, "this client cannot ask its model about images (no sampling), and no vision_model is configured").
			WithHint("Run usher mcp without --images ask, or set vision_model in the configuration, with a url and a model.")
	}
	return &answer, nil, err
}

// unseen returns the failed result for an image that no model could be asked about. The image file stays at path.
func unseen(err error, path string) (*Result, *failure) {
	res := Failure(err)
	res.Page, res.Text = res.Text, "the image is kept: "+path
	return res, res.Value.(*failure)
}

// SessionSearch returns the tool of the toolset session_search, which searches the events of all open browser sessions.
func SessionSearch() []Tool {
	return tellsPages([]Tool{{Name: "session_search", Title: "Search what happened",
		Doc:    "Search the events of the open browser sessions: pages visited, dialogs, downloads, console lines, requests.",
		Params: []Param{{Name: "query", Kind: String, Required: true}, {Name: "limit", Kind: Integer, Default: 20.0, Min: 1, Max: 200}},
		Output: reflect.TypeFor[sessionSearchResult](),
		Traits: ReadOnly | Idempotent, Run: sessionSearch}})
}

var (
	sessionLists = reading[struct {
		Sessions []string `json:"sessions"`
	}]("session list")
	eventLists = reading[struct {
		Events []jsontext.Value `json:"events"`
	}]("events")
)

func sessionSearch(ctx context.Context, h *Host, a Args) (*Result, error) {
	open, _, err := sessionLists.ask(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(a.Str("query")))
	found, more := []sessionEvent{}, false
	for _, name := range open.Sessions {
		other := *h
		other.Session = name
		told, _, err := eventLists.ask(ctx, &other, nil)
		if api.CodeOf(err) == api.BrowserNotRunning {
			continue
		} else if err != nil {
			return nil, err
		}
		for i := len(told.Events) - 1; i >= 0; i-- {
			if !holdsAll(strings.ToLower(string(told.Events[i])), words) {
				continue
			}
			if more = len(found) == a.Int("limit"); more {
				break
			}
			var event map[string]any
			if err := json.Unmarshal(told.Events[i], &event); err != nil {
				return nil, api.Errorf(api.InvalidRequest, "an event cannot be read: %w", err)
			}
			found = append(found, sessionEvent{name, event})
		}
	}
	return &Result{Value: sessionSearchResult{succeeded, found, more}}, nil
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// pictureOf reads a screenshot file that a command wrote.
func pictureOf(ctx context.Context, path string) (Image, error) {
	raw, err := files.Read(ctx, path, maxImage)
	if err != nil {
		return Image{}, api.Errorf(api.FileNotFound, "the screenshot cannot be read: %w", err)
	}
	return Image{MIMEType: http.DetectContentType(raw), Bytes: raw}, nil
}
