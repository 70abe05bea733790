package codegen_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/codegen"
	"github.com/usher-browser/usher/internal/verb/shell"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

// act does what a person would do, with input events of the browser.
func act(t *testing.T, s *commandtest.Session) {
	t.Helper()
	for _, words := range [][]string{
		{"click", "input[name=name]"}, {"keyboard", "type", "Ada O'Hara"}, {"press", "Tab"}, {"keyboard", "type", "a@b.cx"}, {"press", "Backspace"},
		{"press", "Tab"}, {"keyboard", "type", "hunter2"}, {"click", "text=Tea"}, {"click", "textarea"}, {"keyboard", "type", "one"}, {"press", "Enter"},
		{"keyboard", "type", "two"}, {"dblclick", "#twice"}, {"click", "button", "--frame", "inner"}, {"click", "text=Send"}, {"dialog", "accept"},
		{"click", "text=Popup"}, {"wait", "--text", "Small"}, {"click", "#b"}, {"tab", "t1"}, {"click", "#twice", "--button", "right"},
	} {
		s.Run(t, words...)
	}
}

// TestRecordAndReplay: the recorded commands lead another session to the same page.
func TestRecordAndReplay(t *testing.T) {
	site, s := cdptest.NewSite(t), commandtest.New(t)
	t.Cleanup(s.Context.Background.StopCodegen)
	s.Run(t, "open", site.URL("/codegen"))
	s.Run(t, "codegen", "start", "-o", "script.sh")
	if _, err := s.Try(t, "codegen", "start"); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("started twice: %v", err)
	}
	act(t, s)
	want := s.Run(t, "get", "text", "#out").Text
	if want != "Ada O'Hara|a@b.c|hunter2|tea|one\ntwo|sent|1|1" && want != "Ada O'Hara|a@b.c|hunter2|tea|one two|sent|1|1" {
		t.Fatalf("the page says %q", want)
	}
	got := commandtest.Data[codegen.Recorded](t, s.Run(t, "codegen", "stop"))
	saved, err := os.ReadFile(filepath.Join(s.Dir, "script.sh"))
	if err != nil || string(saved) != got.Script {
		t.Errorf("the file has %q (%v)", saved, err)
	}
	expect := `#!/bin/sh
set -e
usher open 'SITE/codegen'
usher find role 'textbox' fill 'Ada O'\''Hara' --name 'Name'
usher press 'Tab'
usher find role 'textbox' fill 'a@b.c' --name 'Mail'
usher press 'Tab'
usher fill '#f > label:nth-of-type(3) > input' "${SECRET_1:?}"
usher find role 'checkbox' check --name 'Tea'
usher find role 'textbox' fill 'one
two' --name 'Note'\''s text'
usher find role 'button' dblclick --name 'Double'
usher find role 'button' click --name 'Inside' --frame 'inner'
usher find role 'button' click --name 'Send'
usher dialog accept
usher find role 'link' click --name 'Popup'
usher find role 'button' click --name 'Press'
usher tab t1
usher click '#twice' --button right
`
	if script := strings.ReplaceAll(got.Script, site.URL(""), "SITE/"); script != expect {
		t.Errorf("the script is\n%s\nwant\n%s", script, expect)
	}
	again := commandtest.New(t)
	text := strings.ReplaceAll(strings.TrimPrefix(got.Script, "#!/bin/sh\nset -e\n"), `"${SECRET_1:?}"`, "hunter2")
	for _, line := range strings.Split(strings.TrimSpace(text), "\nusher ") {
		words, err := shell.Split(strings.TrimPrefix(line, "usher "))
		if err != nil {
			t.Fatal(err)
		}
		again.Run(t, words...)
	}
	if now := again.Run(t, "get", "text", "#out").Text; now != want {
		t.Errorf("after the replay the page says %q, want %q", now, want)
	}
}

// TestPlaywright: the same recording as a script for Playwright.
func TestPlaywright(t *testing.T) {
	site, s := cdptest.NewSite(t), commandtest.New(t)
	t.Cleanup(s.Context.Background.StopCodegen)
	s.Run(t, "open", site.URL("/codegen"))
	s.Run(t, "codegen", "start", "--target", "playwright")
	act(t, s)
	got := commandtest.Data[codegen.Recorded](t, s.Run(t, "codegen", "stop")).Script
	for _, want := range []string{
		"await page1.goto('" + site.URL("/codegen") + "');",
		`await page1.getByRole('textbox', { name: 'Name' }).fill('Ada O\'Hara');`,
		"await page1.getByRole('textbox', { name: 'Name' }).press('Tab');",
		"fill(process.env.SECRET_1);", "await page1.getByRole('checkbox', { name: 'Tea' }).check();",
		`.fill('one\ntwo');`, "getByRole('button', { name: 'Double' }).dblclick();",
		"await page1.frameLocator('iframe[name=\"inner\"]').getByRole('button', { name: 'Inside' }).click();",
		"page1.once('dialog', (dialog) => dialog.accept());\n  await page1.getByRole('button', { name: 'Send' }).click();",
		"const popup2 = page1.waitForEvent('popup');\n", "const page2 = await popup2;\n  await page2.getByRole('button', { name: 'Press' }).click();",
		".click({ button: 'right' });",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the script lacks %s\n%s", want, got)
		}
	}
	if strings.Contains(got, "hunter2") || strings.Contains(got, "forged") || strings.Contains(got, "F7") {
		t.Errorf("the script has a secret, or what a script did:\n%s", got)
	}
	if _, err := s.Try(t, "codegen", "stop"); api.CodeOf(err) != api.InvalidArgument {
		t.Errorf("stopped twice: %v", err)
	}
}

