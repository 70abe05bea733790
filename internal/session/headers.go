package session

import (
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/config"
)

// headersOf reads --headers, checked when it was parsed.
func headersOf(set *config.Settings) map[string]string {
	var out map[string]string
	if text := set.Str("headers"); text != "" {
		if err := jsonv2.Unmarshal([]byte(text), &out); err != nil {
			panic("session: headers were not checked: " + err.Error())
		}
	}
	return out
}

// applyHeaders sets the headers of a command for the origin it opens, from now on. It runs before the navigation.
func (s *Session) applyHeaders(cmd Command) {
	headers := headersOf(cmd.Settings)
	if len(headers) == 0 || cmd.Call.Verb.Name != "open" || !cmd.Call.Has("url") {
		return
	}
	h, work := s.browserContext()
	h.sup.SetHeaders(work.Context, cmd.Call.Str("url"), headers)
}
