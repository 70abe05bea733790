package relay_test

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
)

// otherExtension writes an extension whose page frame.html any site may show, and returns its id, which Chrome makes of the path.
func otherExtension(t *testing.T) (dir, id string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{
		"manifest.json": `{"manifest_version":3,"name":"other","version":"1","web_accessible_resources":[{"resources":["frame.html"],"matches":["<all_urls>"]}]}`,
		"frame.html":    `<title>other</title><p>a frame of another extension`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sum := sha256.Sum256([]byte(dir))
	for _, b := range sum[:16] {
		id += string([]byte{'a' + b>>4, 'a' + b&15})
	}
	return dir, id
}

// TestOddTabs: what a client finds in tabs that are no ordinary pages. None delays it, or disturbs the tab with the form.
func TestOddTabs(t *testing.T) {
	other, otherID := otherExtension(t)
	site := cdptest.NewSite(t)
	secure, err := url.Parse(site.Secure(""))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, "--load-extension="+other, "--ignore-certificate-errors", "--host-resolver-rules=MAP chromewebstore.google.com 127.0.0.1:"+secure.Port())
	c, seen := r.client(t)
	form := attachTo(t, c, pageAt(t, c, "/form"))
	mustBe(t, form, "window.kept = 1", "1")
	worker := r.worker(t)
	address := func(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", r.site, path) }
	navigate := func(t *testing.T, target, to string) { // as the user does
		t.Helper()
		if err := attachTo(t, r.direct, target).Call(deadline(t), "Page.navigate", map[string]string{"url": to}, nil); err != nil {
			t.Fatal(err)
		}
	}
	refused := func(t *testing.T, s *cdp.Session, want string) {
		t.Helper()
		if got, err := evaluate(t, s, "1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %s, %v; want an error with %q", got, err, want)
		}
	}

	t.Run("settings", func(t *testing.T) {
		if err := c.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": "chrome://settings/"}, nil); err == nil || !strings.Contains(err.Error(), "no tab was opened") {
			t.Errorf("a new tab with chrome://settings: %v", err)
		}
		target := r.open(t, "/form?settings")
		s := attachTo(t, c, pageAt(t, c, "/form?settings"))
		mustBe(t, s, "1", "1")
		for _, to := range []string{"chrome://settings/", " Chrome://Version", "devtools://devtools/bundled/inspector.html"} {
			if err := s.Call(deadline(t), "Page.navigate", map[string]string{"url": to}, nil); err == nil || !strings.Contains(err.Error(), "stays where it is") {
				t.Errorf("navigate to %s: %v", to, err)
			}
		}
		mustBe(t, s, "location.search", `"?settings"`)
		before := seen.count()
		navigate(t, target, "chrome://settings/")
		seen.await(t, before, "Target.targetDestroyed", target)
		navigate(t, target, address("/form?back"))
		mustBe(t, attachTo(t, c, pageAt(t, c, "/form?back")), "location.search", `"?back"`)
	})
	t.Run("data address", func(t *testing.T) {
		r.open(t, "/frames?data")
		s := attachTo(t, c, pageAt(t, c, "/frames?data"))
		becomes(t, s, "document.title + frames.length", `"frames2"`)
		for _, to := range []string{"data:text/html,<p>data</p>", " DATA:text/html," + strings.Repeat("x", 100)} {
			var got struct {
				Text string `json:"errorText"`
			}
			if err := s.Call(deadline(t), "Page.navigate", map[string]string{"url": to}, &got); err != nil || !strings.HasPrefix(got.Text, "net::ERR_ABORTED (") || !strings.Contains(got.Text, "page.setContent") {
				t.Errorf("navigate to %s: %s, %v", to, got.Text, err)
			}
		}
		mustBe(t, s, "location.search", `"?data"`)
		var tree struct {
			Tree struct {
				Children []struct {
					Frame struct {
						ID string `json:"id"`
					} `json:"frame"`
				} `json:"childFrames"`
			} `json:"frameTree"`
		}
		if err := s.Call(deadline(t), "Page.getFrameTree", nil, &tree); err != nil || len(tree.Tree.Children) == 0 {
			t.Fatalf("%+v, %v", tree, err)
		}
		if err := s.Call(deadline(t), "Page.navigate", map[string]string{"url": "data:text/html,<p>framed</p>", "frameId": tree.Tree.Children[0].Frame.ID}, nil); err != nil {
			t.Errorf("a frame: %v", err)
		}
		if err := c.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": "data:text/html,<p>new tab</p>"}, nil); err != nil {
			t.Fatal(err)
		}
		becomes(t, attachTo(t, c, pageAt(t, c, "<p>new tab</p>")), "document.body.textContent", `"new tab"`)
	})
	t.Run("store", func(t *testing.T) {
		target := r.open(t, "/form?store")
		s := attachTo(t, c, pageAt(t, c, "/form?store"))
		mustBe(t, s, "window.before = 1", "1")
		before := seen.count()
		navigate(t, target, "https://chromewebstore.google.com/")
		seen.await(t, before, "Target.targetInfoChanged", "https://chromewebstore.google.com/")
		refused(t, s, "The extensions gallery cannot be scripted")
		navigate(t, target, address("/form?left"))
		pageAt(t, c, "/form?left")
		mustBe(t, s, "location.search", `"?left"`) // in the same session
	})
	t.Run("frame of another extension", func(t *testing.T) {
		target := r.open(t, "/framed?by="+otherID)
		pageAt(t, r.direct, otherID+"/frame.html") // it is in a process of its own
		s := attachTo(t, c, pageAt(t, c, otherID))
		refused(t, s, "different extension")
		mustBe(t, attachTo(t, r.direct, target), "document.querySelector('iframe').remove()", "")
		mustBe(t, s, "document.title", `"framed"`)
	})
	t.Run("PDF", func(t *testing.T) {
		target := r.open(t, "/form?pdf")
		s := attachTo(t, c, pageAt(t, c, "/form?pdf"))
		mustBe(t, s, "1", "1")
		navigate(t, target, site.URL("/file/words.pdf"))
		pageAt(t, c, "/file/words.pdf")
		for limit := deadline(t); ; { // a command that is under way while Chrome puts the viewer in fails
			got, err := evaluate(t, s, "document.contentType")
			if err == nil && got == `"application/pdf"` {
				break
			}
			if limit.Err() != nil {
				t.Fatalf("%s, %v", got, err)
			}
			t.Logf("%s, %v", got, err)
		}
		navigate(t, target, address("/form?text"))
		pageAt(t, c, "/form?text")
		mustBe(t, s, "location.search", `"?text"`)
	})
	t.Run("crash", func(t *testing.T) {
		target := r.open(t, "/form?crash")
		s := attachTo(t, c, pageAt(t, c, "/form?crash"))
		mustBe(t, s, "1", "1")
		before := seen.count()
		attachTo(t, r.direct, target).Post("Page.crash", nil, nil) // is never answered
		seen.await(t, before, "Target.targetCrashed", target)
		seen.await(t, before, "Inspector.targetCrashed")
		if err := s.Call(deadline(t), "Page.reload", nil, nil); err != nil {
			t.Fatal(err)
		}
		mustBe(t, s, "location.search", `"?crash"`)
		before = seen.count()
		s.Post("Page.navigate", map[string]string{"url": "chrome://crash/"}, nil) // an address of which no document is shown
		seen.await(t, before, "Inspector.targetCrashed")
	})
	t.Run("discarded", func(t *testing.T) {
		discard := fmt.Sprintf(`chrome.tabs.query({url: %q}).then(([tab]) => chrome.tabs.discard(tab.id)).then((tab) => tab.discarded)`, "http://127.0.0.1/form?discard")
		target := r.open(t, "/form?discard")
		becomes(t, worker, `chrome.tabs.query({url: "http://127.0.0.1/form?discard"}).then(([tab]) => tab?.status)`, `"complete"`) // Chrome forgets the address of one that loads
		pageAt(t, c, "/form?discard")
		before := seen.count()
		mustBe(t, worker, discard, "true")
		seen.await(t, before, "Target.targetDestroyed", target)
		seen.await(t, before, "Target.targetCreated", "/form?discard") // it is not loaded for that
		mustBe(t, worker, `chrome.tabs.query({url: "http://127.0.0.1/form?discard"}).then(([tab]) => tab.discarded)`, "true")
		s := attachTo(t, c, pageAt(t, c, "/form?discard"))
		mustBe(t, s, "new Promise((done) => document.readyState === 'complete' ? done(document.title) : addEventListener('load', () => done(document.title)))", `"form"`)
		before = seen.count()
		mustBe(t, worker, discard, "true") // now one that is attached
		seen.await(t, before, "Target.targetCreated", "/form?discard")
	})
	t.Run("DevTools", func(t *testing.T) {
		target := r.open(t, "/form?devtools")
		pageAt(t, c, "/form?devtools")
		if err := r.direct.Browser().Call(deadline(t), "Target.openDevTools", map[string]string{"targetId": target}, nil); err != nil {
			t.Fatal(err)
		}
		mustBe(t, attachTo(t, c, target), "location.search", `"?devtools"`)
	})
	t.Run("dialog", func(t *testing.T) {
		r.open(t, "/form?dialog")
		s := attachTo(t, c, pageAt(t, c, "/form?dialog"))
		if err := s.Call(deadline(t), "Page.enable", nil, nil); err != nil {
			t.Fatal(err)
		}
		before := seen.count()
		s.Post("Runtime.evaluate", map[string]string{"expression": "window.said = confirm('sure?')"}, nil)
		seen.await(t, before, "Page.javascriptDialogOpening", "sure?")
		if err := s.Call(deadline(t), "Page.handleJavaScriptDialog", map[string]bool{"accept": true}, nil); err != nil {
			t.Fatal(err)
		}
		mustBe(t, s, "window.said", "true")
	})
	t.Run("dialog of before", func(t *testing.T) {
		mustBe(t, worker, fmt.Sprintf(`chrome.tabs.create({url: %q, openerTabId: undefined}).then(() => 1)`, address("/form?before")), "1")
		target := pageAt(t, c, "/form?before")
		user := newEvents()
		conn := cdp.New(r.browser.Dial(t), user)
		defer conn.Close()
		d := attachTo(t, conn, target)
		if err := d.Call(deadline(t), "Page.enable", nil, nil); err != nil {
			t.Fatal(err)
		}
		mustBe(t, d, "setTimeout(() => { window.said = confirm('sure?') }, 0), 1", "1")
		user.await(t, 0, "Page.javascriptDialogOpening")
		other, _ := r.client(t)
		s := attachTo(t, other, target)
		for _, method := range []string{"Page.enable", "Page.getFrameTree", "Runtime.enable"} { // what clients ask of every page
			if err := s.Call(deadline(t), method, nil, nil); err != nil {
				t.Errorf("%s: %v", method, err)
			}
		}
		// Chrome lets only those answer a dialog who were there when it opened.
		if err := s.Call(deadline(t), "Page.handleJavaScriptDialog", map[string]bool{"accept": true}, nil); err == nil || !strings.Contains(err.Error(), "No dialog is showing") {
			t.Errorf("answer the dialog: %v", err)
		}
		waits := make(chan string, 1)
		s.Post("Runtime.evaluate", map[string]any{"expression": "window.said"}, func(got jsontext.Value, err error) { waits <- fmt.Sprintf("%s %v", got, err) })
		if err := d.Call(deadline(t), "Page.handleJavaScriptDialog", map[string]bool{"accept": true}, nil); err != nil {
			t.Fatal(err)
		}
		if got := <-waits; !strings.Contains(got, "true") {
			t.Errorf("a command that waited for the dialog: %s", got)
		}
	})
	mustBe(t, form, "window.kept", "1")
}

