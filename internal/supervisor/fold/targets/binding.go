package targets

import (
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// binding is the binding, in our world only, by which what runs there reports what no
// event of the protocol does.
const binding = "usherTell"

// bindingScript runs in our world of each new document of a page's process. In headless
// Chromium window.print() shows nothing, returns at once and fires beforeprint,
// but no event of the protocol reports it (measured on Chromium 156).
const bindingScript = `addEventListener("beforeprint",()=>` + binding + `("print"))`

// listen installs the listener for a page. Bindings need Runtime.enable, which a page can detect, so it is not used
// with Stealth.
func (m *Targets) listen(session string) {
	m.Send(session, "Runtime.addBinding", core.Params{"name": binding, "executionContextName": model.WorldName}, core.Tag{})
	m.Send(session, "Page.addScriptToEvaluateOnNewDocument", core.Params{"source": bindingScript, "worldName": model.WorldName}, core.Tag{})
}

func (m *Targets) bindingCalled(ev *cdp.Event) {
	var p struct {
		Name    string `json:"name"`
		Payload string `json:"payload"`
	}
	info, ok := m.Sessions[ev.SessionID]
	t := m.State().Tabs[info.Tab]
	if !ok || t == nil || !core.Decode(ev, &p) || p.Name != binding {
		return
	}
	switch p.Payload {
	case "alive":
		m.liveness.OwnScriptAlive(ev.SessionID)
	case "print":
		m.interrupts.Printed(t, ev.SessionID)
	}
}
