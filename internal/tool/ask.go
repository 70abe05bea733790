package tool

import (
	"context"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/files"
)

// Clarify is the tool of the toolset clarify: a question to the person.
func Clarify() []Tool {
	return []Tool{{Name: "clarify", Title: "Ask the person",
		Doc: "Ask the person a question, with choices or without, and wait for the answer.",
		Params: []Param{{Name: "question", Kind: String, Required: true},
			{Name: "choices", Kind: Strings, MaxItems: 8}},
		Fields: []Param{{Name: "answer", Kind: String}, {Name: "declined", Kind: Boolean}},
		Missing: func(h *Host) string {
			if h.Person == nil {
				return "the client cannot ask the person (it does not support elicitation)"
			}
			return ""
		},
		Run: clarify}}
}

// maxChoice bounds an answer to choose from, in bytes.
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
	data := success()
	if !ok {
		data.Set("declined", true)
		return &Result{Data: data}, nil
	}
	answer, _ := given["answer"].(string)
	data.Set("answer", answer)
	return &Result{Data: data}, nil
}

// Vision is the tool of the toolset vision: a look at an image that is a file.
func Vision() []Tool {
	return tellsPages([]Tool{{Name: "vision_analyze", Title: "Look at an image",
		Doc:    "Look at an image file and answer a question about it.",
		Params: []Param{{Name: "image_path", Kind: String, Required: true}, {Name: "question", Kind: String, Required: true}},
		Fields: []Param{{Name: "analysis", Kind: String}, {Name: "image_path", Kind: String}},
		Traits: ReadOnly | UsesRoots, Missing: needsRoots, Run: visionAnalyze}})
}

// maxImage bounds an image that goes into a result.
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
	return h.look(ctx, a.Str("question"), image, "image_path", a.Str("image_path"))
}

// look shows an image to the agent's model where that can see, and else asks one that
// can.
func (h *Host) look(ctx context.Context, question string, image Image, field, path string) (*Result, error) {
	data := success()
	if h.Sees {
		data.Set(field, path)
		return &Result{Data: data, Images: []Image{image}}, nil
	}
	answer, err := "", error(api.Errorf(api.Unsupported, "this client cannot ask its model about images (no sampling), and no vision_model is configured").
		WithHint("Run usher mcp without --images ask, or set vision_model in the configuration, with a url and a model."))
	switch {
	case h.Model != nil:
		answer, err = h.Model.Ask(ctx, question, &image)
	case h.Fallback != nil:
		answer, err = h.Fallback.Ask(ctx, question, &image)
	}
	if err != nil {
		failure := Failure(err)
		failure.Data.Set(field, path)
		failure.Page, failure.Text = failure.Text, "the image is kept: "+path
		return failure, nil
	}
	data.Set("analysis", answer)
	data.Set(field, path)
	return &Result{Data: data}, nil
}

// SessionSearch is the tool of the toolset session_search: what happened in the
// browser sessions that are open.
func SessionSearch() []Tool {
	return tellsPages([]Tool{{Name: "session_search", Title: "Search what happened",
		Doc:    "Search the events of the open browser sessions: pages visited, dialogs, downloads, console lines, requests.",
		Params: []Param{{Name: "query", Kind: String, Required: true}, {Name: "limit", Kind: Integer, Default: 20.0, Min: 1, Max: 200}},
		Fields: []Param{{Name: "results", Kind: Array}, {Name: "truncated", Kind: Boolean}},
		Traits: ReadOnly | Idempotent, Run: sessionSearch}})
}

func sessionSearch(ctx context.Context, h *Host, a Args) (*Result, error) {
	var open struct {
		Sessions []struct {
			Name string `json:"name"`
		} `json:"sessions"`
	}
	if _, err := h.into(ctx, &open, "session list", nil); err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(a.Str("query")))
	found, more := []Object{}, false
	for _, s := range open.Sessions {
		var told struct {
			Events []jsontext.Value `json:"events"`
		}
		other := *h
		other.Session = s.Name
		if _, err := other.into(ctx, &told, "events", nil); api.CodeOf(err) == api.BrowserNotRunning {
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
			found = append(found, Object{{"session", s.Name}, {"event", event}})
		}
	}
	data := success()
	data.Set("results", found)
	data.Set("truncated", more)
	return &Result{Data: data}, nil
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// pictureOf reads a screenshot that a verb saved.
func pictureOf(ctx context.Context, path string) (Image, error) {
	raw, err := files.Read(ctx, path, maxImage)
	if err != nil {
		return Image{}, api.Errorf(api.FileNotFound, "the screenshot cannot be read: %w", err)
	}
	return Image{MIMEType: http.DetectContentType(raw), Bytes: raw}, nil
}
