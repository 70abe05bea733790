package debug_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/debug"
)

const moving = `<title>Vitals</title><h1 id=big class="a b">The largest words of the page</h1><div id=ad></div><p id=below>moves</p>
<button id=slow onclick="const t = performance.now(); while (performance.now() - t < 200);">Slow</button>
<script>requestAnimationFrame(() => requestAnimationFrame(() => // what moves before it is drawn does not count
	setTimeout(() => { ad.style.height = "200px"; setTimeout(() => document.title = "moved", 50) }, 50)))</script>`

func TestVitals(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, map[string]string{"/": moving, "/empty": ""})
	s.Run(t, "open", site+"/")
	s.Run(t, "wait", "--fn", "document.title === 'moved'")
	s.Eval(t, "window.stays = 1; history.pushState({}, '', '/pushed')")
	got := commandtest.Data[debug.Vitals](t, s.Run(t, "vitals"))
	if got.URL != site+"/pushed" || got.TTFB == nil || got.FCP == nil || *got.FCP < *got.TTFB || got.INP != nil {
		t.Errorf("%+v", got)
	}
	if got.LCP == nil || got.LCP.Element == nil || *got.LCP.Element != "h1#big.a.b" || got.LCP.StartTime < *got.FCP || got.LCP.Size <= 0 {
		t.Errorf("LCP: %+v", got.LCP)
	}
	if got.CLS.Score <= 0 || len(got.CLS.Entries) != 1 || !strings.Contains(strings.Join(got.CLS.Entries[0].Sources, " "), "p#below") {
		t.Errorf("CLS: %+v", got.CLS)
	}
	if s.Eval(t, "window.stays") != "1" {
		t.Error("the page was reloaded")
	}
	// The browser reports an interaction some time after the frame that shows it.
	s.Eval(t, "window.reported = false; new PerformanceObserver(() => reported = true).observe({type: 'event', durationThreshold: 16}), 0")
	s.Run(t, "click", "#slow")
	s.Run(t, "wait", "--fn", "reported")
	if got := commandtest.Data[debug.Vitals](t, s.Run(t, "vitals")); got.INP == nil || *got.INP < 200 {
		t.Errorf("INP: %v", got.INP)
	}

	got = commandtest.Data[debug.Vitals](t, s.Run(t, "web-vitals", site+"/"))
	if got.URL != site+"/" || got.LCP == nil || got.CLS.Score <= 0 {
		t.Errorf("an address: %+v", got)
	}
	s.Eval(t, "window.stays = 1")
	if got := commandtest.Data[debug.Vitals](t, s.Run(t, "vitals", "--reload")); got.LCP == nil || s.Eval(t, "typeof window.stays") != `"undefined"` {
		t.Errorf("--reload: %+v", got)
	}
	res := s.Run(t, "vitals", site+"/empty")
	if got := commandtest.Data[debug.Vitals](t, res); got.LCP != nil || got.FCP != nil || !strings.Contains(res.Warning, "painted nothing") {
		t.Errorf("an empty page: %+v %q", got, res.Warning)
	}
}
