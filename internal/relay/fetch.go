package relay

import (
	"maps"
	"strings"

	"github.com/usher-browser/usher/internal/wire"
)

// interception is what a session intercepts.
type interception struct {
	patterns []pattern
	auth     bool
}

// pattern is a RequestPattern of CDP.
type pattern struct {
	URL   string `json:"urlPattern,omitempty"` // with * and ?; "" for all
	Type  string `json:"resourceType,omitempty"`
	Stage string `json:"requestStage,omitempty"` // Request, which is meant by "", or Response
}

// enableFetch takes Fetch.enable. refused is why it conflicts with another client.
func (r *Relay) enableFetch(s *session, params []byte) (refused string) {
	var p struct {
		Patterns []pattern `json:"patterns"`
		Auth     bool      `json:"handleAuthRequests"`
	}
	if len(params) > 0 {
		decode(params, &p)
	}
	if p.Patterns == nil {
		p.Patterns = []pattern{{URL: "*"}}
	}
	for _, o := range s.of.views {
		if o.fetch == nil || o.client == s.client {
			continue
		}
		for _, a := range o.fetch.patterns {
			for _, b := range p.Patterns {
				if overlap(a, b) {
					return "conflict: another CDP client intercepts requests of this tab with the pattern " + string(encode(a)) + "; it must disable its Fetch domain first"
				}
			}
		}
	}
	s.fetch = &interception{patterns: p.Patterns, auth: p.Auth}
	return ""
}

// overlap reports whether two patterns surely match the same requests: they are equal, or one matches all.
func overlap(a, b pattern) bool {
	all := func(p pattern) bool { return strings.Trim(p.URL, "*") == "" }
	stage := func(p pattern) bool { return p.Stage == "Response" }
	return stage(a) == stage(b) && (a.Type == b.Type || a.Type == "" || b.Type == "") && (a.URL == b.URL || all(a) || all(b))
}

// wantedFetch returns the parameters of Fetch.enable for all sessions of a debuggee; nil if none intercepts.
func (d *debuggee) wantedFetch() []byte {
	patterns := []pattern{}
	auth, some := false, false
	for _, s := range d.views {
		if s.fetch != nil {
			some = true
			patterns = append(patterns, s.fetch.patterns...)
			auth = auth || s.fetch.auth
		}
	}
	if !some {
		return nil
	}
	return encode(map[string]any{"patterns": patterns, "handleAuthRequests": auth})
}

// applyFetch sends what the sessions of a debuggee intercept in a replay.
func (r *Relay) applyFetch(d *debuggee) {
	if params := d.wantedFetch(); params != nil {
		r.replayed(d.tab, "Fetch.enable", params, nil)
	}
}

// forwardFetch sends Fetch.enable and Fetch.disable for all sessions.
func (r *Relay) forwardFetch(s *session, cmd wire.Command) {
	cmd.Method, cmd.Params = "Fetch.enable", s.of.wantedFetch()
	if cmd.Params == nil {
		cmd.Method = "Fetch.disable"
	}
	r.forward(s, cmd, nil)
}

// leaveFetch ends what a session intercepts: the requests that it holds continue.
func (r *Relay) leaveFetch(s *session) {
	if s.fetch == nil {
		return
	}
	d := s.of
	s.fetch = nil
	maps.DeleteFunc(d.awaited, func(_ string, holder *session) bool { return holder == s })
	if params := d.wantedFetch(); params != nil {
		_ = r.link.CDP(s.tab.id, d.id, "Fetch.enable", params, ignore)
	} else {
		_ = r.link.CDP(s.tab.id, d.id, "Fetch.disable", nil, ignore) // this continues what is held
		d.held = nil
		return
	}
	for id, holder := range d.held {
		if holder == s {
			delete(d.held, id)
			_ = r.link.CDP(s.tab.id, d.id, "Fetch.continueRequest", encode(map[string]string{"requestId": id}), ignore)
		}
	}
}

// maxHeld bounds the requests of a debuggee that wait for a client.
const maxHeld = 10000

// fetchEvent gives a held request to the session that intercepts it.
func (r *Relay) fetchEvent(d *debuggee, method string, params []byte) {
	var p struct {
		ID      string `json:"requestId"`
		Type    string `json:"resourceType"`
		Status  int    `json:"responseStatusCode"`
		Error   string `json:"responseErrorReason"`
		Request struct {
			URL string `json:"url"`
		} `json:"request"`
	}
	decode(params, &p)
	for _, s := range d.views {
		if s.fetch == nil || method == "Fetch.authRequired" && !s.fetch.auth {
			continue
		}
		response := p.Status != 0 || p.Error != ""
		if method == "Fetch.requestPaused" && !s.fetch.matches(p.Request.URL, p.Type, response) && (!response || d.awaited[p.ID] != s) {
			continue
		}
		if response {
			delete(d.awaited, p.ID)
		}
		if d.held == nil {
			d.held = map[string]*session{}
		}
		if len(d.held) < maxHeld {
			d.held[p.ID] = s
		}
		s.event(method, s.madeContexts(method, params))
		return
	}
	answer := "Fetch.continueRequest"
	body := map[string]any{"requestId": p.ID}
	if method == "Fetch.authRequired" {
		answer, body["authChallengeResponse"] = "Fetch.continueWithAuth", map[string]string{"response": "Default"}
	}
	_ = r.link.CDP(d.tab.id, d.id, answer, encode(body), ignore)
}

// forgetRequest takes that a client has answered a held request.
func (r *Relay) forgetRequest(s *session, cmd wire.Command) {
	if s.of.held == nil {
		return
	}
	switch cmd.Method {
	case "Fetch.continueRequest", "Fetch.failRequest", "Fetch.fulfillRequest", "Fetch.continueWithAuth", "Fetch.continueResponse":
		var p struct {
			ID       string `json:"requestId"`
			Response bool   `json:"interceptResponse"`
		}
		decode(cmd.Params, &p)
		delete(s.of.held, p.ID)
		if p.Response && len(s.of.awaited) < maxHeld {
			if s.of.awaited == nil {
				s.of.awaited = map[string]*session{}
			}
			s.of.awaited[p.ID] = s
		}
	}
}

func (i *interception) matches(url, kind string, response bool) bool {
	for _, p := range i.patterns {
		if (p.Stage == "Response") == response && (p.Type == "" || p.Type == kind) && (p.URL == "" || glob(p.URL, url)) {
			return true
		}
	}
	return false
}

// glob matches a text with a pattern of CDP: * stands for any letters, ? for one, and \ takes the next as it is.
func glob(pattern, text string) bool {
	star, mark, i, j := -1, 0, 0, 0
	for j < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
			continue
		case i < len(pattern) && pattern[i] == '?':
			i, j = i+1, j+1
			continue
		case i+1 < len(pattern) && pattern[i] == '\\' && pattern[i+1] == text[j]:
			i, j = i+2, j+1
			continue
		case i < len(pattern) && pattern[i] == text[j]:
			i, j = i+1, j+1
			continue
		case star < 0:
			return false
		}
		mark++
		i, j = star+1, mark
	}
	return strings.Trim(pattern[i:], "*") == ""
}
