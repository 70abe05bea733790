package extension_test

import (
	"fmt"
	"testing"

	"github.com/coder/websocket"

	"github.com/usher-browser/usher/internal/extension"
)

// shown is what the popup shows of an element; empty if it is hidden.
func shown(id string) string {
	return fmt.Sprintf("(e => e.checkVisibility() ? e.innerText.trim() : '')(document.getElementById(%q))", id)
}

// TestPopup goes through its states: no pairing, wrong code, connected, disconnected, no relay.
func TestPopup(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	b := launch(t, r.address)
	l := r.next()
	if err := l.conn.Close(4001, "not paired: run `usher extension pair`"); err != nil {
		t.Log(err) // the extension may have closed first
	}
	popup := b.own("popup.html")
	b.until(popup, shown("state-text"), `"Not paired"`)
	b.until(popup, "document.getElementById('code').checkVisibility()", "true")
	b.until(popup, shown("version"), fmt.Sprintf("%q", "extension "+extension.Version()))

	enter := func(code string) *link {
		b.evaluate(popup, fmt.Sprintf("document.getElementById('code').value = %q; document.querySelector('#pair button').click()", code))
		l := r.next()
		if l.hello.Code != "12345678" {
			t.Errorf("code %q", l.hello.Code)
		}
		return l
	}
	_ = enter("12345678").conn.Close(websocket.StatusCode(4003), "wrong code: 4 more attempts")
	b.until(popup, shown("detail"), `"wrong code: 4 more attempts"`)
	l = enter("1234 5678")
	l.welcome(false, "token")
	b.until(popup, shown("state-text"), `"Connected"`)
	b.until(popup, shown("pair"), `""`)
	b.until(popup, shown("no-tabs"), `"None."`)

	// Tabs in use, with a button each.
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	b.until(popup, "document.querySelectorAll('#tabs li').length", "1")
	b.until(popup, "chrome.action.getBadgeText({})", `"1"`)
	b.until(popup, "chrome.tabGroups.query({title: 'usher'}).then(g => g.length)", "1")
	b.evaluate(popup, "document.querySelector('#tabs button').click()")
	l.event("debugger.onDetach", fmt.Sprintf(`{"tabId":%d,"reason":"detached_by_user"}`, page.TabID))
	b.until(popup, "document.querySelectorAll('#tabs li').length", "0")
	b.until(popup, "chrome.action.getBadgeText({})", `""`)
	b.until(popup, "chrome.tabGroups.query({title: 'usher'}).then(g => g.length)", "0")

	// Two settings, the second before the worker has seen the first.
	b.evaluate(popup, "document.querySelector('[name=ghostCursor]').click(); document.querySelector('[value=manual]').click()")
	b.until(popup, "chrome.storage.local.get('settings').then(s => s.settings.ghostCursor + s.settings.mode)", `"truemanual"`)

	// An address of another computer is refused.
	b.evaluate(popup, "document.querySelector('details').open = true; document.getElementById('address').value = 'ws://relay.example:1'; document.querySelector('#relay button').click()")
	b.until(popup, "document.getElementById('address-error').textContent.startsWith('Give a port')", "true")

	b.evaluate(popup, "document.getElementById('disconnect').click()")
	<-l.gone
	b.until(popup, shown("state-text"), `"Disconnected"`)
	b.evaluate(popup, "document.getElementById('connect').click()")
	l = r.welcomed(false)
	if l.hello.Token != "token" {
		t.Errorf("token %q", l.hello.Token)
	}
	b.until(popup, shown("state-text"), `"Connected"`)

	// Another relay must not learn the token.
	b.evaluate(popup, "document.getElementById('address').value = '1'; document.querySelector('#relay button').click()")
	<-l.gone
	b.until(popup, shown("state-text"), `"No relay"`)
	b.until(popup, "chrome.storage.local.get('identity').then(s => s.identity.token + s.identity.relay)", `"ws://127.0.0.1:1/extension"`)
}

// TestLog: the options page shows commands as they come, as text.
func TestLog(t *testing.T) {
	t.Parallel()
	r := newRelay(t)
	b := launch(t, r.address)
	l := r.welcomed(false)
	page := l.open("about:blank")
	l.call("debugger.attach", map[string]any{"tabId": page.TabID}, nil)
	l.evaluate(page.TabID, "'<b>before</b>'")
	log := b.own("options.html")
	b.until(log, "document.querySelectorAll('#rows b').length + document.body.innerText.includes('<b>before</b>')", "1")
	l.evaluate(page.TabID, "'x'.repeat(1e6)")
	b.until(log, "[...document.querySelectorAll('#rows tr')].some(r => r.cells[3].innerText === 'reply' && +r.cells[4].innerText > 1e6 && r.cells[5].innerText.length <= 300)", "true")
}
