package session

import (
	"context"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// headersIn returns the headers in the value of an option, which was checked when the flag was parsed.
func headersIn(text string) map[string]string {
	var out map[string]string
	if text != "" {
		if err := jsonv2.Unmarshal([]byte(text), &out); err != nil {
			panic("session: headers were not checked: " + err.Error())
		}
	}
	return out
}

// applyHeaders sets the headers of a command for the origin that it opens. They stay until they are replaced. It runs
// before the navigation.
func (s *Session) applyHeaders(cmd Command) {
	headers := headersIn(cmd.Settings.Str("headers"))
	if len(headers) == 0 || cmd.Call.Verb.Name != "open" || !cmd.Call.Has("url") {
		return
	}
	h, work := s.browserContext()
	h.sup.SetHeaders(work.Context, cmd.Call.Str("url"), headers)
}

// setExtraHeaders sets the headers that go to every origin.
func setExtraHeaders(_ context.Context, h *host, c model.ContextID, _, now string) error {
	h.sup.SetHeadersEverywhere(c, headersIn(now))
	return nil
}
