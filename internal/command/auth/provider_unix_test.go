//go:build unix

package auth_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/auth"
	"github.com/usher-browser/usher/internal/verb"
)

// vault adds a plugin that answers with a credential and writes its requests to a file.
func vault(t *testing.T, s *commandtest.Session, name, credential string) (requests string) {
	t.Helper()
	dir := t.TempDir()
	path, requests := filepath.Join(dir, name), filepath.Join(dir, "requests")
	text := "#!/bin/sh\ncat >> " + requests + "\necho '{\"protocol\":\"agent-browser.plugin.v1\",\"success\":true," + credential + "}'\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	s.Settings.Plugins = append(s.Settings.Plugins, verb.PluginDef{Name: name, Command: path, Capabilities: []string{verb.CredentialRead}})
	return requests
}

// TestLoginWithAPlugin: the credentials of a plugin log in, one-time code included, and nothing of them is kept or shown.
func TestLoginWithAPlugin(t *testing.T) {
	s, at := session(t), site(t)
	const login = `"username":"ada@example.com","password":"s3cret"`
	requests := vault(t, s, "full", fmt.Sprintf(`"credential":{%s,"url":"%s/code","totp":"%s"}`, login, at, secret))
	vault(t, s, "short", `"credential":{`+login+`}`)
	res := s.Run(t, "auth", "login", "shop", "--credential-provider", "full", "--item", "My shop")
	if got := commandtest.Data[auth.LoggedIn](t, res); !got.LoggedIn || got.Name != "shop" || got.URL != at+"/home" {
		t.Errorf("%+v", got)
	}
	if text := fmt.Sprint(res); strings.Contains(text, "s3cret") || strings.Contains(text, secret) {
		t.Errorf("the result shows a secret: %s", text)
	}
	asked, err := os.ReadFile(requests)
	if want := `{"capability":"credential.read","protocol":"agent-browser.plugin.v1","request":{"itemRef":"My shop","profileName":"shop","url":null},"type":"credential.resolve"}`; err != nil || !sameJSON(t, string(asked), want) {
		t.Errorf("the plugin was asked %s (%v), want %s", asked, err, want)
	}
	if _, err := s.Try(t, "auth", "show", "shop"); api.CodeOf(err) != api.LoginNotFound {
		t.Errorf("the login was saved: %v", err)
	}
	s.Run(t, "auth", "login", "shop", "--credential-provider", "short", "--url", at+"/one")
	s.Run(t, "open", at+"/script")
	s.Run(t, "auth", "login", "shop", "--credential-provider", "short", "--url", at+"/x", "--no-navigate")
}

// TestPluginSites: the site of a credential is that of the saved login or of the plugin; --url cannot move it elsewhere.
func TestPluginSites(t *testing.T) {
	s, at := session(t), site(t)
	elsewhere := strings.Replace(at, "127.0.0.1", "localhost", 1)
	const login = `"username":"ada@example.com","password":"s3cret"`
	vault(t, s, "full", fmt.Sprintf(`"credential":{%s,"url":"%s/one"}`, login, at))
	vault(t, s, "short", `"credential":{`+login+`}`)
	vault(t, s, "nothing", `"credential":null`)
	vault(t, s, "half", `"credential":{"username":"ada"}`)
	vault(t, s, "wrong", `"credential":{"username":"ada","password":["s3cret"]}`)
	vault(t, s, "badurl", `"credential":{`+login+`,"url":"ht tp:/"}`)
	s.Stdin = "other"
	s.Run(t, "auth", "save", "saved", "--url", elsewhere+"/one", "--username", "ada", "--password-stdin")
	s.Run(t, "open", elsewhere+"/one")
	for _, c := range []struct {
		line string
		code api.Code
		want string
	}{
		{"x --credential-provider full --url " + elsewhere + "/one", api.LoginFailed, "nothing was entered"},
		{"x --credential-provider full --no-navigate", api.LoginFailed, "nothing was entered"},
		{"saved --credential-provider full", api.LoginFailed, "nothing was entered"},
		{"saved --credential-provider short --url " + at + "/one", api.LoginFailed, "nothing was entered"},
		{"x --credential-provider short", api.MissingArgument, "on which site"},
		{"x --credential-provider nothing", api.PluginFailed, "returned no credential"},
		{"x --credential-provider half", api.PluginFailed, "without a password"},
		{"x --credential-provider wrong", api.PluginFailed, "/credential/password"},
		{"x --credential-provider badurl", api.PluginFailed, "which is none"},
		{"x --credential-provider none", api.PluginNotFound, "not configured"},
	} {
		_, err := s.Try(t, append([]string{"auth", "login"}, strings.Fields(c.line)...)...)
		if api.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want %s %s", c.line, err, c.code, c.want)
		}
		if got := s.Eval(t, "location.port && document.querySelector('[type=password]')?.value"); got != `""` {
			t.Errorf("%s: the password field has %s", c.line, got)
		}
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}
