package session_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
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
	i, _ := asked.Data["interruption"].(*api.Interruption)
	if i == nil || i.Kind != "proxy_login" || i.Realm == nil || *i.Realm != "gate" || i.Origin != proxy.URL || !i.Blocks {
		t.Fatalf("asked for %+v", i)
	}
	_, err = c.run(t.Context(), fmt.Sprintf("interrupt answer %s --username usher --password nonsense", i.ID))
	if !errors.As(err, &asked) || asked.Code != api.LoginRefused || strings.Contains(err.Error(), "nonsense") {
		t.Fatalf("a wrong password: %v", err)
	}
	again, _ := asked.Data["interruption"].(*api.Interruption)
	if again == nil || again.Attempt != 2 || again.ID == i.ID {
		t.Fatalf("asked again for %v", again)
	}
	c.env["USHER_USERNAME"], c.env["USHER_PASSWORD"] = "usher", "secret"
	c.must(t, fmt.Sprintf("interrupt answer %s", again.ID))
	for _, url := range []string{"http://first.example/", "http://second.example/"} {
		c.must(t, "open "+url)
		if got := c.must(t, "get title").Text; got != url {
			t.Errorf("%s has the title %q", url, got)
		}
	}
	// Credentials in the proxy's address are used when it asks for them, and are not on a command line.
	named := connect(t)
	named.env["USHER_PROXY"] = strings.Replace(proxy.URL, "http://", "http://usher:secret@", 1)
	named.must(t, "open http://third.example/")
	if got := named.must(t, "get title").Text; got != "http://third.example/" {
		t.Errorf("with the login in the proxy's address the title is %q", got)
	}
}

