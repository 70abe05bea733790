package element_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func TestWhatAClickLeadsTo(t *testing.T) {
	site := site(t)
	p := page(t, `<a id=go href="`+site.URL("/small")+`">go</a> <a id=hash href="#part">hash</a>
		<a id=blank target=_blank href="`+site.URL("/small")+`">blank</a> <button id=popup onclick="open('`+site.URL("/small")+`','','width=200,height=200')">popup</button>
		<button id=ask onclick="window.answer = confirm('Sure?')">ask</button>`)

	out, err := p.Click(p.ctx(), sel(t, "#hash"), element.ClickOptions{})
	ok(t, err)
	if n := out.Navigation; n == nil || !n.SameDocument || !strings.HasSuffix(n.URL, "#part") {
		t.Errorf("navigation %+v, want #part in the same document", n)
	}
	for _, id := range []string{"#blank", "#popup"} {
		out, err = p.Click(p.ctx(), sel(t, id), element.ClickOptions{})
		ok(t, err)
		equal(t, "new tabs after "+id, len(out.NewTabs), 1)
	}
	out, err = p.Click(p.ctx(), sel(t, "#ask"), element.ClickOptions{})
	ok(t, err)
	if out.Dialog == nil || out.Dialog.Type != "confirm" || out.Dialog.Message != "Sure?" {
		t.Fatalf("dialog %+v, want confirm Sure?", out.Dialog)
	}
	_, err = p.Click(p.ctx(), sel(t, "#hash"), element.ClickOptions{})
	refused(t, err, api.DialogOpen, "Sure?")
	_, err = p.browser.Answer(p.ctx(), out.Dialog.ID, true, "")
	ok(t, err)
	equal(t, "answer", p.text("window.answer"), "true")

	out, err = p.Click(p.ctx(), sel(t, "#go"), element.ClickOptions{})
	ok(t, err)
	if n := out.Navigation; n == nil || !n.Main || !n.Committed || n.URL != site.URL("/small") {
		t.Errorf("navigation %+v, want %s", n, site.URL("/small"))
	}
}

func TestClickDoesNotWaitForASlowServer(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	t.Cleanup(silent.CloseClientConnections)
	p := page(t, `<a id=slow href="`+silent.URL+`/slow">slow</a>`)
	began := time.Now()
	out, err := p.Click(p.ctx(), sel(t, "#slow"), element.ClickOptions{})
	ok(t, err)
	if n := out.Navigation; n == nil || n.Committed || !strings.Contains(n.URL, "/slow") {
		t.Errorf("navigation %+v, want /slow on its way", n)
	}
	if d := time.Since(began); d > 10*time.Second {
		t.Errorf("the click took %v", d)
	}
}

