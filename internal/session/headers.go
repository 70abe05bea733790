package session

import (
	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/config"
)

// headersOf returns the headers of --headers, which were checked when the flag was parsed.
func headersOf(set *config.Settings) map[string]string {
	var out map[string]string
	if text := set.Str("headers"); text != "" {
		if err := jsonv2.Unmarshal([]byte(text), &out); err != nil {
			panic("session: headers were not checked: " + err.Error())
		}
	}
	return out
}

// applyHeaders sets the headers of a command for the origin that it opens. They stay until they are replaced. It runs
// before the navigation.
func (s *Session) applyHeaders(cmd Command) {
	headers := headersOf(cmd.Settings)
	if len(headers) == 0 || cmd.Call.Verb.Name != "open" || !cmd.Call.Has("url") {
		return
	}
	h, work := s.browserContext()
	h.sup.SetHeaders(work.Context, cmd.Call.Str("url"), headers)
}
