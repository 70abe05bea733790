package relay_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
)

// TestPopupOfABusyPage: a popup is announced while the page that opened it does not answer, and what a client sends then is there before
// the popup's first document.
func TestPopupOfABusyPage(t *testing.T) {
	busy, held, late := make(chan struct{}), make(chan struct{}), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch q.URL.Path {
		case "/held":
			close(busy)
			<-held
		case "/late":
			<-late
			fmt.Fprint(w, "<script>window.found = window.early</script>")
		case "/opener":
			fmt.Fprint(w, "<title>opener</title>")
		}
	}))
	t.Cleanup(site.Close)
	letGo := sync.OnceFunc(func() { close(held) })
	answer := sync.OnceFunc(func() { close(late) })
	t.Cleanup(letGo)
	t.Cleanup(answer)
	r := newRig(t)
	c, seen := r.client(t)
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := c.Browser().Call(deadline(t), "Target.createTarget", map[string]string{"url": site.URL + "/opener"}, &made); err != nil {
		t.Fatal(err)
	}
	opener := attachTo(t, c, made.TargetID)
	becomes(t, opener, "document.title", `"opener"`)
	open := map[string]any{"expression": "window.open('/late'); const x = new XMLHttpRequest(); x.open('GET', '/held', false); x.send()", "userGesture": true}
	opener.Post("Runtime.evaluate", open, func(jsontext.Value, error) {})
	<-busy
	seen.await(t, 0, "Target.targetCreated", `"openerId":"`+made.TargetID)
	popup := attachTo(t, c, openedBy(t, c, made.TargetID))
	scripted := make(chan error, 1)
	popup.Post("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "window.early = 1", "runImmediately": true}, func(_ jsontext.Value, err error) { scripted <- err })
	letGo()
	if err := <-scripted; err != nil {
		t.Fatal(err)
	}
	answer()
	becomes(t, popup, "window.found", "1")
}

// openedBy returns the target of the page that another one opened.
func openedBy(t *testing.T, c *cdp.Conn, opener string) string {
	t.Helper()
	var got struct {
		Infos []struct {
			ID     string `json:"targetId"`
			Opener string `json:"openerId"`
		} `json:"targetInfos"`
	}
	if err := c.Browser().Call(deadline(t), "Target.getTargets", nil, &got); err != nil {
		t.Fatal(err)
	}
	for _, info := range got.Infos {
		if info.Opener == opener {
			return info.ID
		}
	}
	t.Fatalf("%s opened none of %+v", opener, got.Infos)
	return ""
}
