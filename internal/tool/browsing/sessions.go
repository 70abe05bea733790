package browsing

import (
	"context"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

// SessionTools returns the tool of the toolset session_search, which searches the events of all open browser sessions.
func SessionTools() []tool.Tool {
	return tool.WithPageContent([]tool.Tool{{Name: "session_search", Title: "Search what happened",
		Doc:    "Search the events of the open browser sessions: pages visited, dialogs, downloads, console lines, requests.",
		Params: []tool.Param{{Name: "query", Kind: tool.String, Required: true}, {Name: "limit", Kind: tool.Integer, Default: 20.0, Min: 1, Max: 200}},
		Output: reflect.TypeFor[sessionSearchResult](),
		Traits: tool.ReadOnly | tool.Idempotent, Run: sessionSearch}})
}

var (
	sessionListQuery = tool.NewQuery[struct {
		Sessions []string `json:"sessions"`
	}]("session list")
	eventsQuery = tool.NewQuery[struct {
		Events []jsontext.Value `json:"events"`
	}]("events")
)

func sessionSearch(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	open, _, err := sessionListQuery.Run(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(a.Str("query")))
	found, more := []sessionEvent{}, false
	for _, name := range open.Sessions {
		other := *h
		other.Session = name
		events, _, err := eventsQuery.Run(ctx, &other, nil)
		if api.CodeOf(err) == api.BrowserNotRunning {
			continue
		} else if err != nil {
			return nil, err
		}
		for i := len(events.Events) - 1; i >= 0; i-- {
			if !containsAll(strings.ToLower(string(events.Events[i])), words) {
				continue
			}
			if more = len(found) == a.Int("limit"); more {
				break
			}
			var event map[string]any
			if err := json.Unmarshal(events.Events[i], &event); err != nil {
				return nil, api.Errorf(api.InvalidRequest, "an event cannot be read: %w", err)
			}
			found = append(found, sessionEvent{name, event})
		}
	}
	return &tool.Result{Value: sessionSearchResult{tool.Succeeded, found, more}}, nil
}

func containsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// sessionSearchResult is the result of session_search.
type sessionSearchResult struct {
	tool.Success
	Results   []sessionEvent `json:"results"`
	Truncated bool           `json:"truncated"` // there are more matches
}

// sessionEvent is an event of a browser session.
type sessionEvent struct {
	Session string         `json:"session"`
	Event   map[string]any `json:"event"` // in the form of `usher events`
}
