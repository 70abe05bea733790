package debug_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/debug"
)

// targets lists the elements of each finding: "rule: frame > element".
func targets(list []debug.Finding) []string {
	var out []string
	for _, f := range list {
		for _, n := range f.Nodes {
			out = append(out, fmt.Sprintf("%s: %s", f.ID, n.Target))
		}
	}
	slices.Sort(out)
	return out
}

func TestA11y(t *testing.T) {
	s := commandtest.New(t)
	pages := map[string]string{
		"/inner": `<html lang=en><title>Inner</title><main><button></button></main>`,
		"/fine":  `<html lang=en><title>Fine</title><main><h1>Fine</h1></main>`,
	}
	site := serve(t, pages)
	other := strings.Replace(site, "127.0.0.1", "localhost", 1)
	pages["/"] = `<html lang=en><title>Page</title><main><h1>Page</h1><img src=x.png><div id=host></div><p id=pale style="color:#aaa">Pale words</p>
		<iframe title=near src=/inner></iframe><iframe title=far src="` + other + `/inner"></iframe></main>
		<script>host.attachShadow({mode: "open"}).innerHTML = "<button></button>"; window.axe = "the page's own"; window.changes = 0;
		new MutationObserver((list) => changes += list.length).observe(document, {subtree: true, childList: true, attributes: true});</script>`
	s.Run(t, "open", site+"/")
	got := commandtest.Data[debug.Audit](t, s.Run(t, "a11y"))
	want := []string{
		`button-name: ["iframe[title=\"far\"]" "button"]`, `button-name: ["iframe[title=\"near\"]" "button"]`, `button-name: [["#host","button"]]`,
		`color-contrast: ["#pale"]`, `image-alt: ["img"]`, `landmark-unique: ["main"]`,
	}
	if list := targets(got.Violations); !slices.Equal(list, want) {
		t.Errorf("violations:\n%s", strings.Join(list, "\n"))
	}
	if got.URL != site+"/" || got.Counts.Violations != 4 || got.Counts.Passes == 0 || got.AxeVersion == "" {
		t.Errorf("%+v", got.Counts)
	}
	if f := got.Violations[0]; f.ID != "button-name" || f.NodeCount != 3 || f.Impact == nil || *f.Impact != "critical" || !strings.Contains(f.Nodes[0].FailureSummary, "Fix any") || f.Nodes[0].HTML != "<button></button>" {
		t.Errorf("%+v", f)
	}
	if seen := s.Eval(t, "[axe, changes]"); seen != `["the page's own",0]` {
		t.Errorf("the page sees %s", seen)
	}
	if text := s.Run(t, "a11y").Text; !strings.Contains(text, "\n  - #host >>> button") || !strings.Contains(text, `iframe[title="far"] -> button`) {
		t.Errorf("%s", text)
	}
	got = commandtest.Data[debug.Audit](t, s.Run(t, "a11y", "--tags", "cat.color,cat.text-alternatives", "-s", "p"))
	if list := targets(got.Violations); !slices.Equal(list, want[3:4]) {
		t.Errorf("a part of the page: %v", list)
	}
	for code, args := range map[api.Code][]string{
		api.InvalidArgument: {"a11y", "--tags", "wcag2a,bogus"}, api.ElementNotFound: {"a11y", "-s", "#none"}, api.InvalidSelector: {"a11y", "-s", "p:x("},
	} {
		if _, err := s.Try(t, args...); api.CodeOf(err) != code {
			t.Errorf("%v: %v", args, err)
		}
	}
	if got := commandtest.Data[debug.Audit](t, s.Run(t, "a11y", site+"/fine")); got.URL != site+"/fine" || got.Counts.Violations != 0 {
		t.Errorf("an address: %+v", got)
	}
}
