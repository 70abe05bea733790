package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestWrappersWithoutContent: a clickable wrapper is left out if a click on it arrives at its content, or at the element
// around it.
func TestWrappersWithoutContent(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, want string }{
		{
			"around a button, twice", `<div class=outer onclick=1 style="width:90px"><span onclick=1 style="display:block"><button style="width:90px">Go</button></span></div>`,
			`- button "Go" [ref]`,
		},
		{
			"around a field and its icon", `<div class=field onclick=1 style="width:200px"><i class=eye onclick=1 style="display:inline-block;width:9px;height:9px"></i><input aria-label=Name style="width:180px"></div>`,
			"- generic \"eye\" [ref] clickable [onclick]\n- textbox \"Name\" [ref]",
		},
		{
			"around a hidden box", `<style>.box{cursor:pointer;width:40px;height:20px}</style><div class=box><input type=checkbox aria-label=Wifi style="width:0;height:0;opacity:0;margin:0;position:absolute"></div>`,
			`- checkbox "Wifi" [checked=false, ref]`,
		},
		{
			"a card with a small button is pressed beside it", `<div class=card onclick=1 style="width:300px;height:200px"><img alt="" width=280 height=150><button>Like</button></div>`,
			"- generic [ref] clickable [onclick]\n  - button \"Like\" [ref]",
		},
		{
			"what else it can is told on", `<div onclick=1 ondblclick=1 style="width:90px"><button style="width:90px">Go</button></div>`,
			`- button "Go" [ref] [dblclick]`,
		},
		{
			"what is dragged stays", `<div onclick=1 draggable=true style="width:90px"><button style="width:90px">Go</button></div>`,
			"- generic [ref] clickable [onclick, draggable]\n  - button \"Go\" [ref]",
		},
		{
			"around what is disabled", `<div onclick=1 style="width:90px"><button disabled style="width:90px">Go</button></div>`,
			"- generic [ref] clickable [onclick]\n  - button \"Go\" [disabled, ref]",
		},
		{
			"the track of a slider", `<div onclick=1 style="width:90px;height:9px"><div role=slider aria-label=Loud tabindex=0 style="width:90px;height:9px"></div></div>`,
			"- generic [ref] clickable [onclick]\n  - slider \"Loud\" [ref]",
		},
		{
			"a day and its link", `<table><tr><th>Mo<th>Tu<tr><td onclick=1><a href=x style="display:block">24</a><td onclick=1><a href=y style="display:block">25</a></table>`,
			"- row\n  - columnheader \"Mo\" [ref]\n  - columnheader \"Tu\" [ref]\n- row\n  - link \"24\" [ref]\n  - link \"25\" [ref]",
		},
		{
			"the inside of an item", `<div role=listbox aria-label=L><div role=option aria-label=Tea><div class=inner onclick=1 style="height:20px"></div></div></div>`,
			"- listbox \"L\" [ref]\n  - option \"Tea\" [ref]",
		},
		{
			"the expander of an item stays", `<div role=tree><div role=treeitem aria-label=Root style="width:200px"><i class=open onclick=1 style="display:inline-block;width:9px;height:9px"></i>Root</div></div>`,
			"- treeitem \"Root\" [ref]\n  - generic \"open\" [ref] clickable [onclick]",
		},
		{
			"a label before its field", `<label onclick=1>Fruit</label><input aria-label=Fruit>`,
			`- textbox "Fruit" [ref]`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// TestHintsOfLongListsAreOmitted: how items of a list can be clicked is shown for the first items only; what differs
// is shown for each.
func TestHintsOfLongListsAreOmitted(t *testing.T) {
	b := start(t)
	var rows strings.Builder
	for _, name := range []string{"Ada", "Bo", "Cy", "Di", "Ed"} {
		rows.WriteString("<tr><td onclick=1>" + name + "<td ondblclick=1>" + name + " too")
	}
	got := refsOut(b.content(t, "<table>"+rows.String()+"</table>", view.Options{Interactive: true}).Text)
	if n := strings.Count(got, "clickable [onclick]"); n != 3 || strings.Count(got, "] clickable\n") != 2 || strings.Count(got, "[dblclick]") != 5 {
		t.Errorf("%d hints\n%s", n, got)
	}
}

// TestNamesOfContainersOfNamedItems: items may have other names than their text, and be shown elsewhere. Their container is not
// named by that text.
func TestNamesOfContainersOfNamedItems(t *testing.T) {
	b := start(t)
	var days strings.Builder
	for n := 1; n <= 31; n++ {
		fmt.Fprintf(&days, "<span tabindex=0 role=button aria-label='March %d'>%d</span> ", n, n)
	}
	for _, test := range []struct{ markup, want string }{
		{"<div onclick=0 style='padding-top:300px'>30 31 " + days.String() + " 1 2 3 4</div>", "- generic [ref] clickable [onclick]"},
		{"<div onclick=0>Days <span tabindex=0 role=button aria-label='March 1'>1</span></div>", `- generic "Days" [ref] clickable [onclick]`},
		{"<div role=group aria-owns=rows><div tabindex=0 onkeydown=0><p id=rows><button>One</button><b>Two</b></p></div></div>", "- generic [ref] focusable [tabindex]"},
		{"<div role=group aria-owns=rows><div tabindex=0 onkeydown=0>Rows <p id=rows><button>One</button><b>Two</b></p></div></div>", `- generic "Rows" [ref] focusable [tabindex]`},
	} {
		first, rest, _ := strings.Cut(refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text), "\n")
		if first != test.want || !strings.Contains(rest, "button") {
			t.Errorf("%.60s:\n%s\n%s\nwant %s", test.markup, first, rest, test.want)
		}
	}
}

// TestLongNamesOfContainers: a container whose name is the beginning of its content has no name.
func TestLongNamesOfContainers(t *testing.T) {
	b := start(t)
	rows := strings.Repeat("<div role=row><div role=gridcell>Oli 10</div><div role=gridcell>red</div></div>", 30)
	got := b.content(t, "<div role=grid><div tabindex=0>"+rows+"</div></div>", view.Options{Interactive: true}).Text
	if first, _, _ := strings.Cut(got, "\n"); refsOut(first) != "- generic [ref] focusable [tabindex]" {
		t.Errorf("got %s", first)
	}
}
