package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/usher-browser/usher/internal/api"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const secret = "key/5f2a 9c" // its escaped forms must not be shown, either

// variables are those of a caller who uses a server in place of each service.
func variables(server string) map[string]string {
	return map[string]string{
		"BROWSERBASE_API_KEY": secret, "BROWSERBASE_BASE_URL": server, "BROWSERLESS_API_KEY": secret, "BROWSERLESS_API_URL": server,
		"BROWSER_USE_API_KEY": secret, "BROWSER_USE_API_URL": server, "KERNEL_API_KEY": secret, "KERNEL_ENDPOINT": server + "/",
		"AWS_ACCESS_KEY_ID": "AKID" + secret, "AWS_SECRET_ACCESS_KEY": secret, "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE": server,
	}
}

func options(name string, vars map[string]string) Options {
	return Options{Name: name, Agent: "usher/test", Env: func(name string) (string, bool) { v, ok := vars[name]; return v, ok }}
}

func serve(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// TestRefusals: whatever a service answers, the error says what was tried, what was found and what to do, without the key.
func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		header [2]string
		want   []string // parts of message and hint
	}{
		"401":         {401, `{"error":"bad key %s"}`, [2]string{}, []string{"401 Unauthorized", "[redacted]", "not accepted"}},
		"402":         {402, "pay", [2]string{}, []string{"402 Payment Required: pay", "used up"}},
		"403":         {403, "", [2]string{}, []string{"403 Forbidden", "not accepted, or may not do this"}},
		"404":         {404, "no such profile", [2]string{}, []string{"404 Not Found: no such profile", "does not exist there"}},
		"429":         {429, "slow down", [2]string{"Retry-After", "17"}, []string{"429", "after 17s"}},
		"429 no hint": {429, "slow down", [2]string{}, []string{"429", "later"}},
		"500":         {500, "<html>\x1b[31m%s</html>", [2]string{}, []string{"500 Internal Server Error", "failure of the service"}},
		"a redirect":  {302, "", [2]string{"Location", "https://elsewhere.example/"}, []string{"302", "does not send the key"}},
		"nonsense":    {200, "welcome %s", [2]string{}, []string{"not the JSON", `"welcome [redacted]"`, "API has changed"}},
		"empty":       {200, "", [2]string{}, []string{"not the JSON", "nothing"}},
		"no address":  {201, "{}", [2]string{}, []string{"without the address"}},
		"other types": {200, `{"id":7,"session_id":7,"sessionId":7,"connectUrl":7,"stop":7}`, [2]string{}, []string{"not the JSON"}},
	} {
		asked := 0
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			asked++
			if c.header[0] != "" {
				w.Header().Set(c.header[0], c.header[1])
			}
			w.WriteHeader(c.status)
			fmt.Fprint(w, strings.ReplaceAll(c.body, "%s", secret))
		})
		for _, service := range Names() {
			asked = 0
			_, err := Open(t.Context(), options(service, variables(server)))
			e := api.AsError(err)
			if e == nil || e.Code != api.ProviderFailed || e.Data["provider"] != service {
				t.Errorf("%s, %s: %v", service, name, err)
				continue
			}
			said := e.Sentence()
			for _, part := range c.want {
				if part == "without the address" && service == "browserless" {
					part = "no address at which the session can be stopped"
				}
				if !strings.Contains(said, part) {
					t.Errorf("%s, %s: it lacks %q: %s", service, name, part, said)
				}
			}
			if shows(said) || strings.Contains(said, "\x1b") {
				t.Errorf("%s, %s: %q", service, name, said)
			}
			if asked != 1 {
				t.Errorf("%s, %s: %d requests", service, name, asked)
			}
		}
	}
}

// shows reports whether a text contains the key in any form.
func shows(text string) bool {
	for _, form := range []string{secret, "5f2a", "key%2F"} {
		if strings.Contains(text, form) {
			return true
		}
	}
	return false
}

