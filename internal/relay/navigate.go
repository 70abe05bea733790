package relay

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/wire"
)

const navigateMethod = "Page.navigate"

// navigation is a Page.navigate of the main frame without a reply.
type navigation struct {
	overtaken bool   // a script of the page has begun another one since
	known     func() // called then
}

const (
	// maxNavigations is how often a navigation is begun that scripts overtake.
	maxNavigations = 4
	// overtakenLimit is how long a reply waits for the event that says that the page has begun another navigation: both come on ways of their own.
	overtakenLimit = 100 * time.Millisecond
)

// withoutUser are the reasons of navigations that a page begins by itself.
var withoutUser = map[string]bool{"scriptInitiated": true, "metaTagRefresh": true, "httpHeaderRefresh": true, "reload": true}

// navigate carries out Page.navigate. Chrome takes it for one of the page's own, which a script that goes somewhere else meanwhile ends. One of the
// user's would go on: content/browser/renderer_host/navigator.cc, ShouldIgnoreIncomingRendererRequest. So it is begun again.
func (r *Relay) navigate(s *session, cmd wire.Command, before int) {
	d, n := s.of, &navigation{}
	d.navigates = append(d.navigates, n)
	cmd.Params = bytes.Clone(cmd.Params)
	end := func() { d.navigates = slices.DeleteFunc(d.navigates, func(o *navigation) bool { return o == n }) }
	sent := r.load(s, cmd, func(payload []byte, failed bool) []byte {
		again := func() bool { return n.overtaken && before+1 < maxNavigations && !s.ended && s.tab.phase == attached }
		switch {
		case failed || !aborted(payload) || before+1 == maxNavigations || s.ended:
			end()
			return payload
		case again():
			end()
			r.navigate(s, cmd, before+1)
			return nil
		}
		kept := bytes.Clone(payload)
		n.known = func() {
			end()
			n.known = func() {}
			if again() {
				r.navigate(s, cmd, before+1)
				return
			}
			if !s.ended {
				s.client.reply(cmd, kept, false)
			}
		}
		time.AfterFunc(overtakenLimit, func() {
			r.mu.Lock()
			defer r.unlock()
			n.known()
		})
		return nil
	})
	if !sent {
		end()
	}
}

// overtake takes a Page.frameRequestedNavigation.
func (d *debuggee) overtake(params []byte) {
	var p struct {
		Frame       string `json:"frameId"`
		Reason      string `json:"reason"`
		Disposition string `json:"disposition"`
	}
	if len(d.navigates) == 0 || d.id != "" || !decode(params, &p) || p.Frame != d.target || !withoutUser[p.Reason] || p.Disposition != "currentTab" {
		return
	}
	for _, n := range slices.Clone(d.navigates) {
		n.overtaken = true
		if n.known != nil {
			n.known()
		}
	}
}

// aborted reports whether a navigation was ended, and is no download.
func aborted(payload []byte) bool {
	var got struct {
		Text     string `json:"errorText"`
		Download bool   `json:"isDownload"`
	}
	return decode(payload, &got) && got.Text == "net::ERR_ABORTED" && !got.Download
}

// toData reports whether a command navigates the tab itself to a data: address.
func (s *session) toData(cmd wire.Command) bool {
	if cmd.Method != navigateMethod || s.of.id != "" {
		return false
	}
	var p struct {
		URL   string `json:"url"`
		Frame string `json:"frameId"`
	}
	decode(cmd.Params, &p)
	url := strings.TrimSpace(p.URL)
	return len(url) > 5 && strings.EqualFold(url[:5], "data:") && (p.Frame == "" || p.Frame == s.tab.target)
}

// abortedData adds the reason to the reply to a navigation to a data: address that Chrome has aborted. It takes navigations of extensions for
// the page's own, which may not go there unless the address is a download; its reply has no more than net::ERR_ABORTED.
func abortedData(payload []byte, failed bool) []byte {
	if failed || !aborted(payload) {
		return payload
	}
	return withMember(payload, "errorText", encode("net::ERR_ABORTED ("+dataRefused+")"))
}

// dataRefused says why Chrome aborts a navigation to a data: address, and what to do.
const dataRefused = "Chrome lets no extension navigate a tab to a data: address; put the content into the page (page.setContent), or open a new tab with the " +
	"address (Target.createTarget)"
