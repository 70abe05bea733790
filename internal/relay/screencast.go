package relay

import (
	"bytes"
	"slices"

	"github.com/usher-browser/usher/internal/wire"
)

// Chrome makes pictures of a tab without the domain Page being enabled: its clients, Puppeteer for one, rely on it. A debuggee has one screencast,
// with the parameters of the session that began first.

const (
	startScreencast = "Page.startScreencast"
	stopScreencast  = "Page.stopScreencast"
)

// ofScreencast reports whether an event is for the sessions that have a screencast, and no others.
func ofScreencast(method string) bool {
	return method == "Page.screencastFrame" || method == "Page.screencastVisibilityChanged"
}

// screencasts reports whether the session has a screencast.
func (s *session) screencasts() bool {
	return slices.ContainsFunc(s.record, func(e recorded) bool { return e.key == startScreencast })
}

// screencast takes a command that begins or ends a screencast.
func (r *Relay) screencast(s *session, cmd wire.Command) {
	begins, had := cmd.Method == startScreencast, s.screencasts()
	s.discard(startScreencast)
	shared := slices.ContainsFunc(s.of.views, (*session).screencasts)
	if begins {
		s.keep(recorded{key: startScreencast, method: startScreencast, params: bytes.Clone(cmd.Params)})
	}
	if shared && begins != had {
		s.local(func() { s.client.answer(cmd, empty{}) })
		return
	}
	r.forward(s, cmd, func(payload []byte, failed bool) []byte {
		if failed && begins && !had {
			s.discard(startScreencast)
		}
		return payload
	})
}
