package relay

import (
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// browserCommand takes a command to the browser itself, or of the domain Browser in any session.
func (r *Relay) browserCommand(s *session, cmd wire.Command) {
	switch cmd.Method {
	case "Browser.getVersion":
		s.client.answer(cmd, map[string]string{"protocolVersion": "1.3", "product": r.hello.Product, "revision": "", "userAgent": r.hello.UserAgent, "jsVersion": ""})
	case "Browser.close": // as of a browser that goes on: its user does not end with this client
		s.client.answer(cmd, empty{})
		s.client.End(io.EOF)
	case "Browser.setDownloadBehavior":
		r.setDownloads(s, cmd)
	case "Browser.getWindowForTarget":
		r.getWindow(s, cmd)
	case "Browser.getWindowBounds", "Browser.setWindowBounds":
		r.windowBounds(s, cmd)
	case "Storage.getCookies", "Storage.setCookies", "Storage.clearCookies", "Storage.getUsageAndQuota", "Storage.clearDataForOrigin", "Storage.getStorageKey",
		"Storage.clearDataForStorageKey", "Storage.getTrustTokens", "Storage.overrideQuotaForOrigin":
		r.throughTab(s, cmd)
	default:
		s.client.fail(cmd, codeNotFound, "'"+cmd.Method+"' wasn't found: it is not available in the user's Chrome")
	}
}

// throughTab sends a command for the browser through a tab, whose session accepts it. A tab that is attached is preferred.
func (r *Relay) throughTab(s *session, cmd wire.Command) {
	if why := r.refuses(s, &cmd); why != "" {
		s.client.fail(cmd, cdp.CodeUserRefused, why)
		return
	}
	params := cmd.Params
	var p struct {
		Context string `json:"browserContextId"`
	}
	if params != nil {
		decode(params, &p)
	}
	switch {
	case p.Context != "" && p.Context != contextID:
		s.client.fail(cmd, codeServer, "Failed to find browser context with given id")
		return
	case p.Context != "":
		params = without(params, "browserContextId")
	}
	var through *tab
	for _, t := range r.announcedTabs(s.client) {
		if through == nil || t.phase == attached && through.phase != attached {
			through = t
		}
	}
	if through == nil {
		s.client.fail(cmd, codeServer, cmd.Method+" needs an open tab, and none is visible: open one, or share one in the extension's popup")
		return
	}
	params = append(jsontext.Value(nil), params...)
	c, at, method := s.client, wire.Command{ID: cmd.ID, SessionID: cmd.SessionID}, cmd.Method
	send := func() {
		err := r.link.CDP(through.id, "", method, params, func(payload []byte, failed bool) { c.reply(at, payload, failed) })
		if err != nil {
			c.fail(at, codeServer, err.Error())
		}
	}
	if through.phase == attached {
		send()
		return
	}
	through.ready = append(through.ready, func() {
		if through.phase != attached {
			c.fail(at, codeServer, method+" needs a tab, and the debugger cannot be attached to that with "+through.info.URL)
			return
		}
		send()
		if len(through.root().views) == 0 {
			r.leaveSoon(through)
		}
	})
	r.attach(through)
}

// without returns an object without a member.
func without(object []byte, name string) []byte {
	out := []byte{'{'}
	_ = wire.Members(object, func(key string, value []byte) error { // it was decoded before
		if key != name {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(append(append(append(out, '"'), key...), `":`...), value...)
		}
		return nil
	})
	return append(out, '}')
}

// window is a window as the extension tells it.
type window struct {
	ID     int    `json:"windowId"`
	State  string `json:"state"`
	Left   int    `json:"left"`
	Top    int    `json:"top"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

func (w window) bounds() map[string]any {
	return map[string]any{"left": w.Left, "top": w.Top, "width": w.Width, "height": w.Height, "windowState": w.State}
}

func (r *Relay) getWindow(s *session, cmd wire.Command) {
	var p targetParams
	decode(cmd.Params, &p)
	if p.TargetID == "" && s.kind != ofBrowser {
		p.TargetID = s.tab.target
	}
	r.withTarget(s, cmd, p, func(t *tab) {
		r.window(s, cmd, "windows.get", map[string]any{"windowId": t.info.Window}, func(w window) any {
			return map[string]any{"windowId": t.info.Window, "bounds": w.bounds()}
		})
	})
}

// window asks the extension about a window and answers a command with what result makes of it.
func (r *Relay) window(s *session, cmd wire.Command, method string, params map[string]any, result func(window) any) {
	c, at := s.client, wire.Command{ID: cmd.ID, SessionID: cmd.SessionID}
	err := r.link.Start(method, params, func(payload []byte, failed bool) {
		var w window
		if failed || !decode(payload, &w) {
			c.fail(at, codeServer, link.Error(method, payload).Error())
			return
		}
		c.answer(at, result(w))
	})
	if err != nil {
		c.fail(cmd, codeServer, err.Error())
	}
}

func (r *Relay) windowBounds(s *session, cmd wire.Command) {
	var p struct {
		Window int                       `json:"windowId"`
		Bounds map[string]jsontext.Value `json:"bounds"`
	}
	decode(cmd.Params, &p)
	if cmd.Method == "Browser.getWindowBounds" {
		r.window(s, cmd, "windows.get", map[string]any{"windowId": p.Window}, func(w window) any { return map[string]any{"bounds": w.bounds()} })
		return
	}
	params := map[string]any{"windowId": p.Window}
	for name, value := range p.Bounds {
		if name == "windowState" {
			name = "state"
		}
		params[name] = value
	}
	r.window(s, cmd, "windows.update", params, func(window) any { return empty{} })
}

// isClearing reports whether a command clears what belongs to the whole profile.
func isClearing(cmd *wire.Command) bool {
	switch cmd.Method {
	case "Network.clearBrowserCookies", "Network.clearBrowserCache", "Storage.clearCookies", "Storage.clearTrustTokens", "Storage.clearSharedStorageEntries":
		return true
	case "Storage.clearDataForOrigin", "Storage.clearDataForStorageKey":
		var p struct {
			Origin string `json:"origin"`
			Key    string `json:"storageKey"`
		}
		decode(cmd.Params, &p)
		return strings.Trim(p.Origin+p.Key, "*") == ""
	}
	return false
}
