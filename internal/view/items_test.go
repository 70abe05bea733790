package view_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/view"
)

// TestDelegatedListener has one listener for many items: the items have refs, and nothing else has.
func TestDelegatedListener(t *testing.T) {
	b := start(t)
	for _, test := range []struct{ name, markup, script, want string }{
		{
			"a list", `<ul id=l><li>Cut</li><li>Copy</li></ul>`, `l.addEventListener('click', () => {})`,
			"- list [ref] clickable [click]\n  - listitem \"Cut\" [ref] clickable [delegated click]\n  - listitem \"Copy\" [ref] clickable [delegated click]",
		},
		{
			"a list of one, by its attribute", `<ol onmousedown=0><li>Cut</li></ol>`, ``,
			"- list [ref] clickable [mousedown]\n  - listitem \"Cut\" [ref] clickable [delegated mousedown]",
		},
		{
			"a list in a list", `<ul id=l><li>New<ul><li>File</li><li>Folder</li></ul></li></ul>`, `l.onclick = () => {}`,
			"- list [ref] clickable [click]\n  - listitem \"New\" [ref] clickable [delegated click]\n    - listitem \"File\" [ref] clickable [delegated click]\n    - listitem \"Folder\" [ref] clickable [delegated click]",
		},
		{
			"a box around a list", `<div id=box style="width:200px"><h4>Menu</h4><ul><li>Cut</li><li>Copy</li></ul></div>`, `box.onclick = () => {}`,
			"- generic [ref] clickable [click]\n  - heading \"Menu\" [level=4, ref]\n  - listitem \"Cut\" [ref] clickable [delegated click]\n  - listitem \"Copy\" [ref] clickable [delegated click]",
		},
		{
			"rows and not the header", `<table id=t><thead><tr><th>Name</thead><tr><td>Ada</td><td>36</td></tr><tr><td>Bob</td><td>7</td></tr></table>`, `t.onclick = () => {}`,
			"- table [ref] clickable [click]\n  - columnheader \"Name\" [ref]\n  - row \"Ada 36\" [ref] clickable [delegated click]\n    - cell \"Ada\" [ref]\n    - cell \"36\" [ref]\n" +
				"  - row \"Bob 7\" [ref] clickable [delegated click]\n    - cell \"Bob\" [ref]\n    - cell \"7\" [ref]",
		},
		{
			"cells with data", `<table><tbody id=t><tr><td data-day=1>1</td><td data-day=2>2</td></tr></table>`, `t.onclick = () => {}`,
			"- generic [ref] clickable [click]\n  - generic \"1\" [ref] clickable [delegated click]\n  - generic \"2\" [ref] clickable [delegated click]",
		},
		{
			"tabs without roles", `<div id=tabs style="width:300px"><div class="tab on">One</div><div class=tab>Two</div><div class=tab>Three</div></div>`, `tabs.onclick = () => {}`,
			"- generic \"One\" [ref] clickable [delegated click]\n- generic \"Two\" [ref] clickable [delegated click]\n- generic \"Three\" [ref] clickable [delegated click]",
		},
		{
			"swatches with data, far inside", `<div id=app style="width:99vw;height:90vh"><a href=x>Home</a><p><i data-colour=red style="display:inline-block;width:20px;height:20px"></i><i data-colour=blue style="display:inline-block;width:20px;height:20px"></i></p><ul><li>Text</li></ul></div>`,
			`app.onclick = () => {}`, "- link \"Home\" [ref]\n- generic [ref] clickable [delegated click]\n- generic [ref] clickable [delegated click]",
		},
		{
			"a menu with data in what fills the window", `<div id=app style="width:99vw;height:90vh"><a href=x>Home</a><ul><li data-act=cut class=item><label>Cut</label></li><li data-act=copy class=item><label>Copy</label></li></ul></div>`,
			`app.onclick = () => {}`, "- link \"Home\" [ref]\n- listitem \"Cut\" [ref] clickable [delegated click]\n- listitem \"Copy\" [ref] clickable [delegated click]",
		},
		{
			"a list of tasks, each with its box", `<ul id=l><li><input type=checkbox aria-label=Done> Buy tea</li><li><a href=x>Only a link</a></li></ul>`, `l.onclick = () => {}`,
			"- list [ref] clickable [click]\n  - listitem \"Buy tea\" [ref] clickable [delegated click]\n    - checkbox \"Done\" [checked=false, ref]\n  - link \"Only a link\" [ref]",
		},
		{
			"what is the button itself", `<div id=card style="width:200px;cursor:pointer"><b>Tea</b><span data-x=1>Hot</span><span data-x=2>Cold</span></div><div id=two style="width:200px"><p>One</p><p>Two</p><p>Three</p></div>`,
			`card.onclick = two.onclick = () => {}`, "- generic \"TeaHotCold\" [ref] clickable [cursor:pointer]\n- generic \"One Two Three\" [ref] clickable [click]",
		},
		{
			"an item that listens itself", `<ul><li id=a>Tea <span>hot</span></li><li id=b>Rum <span>cold</span></li></ul>`, `a.onclick = b.onclick = () => {}`,
			"- listitem \"Tea hot\" [ref] clickable [click]\n- listitem \"Rum cold\" [ref] clickable [click]",
		},
		{
			"a header of several, beside others with such data", `<div id=box style="width:300px"><div data-name=path>x</div><div data-name=head><b data-name=a>Name</b><b data-name=b>Size</b></div></div>`,
			`box.onclick = () => {}`, "- generic [ref] clickable [click]\n  - generic \"x\" [ref] clickable [delegated click]\n  - generic \"Name\" [ref] clickable [delegated click]\n  - generic \"Size\" [ref] clickable [delegated click]",
		},
		{"what listens on the document", `<ul><li data-a=1>Cut</li><li data-a=2>Copy</li></ul>`, `document.addEventListener('click', () => {}); document.body.addEventListener('click', () => {})`, view.NoInteractive},
		{
			"a text in what fills the window", `<div id=app style="width:99vw;height:90vh"><a href=x>Home</a><ul><li data-v-1f>Milk</li><li data-v-1f>Eggs</li></ul><table><tr><th>A<th>B<tr><td>3<td>4</table></div>`,
			`app.onclick = () => {}`, "- link \"Home\" [ref]\n- row\n  - columnheader \"A\" [ref]\n  - columnheader \"B\" [ref]\n- row\n  - cell \"3\" [ref]\n  - cell \"4\" [ref]",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := b.open(t, b.site.URL("/small"))
			b.script(t, tab, "document.body.innerHTML = "+quoted(test.markup)+";"+test.script)
			if got := refsOut(b.look(t, tab, view.Options{Interactive: true}).Text); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}
