package relay

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// TestDocumentOfNewTab: a session was told of the empty page of a new tab, and the first document loads before the reply to
// Page.setLifecycleEventsEnabled. The session gets the events of the empty page before the reply, and those of the document behind it.
func TestDocumentOfNewTab(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"", "old reply new"},
		{":", "old reply new"},
		{"http://a.example/", "old new reply"},
	} {
		r := &Relay{tabs: map[int]*tab{}, link: link.New(nil, nil, "")}
		client := newClient(r)
		page := &tab{id: 1, target: "T", phase: attached}
		d := &debuggee{tab: page, target: "T", kind: "page"}
		s := &session{id: "S", client: client, kind: ofDebuggee, of: d, tab: page, enabled: map[string]bool{"Page": true}, lifecycle: true}
		d.views, page.debuggees, r.tabs[1] = []*session{s}, map[string]*debuggee{"": d}, page

		s.heldBack.open = true
		s.tellFrames(fmt.Appendf(nil, `{"frameTree":{"frame":{"id":"T","loaderId":"OLD","url":%q}}}`, c.url), false)
		for _, loader := range []string{"OLD", "NEW"} {
			r.Event(1, "", "Page.lifecycleEvent", fmt.Appendf(nil, `{"frameId":"T","loaderId":%q,"name":"load","timestamp":1}`, loader))
		}
		f := &forwarded{session: s, at: wire.Command{ID: 7, SessionID: "S", Method: lifecycleMethod}}
		f.end(jsontext.Value(`{}`), false)

		var got []string
		for range 3 {
			msg, err := client.Read()
			if err != nil {
				t.Fatal(err)
			}
			switch text := string(msg); {
			case strings.Contains(text, "OLD"):
				got = append(got, "old")
			case strings.Contains(text, "NEW"):
				got = append(got, "new")
			default:
				got = append(got, "reply")
			}
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("a tab at %q: %s, want %s", c.url, text, c.want)
		}
	}
}