// TestWithoutKey: the error names the variable and where to get a key, and nothing is sent.
func TestWithoutKey(t *testing.T) {
	server := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	t.Setenv("PATH", t.TempDir())
	for _, service := range Names() {
		vars := variables(server)
		for name := range vars {
			if strings.Contains(name, "KEY") {
				vars[name] = " "
			}
		}
		_, err := Open(t.Context(), options(service, vars))
		e := api.AsError(err)
		if e == nil || e.Code != api.ProviderFailed || !strings.Contains(e.Message, "KEY") || !strings.Contains(e.Message, "nothing was started") || e.Hint == "" {
			t.Errorf("%s: %v", service, err)
		}
	}
}

// TestUnansweredRequest: a deadline, and a server that is not there.
func TestUnansweredRequest(t *testing.T) {
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is noticed
		<-r.Context().Done()
	})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := Open(ctx, options("kernel", variables(silent)))
	if e := api.AsError(err); !strings.Contains(e.Message, "no answer in time") || !strings.Contains(e.Hint, "may have started") || !strings.Contains(e.Hint, "KERNEL_ENDPOINT") {
		t.Errorf("a silent server: %v (%s)", e, e.Hint)
	}
	_, err = Open(t.Context(), options("kernel", variables("http://127.0.0.1:1")))
	if e := api.AsError(err); e.Code != api.ProviderFailed || !strings.Contains(e.Message, "refused") || shows(e.Sentence()) {
		t.Errorf("no server: %v", e)
	}
	_, err = Open(t.Context(), options("kernel", map[string]string{"KERNEL_API_KEY": secret, "KERNEL_ENDPOINT": "kernel.example"}))
	if e := api.AsError(err); e.Code != api.ProviderFailed || !strings.Contains(e.Message, "KERNEL_ENDPOINT is not an http") {
		t.Errorf("no address: %v", e)
	}
}

// TestIDThatIsNone: an id that would control a terminal, or form a line, is refused, and the session stopped.
func TestIDThatIsNone(t *testing.T) {
	stopped := ""
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			stopped = r.URL.Path
			return
		}
		fmt.Fprint(w, `{"session_id":"k\u001b[31m\n✓ Done","cdp_ws_url":"ws://127.0.0.1:1/x"}`)
	})
	_, err := Open(t.Context(), options("kernel", variables(server)))
	if e := api.AsError(err); e == nil || e.Code != api.ProviderFailed || strings.ContainsAny(e.Message, "\x1b\n") {
		t.Errorf("%v", err)
	}
	if stopped != "/browsers/k\x1b[31m\n✓ Done" {
		t.Errorf("it stopped %q", stopped)
	}
}

