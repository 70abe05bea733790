package supervisor

import (
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// tell is the binding, in our world only, by which what runs there tells of what no
// event of the protocol does.
const tell = "usherTell"

// listener runs in our world of each new document of a page's process. In headless
// Chromium window.print() shows nothing, returns at once and fires beforeprint,
// but no event of the protocol tells of it (measured on Chromium 156).
const listener = `addEventListener("beforeprint",()=>` + tell + `("print"))`

// listen sets the listener up for a page. Bindings need Runtime.enable, which a
// page can notice, so stealth goes without.
func (m *Model) listen(session string) {
	m.send(session, "Runtime.addBinding", obj{"name": tell, "executionContextName": model.WorldName}, Tag{})
	m.send(session, "Page.addScriptToEvaluateOnNewDocument", obj{"source": listener, "worldName": model.WorldName}, Tag{})
}

// Printing says that a tab is being printed by ourselves, or no longer.
type Printing struct {
	Tab model.TargetID
	On  bool
}

// InputName is the name in recordings.
func (*Printing) InputName() string { return "Printing" }

func (m *Model) setPrinting(p *Printing) {
	if p.On {
		m.printing[p.Tab]++
		return
	}
	if m.printing[p.Tab]--; m.printing[p.Tab] <= 0 {
		delete(m.printing, p.Tab)
	}
}

func (m *Model) bindingCalled(ev *cdp.Event) {
	var p struct {
		Name    string `json:"name"`
		Payload string `json:"payload"`
	}
	info, ok := m.sessions[ev.SessionID]
	t := m.cur.Tabs[info.tab]
	if !ok || t == nil || !decodeEvent(ev, &p) || p.Name != tell {
		return
	}
	switch p.Payload {
	case "alive":
		m.searches(ev.SessionID)
	case "print":
		m.printed(t, ev.SessionID)
	}
}

// printed tells of a page that called print.
func (m *Model) printed(t *model.Tab, session string) {
	if m.printing[t.ID] > 0 {
		return
	}
	for _, i := range m.cur.Interrupts {
		if i.Kind == model.KindPrint && i.Tab == t.ID {
			return // a page that asks again and again is told of once
		}
	}
	m.interrupt(&model.Interruption{Kind: model.KindPrint, Tab: t.ID, Frame: t.Main, Session: session, Notice: true,
		Message: "the page called print(); `pdf` saves it as a file"})
}

// Printing keeps what a tab fires while we print it ourselves out of the queue,
// until the returned function is called.
func (b *Browser) Printing(tab model.TargetID) (done func()) {
	b.input(Input{Command: &Printing{Tab: tab, On: true}})
	return func() { b.input(Input{Command: &Printing{Tab: tab}}) }
}
