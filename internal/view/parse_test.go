package view

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/view/budget"
)

func TestParsePage(t *testing.T) {
	text := strings.Join([]string{
		`usher1	http://x/?a\tb	2	4,7`,
		`0	heading	1	Title	level=1`,
		`1/3	textbox	2	Name	disabled,required	two\nlines \\ and\ttab`,
		`2	generic	3				` + `	clickable	cursor:pointer, onclick	Tip`,
		`0	StaticText		just text`,
		`0	link	9	x			http://x/`,
		`1vfi	textbox	10	y`,
		`2/5ma#77	dialog		z`,
	}, "\n")
	got, err := ParsePage(text)
	if err != nil {
		t.Fatal(err)
	}
	want := &Page{
		URL: "http://x/?a\tb", Suspects: 2, Gone: []uint32{4, 7},
		Nodes: []Node{
			{Role: "heading", ID: 1, Name: "Title", States: []string{"level=1"}},
			{Depth: 1, Level: 3, Role: "textbox", ID: 2, Name: "Name", States: []string{"disabled", "required"}, Value: "two\nlines \\ and\ttab"},
			{Depth: 2, Level: 2, Role: "generic", ID: 3, Kind: "clickable", Hints: "cursor:pointer, onclick", Label: "Tip"},
			{Role: "StaticText", Name: "just text"},
			{Role: "link", ID: 9, Name: "x", URL: "http://x/"},
			{Depth: 1, Level: 1, Role: "textbox", ID: 10, Name: "y", Marks: budget.InView | budget.Focused | budget.Invalid},
			{Depth: 2, Level: 5, Role: "dialog", Name: "z", Marks: budget.Modal | budget.Acts, Handle: 77},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParsePageRefuses(t *testing.T) {
	var refusal *PageError
	if _, err := ParsePage("!\telement_not_found\tnothing matches"); !errors.As(err, &refusal) || refusal.Code != "element_not_found" || refusal.Message != "nothing matches" {
		t.Errorf("a refusal reads as %v", err)
	}
	for _, text := range []string{
		"", "usher1", "usher0\tx\t0\t", "usher1\tx\tmany\t", "usher1\tx\t0\t-1", "usher1\tx\t0\t1,,2", "usher1\tx\t0\t\n",
		"usher1\tx\t0\t\n0", "usher1\tx\t0\t\n0\t", "usher1\tx\t0\t\n-1\tbutton", "usher1\tx\t0\t\n0/\tbutton",
		"usher1\tx\t0\t\n0vx\tbutton", "usher1\tx\t0\t\n0v#\tlist", "usher1\tx\t0\t\nv\tlist", "usher1\tx\t0\t\n0#0\tlist",
		"usher1\tx\t0\t\n0\tbutton\t0", "usher1\tx\t0\t\n0\tbutton\tx", "usher1\tx\t0\t\n70000\tbutton",
		"usher1\tx\t0\t\n" + strings.Repeat("0\t", 11),
	} {
		if page, err := ParsePage(text); err == nil {
			t.Errorf("%q reads as %+v", text, page)
		}
	}
}

// FuzzParsePage feeds the parser what a broken page script might send; what it accepts must render.
func FuzzParsePage(f *testing.F) {
	f.Add("usher1\thttp://x/\t0\t1,2\n0\tbutton\t1\tName\n1/4\tStaticText\t\ttext\n0\tIframe\t2")
	f.Add("usher1\tx\t0\t\n0va\tbutton\t1\tName\n1/4#7\tlist\t\ttext")
	f.Add("!\tcode\tmessage")
	f.Add("usher1\tx\t0\t\n5\tgeneric\n3\tcell\t4\ta b\n9\tlink\t5\ta\n9\tlink\t6\tb\n0\tgeneric\t7\t\t\tv\\\t\tclickable\th\tl")
	f.Fuzz(func(t *testing.T, text string) {
		page, err := ParsePage(text)
		if err != nil {
			return
		}
		for _, opt := range []Options{{}, {Interactive: true}, {Compact: true}, {Depth: 1}, {Depth: 2, Interactive: true, Compact: true}} {
			o := treeOf(page)
			o.tidy(opt)
			given := 0
			shown := o.render(opt, func(*line) int { given++; return given })
			if lines := strings.Count(shown, "\n") + 1; given > lines {
				t.Errorf("%d refs on %d lines", given, lines)
			}
			withRef := 0
			for _, n := range page.Nodes {
				if n.ID != 0 {
					withRef++
				}
			}
			if opt.Compact && opt.Depth == 0 && given != withRef {
				t.Errorf("-c shows %d of %d refs", given, withRef)
			}
		}
	})
}

func treeOf(page *Page) *tree {
	return stitch("f", parts1(page), noFrames)
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{"": "", `a\nb`: "a\nb", `\\n`: `\n`, `\`: `\`, `a\x`: "ax"} {
		if got := unescape(in); got != want {
			t.Errorf("unescape(%q) = %q, want %q", in, got, want)
		}
	}
}