// guarded returns a server whose pages below /in require a login, and whose other pages embed parts from there. It counts the
// requests for each page with and without correct credentials.
func guarded(t *testing.T) (url string, count func(path string) (right, wrong int)) {
	t.Helper()
	var mu sync.Mutex
	seen := map[string][2]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		user, password, _ := r.BasicAuth()
		right := user == "usher" && password == "secret"
		mu.Lock()
		n := seen[r.URL.Path]
		if right {
			n[0]++
		} else {
			n[1]++
		}
		seen[r.URL.Path] = n
		mu.Unlock()
		switch {
		case strings.HasPrefix(r.URL.Path, "/in") && !right:
			w.Header().Set("WWW-Authenticate", `Basic realm="within"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case r.URL.Path == "/image":
			fmt.Fprint(w, "<!doctype html><title>Image</title>"+strings.Repeat("<img src=/in/image>", 2))
		case r.URL.Path == "/images": // more than there are connections to a server
			fmt.Fprint(w, "<!doctype html><title>Images</title>")
			for i := range 9 {
				fmt.Fprintf(w, "<img src=/in/image%d>", i)
			}
		case r.URL.Path == "/frame":
			fmt.Fprint(w, "<!doctype html><title>Frame</title><iframe src=/in/frame></iframe>")
		default:
			fmt.Fprintf(w, "<!doctype html><title>%s</title>", r.URL.Path)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, func(path string) (right, wrong int) {
		mu.Lock()
		defer mu.Unlock()
		return seen[path][0], seen[path][1]
	}
}

// TestCredentials: logins are answered automatically. Correct credentials load the page and its parts; wrong ones are
// tried once, and the login becomes an interruption.
func TestCredentials(t *testing.T) {
	url, count := guarded(t)
	for name, credentials := range map[string]string{"for an origin": "usher:secret@" + url, "for any": "usher:secret"} {
		t.Run(name, func(t *testing.T) {
			c := connect(t)
			c.env["USHER_CREDENTIALS"] = credentials
			c.must(t, "open "+url+"/in/page")
			if got := c.must(t, "get title").Text; got != "/in/page" {
				t.Errorf("the page is %q", got)
			}
			if res := c.must(t, "interrupt list"); !strings.Contains(res.Text, "No open interruptions") {
				t.Errorf("left over: %s", res.Text)
			}
			if got := c.must(t, `eval fetch("/in/data").then(r=>r.status)`).Text; got != "200" {
				t.Errorf("a script gets %s", got)
			}
		})
	}
	t.Run("wrong", func(t *testing.T) {
		c := connect(t)
		c.env["USHER_CREDENTIALS"] = "usher:nonsense"
		_, err := c.run(t.Context(), "open "+url+"/in/wrong")
		var asked *api.Error
		if !errors.As(err, &asked) || asked.Code != api.InterruptionOpen {
			t.Fatalf("open: %v", err)
		}
		i, _ := asked.Data["interruption"].(*api.Interruption)
		if i == nil || i.Attempt != 2 || !strings.Contains(i.Message, "rejected") {
			t.Errorf("asked for %v", i)
		}
		if shown := fmt.Sprintf("%v %v %s %v %v", err, *i, asked.Hint, fields(t, c.must(t, "interrupt list --all")), fields(t, c.must(t, "events --since 0"))); strings.Contains(shown, "nonsense") {
			t.Errorf("the password is shown: %s", shown)
		}
		c.must(t, fmt.Sprintf("interrupt answer %s --username usher --password secret", i.ID))
		if got := c.must(t, "get title").Text; got != "/in/wrong" {
			t.Errorf("the page is %q", got)
		}
		if right, wrong := count("/in/wrong"); right != 1 || wrong > 3 {
			t.Errorf("%d requests with the right password, %d without", right, wrong)
		}
	})
}

// TestCredentialsReplaced: a login waits while the credential for which it was held is replaced by another. It can still
// be answered, and requests to an origin that no longer has a credential are sent as before.
func TestCredentialsReplaced(t *testing.T) {
	url, _ := guarded(t)
	c := connect(t)
	_, err := c.run(t.Context(), "--credentials usher:nonsense@"+url+" open "+url+"/in/wrong")
	var asked *api.Error
	if !errors.As(err, &asked) || asked.Code != api.InterruptionOpen {
		t.Fatalf("open: %v", err)
	}
	i, _ := asked.Data["interruption"].(*api.Interruption)
	if listed := c.must(t, "--credentials usher:nonsense@http://other.example interrupt list").Text; !strings.Contains(listed, i.ID) {
		t.Fatalf("with other credentials are listed: %s", listed)
	}
	c.must(t, fmt.Sprintf("interrupt answer %s --username usher --password secret", i.ID))
	if got := c.must(t, "get title").Text; got != "/in/wrong" {
		t.Errorf("the page is %q", got)
	}

	c = connect(t)
	c.must(t, "--credentials usher:secret@"+url+" open "+url+"/in/page")
	c.must(t, "--credentials usher:secret@http://other.example open "+url+"/in/again")
	if got := c.must(t, "get title").Text; got != "/in/again" {
		t.Errorf("the page is %q", got)
	}
	if got := c.must(t, `eval fetch("/plain").then(r=>r.status)`).Text; got != "200" {
		t.Errorf("a script gets %s", got)
	}
}

// TestHiddenLogin opens pages with parts that require a login for which Chromium sends no event: the page loads, the
// login is reported, and with credentials it is answered.
func TestHiddenLogin(t *testing.T) {
	url, count := guarded(t)
	for _, page := range []string{"image", "images", "frame"} {
		t.Run(page, func(t *testing.T) {
			c := connect(t)
			part := "/in/" + strings.TrimSuffix(page, "s") // whichever of the images is answered first
			res := c.must(t, "open "+url+"/"+page)
			if !strings.Contains(res.Warning, "http_login") || !strings.Contains(res.Warning, url+part) || strings.Count(res.Warning, "http_login") != 1 {
				t.Errorf("opening it tells %q", res.Warning)
			}
			listed := c.must(t, "interrupt list").Text
			if !strings.Contains(listed, "realm within") || !strings.Contains(listed, "--credentials") {
				t.Errorf("listed is %s", listed)
			}
			c.must(t, "--credentials usher:secret@"+url+" reload")
			if page == "images" {
				part += "0"
			}
			if right, _ := count(part); right == 0 {
				t.Error("no request came with the password")
			}
			if listed := c.must(t, "interrupt list").Text; !strings.Contains(listed, "No open interruptions") {
				t.Errorf("still listed: %s", listed)
			}
		})
	}
	t.Run("a script's", func(t *testing.T) {
		c := connect(t)
		c.must(t, "open "+url+"/plain")
		c.must(t, `eval fetch("/in/script"),window.kept=5`)
		ctx, cancel := context.WithTimeout(t.Context(), cdptest.Timeout)
		defer cancel()
		waited := make(chan error, 1)
		go func() {
			_, err := c.run(ctx, "wait --fn window.never --timeout 5m")
			waited <- err
		}()
		for !strings.Contains(c.must(t, "interrupt list").Text, "/in/script, which stays pending") {
			select {
			case err := <-waited:
				t.Fatalf("not told of while a command waits: %v", err)
			case <-time.After(20 * time.Millisecond):
			}
		}
		cancel()
		<-waited
		if got := c.must(t, "eval window.kept").Text; got != "5" {
			t.Errorf("of the page remains %s", got)
		}
		c.must(t, "reload")
		if got := c.must(t, `eval fetch("/in/script").then(r=>r.status)`).Text; got != "401" {
			t.Errorf("behind a reload a script gets %s", got)
		}
	})
}
