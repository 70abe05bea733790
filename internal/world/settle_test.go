package world_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestSettleReportsEveryChange: a class, a style and a node in a shadow root count as changes of the document although the page
// is not waited for because of the first two; a page that does nothing is untouched.
func TestSettleReportsEveryChange(t *testing.T) {
	site := cdptest.NewSite(t)
	p := visit(t, site.URL("/small"))
	p.inPage(`document.body.append(Object.assign(document.createElement("div"),{id:"host"})),host.attachShadow({mode:"open"}).append("in"),1`)
	for change, touched := range map[string]bool{
		`1`:                                false,
		`getComputedStyle(host).color`:     false,
		`document.body.className="open"`:   true,
		`host.style.opacity="0"`:           true,
		`host.shadowRoot.append("more"),1`: true,
	} {
		settle, err := p.Start(p.deadline(), model.FrameID(p.tab), "settle", map[string]any{
			"quiet": 200, "changes": cdptest.Timeout.Milliseconds(), "busy": 1, "most": 1, "since": 0,
		})
		if err != nil {
			t.Fatal(err)
		}
		p.inPage(change)
		var answer struct {
			Touched bool `json:"touched"`
		}
		if err := settle.Wait(p.deadline(), &answer); err != nil || answer.Touched != touched {
			t.Errorf("%s: touched %t, %v; want %t", change, answer.Touched, err, touched)
		}
	}
}
