package view_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestListsAreFolded: a closed list is shown by its value and the number of its options; the options are shown if
// requested or visible.
func TestListsAreFolded(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<select aria-label=Zone>${[...Array(400)].map((_, i) => '<option>Zone ' + i).join('')}</select>"+
		"<select aria-label=Size><option>S<option selected>M<option hidden>No</select>"+
		"<select aria-label=Open multiple><option>A<option>B</select>`")
	want := `- combobox "Zone" [expanded=false, ref=e1] 400 options: Zone 0
- combobox "Size" [expanded=false, ref=e2]: M
  - option "S" [ref=e3]
  - option "M" [selected, ref=e4]
- listbox "Open" [ref=e5]
  - option "A" [ref=e6]
  - option "B" [ref=e7]`
	snap := b.look(t, tab, view.Options{Interactive: true})
	if snap.Text != want {
		t.Errorf("got\n%s\nwant\n%s", snap.Text, want)
	}
	if part := b.look(t, tab, view.Options{Ref: number(t, snap, "Zone")}); strings.Count(part.Text, "- option ") != 300 || !strings.Contains(part.Text, "400 options") {
		t.Errorf("the list by its ref is\n%.300s", part.Text)
	}
}

// TestRowsThatCannotBeScrolledTo: exactly the elements that cannot be scrolled into view are marked.
func TestRowsThatCannotBeScrolledTo(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, "document.body.innerHTML = `<a href=x style='position:absolute;left:-9999px'>Skip</a><nav style='position:fixed;left:0;top:0;width:200px;transform:translateX(-100%)'><button>In the menu</button></nav>"+
		"<div style='position:fixed;left:100vw;top:0'><a href=y>To the right</a></div>"+
		"<div id=scroller style='height:50px;overflow:auto'><p style='height:900px' class=c><a href=z class=c>Scrolled out</a></p></div><p style='height:3000px'></p><a href=w class=c>Far below</a>`; scroller.scrollTop = 500; scrollTo(0, 2000)")
	want := `- link "Skip" [offscreen, ref]
- button "In the menu" [offscreen, ref]
- link "To the right" [offscreen, ref]
- link "Scrolled out" [ref]
- link "Far below" [ref]`
	if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestIconsHaveWords has controls with an icon and no text.
func TestIconsHaveWords(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ markup, want string }{
		{"<button>\ue001</button>", `- button [ref]`},
		{"<button>\ue001 Save</button>", `- button "Save" [ref]`},
		{"<button title=Bin>\uf1f8</button>", `- button "Bin" [ref]`},
		{"<button><i class='fa fa-lg fa-trash-o'>\uf014</i></button>", `- button "trash o" [ref]`},
		{`<button class="btn css-1x2y3z"><svg data-icon="star"><path d="M0 0"/></svg></button>`, `- button "star" [ref]`},
		{`<button><svg><use href="#icon-close"/></svg></button>`, `- button "close" [ref]`},
		{`<button class="a1 css-k3j2 btn"></button>`, `- button [ref]`},
		{`<span class=star style="display:inline-block;width:9px;height:9px;cursor:pointer"></span>`, `- generic "star" [ref] clickable [cursor:pointer]`},
		{`<svg width=50 height=50><circle r=9 fill=red onclick="1"/></svg>`, `- generic "circle red" [ref] clickable [onclick]`},
		{`<div onclick=1 style="width:20px;height:20px;background:#f00"></div>`, `- generic "rgb(255, 0, 0)" [ref] clickable [onclick]`},
		{`<span class=pick onclick=1 style="display:inline-block;width:9px;height:9px;background-color:teal"></span>`, `- generic "pick teal" [ref] clickable [onclick]`},
		{`<button class=swatch><i style="background:navy"></i></button>`, `- button "swatch navy" [ref]`},
		{`<button style="background:red">Buy</button><button title=Red style="background:red"></button>`, "- button \"Buy\" [ref]\n- button \"Red\" [ref]"},
		{`<button style="background:var(--x)"></button><button style="background-color:transparent"></button><button style="background-color:rgba(1,1,1,0)"></button>`, "- button [ref]\n- button [ref]\n- button [ref]"},
		{`<form onclick=1 class=tint style="background:red;height:9px"><input name=style type=hidden></form>`, `- form "tint red" [ref] clickable [onclick]`},
		{`<input name=user_name>`, `- textbox "user name" [ref]`},
		// Classes of a library say what an element is made of, and are on all of its kind; what the page's author wrote for tooltips
		// and tests says what it is for.
		{`<button class="MuiButtonBase-root MuiIconButton-root"><svg class="MuiSvgIcon-root MuiSvgIcon-fontSizeMedium"></svg></button>`, `- button [ref]`},
		{`<button class="MuiButtonBase-root"><svg class="MuiSvgIcon-root" data-testid=SettingsIcon></svg></button>`, `- button "Settings" [ref]`},
		{`<button class="tool-button" data-tips="Undo (Ctrl+Z)"></button>`, `- button "Undo (Ctrl+Z)" [ref]`},
		{`<button class=btn data-bs-original-title="Zoom in"></button><button class=btn data-tippy-content="Zoom out"></button>`, "- button \"Zoom in\" [ref]\n- button \"Zoom out\" [ref]"},
		{`<button class=trash data-tooltip=A2dY97GWPws243jrag6Ls></button><button class=pen data-tooltip="#tip1"></button>`, "- button \"trash\" [ref]\n- button \"pen\" [ref]"},
		{`<button class="MuiIconButton-root" data-testid=header--tooltip-settings></button>`, `- button "header tooltip settings" [ref]`},
		{`<button class=tool id=tool-bold></button><button class=tool id=tool-italic></button>`, "- button \"tool bold\" [ref]\n- button \"tool italic\" [ref]"},
		{`<button class=tool id=a1></button><button class=tool id=b2></button><button class=close id=tip></button>`, "- button \"tool\" [ref]\n- button \"tool\" [ref]\n- button \"close\" [ref]"},
	} {
		if got := refsOut(b.content(t, test.markup, view.Options{Interactive: true}).Text); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.markup, got, test.want)
		}
	}
	if snap := b.content(t, "<p>\ue001</p><p>Text \ue002 more</p>", view.Options{}); snap.Text != "- paragraph\n  - StaticText \"Text more\"" {
		t.Errorf("in text:\n%s", snap.Text)
	}
}

// TestBudgetKeepsMainContent cuts a page that begins with a long menu, and whose rows each have an expander.
func TestBudgetKeepsMainContent(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	var menu, rows strings.Builder
	for i := range 60 {
		fmt.Fprintf(&menu, "<div><a href=/%d>Menu entry number %d</a></div>", i, i)
		fmt.Fprintf(&rows, "<div><button>Expand</button> <a href=/r%d>Result number %d</a></div>", i, i)
	}
	b.script(t, tab, "document.body.innerHTML = "+quoted("<nav>"+menu.String()+"</nav><main>"+rows.String()+"<form><input aria-label=Town><button>Search</button></form></main>"))
	cut := b.tell(t, tab, view.Options{Budget: 500, Interactive: true})
	count := func(part string) int { return strings.Count(cut.Text, part) }
	if count("Result number") < 20 || count("Town") != 1 || count(`"Search"`) != 1 || count("Menu entry") > count("Result number")/2 || count("Expand") > 12 {
		t.Errorf("%d results, %d of the menu, %d expanders\n%s", count("Result number"), count("Menu entry"), count("Expand"), cut.Text)
	}
}
