package session_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/command/tabs"
)

// code returns the code of a failed command.
func code(t *testing.T, err error) api.Code {
	t.Helper()
	var known *api.Error
	if !errors.As(err, &known) {
		t.Fatalf("error %v, want one with a code", err)
	}
	return known.Code
}

// TestUnresponsiveIsNamed blocks a renderer with scripts in several ways. The next command fails long before its
// deadline, the script can be terminated, and the page is usable afterwards. The scripts start after the command that
// installs them has returned.
func TestUnresponsiveIsNamed(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	for _, at := range []struct{ name, hang, frame string }{
		{name: "main frame", hang: `eval setTimeout(()=>{while(true);},100),1`},
		{name: "click handler", hang: `eval document.querySelector("button").onclick=()=>{while(true);},1`},
		{name: "frame of the same process", hang: `eval frames[0].setTimeout("while(true);",100),1`},
		{name: "frame of another process", hang: `eval document.querySelectorAll("iframe")[1].src="` + site.Cross("/loop?after=100") + `",1`, frame: "iframe:nth-of-type(2)"},
	} {
		c.must(t, "open "+site.URL("/small"))
		c.must(t, `eval document.body.insertAdjacentHTML("beforeend","<iframe></iframe><iframe></iframe>"),1`)
		c.must(t, at.hang)
		switch {
		case at.name == "click handler":
			_, err := c.run(t.Context(), "click button --timeout 2s")
			if got := code(t, err); got != api.RendererUnresponsive {
				t.Errorf("%s: the click itself failed with %s: %v", at.name, got, err)
			}
		case at.frame != "":
			c.must(t, "wait 1500")
			c.must(t, "get text button") // the page itself responds
			c.must(t, "frame "+at.frame)
		default:
			c.must(t, "wait 300")
		}
		began := time.Now()
		_, err := c.run(t.Context(), "snapshot")
		took := time.Since(began)
		if got := code(t, err); got != api.RendererUnresponsive {
			t.Errorf("%s: snapshot failed with %s: %v", at.name, got, err)
		}
		t.Logf("%s: %v after %v", at.name, err, took.Round(time.Millisecond))
		if took > 15*time.Second { // two on a machine that is not overloaded; the command's own limit is 25
			t.Errorf("%s: named after %v", at.name, took)
		}
		res := fields(t, c.must(t, "tab interrupt"))
		if stopped := res["stopped"].([]any); len(stopped) != 1 {
			t.Errorf("%s: stopped %v, want one script", at.name, stopped)
		}
		c.must(t, "snapshot")
		c.must(t, "frame main")
		if stopped := fields(t, c.must(t, "tab interrupt"))["stopped"].([]any); len(stopped) != 0 {
			t.Errorf("%s: a page that answers was interrupted: %v", at.name, stopped)
		}
	}
}

// TestSynchronousRequestIsNamed: with a synchronous request there is no script to terminate. The error says so, and the
// session is usable in another tab.
func TestSynchronousRequestIsNamed(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, `eval setTimeout(()=>{const/**/x=new/**/XMLHttpRequest();x.open("GET","/hang",false);x.send()},50),1`)
	c.must(t, "wait 300")
	for _, line := range []string{"get text button", "tab interrupt"} {
		_, err := c.run(t.Context(), line)
		var known *api.Error
		if !errors.As(err, &known) || known.Code != api.RendererUnresponsive || known.Data["reason"] != "waiting" {
			t.Errorf("%s: %v, want the renderer named as waiting", line, err)
		}
		if line == "tab interrupt" && (len(known.Data["stopped"].([]tabs.Script)) != 0 || !strings.Contains(known.Hint, "Nothing was stopped")) {
			t.Errorf("what was done is told as %v, %s", known.Data, known.Hint)
		}
	}
	c.must(t, "tab new "+site.URL("/small"))
	c.must(t, "tab close t1")
	c.must(t, "click button")
}

// TestHeavyPageIsWaitedFor: a command waits for long work that ends, and a script of the caller's own does not count as
// hanging.
func TestHeavyPageIsWaitedFor(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	const heavy = `const/**/e=performance.now()+3000;while(performance.now()<e);`
	c.must(t, `eval setTimeout(()=>{`+heavy+`},0),1`)
	c.must(t, "click button --timeout 60s")
	c.must(t, `eval `+heavy+`7`)
	c.must(t, `eval setTimeout(()=>{`+heavy+`},0),1`)
	c.must(t, "wait button")
}

// TestWhatIsGivenUpDoesNotHappenLater: a command that fails because the page did not answer has no later effect.
func TestWhatIsGivenUpDoesNotHappenLater(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, `eval document.body.insertAdjacentHTML("beforeend","<input>"),1`)
	c.must(t, "fill input before")
	c.must(t, `eval setTimeout(()=>{while(true);},100),1`)
	c.must(t, "wait 300")
	for _, line := range []string{"fill input late", "eval document.title='late'"} {
		if _, err := c.run(t.Context(), line); err == nil {
			t.Fatalf("%s succeeded on a page that hangs", line)
		}
	}
	c.must(t, "wait 2000")
	c.must(t, "tab interrupt")
	if got := c.must(t, "get value input").Text; got != "before" {
		t.Errorf("the field holds %q after a fill that was refused", got)
	}
	if got := c.must(t, "get title").Text; got == "late" {
		t.Error("a script ran after it was refused")
	}
}

// TestSnapshotThatTakesLong: a snapshot that keeps the renderer busy for seconds, because of a very large page or a slow
// machine, succeeds.
func TestSnapshotThatTakesLong(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/buttons?n=10000"))
	c.must(t, `cdp Emulation.setCPUThrottlingRate {"rate":15}`)
	res := c.must(t, "snapshot -i")
	if res.Warning != "" || !strings.Contains(res.Text, `button "Button 9999"`) {
		t.Errorf("warned of %q; it ends with %q", res.Warning, res.Text[max(0, len(res.Text)-100):])
	}
	if i := c.must(t, "interrupt list"); !strings.Contains(i.Text, "No open") {
		t.Errorf("there is something to answer:\n%s", i.Text)
	}
}

// TestSearchThatTakesLong: the same for a search through a whole page.
func TestSearchThatTakesLong(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/divs?n=12000"))
	c.must(t, `cdp Emulation.setCPUThrottlingRate {"rate":12}`)
	for line, want := range map[string]string{"is visible text=11999": "true", "--timeout 2s click text=nobody": ""} {
		res, err := c.run(t.Context(), line)
		switch code := api.CodeOf(err); {
		case err == nil && res.Text != want, err != nil && code != api.Timeout && code != api.ElementNotFound: // a slow machine may not finish
			t.Errorf("%s: %s, %v", line, res.Text, err)
		}
	}
	c.must(t, `cdp Emulation.setCPUThrottlingRate {"rate":1}`)
	if got := c.must(t, "get count .go").Text; got != "12000" {
		t.Errorf("there are %s cards", got)
	}
}

// TestAddressFlood: a page that changes its address without end leaves the browser usable.
func TestAddressFlood(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	c.must(t, "tab new "+site.URL("/small"))
	c.must(t, `eval setInterval(()=>{for(let/**/i=0;i<2000;i++)history.pushState(0,"","?"+i)},0)`)
	for range 5 {
		c.must(t, "tab t1")
		c.must(t, "snapshot")
		c.must(t, "tab t2")
		c.must(t, "click #b")
	}
}
