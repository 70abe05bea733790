package session_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
)

// TestProxyLogin meets a proxy that asks for a login, for pages over http: the
// answer holds for every page of the session.
func TestProxyLogin(t *testing.T) {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("usher:secret"))
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", `Basic realm="gate"`)
			http.Error(w, "who are you?", http.StatusProxyAuthRequired)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title>", r.URL)
	}))
	defer proxy.Close()
	c := connect(t)
	c.env["USHER_PROXY"] = proxy.URL
	_, err := c.run(t.Context(), "open http://first.example/")
	var asked *api.Error
	if !errors.As(err, &asked) || asked.Code != api.InterruptionOpen {
		t.Fatalf("open: %v", err)
	}
	i, _ := asked.Data["interruption"].(map[string]any)
	if i["kind"] != "proxy_login" || i["realm"] != "gate" || i["origin"] != proxy.URL || i["blocks"] != true {
		t.Fatalf("asked for %v", i)
	}
	_, err = c.run(t.Context(), fmt.Sprintf("interrupt answer %s --username usher --password nonsense", i["id"]))
	if !errors.As(err, &asked) || asked.Code != api.LoginRefused || strings.Contains(err.Error(), "nonsense") {
		t.Fatalf("a wrong password: %v", err)
	}
	again, _ := asked.Data["interruption"].(map[string]any)
	if again["attempt"] != 2 || again["id"] == i["id"] {
		t.Fatalf("asked again for %v", again)
	}
	c.env["USHER_USERNAME"], c.env["USHER_PASSWORD"] = "usher", "secret"
	c.must(t, fmt.Sprintf("interrupt answer %s", again["id"]))
	for _, url := range []string{"http://first.example/", "http://second.example/"} {
		c.must(t, "open "+url)
		if got := c.must(t, "get title").Text; got != url {
			t.Errorf("%s has the title %q", url, got)
		}
	}
}
