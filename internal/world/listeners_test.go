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
