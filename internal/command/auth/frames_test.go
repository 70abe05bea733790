package auth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/auth"
)

// nested returns a server whose login forms are in frames and shadow roots. /frame is the form alone. What is entered stands
// in the text of the page that has the form, or of the frame.
func nested(t *testing.T) (at, elsewhere string) {
	t.Helper()
	const form = `<form onsubmit="event.preventDefault(); document.body.textContent = 'in as ' + this.elements.who.value + ' with ' + this.elements.pass.value.length">
		<input name=who><input type=password name=pass><button>Sign in</button></form>`
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	at, elsewhere = server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	page := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html>"+body)
		})
	}
	page("/frame", form)
	page("/same", `<h1>Shop</h1><iframe src="/frame"></iframe>`)
	page("/srcdoc", `<iframe srcdoc="`+strings.ReplaceAll(form, `"`, "&quot;")+`"></iframe>`)
	page("/deep", `<iframe src="/same"></iframe>`)
	page("/cross", `<h1>Shop</h1><iframe src="`+elsewhere+`/frame"></iframe>`)
	page("/hidden", `<iframe src="/frame" hidden></iframe><h1>Nothing to see</h1>`)
	page("/shadow", `<div id=host></div><script>host.attachShadow({mode: 'open'}).innerHTML = `+"`"+form+"`"+`</script>`)
	page("/parts", `<x-field id=u></x-field><x-field id=p></x-field><x-button></x-button><script>
		customElements.define('x-field', class extends HTMLElement { constructor() { super();
			this.attachShadow({mode: 'open'}).innerHTML = this.id == 'p' ? '<input type=password>' : '<div></div>';
			if (this.id == 'u') this.shadowRoot.firstChild.attachShadow({mode: 'open'}).innerHTML = '<label>User <input></label>' } });
		customElements.define('x-button', class extends HTMLElement { constructor() { super();
			this.attachShadow({mode: 'open'}).innerHTML = '<button>Log in</button>';
			this.shadowRoot.firstChild.onclick = () => {
				const who = u.shadowRoot.firstChild.shadowRoot.querySelector('input').value;
				document.body.textContent = 'in as ' + who + ' with ' + p.shadowRoot.querySelector('input').value.length } } });
		</script>`)
	return at, elsewhere
}

// TestLoginInFramesAndShadowRoots: the form is found where it is, and its fields are filled.
func TestLoginInFramesAndShadowRoots(t *testing.T) {
	s := session(t)
	at, elsewhere := nested(t)
	for _, page := range []string{"same", "srcdoc", "deep", "shadow", "parts"} {
		s.Stdin = "s3cret"
		s.Run(t, "auth", "save", page, "--url", at+"/"+page, "--username", "ada", "--password-stdin")
		got, err := s.Try(t, "auth", "login", page)
		if err != nil {
			t.Errorf("%s: %v", page, err)
			continue
		}
		if data := commandtest.Data[auth.LoggedIn](t, got); data.Proof != "form_gone" {
			t.Errorf("%s: %+v", page, data)
		}
		if text := s.Run(t, "snapshot").Text; !strings.Contains(text, "in as ada with 6") {
			t.Errorf("%s shows %s", page, text)
		}
	}
	s.Stdin = "s3cret"
	s.Run(t, "auth", "save", "cross", "--url", elsewhere+"/frame", "--username", "ada", "--password-stdin")
	s.Run(t, "open", at+"/cross")
	if got := commandtest.Data[auth.LoggedIn](t, s.Run(t, "auth", "login", "cross", "--no-navigate")); got.Proof != "form_gone" {
		t.Errorf("in a frame of another site, which is the saved one: %+v", got)
	}
	if text := s.Run(t, "snapshot").Text; !strings.Contains(text, "in as ada with 6") {
		t.Errorf("the frame shows %s", text)
	}
}

// TestLoginInFramesOfOtherSites: nothing is entered in a frame of another site, and nothing in one that is not shown.
func TestLoginInFramesOfOtherSites(t *testing.T) {
	s := session(t)
	at, elsewhere := nested(t)
	s.Stdin = "s3cret"
	s.Run(t, "auth", "save", "shop", "--url", at+"/cross", "--username", "ada", "--password-stdin")
	_, err := s.Try(t, "auth", "login", "shop")
	if api.CodeOf(err) != api.LoginFailed || !strings.Contains(err.Error(), elsewhere) || !strings.Contains(err.Error(), "nothing was entered") {
		t.Errorf("a frame of another site: %v", err)
	}
	if text := s.Run(t, "snapshot").Text; strings.Contains(text, "ada") || strings.Contains(text, "in as") {
		t.Errorf("something was entered: %s", text)
	}
	s.Run(t, "auth", "save", "hidden", "--url", at+"/hidden", "--username", "ada", "--password-stdin")
	if _, err := s.Try(t, "auth", "login", "hidden", "--timeout", "1s"); api.CodeOf(err) != api.LoginFailed || !strings.Contains(err.Error(), "shows no login form") {
		t.Errorf("a hidden frame: %v", err)
	}
}