// TestKeyGoesToTheServiceOnly: the address at which Browserless stops a session is asked with the key only at its own host.
func TestKeyGoesToTheServiceOnly(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"id":"s1","connect":"ws://127.0.0.1:1/x","stop":"https://elsewhere.example/session/s1"}`)
	})
	_, err := Open(t.Context(), options("browserless", variables(server)))
	if e := api.AsError(err); e == nil || !strings.Contains(e.Message, "elsewhere.example") {
		t.Errorf("%v", err)
	}
}

// TestAbandonedSessions: a session whose process has ended is stopped, once, with the key of the caller. The files have no
// key. A session that the service does not know is ended.
func TestAbandonedSessions(t *testing.T) {
	for _, status := range []int{http.StatusOK, http.StatusNotFound} {
		var stops []string
		server := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				stops = append(stops, r.URL.Path+" "+r.Header.Get("Authorization"))
				w.WriteHeader(status)
				return
			}
			fmt.Fprintf(w, `{"session_id":"k1","cdp_ws_url":"wss://127.0.0.1:1/cdp?jwt=%s"}`, secret)
		})
		o := options("kernel", variables(server))
		o.Dir, o.Session = filepath.Join(t.TempDir(), "rented"), "shop"
		b, err := Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(b.note.path)
		if err != nil || shows(string(text)) || !strings.Contains(string(text), `"shop"`) {
			t.Errorf("the record is %s, %v", text, err)
		}
		if ids, err := StopAbandoned(t.Context(), o); len(ids)+len(err) != 0 {
			t.Errorf("it stopped %q of this process: %v", ids, err)
		}
		if err := b.note.release(); err != nil { // as the end of the process does
			t.Fatal(err)
		}
		keyless := o
		keyless.Env = func(string) (string, bool) { return "", false }
		if ids, err := StopAbandoned(t.Context(), keyless); len(ids) != 0 || len(err) != 1 || err[0].Session != "shop" || !strings.Contains(err[0].Error(), "k1 of session shop was not stopped") {
			t.Errorf("without the key: %q, %v", ids, err)
		}
		for i, want := range []int{1, 0} {
			if ids, err := StopAbandoned(t.Context(), o); len(ids) != want || len(err) != 0 {
				t.Errorf("time %d: stopped %q, %v", i+1, ids, err)
			}
		}
		if len(stops) != 1 || stops[0] != "/browsers/k1 Bearer "+secret {
			t.Errorf("the requests were %q", stops)
		}
	}
}

// TestStopIsRepeated: a session that could not be stopped is kept in the directory, for the next attempt.
func TestStopIsRepeated(t *testing.T) {
	fails := true
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			fmt.Fprint(w, `{"id":"u1","cdpUrl":"https://127.0.0.1:1"}`)
		case fails:
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	o := options("browseruse", variables(server))
	o.Dir = t.TempDir()
	b, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	err = b.Stop(t.Context())
	if e := api.AsError(err); e == nil || e.Data["remoteSession"] != "u1" || !strings.Contains(e.Hint, "repeat `close`") {
		t.Fatalf("%v", err)
	}
	fails = false
	if ids, err := StopAbandoned(t.Context(), o); len(ids) != 1 || len(err) != 0 {
		t.Errorf("stopped %q, %v", ids, err)
	}
	if err := errors.Join(b.Stop(t.Context()), b.Stop(t.Context())); err != nil {
		t.Error(err)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "17": 17 * time.Second, "-3": 0, "x": 0, "99999999999": 0,
		"Mon, 23 Nov 2026 12:01:00 GMT": time.Minute, "Mon, 23 Nov 2026 11:00:00 GMT": 0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestSignature compares with the published test suite of AWS (aws4_testsuite: get-vanilla, get-vanilla-query-order-key-case).
func TestSignature(t *testing.T) {
	t.Parallel()
	k := credentials{
		id: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", region: "us-east-1", service: "service",
		now: func() time.Time { return time.Date(2015, 8, 30, 12, 36, 0, 0, time.UTC) },
	}
	for path, want := range map[string]string{
		"/":                             "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
		"/?Param2=value2&Param1=value1": "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
	} {
		header, err := k.headers("https://example.amazonaws.com" + path)
		if err != nil {
			t.Fatal(err)
		}
		wantHeader := "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=" + want
		if got := header.Get("Authorization"); got != wantHeader {
			t.Errorf("%s: %s\nwant %s", path, got, wantHeader)
		}
	}
}

// TestCredentialsOfTheCommandLine: without keys in the environment they come from the program aws.
func TestCredentialsOfTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"$@\" >&2\n[ \"$5\" = --profile ] && [ \"$6\" = work ] || exit 3\n" +
		`echo '{"Version":1,"AccessKeyId":"AKIDCLI","SecretAccessKey":"` + secret + `","SessionToken":"tok-5f2a"}'` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "aws"), []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	var seen http.Header
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, r.Header)
	})
	vars := map[string]string{"AWS_ENDPOINT_URL_BEDROCK_AGENTCORE": server, "AWS_PROFILE": "work"}
	_, err := Open(t.Context(), options("agentcore", vars))
	if seen.Get("X-Amz-Security-Token") != "tok-5f2a" || !strings.Contains(seen.Get("Authorization"), "Credential=AKIDCLI/") || api.CodeOf(err) != api.ProviderFailed || shows(err.Error()) {
		t.Errorf("the headers were %v: %v", seen, err)
	}
	vars["AWS_PROFILE"] = "none"
	if _, err := Open(t.Context(), options("agentcore", vars)); err == nil || !strings.Contains(err.Error(), "export-credentials` failed: exit status 3") {
		t.Errorf("%v", err)
	}
}