// TestHistoryAndDrags: back and forward are recorded where the replay has the same history, and a drag with its two ends.
func TestHistoryAndDrags(t *testing.T) {
	site, s := cdptest.NewSite(t), commandtest.New(t)
	t.Cleanup(s.Context.Background.StopCodegen)
	s.Run(t, "open", site.URL("/forms"))
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "codegen", "start")
	for _, words := range [][]string{
		{"open", site.URL("/drag")}, {"back"}, {"forward"}, {"back"}, {"open", site.URL("/drag")}, {"back"},
		{"back"}, // to a page that was open before the recording
		{"open", site.URL("/drag")}, {"drag", "#card", "#bin"},
	} {
		s.Run(t, words...)
	}
	want := s.Run(t, "get", "text", "#bin").Text
	got := commandtest.Data[codegen.Recorded](t, s.Run(t, "codegen", "stop")).Script
	expect := `#!/bin/sh
set -e
usher open 'SITE/small'
usher open 'SITE/drag'
usher back
usher forward
usher back
usher open 'SITE/drag'
usher back
usher open 'SITE/forms'
usher open 'SITE/drag'
usher drag '#card' '#bin'
`
	if script := strings.ReplaceAll(got, site.URL(""), "SITE/"); script != expect {
		t.Errorf("the script is\n%s\nwant\n%s", script, expect)
	}
	again := commandtest.New(t)
	for _, line := range strings.Split(strings.TrimSpace(strings.TrimPrefix(got, "#!/bin/sh\nset -e\n")), "\n") {
		words, err := shell.Split(strings.TrimPrefix(line, "usher "))
		if err != nil {
			t.Fatal(err)
		}
		again.Run(t, words...)
	}
	if now := again.Run(t, "get", "text", "#bin").Text; now != want || want != "Holds card" {
		t.Errorf("after the replay the bin says %q, want %q", now, want)
	}
}

// TestHistoryOfThePage: a page that goes back itself does so in the replay, too.
func TestHistoryOfThePage(t *testing.T) {
	site, s := cdptest.NewSite(t), commandtest.New(t)
	t.Cleanup(s.Context.Background.StopCodegen)
	s.Run(t, "open", site.URL("/forms"))
	s.Run(t, "codegen", "start", "--target", "playwright")
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "eval", "b.onclick = () => history.back()")
	s.Run(t, "click", "#b")
	s.Run(t, "wait", "--url", "**/forms")
	s.Run(t, "forward")
	s.Run(t, "open", site.URL("/drag"))
	s.Run(t, "drag", "#card", "#bin")
	got := commandtest.Data[codegen.Recorded](t, s.Run(t, "codegen", "stop")).Script
	if strings.Contains(got, "goBack") {
		t.Errorf("the page's own step back is recorded as a person's:\n%s", got)
	}
	if !strings.Contains(got, "await page1.locator('#card').dragTo(page1.locator('#bin'));") && !strings.Contains(got, "dragTo(page1.locator('#bin'));") {
		t.Errorf("the drag is missing:\n%s", got)
	}
}

// TestScriptThatCannotBeSaved has no room for the script where it should be: what a person did is kept elsewhere.
func TestScriptThatCannotBeSaved(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	site, s := cdptest.NewSite(t), commandtest.New(t)
	t.Cleanup(s.Context.Background.StopCodegen)
	s.Run(t, "open", site.URL("/codegen"))
	for i, end := range []func() error{
		func() error { _, err := s.Try(t, "codegen", "stop"); return err },
		func() error { return s.Context.Background.End(t.Context()) },
	} {
		s.Run(t, "codegen", "start", "-o", "/dev/full")
		s.Run(t, "click", "input[name=name]")
		err := end()
		if api.CodeOf(err) != api.FileWriteFailed {
			t.Fatalf("end %d: a full disk: %v", i, err)
		}
		_, kept, _ := strings.Cut(err.Error(), "; it is in ")
		script, err := os.ReadFile(kept)
		if err != nil || !strings.Contains(string(script), "usher open ") || !strings.Contains(string(script), "click") {
			t.Errorf("end %d: what is kept in %q is %q (%v)", i, kept, script, err)
		}
	}
}
