package revisions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/command/run/revisions"
)

// TestNext: the forms are those that agent-browser 0.41.2 printed for the same changes.
func TestNext(t *testing.T) {
	t.Parallel()
	var log revisions.Log
	lines := []string{`- heading "Title" [level=1, ref=e1]`}
	refs := map[string]revisions.Node{"e1": {Name: "Title", Role: "heading"}}
	for i := 2; i <= 40; i++ {
		lines = append(lines, fmt.Sprintf(`- button "Button %d" [ref=e%d]`, i, i))
		refs[fmt.Sprintf("e%d", i)] = revisions.Node{Name: fmt.Sprintf("Button %d", i), Role: "button"}
	}
	next := func(options string, whole bool) string {
		copied := map[string]revisions.Node{}
		for ref, node := range refs {
			copied[ref] = node
		}
		text, err := json.Marshal(log.Next("t1", options, strings.Join(lines, "\n"), copied, whole), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := next("-i", false); !strings.HasPrefix(got, `{"kind":"full","revision":1,"tree":"- heading`) || !strings.Contains(got, `"refs":{"e1":{"name":"Title","role":"heading"}`) {
		t.Errorf("the first: %s", got)
	}
	if got, want := next("-i", false), `{"kind":"unchanged","revision":2,"baseRevision":1}`; got != want {
		t.Errorf("nothing changed: %s, want %s", got, want)
	}
	lines[2] = `- link "Button 3" [ref=e3]`
	refs["e3"] = revisions.Node{Name: "Button 3", Role: "link"}
	lines[3] = `- button "New" [ref=e41]`
	delete(refs, "e4")
	refs["e41"] = revisions.Node{Name: "New", Role: "button"}
	want := `{"kind":"delta","revision":3,"baseRevision":2,"changes":[{"op":"replace","ref":"@e3","field":"role","value":"link"},{"op":"remove","ref":"@e4"},` +
		`{"op":"add","ref":"@e41","node":{"name":"New","role":"button"}}],"treeChange":{"deleteCount":2,"lines":["- link \"Button 3\" [ref=e3]","- button \"New\" [ref=e41]"],"startLine":2}}`
	if got := next("-i", false); got != want {
		t.Errorf("a change:\n%s, want\n%s", got, want)
	}
	lines = append(lines[:10:10], lines[11:]...)
	delete(refs, "e11")
	if got := next("-i", false); !strings.Contains(got, `"treeChange":{"deleteCount":1,"lines":[],"startLine":10}`) {
		t.Errorf("a line less: %s", got)
	}
	for what, got := range map[string]string{"other options": next("", false), "asked for": next("", true)} {
		if !strings.HasPrefix(got, `{"kind":"full"`) {
			t.Errorf("%s: %s", what, got)
		}
	}
	for i := range lines {
		lines[i] += " "
	}
	if got := next("", false); !strings.HasPrefix(got, `{"kind":"full","revision":7`) {
		t.Errorf("everything changed: %s", got)
	}
	if got := log.Next("t2", "", "- button", nil, false); got.Kind != "full" {
		t.Errorf("another tab: %+v", got)
	}
}
