package world_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// TestListenersWithoutConsole: the domain DOMDebugger names the same elements as the command line API.
func TestListenersWithoutConsole(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	p.inPage(`document.body.innerHTML = '<p id=a>a<i>b</i></p><div id=c>c</div><span>d</span><section id=e>e</section><b id=f>f</b><button id=g>g</button>';
		for (const [id, kinds] of Object.entries({a: 'click', c: 'mousedown mouseup keydown', e: 'dblclick contextmenu touchstart pointerdown pointerup', g: 'click', f: Array.from({length: 40}, (_, i) => 'click' + i).join(' ') + ' click'}))
			for (const kind of kinds.split(' ')) document.getElementById(id).addEventListener(kind, () => {});
		addEventListener('click', () => {}); document.addEventListener('click', () => {}); 1`)
	asked, err := p.AskListeners(p.deadline(), model.FrameID(p.tab)).Wait(p.deadline())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(asked, "c;") || !strings.Contains(asked, "ptvdx;") {
		t.Fatalf("the command line API names %s", asked)
	}
	found, err := world.DOMListeners(p.Worlds, p.deadline(), model.FrameID(p.tab))
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(asked, "s:", "d:", 1); found != want {
		t.Errorf("DOMDebugger names %s, the command line API %s", found, want)
	}
}

// TestSteadyListeners: listeners are expected to be the same again unless they are unknown or have just changed.
func TestSteadyListeners(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	p.inPage(`document.body.innerHTML = '<p id=a>a</p><p id=b>b</p>'; 1`)
	steady := func(want bool) {
		t.Helper()
		asked := p.AskListeners(p.deadline(), model.FrameID(p.tab))
		if asked.Steady() != want {
			t.Errorf("steady: %v, want %v", !want, want)
		}
		if _, err := asked.Wait(p.deadline()); err != nil {
			t.Fatal(err)
		}
	}
	steady(false) // not read yet
	steady(true)
	p.inPage(`document.getElementById('a').addEventListener('click', () => {}); 1`)
	steady(true) // the change is not known before it is read
	steady(false)
	steady(true)
	p.navigate(site.URL("/small?another"))
	steady(false)
}

// TestAskedFieldFollows: a question that the page answers while another call still waits does not follow that.
func TestAskedFieldFollows(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	p.inPage(`document.body.innerHTML = '<input id=a>'; document.getElementById('a').addEventListener('keydown', () => {}); document.getElementById('a').focus(); 1`)
	waits := map[string]any{"target": map[string]any{"by": "css", "value": "#none"}, "wait": 300} // for an element that does not come
	for fn, want := range map[string]bool{"idle": true, "startFill": false} {
		var sent *world.Sent
		var keys *world.AskedField
		_, err := p.CallThen(p.deadline(), model.FrameID(p.tab), fn, waits, nil, func(s *world.Sent) {
			sent, keys = s, p.AskField(model.FrameID(p.tab))
		})
		if err != nil {
			t.Fatal(err)
		}
		listens, err := keys.Wait(p.deadline())
		if err != nil || !listens.Keys {
			t.Errorf("the field listens: %v, %v", listens, err)
		}
		if keys.Follows(sent) != want {
			t.Errorf("%s: follows %v, want %v", fn, !want, want)
		}
	}
}
