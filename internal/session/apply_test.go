package session_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// readOptions returns the values of the options as a page sees them.
const readOptions = `eval [matchMedia("(prefers-color-scheme:dark)").matches,innerWidth,navigator.userAgent].join()`

func (c *client) shows(t *testing.T, want, flags string) {
	t.Helper()
	if got := c.seen(t, flags); got != want {
		t.Errorf("the page sees %s, want %s", got, want)
	}
}

func (c *client) seen(t *testing.T, flags string) string {
	t.Helper()
	return strings.Trim(fmt.Sprint(fields(t, c.must(t, readOptions+" "+flags))["result"]), `"`)
}

// TestOptionsOfAPageThatCannotAnswer: if options cannot be applied to a page, the command fails at once and names what
// blocks the page, and the options apply to the next command that reaches it. Options requested meanwhile apply, whatever
// the page was sent before.
func TestOptionsOfAPageThatCannotAnswer(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	const dark = "--color-scheme dark --viewport 500x400 --user-agent A"
	for name, at := range map[string]struct {
		hold, free string
		code       api.Code
	}{
		"dialog": {`eval setTimeout(()=>alert("held"),50),1`, "dialog accept", api.DialogOpen},
		"script": {`eval setTimeout(()=>{while(true);},50),1`, "tab interrupt", api.RendererUnresponsive},
		"crash":  {"", "reload", api.RendererCrashed},
	} {
		c.must(t, "open "+site.URL("/small")+" --color-scheme light --viewport 700x400 --user-agent B")
		c.shows(t, "false,700,B", "")
		if at.hold == "" {
			_, _ = c.run(t.Context(), "open chrome://crash") // the command fails, because the page crashes
		} else {
			c.must(t, at.hold)
			c.must(t, "wait 200")
		}
		began := time.Now()
		_, err := c.run(t.Context(), "get text button "+dark)
		if got := code(t, err); got != at.code {
			t.Errorf("%s: the command with options failed with %s: %v", name, got, err)
		}
		if took := time.Since(began); took > 20*time.Second { // formerly 25 s; two at most
			t.Errorf("%s: told after %v", name, took)
		}
		if _, err := c.run(t.Context(), "get text button"); err == nil || code(t, err) != at.code {
			t.Errorf("%s: the command after that ended with %v", name, err)
		}
		c.must(t, at.free+" "+dark) // a command that unblocks the page does not wait for the options
		c.shows(t, "true,500,A", "")
	}

	c.must(t, `eval setTimeout(()=>alert("held"),50),1`)
	c.must(t, "wait 200")
	for _, flags := range []string{"--color-scheme light --viewport 700x400 --user-agent B", "--color-scheme dark --viewport 500x400 --user-agent A"} {
		if _, err := c.run(t.Context(), "get text button "+flags); err == nil || code(t, err) != api.DialogOpen {
			t.Errorf("behind a dialog: %v", err)
		}
	}
	c.must(t, "dialog accept")
	c.shows(t, "true,500,A", "") // although the browser was sent the others in between
}

// TestOptionsWhileAnotherTabIsHeld: a tab that cannot answer does not delay others, and gets the options later.
func TestOptionsWhileAnotherTabIsHeld(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --color-scheme light --viewport 700x400 --user-agent B")
	c.must(t, "tab new "+site.Cross("/small"))
	c.must(t, "tab t1")
	c.must(t, `eval setTimeout(()=>alert("held"),50),1`)
	c.must(t, "wait 200")
	c.must(t, "tab t2")
	c.shows(t, "true,500,A", "--color-scheme dark --viewport 500x400 --user-agent A")
	c.must(t, "tab t1")
	c.must(t, "dialog accept")
	c.shows(t, "true,500,A", "")
}

// TestOptionsWhileAnotherTabIsBusy: a tab with an endless script does not delay commands in another, whatever their
// deadline.
func TestOptionsWhileAnotherTabIsBusy(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --color-scheme light --viewport 700x400 --user-agent B")
	c.must(t, "tab new "+site.Cross("/small"))
	c.must(t, "tab t1")
	c.must(t, `eval setTimeout(()=>{while(true);},50),1`)
	c.must(t, "wait 200")
	c.must(t, "tab t2")
	began := time.Now()
	c.shows(t, "true,500,A", "--color-scheme dark --viewport 500x400 --user-agent A --timeout 60s")
	for range 5 {
		c.must(t, "get text button --timeout 60s")
	}
	if took := time.Since(began); took > cdptest.Timeout {
		t.Errorf("six commands beside a busy tab took %v", took)
	}
	c.must(t, "tab t1")
	c.must(t, "tab interrupt")
	c.shows(t, "true,500,A", "")
}

// TestRefusedOptions: options that the browser rejects fail the command and leave the session unchanged.
func TestRefusedOptions(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --color-scheme light --viewport 700x400 --user-agent B")
	for range 2 {
		if _, err := c.run(t.Context(), "get title --color-scheme dark --user-agent A\x00"); err == nil || code(t, err) != api.ProtocolError || !strings.Contains(err.Error(), "setUserAgentOverride") {
			t.Fatalf("a name that no browser may have: %v", err)
		}
	}
	c.shows(t, "false,700,B", "")
	c.must(t, "tab new "+site.URL("/small"))
	c.shows(t, "false,700,B", "")
}