// TestLastWindowClosed: by the user, who closes all windows of a browser that goes on. A client may open another.
func TestLastWindowClosed(t *testing.T) {
	r := newRig(t)
	c, seen := r.client(t)
	form := pageAt(t, c, "/form")
	if _, err := evaluate(t, r.worker(t), `chrome.windows.getAll().then((all) => Promise.all(all.map((w) => chrome.windows.remove(w.id))))`); err != nil {
		t.Fatal(err)
	}
	seen.await(t, 0, "Target.targetDestroyed", form)
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := c.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": fmt.Sprintf("http://127.0.0.1:%d/form?again", r.site)}, &made); err != nil {
		t.Fatal(err)
	}
	mustBe(t, attachTo(t, c, made.TargetID), "document.title", `"form"`)
}

// TestPopupClosedAtOnce: a popup that closes itself in the task in which it was opened is announced with its opener, and ends.
func TestPopupClosedAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c, seen := r.client(t)
	opener := pageAt(t, c, "/frames") // which is in front: Chrome tells that as the opener
	s := attachTo(t, c, opener)
	if err := c.Browser().Call(deadline(t), "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		before := seen.count()
		open := map[string]any{"expression": fmt.Sprintf("window.open(location.href + '?%d').close()", i), "userGesture": true}
		if err := s.Call(deadline(t), "Runtime.evaluate", open, nil); err != nil {
			t.Fatal(err)
		}
		seen.await(t, before, "Target.attachedToTarget", `"openerId":"`+opener+`"`)
		seen.await(t, before, "Target.detachedFromTarget")
	}
	mustBe(t, s, "1", "1")
}
