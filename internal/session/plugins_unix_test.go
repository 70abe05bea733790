//go:build unix

package session_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/session/results"
)

// plugins configures plugins: by name, the capability and the members of the reply.
func (c *client) plugins(t *testing.T, replies map[string][2]string) {
	t.Helper()
	var defs []map[string]any
	for name, r := range replies {
		path := filepath.Join(t.TempDir(), name)
		text := "#!/bin/sh\necho '{\"protocol\":\"agent-browser.plugin.v1\",\"success\":true," + r[1] + "}'\n"
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		defs = append(defs, map[string]any{"name": name, "command": path, "capabilities": []string{r[0]}})
	}
	raw, err := json.Marshal(defs)
	if err != nil {
		t.Fatal(err)
	}
	c.env["USHER_PLUGINS"] = string(raw)
}

// unpacked returns the directory of an extension whose content script marks pages, and which opens a page when it is
// loaded.
func unpacked(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": `{"manifest_version":3,"name":"Probe","version":"1.2","background":{"service_worker":"sw.js"},
			"content_scripts":[{"matches":["<all_urls>"],"js":["c.js"],"run_at":"document_start"}],"permissions":["tabs"]}`,
		"sw.js":      `chrome.runtime.onInstalled.addListener(() => chrome.tabs.create({url: "hello.html"}))`,
		"c.js":       `document.documentElement.dataset.probe = chrome.runtime.id`,
		"hello.html": `<title>Hello from the extension</title>`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestExtension: an extension runs in the pages of its session and is shown; its own pages are tabs, and never the one
// that works.
func TestExtension(t *testing.T) {
	site := cdptest.NewSite(t)
	c, dir := connect(t), unpacked(t)
	c.must(t, "--extension "+dir+" open "+site.URL("/small"))
	info := c.must(t, "session info").Data.(*results.Info)
	if len(info.Extensions) != 1 || info.Extensions[0].Name != "Probe" || info.Extensions[0].Version != "1.2" || info.Extensions[0].Path != dir || len(info.Extensions[0].ID) != 32 {
		t.Fatalf("%+v", info.Extensions)
	}
	if got := fmt.Sprint(fields(t, c.must(t, "eval document.documentElement.dataset.probe"))["result"]); got != info.Extensions[0].ID {
		t.Errorf("the page has the mark %s of the content script", got)
	}
	if got := c.must(t, "get url").Text; got != site.URL("/small") {
		t.Errorf("the active tab shows %s", got)
	}
	if text := c.must(t, "wait --fn true").Text; text == "" {
		t.Error("no answer")
	}
	fails := func(line string, code api.Code, want string) {
		t.Helper()
		if _, err := c.run(t.Context(), line); api.CodeOf(err) != code || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s: %s", line, err, code, want)
		}
	}
	fails("--extension "+t.TempDir()+" get url", api.LaunchConflict, "needs another browser")
	c.must(t, "--extension "+dir+" get url")
	c.must(t, "close")

	empty, old, broken := t.TempDir(), t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{old: `{"manifest_version":2,"name":"x","version":"1"}`, broken: `{"manifest_version":3,"name":"x","version":"1","background":{"service_worker":"none.js"}}`} {
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	fails("--extension "+empty+" open", api.InvalidArgument, "there is no "+filepath.Join(empty, "manifest.json"))
	fails("--extension "+old+" open", api.InvalidArgument, "manifest_version is 2")
	fails("--extension "+broken+" open", api.LaunchFailed, broken+": the browser did not load it")
	fails("--extension "+dir+" --allowed-domains a.example open", api.InvalidArgument, "not supported with --extension")
	if names := c.registry.AllNames(); len(names) > 0 {
		t.Errorf("sessions are left: %v", names)
	}
}

// TestLaunchMutate: plugins add switches, an extension and the user agent of a browser that is launched. They are asked only
// then, and policies judge each.
func TestLaunchMutate(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	dir := unpacked(t)
	c.plugins(t, map[string][2]string{
		"size":  {"launch.mutate", `"launch":{"args":["--js-flags=--expose-gc"],"userAgent":"Plug/1","initScripts":["window.early = document.readyState"]}`},
		"ext":   {"launch.mutate", `"launch":{"extensions":["` + dir + `"]}`},
		"vault": {"credential.read", `"credential":{}`},
	})
	launch := func() {
		t.Helper()
		_, err := c.run(t.Context(), "--confirm-actions plugin:size:launch.mutate open "+site.URL("/small"))
		if api.CodeOf(err) != api.ConfirmationRequired || !strings.Contains(err.Error(), "plugin:size:launch.mutate is in --confirm-actions") {
			t.Fatalf("not confirmed: %v", err)
		}
		c.must(t, "confirm "+api.AsError(err).Data["confirmationId"].(string))
	}
	launch()
	got := fmt.Sprint(fields(t, c.must(t, "eval [navigator.userAgent,typeof(gc),document.documentElement.dataset.probe?.length,window.early].join()"))["result"])
	if got != "Plug/1,function,32,loading" {
		t.Errorf("the page sees %s", got)
	}
	if got := c.must(t, "initscripts").Text; !strings.HasPrefix(got, "[1] plugin size: window.early") || strings.Contains(got, "\n") {
		t.Errorf("the init scripts are %s", got)
	}
	c.must(t, "tab new "+site.URL("/small"))
	early := func(want string) {
		t.Helper()
		if got := c.must(t, "eval String(window.early)").Text; got != want {
			t.Errorf("the script of the plugin left %s, want %s", got, want)
		}
	}
	early(`"loading"`)
	c.crash(t)
	launch()
	early(`"loading"`)
	c.must(t, "removeinitscript 1")
	c.must(t, "reload")
	early(`"undefined"`)
	c.must(t, "open "+site.URL("/forms")) // no browser is launched, so no plugin is asked
	c.must(t, "--user-agent Mine get url")
	if got := fmt.Sprint(fields(t, c.must(t, "eval navigator.userAgent"))["result"]); got != "Mine" {
		t.Errorf("the user agent is %s", got)
	}
	c.must(t, "close")

	c = connect(t)
	c.plugins(t, map[string][2]string{"bad": {"launch.mutate", `"launch":{"args":"--x"}`}})
	if _, err := c.run(t.Context(), "open"); api.CodeOf(err) != api.PluginFailed || !strings.Contains(err.Error(), "/launch/args; no browser was launched") {
		t.Errorf("a bad reply: %v", err)
	}
	c.plugins(t, map[string][2]string{"bad": {"launch.mutate", `"launch":{"initScripts":["window.x = ("]}`}})
	if _, err := c.run(t.Context(), "open"); api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "initScripts of plugin bad") {
		t.Errorf("a script with a mistake: %v", err)
	}
	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"deny": ["plugin:bad:launch.mutate", "plugin:vault:credential.read"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"open", "open " + site.URL("/small"), "auth login x --credential-provider vault"} {
		if _, err := c.run(t.Context(), "--action-policy "+policy+" "+line); api.CodeOf(err) != api.ActionDenied {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// TestBrowserOfAPlugin: --provider with a plugin's name attaches to its browser, and close has the plugin end it.
func TestBrowserOfAPlugin(t *testing.T) {
	site := cdptest.NewSite(t)
	theirs := connect(t)
	theirs.must(t, "--cdp-port 0 open "+site.URL("/small"))
	endpoint := theirs.must(t, "get cdp-url").Text

	c := connect(t)
	requests := filepath.Join(c.env["HOME"], "requests")
	c.plugins(t, map[string][2]string{
		"cloud": {"browser.provider", `"browser":{"cdpUrl":"` + endpoint + `","cleanup":{"type":"browser.close","payload":{"id":7}}}'; cat >> ` + requests + `; echo '`},
		"none":  {"browser.provider", `"browser":null`},
		"gone":  {"browser.provider", `"browser":{"cdpUrl":"ws://127.0.0.1:1/devtools/browser/x","cleanup":{"id":8}}'; cat >> ` + requests + `; echo '`},
		"vault": {"credential.read", `"credential":{}`},
	})
	c.must(t, "--provider cloud open "+site.URL("/forms"))
	if info := c.must(t, "session info").Data.(*results.Info); info.Browser.Provider != "cloud" {
		t.Errorf("%+v", info.Browser)
	}
	if got := c.must(t, "--provider cloud get url").Text; got != site.URL("/forms") {
		t.Errorf("it shows %s", got)
	}
	c.must(t, "close")
	asked, err := os.ReadFile(requests)
	if err != nil || strings.Count(string(asked), "browser.launch") != 1 || strings.Count(string(asked), `"payload":{"id":7}`) != 1 {
		t.Errorf("the plugin was asked %s (%v)", asked, err)
	}
	theirs.must(t, "get url") // it runs
	for _, l := range []struct {
		line string
		code api.Code
		want string
	}{
		{"--provider none open", api.PluginFailed, "returned no browser"},
		{"--provider gone open", api.AttachFailed, "use the browser of plugin 'gone'"},
		{"--provider vault open", api.InvalidArgument, "does not declare required capability 'browser.provider'"},
		{"--provider nobody open", api.InvalidArgument, "Unknown provider 'nobody'"},
		{"--provider cloud --args --x open", api.InvalidArgument, "not for a browser of plugin cloud"},
		{"--provider cloud --confirm-actions plugin:cloud:browser.provider open", api.ConfirmationRequired, "browser.provider"},
	} {
		if _, err := c.run(t.Context(), l.line); api.CodeOf(err) != l.code || !strings.Contains(err.Error(), l.want) {
			t.Errorf("%s: %v, want %s %s", l.line, err, l.code, l.want)
		}
	}
	if asked, err := os.ReadFile(requests); err != nil || !strings.Contains(string(asked), `"id":8`) {
		t.Errorf("a browser that cannot be used was not ended: %s (%v)", asked, err)
	}
}
