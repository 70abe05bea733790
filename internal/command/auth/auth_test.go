package auth_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pquerna/otp/totp"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/auth"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

const secret = "JBSWY3DPEHPK3PXP"

// site is a server with login pages of several kinds. Who is logged in has the cookie.
func site(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", html.EscapeString(path), body)
		})
	}
	page("/one", `<form method=post action=/check><input type=search name=q><label>E-mail <input name=who></label><label>Password <input type=password name=pass></label>
		<button type=button onclick="this.textContent='no'">Forgot?</button><button>Sign in</button></form>`)
	page("/steps", `<form id=f onsubmit="event.preventDefault(); setTimeout(() => { f.innerHTML = '<input type=password name=pass autocomplete=current-password><button>Next</button>'; f.onsubmit = null; f.action = '/check'; f.method = 'post' }, 150)">
		<input name=who autocomplete=username><button>Next</button></form>`)
	page("/code", `<form method=post action=/check><input name=who type=email><input type=password name=pass><input type=hidden name=then value=code><input type=submit value="Log in"></form>`)
	page("/enter", `<form method=post action=/check><input name=who placeholder=Username><input type=password name=pass><input type=submit hidden></form>`)
	page("/late", `<div id=d></div><script>setTimeout(() => { d.innerHTML = '<form method=post action=/check><input name=who><input type=password name=pass><button>Go</button></form>' }, 400)</script>`)
	page("/script", `<input id=user><input id=pass type=password><div role=button tabindex=0 id=go>Log in</div><p role=alert></p><script>
		go.onclick = async () => {
			const r = await fetch('/api', {method: 'POST', body: user.value + ':' + pass.value});
			if (r.ok) document.body.innerHTML = '<h1>Hello Ada</h1>'; else document.querySelector('[role=alert]').textContent = 'Wrong password';
		}</script>`)
	page("/hops", `<form method=post action=/check><input name=who type=email><input type=password name=pass><input type=hidden name=then value=hops><button>Log in</button></form>`)
	for hop, next := range map[string]string{"/hop1": "/hop2", "/hop2": "/hop3", "/hop3": "/home"} {
		page(hop, `<script>location.replace('`+next+`')</script>`)
	}
	page("/forbidden", `<form method=post action=/check><input name=who type=email><input type=password name=pass><input type=hidden name=then value=forbidden><button>Log in</button></form>`)
	page("/get", `<form action=/home><input name=who type=email><input type=password name=pass><button>Log in</button></form>`)
	page("/none", `<h1>No form here</h1>`)
	page("/home", `<h1>Welcome</h1>`)
	good := func(who, pass string) bool { return who == "ada@example.com" && pass == "s3cret" }
	mux.HandleFunc("/check", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.FormValue("otp") != "" && totp.Validate(r.FormValue("otp"), secret):
			http.Redirect(w, r, "/home", http.StatusSeeOther)
		case r.FormValue("otp") != "":
			fmt.Fprint(w, `<p class=error>Wrong code</p><form method=post><input name=otp><button>Verify</button></form>`)
		case r.FormValue("pass") != "s3cret" || r.FormValue("who") != "" && !good(r.FormValue("who"), r.FormValue("pass")):
			fmt.Fprint(w, `<p class=error>Wrong user name or password</p><form method=post action=/check><input name=who><input type=password name=pass><button>Sign in</button></form>`)
		case r.FormValue("then") == "forbidden":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<h1>Your account is locked</h1>")
		case r.FormValue("then") == "hops":
			http.Redirect(w, r, "/hop1", http.StatusSeeOther)
		case r.FormValue("then") == "code":
			fmt.Fprint(w, `<form method=post action=/check><label>Authentication code <input name=otp inputmode=numeric></label><button>Verify</button></form>`)
		default:
			http.Redirect(w, r, "/home", http.StatusSeeOther)
		}
	})
	mux.HandleFunc("/api", func(w http.ResponseWriter, r *http.Request) {
		body := make([]byte, 100)
		n, _ := r.Body.Read(body)
		if who, pass, _ := strings.Cut(string(body[:n]), ":"); !good(who, pass) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// session returns a session with a vault of its own.
func session(t *testing.T) *commandtest.Session {
	s := commandtest.New(t)
	s.Settings.StateDir = filepath.Join(t.TempDir(), "state")
	return s
}

func TestLogin(t *testing.T) {
	s, at := session(t), site(t)
	for _, page := range []string{"one", "steps", "code", "enter", "late", "hops", "script"} {
		s.Stdin = "s3cret\n"
		s.Run(t, "auth", "save", page, "--url", at+"/"+page, "--username", "ada@example.com", "--password-stdin", "--totp-secret", secret)
		got := commandtest.Data[auth.LoggedIn](t, s.Run(t, "auth", "login", page))
		if want := at + "/home"; !got.LoggedIn || got.Proof != "form_gone" || got.URL != want && page != "script" {
			t.Errorf("%s: %+v", page, got)
		}
	}
}

// TestLoginHidesThePassword: a form with the method GET puts the password into the address.
func TestLoginHidesThePassword(t *testing.T) {
	s, at := session(t), site(t)
	s.Stdin = "s3cret & more/words"
	s.Run(t, "auth", "save", "get", "--url", at+"/get", "--username", "ada@example.com", "--password-stdin")
	res := s.Run(t, "auth", "login", "get")
	got := commandtest.Data[auth.LoggedIn](t, res)
	if want := at + "/home?who=ada%40example.com&pass=[redacted]"; got.URL != want || strings.Contains(res.Text, "s3cret") {
		t.Errorf("%+v\n%s", got, res.Text)
	}
}

func TestLoginWithChecks(t *testing.T) {
	s, at := session(t), site(t)
	s.Stdin = "s3cret"
	s.Run(t, "auth", "save", "x", "--url", at+"/one", "--username", "ada@example.com", "--password-stdin", "--check-url", "**/home")
	if got := commandtest.Data[auth.LoggedIn](t, s.Run(t, "auth", "login", "x")); got.Proof != "url" {
		t.Errorf("%+v", got)
	}
	if got := commandtest.Data[auth.LoggedIn](t, s.Run(t, "auth", "login", "x", "--check-text", "Welcome")); got.Proof != "text" {
		t.Errorf("%+v", got)
	}
	s.Run(t, "open", at+"/script")
	if got := commandtest.Data[auth.LoggedIn](t, s.Run(t, "auth", "login", "x", "--no-navigate", "--check-text", "Hello Ada")); got.Proof != "text" {
		t.Errorf("%+v", got)
	}
	_, err := s.Try(t, "auth", "login", "x", "--check-text", "never there", "--timeout", "3s")
	if api.CodeOf(err) != api.LoginFailed || !strings.Contains(err.Error(), "nothing proves") {
		t.Errorf("a check that fails: %v", err)
	}
}

func TestLoginFails(t *testing.T) {
	s, at := session(t), site(t)
	save := func(name, url, password string, more ...string) {
		s.Stdin = password
		s.Run(t, append([]string{"auth", "save", name, "--url", url, "--username", "ada@example.com", "--password-stdin"}, more...)...)
	}
	save("wrong", at+"/one", "wr0ng")
	save("script", at+"/script", "wr0ng")
	save("code", at+"/code", "s3cret")
	save("badcode", at+"/code", "s3cret", "--totp-secret", "GEZDGNBVGY3TQOJQ")
	save("none", at+"/none", "s3cret")
	save("forbidden", at+"/forbidden", "s3cret")
	save("other", strings.Replace(at, "127.0.0.1", "localhost", 1)+"/one", "s3cret")
	s.Run(t, "open", at+"/one")
	for _, c := range []struct {
		words []string
		text  string
	}{
		{[]string{"wrong"}, `the page still shows it; it says "Wrong user name or password"`},
		{[]string{"script"}, `the page still shows it; it says "Wrong password"`},
		{[]string{"code"}, "asks for a one-time code"},
		{[]string{"badcode"}, `it says "Wrong code"`},
		{[]string{"forbidden"}, "the server answered with HTTP 403"},
		{[]string{"none", "--timeout", "1s"}, "shows no login form"},
		{[]string{"wrong", "--url", "http://localhost:1/x"}, "not of the site of the saved login"},
	} {
		_, err := s.Try(t, append([]string{"auth", "login"}, c.words...)...)
		if api.CodeOf(err) != api.LoginFailed || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "wr0ng") {
			t.Errorf("%v: %v", c.words, err)
		}
	}
	s.Run(t, "open", at+"/one")
	_, err := s.Try(t, "auth", "login", "other", "--no-navigate")
	if api.CodeOf(err) != api.LoginFailed || !strings.Contains(err.Error(), "nothing was entered") {
		t.Errorf("a page of another site: %v", err)
	}
	if got := s.Eval(t, "document.querySelector('[type=password]').value"); got != `""` {
		t.Errorf("the password field of another site has %s", got)
	}
}

func TestVault(t *testing.T) {
	s := session(t)
	if got := s.Run(t, "auth", "list").Text; got != "No saved logins" {
		t.Errorf("an empty vault lists %q", got)
	}
	s.Stdin = "p@ss\r\n"
	s.Run(t, "auth", "save", "shop", "--url", "https://shop.example/login", "--username", "ada", "--password-stdin")
	dir := filepath.Join(filepath.Dir(s.Settings.StateDir), "auth")
	for _, name := range []string{"shop.enc", ".key"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "shop.enc")); err != nil || strings.Contains(string(raw), "ada") || strings.Contains(string(raw), "p@ss") {
		t.Errorf("the file shows secrets (%v)", err)
	}
	shown := s.Run(t, "auth", "show", "shop")
	if got := commandtest.Data[auth.Shown](t, shown).Profile; got.Username != "ada" || got.URL != "https://shop.example/login" || strings.Contains(shown.Text+fmt.Sprint(shown.Data), "p@ss") {
		t.Errorf("show answers %+v", got)
	}
	if got := s.Run(t, "auth", "list").Text; got != "shop - https://shop.example/login (ada)" {
		t.Errorf("the list is %q", got)
	}

	// A vault from another machine has another key.
	key := filepath.Join(dir, ".key")
	if err := os.WriteFile(key, []byte(strings.Repeat("ab", 32)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Try(t, "auth", "show", "shop"); api.CodeOf(err) != api.WrongKey {
		t.Errorf("with another key: %v", err)
	}
	if got := s.Run(t, "auth", "list").Text; !strings.HasPrefix(got, "shop - ") || !strings.Contains(got, "cannot be decrypted") {
		t.Errorf("with another key the list is %q", got)
	}
	if err := os.WriteFile(key, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Try(t, "auth", "list"); api.CodeOf(err) != api.WrongKey || !strings.Contains(err.Error(), "not 64 hexadecimal digits") {
		t.Errorf("with a damaged key: %v", err)
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "auth", "delete", "shop")
	for _, words := range [][]string{{"show", "shop"}, {"delete", "shop"}, {"login", "shop"}} {
		if _, err := s.Try(t, append([]string{"auth"}, words...)...); api.CodeOf(err) != api.LoginNotFound {
			t.Errorf("%v of no login: %v", words, err)
		}
	}
}

func TestSaveErrors(t *testing.T) {
	s := session(t)
	for _, c := range [][]string{
		{"--username", "a", "--password", "b"},
		{"--url", "https://a.example", "--password", "b"},
		{"--url", "https://a.example", "--username", "a"},
		{"--url", "file:///etc/passwd", "--username", "a", "--password", "b"},
		{"--url", "https://a.example", "--username", "a", "--password", "b", "--totp-secret", "no base32!"},
		{"--url", "https://a.example", "--username", "a", "--password", "b", "--totp-secret", "otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=1"},
	} {
		if _, err := s.Try(t, append([]string{"auth", "save", "x"}, c...)...); err == nil {
			t.Errorf("%v was saved", c)
		}
	}
	res := s.Run(t, "auth", "save", "x", "--url", "https://a.example", "--username", "a", "--password", "b", "--totp-secret",
		"otpauth://totp/A:b?secret=JBSWY3DPEHPK3PXP&issuer=A&period=30&digits=6&algorithm=SHA1")
	if !strings.Contains(res.Warning, "--password-stdin") {
		t.Errorf("a password on the command line warns %q", res.Warning)
	}
}
