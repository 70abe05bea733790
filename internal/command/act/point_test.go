package act_test

import (
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
)

// TestPointsOfAnElement: a drawing has no elements to name, so that the mouse commands take a point of it.
func TestPointsOfAnElement(t *testing.T) {
	s := commandtest.New(t)
	s.Run(t, "open", cdptest.NewSite(t).URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<canvas id=c width=300 height=200>'; window.log = [];
		for (const type of ['mousemove', 'dblclick']) c.addEventListener(type, e => { log.push(type + e.offsetX + ',' + e.offsetY) }); 0`)
	s.Run(t, "hover", "#c", "--at", "250,20")
	s.Run(t, "dblclick", "#c", "--at", "30,150")
	if got := s.Eval(t, "[log[0], log.at(-1)].join()"); got != `"mousemove250,20,dblclick30,150"` {
		t.Errorf("the canvas received %s", got)
	}
	if _, err := s.Try(t, "hover", "#c", "--at", "left"); err == nil {
		t.Error("hovered over a point that is none")
	}
	_, err := s.Try(t, "drag", "#c", "200,0")
	if e := api.AsError(err); e == nil || e.Code != api.InvalidArgument || !strings.Contains(e.Hint, "--at 200,0") {
		t.Errorf("a point for an element: %v", err)
	}
}
