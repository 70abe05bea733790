package session_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/session/results"
)

// TestConfirm: a command that needs a confirmation runs once, exactly as it was requested, and only on its page.
func TestConfirm(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	policy := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(policy, []byte(`{"deny": ["get html"], "confirm": ["eval", "reload"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.must(t, "--action-policy "+policy+" open "+site.URL("/small"))
	ask := func(line string) string {
		t.Helper()
		_, err := c.run(t.Context(), line)
		if api.CodeOf(err) != api.ConfirmationRequired {
			t.Fatalf("%s: %v", line, err)
		}
		return api.AsError(err).Data["confirmationId"].(string)
	}
	fails := func(line string, code api.Code) {
		t.Helper()
		if _, err := c.run(t.Context(), line); api.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", line, err, code)
		}
	}
	first, second := ask("eval document.title=[document.title,1].join()"), ask("eval document.title=2")
	fails("confirm r", api.NoConfirmation)
	fails("--session other confirm "+first, api.NoConfirmation)
	if _, err := c.run(t.Context(), "--session other confirm "+first); !strings.Contains(api.AsError(err).Hint, "This is session other") {
		t.Errorf("the id of another session: %v", err)
	}
	if got := c.must(t, "get title").Text; strings.Contains(got, "1") {
		t.Fatalf("it ran without confirmation: %s", got)
	}
	res := c.must(t, "confirm "+first)
	if data := res.Data.(*results.Confirmed); data.Action != "eval" || !strings.Contains(res.Text, ",1") {
		t.Errorf("%+v %s", data, res.Text)
	}
	fails("confirm "+first, api.NoConfirmation)
	c.must(t, "deny "+second)
	fails("confirm "+second, api.NoConfirmation)
	fails("get html body", api.ActionDenied)
	if rows := c.must(t, "batch reload").Data.(*results.Batch).Rows; rows[0].Code != string(api.ConfirmationRequired) {
		t.Errorf("a row of a batch ran: %+v", rows)
	}

	third := ask("eval 1")
	c.must(t, "open "+site.URL("/small"))
	fails("confirm "+third, api.NoConfirmation)

	if err := os.WriteFile(policy, []byte(`{"default": "deny"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	fails("get title", api.ActionDenied)
	fails("--confirm-actions evl get title", api.InvalidConfig)
	c.must(t, "--confirm-actions evl close")
}

// TestScriptsOfFlags: a flag that runs a script is judged as eval is.
func TestScriptsOfFlags(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	dir := t.TempDir()
	policy, script, config := filepath.Join(dir, "policy.json"), filepath.Join(dir, "init.js"), filepath.Join(dir, "config.json")
	for path, text := range map[string]string{policy: `{"deny": ["eval"]}`, script: "window.ran = 1", config: `{"init-script": ["` + script + `"]}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	open := " open " + site.URL("/small")
	denied := func(line string) {
		t.Helper()
		if _, err := c.run(t.Context(), line); api.CodeOf(err) != api.ActionDenied {
			t.Errorf("%s: %v, want %s", line, err, api.ActionDenied)
		}
	}
	denied("--action-policy " + policy + " --restore-check-fn document.title=1 --restore shop" + open)
	c.must(t, "--action-policy "+policy+open)
	denied("wait --fn document.title=1")
	denied("--init-script " + script + open)
	denied("--init-script " + script + " set viewport 800 600")
	denied("--extension " + dir + open)
	denied("--cdp-port 0" + open)
	denied("--args --remote-debugging-port=0" + open)
	denied("--args --load-extension=" + dir + open)
	denied("--args -remote-debugging-port=0" + open)
	denied("--args --renderer-cmd-prefix=/bin/true" + open)
	denied("--executable-path /bin/true" + open)
	denied("--config " + config + open)
	if _, err := c.run(t.Context(), "--args --disable-extensions get title"); api.CodeOf(err) == api.ActionDenied {
		t.Error(err)
	}
	denied("connect --app /bin/true")
	denied("app launch /bin/true")
	denied("open data:text/html,<script>document.title=1</script>")
	denied("network route **/small --body document.title=1")
	denied("network route **/small --body 1 --header content-type:text/html")
	denied("network route **/small.js --status 302 --header location:" + site.URL("/other.js"))
	denied("network har replay " + filepath.Join(dir, "made.har"))
	c.must(t, "network route **/api --body [1]")
	if got := c.must(t, "get title").Text; got == "1" {
		t.Error("the script ran")
	}
	if _, err := c.run(t.Context(), "diff url "+site.URL("/small")+" "+site.URL("/small")); err != nil {
		t.Errorf("diff url: %v", err)
	}
}

// TestOtherLogins: what brings the logins of another browser is judged as the command that loads a saved state.
func TestOtherLogins(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	policy := filepath.Join(t.TempDir(), "policy.json")
	for text, refused := range map[string]bool{`{"deny": ["state load"]}`: true, `{"default": "deny", "allow": ["navigate"]}`: true, `{"deny": ["eval"]}`: false} {
		if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		open := " open " + site.URL("/small")
		c.must(t, "--browser new --action-policy "+policy+open)
		for _, line := range []string{"connect 1", "--cdp 1" + open, "--auto-connect" + open, "--profile " + t.TempDir() + open, "--restore shop" + open, "--session-name shop" + open, "--browser mine" + open} {
			if _, err := c.run(t.Context(), line); (api.CodeOf(err) == api.ActionDenied) != refused {
				t.Errorf("%s: %s: %v", text, line, err)
			}
		}
		c.must(t, "close")
	}
}

// TestOtherWays: what a flag or an answer does besides its command is judged as the command that does the same.
func TestOtherWays(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.json")
	if err := os.WriteFile(policy, []byte(`{"deny": ["snapshot", "get html", "upload", "download", "dialog rule", "set useragent", "set headers"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	open := "open " + site.URL("/small")
	outline := func(res string) bool { return strings.Contains(res, "- heading") }
	if got := c.must(t, open+" --snapshot").Text; !outline(got) {
		t.Fatalf("no outline without a policy: %s", got)
	}
	res := c.must(t, "--action-policy "+policy+" "+open+" --snapshot")
	if outline(res.Text) || !strings.Contains(res.Warning, "no snapshot: Action 'snapshot' denied by policy") {
		t.Errorf("open --snapshot: %s %s", res.Text, res.Warning)
	}
	for _, line := range []string{"reload --changes full", "hover body --changes delta"} {
		if got := c.must(t, line).Text; outline(got) || !strings.Contains(got, "Action 'snapshot' denied by policy") {
			t.Errorf("%s: %s", line, got)
		}
	}
	for _, line := range []string{"a11y", "hover body --on-dialog accept", "--user-agent x " + open, open + " --headers {}", "interrupt answer i-1 a.txt", "interrupt answer i-1 a.txt b.txt",
		"wait --download", "wait --download " + filepath.Join(dir, "saved.txt"),
		"diff url " + site.URL("/small") + " " + site.URL("/small?2")} {
		if _, err := c.run(t.Context(), line); api.CodeOf(err) != api.ActionDenied {
			t.Errorf("%s: %v, want %s", line, err, api.ActionDenied)
		}
	}
	for _, line := range []string{"interrupt answer i-1 dismiss", "interrupt answer i-1 accept a.txt"} {
		if _, err := c.run(t.Context(), line); api.CodeOf(err) == api.ActionDenied {
			t.Errorf("%s: %v", line, err)
		}
	}
	c.preset = []string{"on-dialog"} // a server's own flag is the person's
	c.must(t, "hover body --on-dialog accept")
	c.stdin = `[["hover", "body", "--on-dialog", "dismiss"]]`
	row := c.must(t, "batch --on-dialog accept").Data.(*results.Batch).Rows[0]
	if row.Code != string(api.ActionDenied) {
		t.Errorf("a row's own flag: %+v", row)
	}
}

// TestConfirmKeepsInput: what a held command reads from standard input is there when it is confirmed.
func TestConfirmKeepsInput(t *testing.T) {
	c := connect(t)
	c.stdin = "s3cret\n"
	_, err := c.run(t.Context(), "--confirm-actions state auth save x --url https://a.example/login --username ada --password-stdin")
	if api.CodeOf(err) != api.ConfirmationRequired {
		t.Fatal(err)
	}
	c.stdin = ""
	c.must(t, "confirm "+api.AsError(err).Data["confirmationId"].(string))
	c.must(t, "close") // with what needs a confirmation
	c.must(t, "auth show x")
}

// TestSiteData: reading cookies and storage, and changing them, are categories of their own.
func TestSiteData(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	policy := filepath.Join(t.TempDir(), "policy.json")
	c.must(t, "open "+site.URL("/small"))
	reads := []string{"cookies", "cookies get --all", "storage local", "storage session theme", "storage local get theme"}
	writes := []string{"cookies set a b", "cookies delete a", "storage local set theme dark", "storage session set theme dark", "storage local remove theme", "storage local clear", "cookies clear"}
	for text, want := range map[string]struct{ read, write bool }{
		`{"default": "deny", "allow": ["get", "network"]}`:                                             {false, false},
		`{"default": "deny", "allow": ["sitedata"]}`:                                                   {true, false},
		`{"default": "deny", "allow": ["state"]}`:                                                      {false, true},
		`{"deny": ["sitedata"]}`:                                                                       {false, true},
		`{"deny": ["cookies", "storage"]}`:                                                             {false, false},
		`{"deny": ["cookies_get", "storage_get"]}`:                                                     {false, true},
		`{"deny": ["cookies_set", "cookies delete", "cookies_clear", "storage_set", "storage_clear"]}`: {true, false},
	} {
		if err := os.WriteFile(policy, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for allowed, lines := range map[*bool][]string{&want.read: reads, &want.write: writes} {
			for _, line := range lines {
				if _, err := c.run(t.Context(), "--action-policy "+policy+" "+line); (api.CodeOf(err) != api.ActionDenied) != *allowed {
					t.Errorf("%s: %s: %v", text, line, err)
				}
			}
		}
	}
}