// TestRefusedOptionsAndDialogs: the dialog policy stays unchanged, too.
func TestRefusedOptionsAndDialogs(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "dialog policy auto_dismiss")
	c.must(t, "dialog rule add accept kind=beforeunload")
	before := c.must(t, "dialog policy").Text
	if _, err := c.run(t.Context(), "get title --dialog-policy auto_accept --dialog-timeout 7s --dialog-rules accept --user-agent A\x00"); err == nil || code(t, err) != api.ProtocolError {
		t.Fatalf("a name that no browser may have: %v", err)
	}
	if after := c.must(t, "dialog policy").Text; after != before {
		t.Errorf("the policy is %q, and was %q", after, before)
	}
}

// TestFlagOverCommand: a flag overrides what a command has changed since the flag was first given.
func TestFlagOverCommand(t *testing.T) {
	c := connect(t)
	const flags = "--dialog-policy must_respond --dialog-timeout 7s --dialog-rules dismiss "
	c.must(t, flags+"open about:blank")
	before := c.must(t, "dialog policy").Text
	for _, line := range []string{"dialog policy auto_accept", "dialog policy must_respond --timeout 9s", "dialog rule remove s1"} {
		c.must(t, line)
		if after := c.must(t, "dialog policy").Text; after == before {
			t.Fatalf("%s changed nothing", line)
		}
		c.must(t, flags+"get title")
		if after := c.must(t, "dialog policy").Text; after != before {
			t.Errorf("after %s and the flags: %q, want %q", line, after, before)
		}
	}
}

// TestOptionsAtOnce: after concurrent commands with different options the page has all options of one of them, and the
// session has the same.
func TestOptionsAtOnce(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	for range 3 {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				flags := []string{"--color-scheme light --viewport 700x400 --user-agent B", "--color-scheme dark --viewport 500x400 --user-agent A"}[i%2]
				if _, err := c.run(t.Context(), "get url "+flags); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		got := c.seen(t, "")
		if got != "true,500,A" && got != "false,700,B" {
			t.Errorf("the page sees %s, which nobody asked for", got)
		}
		other := map[string]string{"true,500,A": "false,700,B", "false,700,B": "true,500,A"}[got]
		flags := map[string]string{"true,500,A": "--color-scheme dark --viewport 500x400 --user-agent A", "false,700,B": "--color-scheme light --viewport 700x400 --user-agent B"}
		c.shows(t, other, flags[other])
		c.shows(t, other, "")
	}
}

// TestOptionsEndWithTheirCaller: a caller that cancels does not wait for options that cannot be applied, nor does the next
// command.
func TestOptionsEndWithTheirCaller(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small")+" --color-scheme light --viewport 700x400 --user-agent B")
	c.must(t, `eval setTimeout(()=>{while(true);},50),1`)
	c.must(t, "wait 200")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := c.run(ctx, "get text button --color-scheme dark --timeout 60s")
	if err == nil || ctx.Err() == nil {
		t.Errorf("it ended with %v", err)
	}
	c.must(t, "tab interrupt")
	c.shows(t, "true,700,B", "--color-scheme dark")
}

// TestDownloadPathWhileOpen: --download-path on an open session changes where later downloads are saved, and where their
// results say they are. Earlier downloads stay in their directory.
func TestDownloadPathWhileOpen(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/download"))
	begin := func(flags string) string {
		t.Helper()
		list, _ := fields(t, c.must(t, "click #attachment "+flags))["downloads"].([]any)
		if len(list) != 1 {
			t.Fatalf("the downloads are %v", list)
		}
		path, _ := list[0].(map[string]any)["path"].(string)
		return path
	}
	first, second := t.TempDir(), t.TempDir()
	own := begin("")
	paths := []string{own, begin("--download-path " + first), begin(""), begin("--download-path " + second)}
	for i, dir := range []string{filepath.Dir(own), first, first, second} {
		if filepath.Dir(paths[i]) != dir {
			t.Errorf("download %d is at %s, want it in %s", i, paths[i], dir)
		}
	}
	if paths[0] == "" || strings.HasPrefix(own, first) {
		t.Errorf("without the option the download is at %s", own)
	}
	for _, path := range paths {
		eventually(t, "the file is at "+path, func() bool {
			content, err := os.ReadFile(path)
			return err == nil && string(content) == cdptest.Attachment
		})
	}
	var listed []string
	rows, _ := fields(t, c.must(t, "downloads"))["downloads"].([]any)
	for _, row := range rows {
		path, _ := row.(map[string]any)["path"].(string)
		listed = append(listed, strings.TrimSuffix(path, filepath.Join(".named", "report.csv")))
	}
	if !slices.Equal(listed, paths) {
		t.Errorf("the downloads are listed at %q, want %q", listed, paths)
	}
}