// A navigation that has no effect must not count as one for ever.
func TestNavigationsWithoutDocument(t *testing.T) {
	p := page(t, `<a id=js href="javascript:void(document.title='js')">js</a> <a id=void href="javascript:void(0)">void</a>
		<a id=stop href="/hang" onclick="setTimeout(() => window.stop(), 30)">stop</a>
		<a id=none href="/none">none</a> <a id=file href="/file">file</a> <a id=prevented href="/x" onclick="return false">x</a>
		<form id=form action="/none"><button id=send>send</button></form>
		<a id=later href="#x" onclick="setTimeout(() => { location.href = '/none' }, 10)">later</a>
		<a id=framed target=in href="/none">framed</a><iframe name=in srcdoc="x"></iframe>
		<button id=b onclick="document.title += '.'">b</button>`)
	for _, id := range []string{"js", "void", "stop", "none", "file", "prevented", "send", "later", "framed"} {
		if _, err := p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{}); err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if id == "later" {
			time.Sleep(100 * time.Millisecond)
		}
		wait := within(t, 2*time.Second)
		err := p.browser.Wait(wait, func(s *model.State) (bool, error) {
			for _, f := range s.Tabs[p.id].Frames {
				if f.PendingURL != "" {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil {
			t.Errorf("after %s the page still counts as leaving: %+v", id, p.browser.State().Tabs[p.id].MainFrame())
		}
		if _, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{}); err != nil {
			t.Errorf("after %s: %v", id, err)
		}
	}
}

// A link to another program ends as no navigation either. Nothing is clicked
// after it: Chromium then asks by itself whether to open the program, a moment
// later, and takes no input for the tab until it is answered.
func TestLinksToOtherPrograms(t *testing.T) {
	for _, url := range []string{"mailto:a@example.com", "no-such-scheme:x"} {
		p := page(t, `<a id=a href="`+url+`">a</a>`)
		_, err := p.Click(p.ctx(), sel(t, "#a"), element.ClickOptions{})
		ok(t, err)
		err = p.browser.Wait(within(t, 2*time.Second), func(s *model.State) (bool, error) {
			return s.Tabs[p.id].MainFrame().PendingURL == "", nil
		})
		if err != nil {
			t.Errorf("after %s the page still counts as leaving", url)
		}
	}
}

func TestActionOnAPageThatIsLeaving(t *testing.T) {
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	t.Cleanup(silent.CloseClientConnections)
	p := page(t, `<a id=a href="`+silent.URL+`/slow">slow</a><button id=b>b</button>`)
	_, err := p.Click(p.ctx(), sel(t, "#a"), element.ClickOptions{})
	ok(t, err)
	_, err = p.Click(p.ctx(), briefly(sel(t, "#b")), element.ClickOptions{})
	refused(t, err, api.Timeout, "navigating to "+silent.URL)
}

func TestDialogOnMouseDownReleasesTheMouse(t *testing.T) {
	p := page(t, `<button id=b onmousedown="alert('down')">b</button><button id=c onclick="document.title='c'">c</button>`)
	out, err := p.Click(p.ctx(), sel(t, "#b"), element.ClickOptions{})
	ok(t, err)
	if out.Dialog == nil {
		t.Fatalf("no dialog in %+v", out)
	}
	if _, held := p.Mouse(); held != 0 {
		t.Errorf("buttons %d are down", held)
	}
	_, err = p.browser.Answer(p.ctx(), out.Dialog.ID, true, "")
	ok(t, err)
	_, err = p.Click(p.ctx(), sel(t, "#c"), element.ClickOptions{})
	ok(t, err)
	equal(t, "title", p.text("document.title"), "c")
}

func TestClickThatClosesItsTab(t *testing.T) {
	p := page(t, `<a id=blank target=_blank rel=opener href="about:blank">x</a>`)
	out, err := p.Click(p.ctx(), sel(t, "#blank"), element.ClickOptions{})
	ok(t, err)
	equal(t, "new tabs", len(out.NewTabs), 1)
	child := &tab{Actor: element.New(p.worlds, out.NewTabs[0]), t: t, browser: p.browser, worlds: p.worlds, id: out.NewTabs[0]}
	err = p.browser.Wait(p.ctx(), func(s *model.State) (bool, error) {
		c := s.Tabs[child.id]
		return c != nil && c.Ready && c.MainFrame().Loaded, nil
	})
	ok(t, err)
	child.eval(`document.body.innerHTML = '<button id=bye onclick="window.close()">bye</button>', 1`, nil)
	out, err = child.Click(p.ctx(), sel(t, "#bye"), element.ClickOptions{})
	ok(t, err)
	if !out.TabClosed {
		t.Errorf("outcome %+v, want the tab closed", out)
	}
	_, err = child.Click(p.ctx(), sel(t, "#bye"), element.ClickOptions{})
	refused(t, err, api.TabGone)
}

func TestBusyPageIsNamed(t *testing.T) {
	p := page(t, `<button id=b>b</button>`)
	p.eval("setTimeout(() => { const end = performance.now() + 15_000; while (performance.now() < end); }, 0), 1", nil)
	time.Sleep(50 * time.Millisecond)
	_, err := p.Click(p.ctx(), briefly(sel(t, "#b")), element.ClickOptions{})
	refused(t, err, api.RendererUnresponsive, "nothing was sent")
}

// TestClickThatKeepsThePageBusy: if the click makes the page hang, the error says that the click was sent.
func TestClickThatKeepsThePageBusy(t *testing.T) {
	p := page(t, `<button id=b onmousedown="const end = performance.now() + 15_000; while (performance.now() < end);">b</button>`)
	_, err := p.Click(p.ctx(), briefly(sel(t, "#b")), element.ClickOptions{})
	refused(t, err, api.RendererUnresponsive, "the input was sent")
}

// TestFormThatIsNotSent: fields for which the browser does not send a form are told once, and only where a button would have sent it.
func TestFormThatIsNotSent(t *testing.T) {
	p := page(t, `<form onsubmit="log.push('sent');return false"><input id=name required><input id=mail type=email><input name=noValidate>
		<button id=send>Send</button><button id=save formnovalidate>Save</button></form>
		<button id=check onclick="document.forms[0].checkValidity()">Check</button><script>log = []</script>`)
	click := func(selector string) []api.Invalid {
		out, err := p.Click(p.ctx(), sel(t, selector), element.ClickOptions{})
		ok(t, err)
		return out.Invalid
	}
	fill := func(selector, text string) {
		_, err := p.Fill(p.ctx(), sel(t, selector), text)
		ok(t, err)
	}
	equal(t, "a script that asks", len(click("#check")), 0)
	got := click("#send")
	if len(got) != 1 || got[0].Field != "<input#name> (textbox)" || !strings.Contains(got[0].Message, "fill out") {
		t.Errorf("an empty field: %+v", got)
	}
	equal(t, "without validation", len(click("#save")), 0)
	fill("#name", "Ada")
	fill("#mail", "none")
	out, err := p.Press(p.ctx(), "Enter")
	ok(t, err)
	if len(out.Invalid) != 1 || out.Invalid[0].Field != "<input#mail> (textbox)" {
		t.Errorf("Enter: %+v", out.Invalid)
	}
	fill("#mail", "a@b.c")
	equal(t, "a form that is sent", len(click("#send")), 0)
	equal(t, "sent", p.text("log.join()"), "sent,sent")
}
