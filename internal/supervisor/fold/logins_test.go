package fold

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/headers"
	"github.com/usher-browser/usher/internal/supervisor/fold/logins"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// held returns the commands of the Fetch domain sent since the last call.
func (m *driver) held() string {
	var out []string
	for _, s := range m.sent {
		name, of := strings.CutPrefix(s.Method, "Fetch.")
		if p, ok := s.Params.(core.Params); ok && of && p["patterns"] != nil {
			name += fmt.Sprintf(" %v %v", p["patterns"], p["handleAuthRequests"])
		} else if ok && of && p["authChallengeResponse"] != nil {
			name += fmt.Sprintf(" %v", p["authChallengeResponse"])
		}
		if of {
			out = append(out, name)
		}
	}
	m.sent = nil
	return strings.Join(out, ", ")
}

// credentials sets the credentials of context C.
func (m *driver) credentials(origins ...string) {
	m.t.Helper()
	m.apply(Input{Command: &logins.SetCredentials{Context: "C", Origins: origins}})
}

const asksForLogin = `{"requestId":"r","frameId":"T","resourceType":"Document","request":{"url":"http://a/"},"authChallenge":{"source":"Server","origin":"http://a","scheme":"basic","realm":"r"}}`

// TestCredentialsHoldRequests: requests that match credentials are paused while there are some, together with those of
// other claims.
func TestCredentialsHoldRequests(t *testing.T) {
	m := newDriver(t)
	m.tab()
	m.held()
	m.apply(Input{Command: &logins.Fetching{Context: "C", Logins: true}})
	for _, step := range []struct {
		name    string
		origins []string
		want    string
	}{
		{"an origin", []string{"http://a"}, "enable [map[urlPattern:http://a/*]] true"},
		{"another in its place", []string{"http://b"}, "enable [map[urlPattern:http://b/*]] true"},
		{"two", []string{"http://b", "http://*.c"}, "enable [map[urlPattern:http://b/*] map[urlPattern:http://*.c/*]] true"},
		{"a regular expression", []string{"/b/"}, "enable [map[urlPattern:*]] true"},
		{"for whoever asks", []string{""}, "disable"},
		{"an origin again", []string{"http://a"}, "enable [map[urlPattern:http://a/*]] true"},
		{"none", nil, "disable"},
	} {
		m.credentials(step.origins...)
		if got := m.held(); got != step.want {
			t.Errorf("%s: sent %s, want %s", step.name, got, step.want)
		}
	}
}

// TestCredentialsAreReplaced: a login that waits for an answer stays paused when the credential for which it was paused
// is removed.
func TestCredentialsAreReplaced(t *testing.T) {
	m := newDriver(t)
	m.tab()
	m.apply(Input{Command: &logins.Fetching{Context: "C", Logins: true}})
	m.credentials("http://a")
	m.held()
	for range 2 { // the credential is tried once
		m.event("P", "Fetch.authRequired", asksForLogin)
	}
	if list := m.State().Interrupts; len(list) != 1 || list[0].Kind != model.KindHTTPLogin || list[0].Login.Attempt != 2 {
		t.Fatalf("open are %+v", list)
	}
	m.held()
	m.credentials()
	if got := m.held(); strings.Contains(got, "disable") {
		t.Errorf("with a login open is sent %s", got)
	}
}

// TestHeadersAndLoginsShareTheDomain: extra headers and logins pause what they need, independent of each other. Where no
// login is noticed, handleAuthRequests is off.
func TestHeadersAndLoginsShareTheDomain(t *testing.T) {
	const all = "enable [map[urlPattern:*]]"
	extra := &headers.SetHeaders{Context: "C", Origin: "http://a", Names: []string{"X"}}
	m := newDriver(t)
	m.tab()
	m.held()
	m.apply(Input{Command: &logins.Fetching{Context: "C"}}) // a person answers logins
	m.apply(Input{Command: extra})
	if got := m.held(); got != all+" false" {
		t.Errorf("headers alone: sent %s", got)
	}
	m.event("P", "Fetch.authRequired", asksForLogin)
	if got := m.held(); got != "continueWithAuth map[response:Default]" {
		t.Errorf("a login that is noticed all the same: sent %s", got)
	}
	m.credentials("http://a")
	if got := m.held(); got != all+" true" {
		t.Errorf("with credentials: sent %s", got)
	}
	m.credentials()
	if got := m.held(); got != all+" false" {
		t.Errorf("without credentials again: sent %s", got)
	}
	m.event("", "Target.attachedToTarget", `{"sessionId":"R","targetInfo":{"targetId":"U","type":"page","url":"http://a/","browserContextId":"C"}}`)
	if got := m.held(); got != all+" false" {
		t.Errorf("a new tab: sent %s", got)
	}

	m.apply(Input{Command: &Forget{Context: "C"}})
	m.event("", "Target.attachedToTarget", `{"sessionId":"V","targetInfo":{"targetId":"W","type":"page","browserContextId":"C"}}`)
	if slices.ContainsFunc(m.sent, func(s core.Send) bool { return strings.HasPrefix(s.Method, "Fetch.") }) {
		t.Errorf("of a context that was forgotten is held %s", m.held())
	}
}

// TestNavigationStoppedByALogin: requests to its origin are paused from then on, unless all are paused already for extra
// headers: then the paused request itself has failed.
func TestNavigationStoppedByALogin(t *testing.T) {
	for _, held := range []bool{false, true} {
		m := newDriver(t)
		m.tab()
		m.apply(Input{Command: &logins.Fetching{Context: "C", Logins: true}})
		want := "enable [map[urlPattern:http://a/*]] true"
		if held {
			m.apply(Input{Command: &headers.SetHeaders{Context: "C", Origin: "http://b", Names: []string{"X"}}})
			want = ""
		}
		m.event("P", "Network.responseReceived", `{"requestId":"L","loaderId":"L","frameId":"T","type":"Document","response":{"url":"http://a/","status":401}}`)
		m.held()
		m.event("P", "Network.loadingFailed", `{"requestId":"L","type":"Document","errorText":"net::ERR_INVALID_AUTH_CREDENTIALS"}`)
		if got := m.held(); got != want {
			t.Errorf("held %v: sent %s, want %s", held, got, want)
		}
	}
}
