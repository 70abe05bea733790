package world_test

import (
	"strconv"
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestCheckCountsChangesBetweenSlices: a wait is made of several calls, and a change between two of them counts as one during
// the wait: the page is not still since the first call.
func TestCheckCountsChangesBetweenSlices(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	p.inPage(`document.body.append(Object.assign(document.createElement("button"),{id:"off",disabled:true})),1`)
	still := func() float64 {
		var reply struct {
			Refusal struct {
				Still float64 `json:"still"`
			} `json:"refusal"`
		}
		args := map[string]any{"target": map[string]any{"by": "css", "value": "#off"}, "needs": []string{"enabled"}, "wait": 0}
		if err := p.Call(p.deadline(), model.FrameID(p.tab), "check", args, &reply); err != nil {
			t.Fatal(err)
		}
		return reply.Refusal.Still
	}
	still()
	p.inPage(`new Promise(done=>setTimeout(()=>{off.textContent="2 s";window.changed=performance.now();done(1)},50))`)
	got := still()
	since, err := strconv.ParseFloat(p.inPage(`performance.now()-changed`), 64)
	if err != nil || got <= 0 || got > since {
		t.Errorf("still for %.1f ms, and the page changed %.1f ms ago (%v)", got, since, err)
	}
}
