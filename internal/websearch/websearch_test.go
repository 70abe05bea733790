package websearch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// engines is a double of the four services: each speaks its documented protocol and refuses what the service refuses.
func engines(w http.ResponseWriter, r *http.Request) {
	refuse := func(status int, text string) {
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
	body := map[string]any{}
	if r.Method == http.MethodPost {
		data, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(data, &body) != nil || r.Header.Get("Content-Type") != "application/json" {
			refuse(422, "the body is no JSON")
			return
		}
	}
	query := r.URL.Query().Get("q")
	if q, ok := body["query"].(string); ok {
		query = q
	}
	if query == "too much" {
		refuse(429, `{"error":"rate limit of key-1"}`)
		return
	}
	switch r.Method + " " + r.URL.Path {
	case "GET /res/v1/web/search":
		if r.Header.Get("X-Subscription-Token") != "key-1" {
			refuse(401, `{"error":{"code":"SUBSCRIPTION_TOKEN_INVALID"}}`)
			return
		}
		fmt.Fprintf(w, `{"type":"search","web":{"type":"search","results":[
			{"title":"One &amp; <strong>only</strong>","url":"https://one.example/","description":"about <strong>%s</strong>, %s of them","age":"1 day"},
			{"title":"A trap","url":"javascript:alert(1)","description":""},
			{"title":"Two","url":"https://two.example/","description":"second"}]}}`, query, r.URL.Query().Get("count"))
	case "POST /search":
		switch {
		case r.Header.Get("Authorization") == "Bearer key-1": // Tavily
			fmt.Fprintf(w, `{"query":"x","results":[{"title":"One & only","url":"https://one.example/","content":"about %s, %v of them","score":0.9},
				{"title":"Two","url":"https://two.example/","content":"second"}],"response_time":"1"}`, query, body["max_results"])
		case r.Header.Get("x-api-key") == "key-1": // Exa
			if _, asked := body["contents"].(map[string]any)["text"]; !asked {
				refuse(400, "no text was asked for")
				return
			}
			fmt.Fprintf(w, `{"requestId":"r","results":[{"id":"1","title":"One & only","url":"https://one.example/","text":"about %s, %v of them"},
				{"id":"2","title":"Two","url":"https://two.example/","text":"second","author":null}]}`, query, body["numResults"])
		default:
			refuse(401, "no key")
		}
	case "GET /search": // SearXNG
		if r.URL.Query().Get("format") != "json" {
			refuse(403, "<html>")
			return
		}
		fmt.Fprintf(w, `{"query":"x","number_of_results":0,"results":[{"title":"One & only","url":"https://one.example/","content":"about %s, 2 of them","engine":"duckduckgo"},
			{"title":"Two","url":"https://two.example/","content":"second"},{"title":"Three","url":"https://three.example/","content":"third"}]}`, query)
	default:
		refuse(404, "")
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(engines))
	defer server.Close()
	for _, k := range kinds() {
		secret := "key-1"
		if k.name == "searxng" {
			secret = server.URL + "/"
		}
		e := &Engine{Name: k.name, Secret: secret, Base: server.URL, Agent: "usher"}
		hits, err := e.Search(t.Context(), "bread & salt", 2)
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		want := []Hit{{"One & only", "https://one.example/", "about bread & salt, 2 of them", 1}, {"Two", "https://two.example/", "second", 2}}
		if len(hits) != 2 || hits[0] != want[0] || hits[1] != want[1] {
			t.Errorf("%s: %+v", k.name, hits)
		}
		var refused *RefusedError
		if _, err := e.Search(t.Context(), "too much", 2); !errors.As(err, &refused) || refused.Status != 429 || refused.Advice() == "" || strings.Contains(err.Error(), secret) {
			t.Errorf("%s, too much: %v", k.name, err)
		}
		if k.name != "searxng" {
			bad := &Engine{Name: k.name, Secret: "wrong", Base: server.URL}
			if _, err := bad.Search(t.Context(), "x", 2); !errors.As(err, &refused) || !strings.Contains(refused.Advice(), k.variable) {
				t.Errorf("%s, wrong key: %v", k.name, err)
			}
		}
	}
	if _, err := (&Engine{Name: "searxng", Secret: "not an address"}).Search(t.Context(), "x", 1); err == nil || !strings.Contains(err.Error(), "SEARXNG_URL") {
		t.Errorf("an instance without an address: %v", err)
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	env := func(known ...string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			for _, k := range known {
				if k == name {
					return "secret", true
				}
			}
			return "", false
		}
	}
	for _, c := range []struct{ wanted, known, want string }{
		{"", "BRAVE_API_KEY TAVILY_API_KEY EXA_API_KEY SEARXNG_URL", "brave"}, {"", "EXA_API_KEY SEARXNG_URL", "exa"}, {"", "SEARXNG_URL", "searxng"},
		{"tavily", "BRAVE_API_KEY TAVILY_API_KEY", "tavily"}, {"tavily", "BRAVE_API_KEY", ""}, {"", "", ""},
	} {
		e, err := Choose(c.wanted, env(strings.Fields(c.known)...))
		var missing *UnavailableError
		switch {
		case c.want == "" && (!errors.As(err, &missing) || !strings.Contains(missing.SetUp(), "TAVILY_API_KEY")):
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (err != nil || e.Name != c.want):
			t.Errorf("%+v: %v %v", c, e, err)
		}
	}
}
