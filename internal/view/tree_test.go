package view

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

func parts1(page *Page) map[model.FrameID]*part {
	return map[model.FrameID]*part{"f": {page: page, doc: world.Document{Frame: "f", Loader: "l"}}}
}

func noFrames(world.Document, uint32) model.FrameID { return "" }

func TestTidy(t *testing.T) {
	for _, test := range []struct {
		name string
		opt  Options
		in   string // lines of the page script, fields separated by |
		want string
	}{
		{
			"wrappers around one line go", Options{}, "0|generic\n1|generic\n2|button|1|a\n0|generic\n1|button|2|b\n1|button|3|c",
			"- button \"a\" [ref=e1]\n- generic\n  - button \"b\" [ref=e2]\n  - button \"c\" [ref=e3]",
		},
		{
			"text that repeats the name above goes", Options{}, "0|image||Logo\n1|StaticText||Logo\n0|StaticText||Logo",
			"- image \"Logo\"\n- StaticText \"Logo\"",
		},
		{"containers of nothing go", Options{}, "0|list\n1|listitem\n2|SvgRoot\n0|StaticText||x", "- StaticText \"x\""},
		{
			"compact drops what only groups", Options{Compact: true}, "0|generic\n1|paragraph\n2|link|1|a\n1|list\n2|listitem\n3|link|2|b\n2|listitem\n3|StaticText||c",
			"- link \"a\" [ref=e1]\n- list\n  - link \"b\" [ref=e2]\n  - StaticText \"c\"",
		},
		{
			"depth counts elements with a meaning", Options{Depth: 1}, "0|generic\n1|list\n2|generic\n3|listitem|1|one\n4|link|2|a\n4|link|3|b\n3|listitem|4|two\n1|button|5|c",
			"- generic\n  - list\n    - generic\n      - listitem \"one\" [ref=e1]\n        - … 2 deeper than 1, 2 with refs\n      - listitem \"two\" [ref=e2]\n  - button \"c\" [ref=e3]",
		},
		{
			"depth with -i counts the same levels", Options{Depth: 1, Interactive: true}, "0|button|1|a\n0/2|link|2|b\n0/2|link|3|c\n0/1|link|4|d",
			"- button \"a\" [ref=e1]\n- … 2 deeper than 1, 2 with refs\n- link \"d\" [ref=e2]",
		},
		{
			"a cell that says no more than its lines goes", Options{Interactive: true}, "0|cell|1|Edit Delete\n1|link|2|Edit\n1|button|3|Delete\n0|cell|4|24 now\n1|link|5|now",
			"- link \"Edit\" [ref=e1]\n- button \"Delete\" [ref=e2]\n- cell \"24\" [ref=e3]\n  - link \"now\" [ref=e4]",
		},
		{
			"a cell does not say what its lines say", Options{}, "0|row||Ann a 3 x\n1|cell|1|Ann a\n2|link|2|a\n1|cell|3|3\n1|cell|4|x x\n2|link|5|x\n0|cell|6|EditDelete\n1|link|7|Edit\n1|link|8|Delete",
			"- row \"Ann a 3 x\"\n  - cell \"Ann\" [ref=e1]\n    - link \"a\" [ref=e2]\n  - cell \"3\" [ref=e3]\n  - cell \"x\" [ref=e4]\n    - link \"x\" [ref=e5]\n- cell [ref=e6]\n  - link \"Edit\" [ref=e7]\n  - link \"Delete\" [ref=e8]",
		},
		{
			"nothing is left of a name that was cut within a line", Options{}, "0|generic|1|Log in user$ ls c||||clickable|click\n1|StaticText||Log in\n1|StaticText||user$ ls\n1|StaticText||code.sh cats.png",
			"- generic [ref=e1] clickable [click]\n  - StaticText \"Log in\"\n  - StaticText \"user$ ls\"\n  - StaticText \"code.sh cats.png\"",
		},
		{
			"a name does not repeat lines that have other names", Options{}, "0|generic|1|Days 1 2||||clickable|click\n1|generic|2|March 1||||clickable|click||||1\n1|generic|3|March 2||||clickable|click||||2",
			"- generic \"Days\" [ref=e1] clickable [click]\n  - generic \"March 1\" [ref=e2] clickable [click]\n  - generic \"March 2\" [ref=e3] clickable [click]",
		},
		{
			"a field with an error, and a control with hints", Options{}, "0|textbox|1|a|invalid|v|||||Wrong ref=e9\n0|treeitem|2|b|||||dblclick\n0|listitem|3|c||||draggable",
			"- textbox \"a\" [invalid, ref=e1] error \"Wrong ref\\u003de9\": v\n- treeitem \"b\" [ref=e2] [dblclick]\n- listitem \"c\" [ref=e3] draggable",
		},
		{
			"every attribute in its order", Options{}, "0|checkbox|1|\"q\" é|checked=mixed,disabled|v\\nw|http://x/ y",
			"- checkbox \"\\\"q\\\" é\" [checked=mixed, disabled, ref=e1, url=http://x/ y]: v\\nw",
		},
		{
			"a label stands in for a missing name", Options{}, "0|link|1|||||||Tip\n0|generic|2|Card||||clickable|onclick",
			"- link \"Tip\" [ref=e1]\n- generic \"Card\" [ref=e2] clickable [onclick]",
		},
		{"nothing", Options{Interactive: true}, "", NoInteractive},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "usher1\tx\t0\t"
			if test.in != "" {
				text += "\n" + strings.ReplaceAll(test.in, "|", "\t")
			}
			page, err := ParsePage(text)
			if err != nil {
				t.Fatal(err)
			}
			o := treeOf(page)
			o.tidy(test.opt)
			given := 0
			if got := o.render(test.opt, func(*line) int { given++; return given }); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestStitch(t *testing.T) {
	page := func(lines string) *Page {
		p, err := ParsePage("usher1\tx\t0\t\n" + strings.ReplaceAll(lines, "|", "\t"))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	doc := func(f model.FrameID) world.Document { return world.Document{Frame: f} }
	parts := map[model.FrameID]*part{
		"top":  {page: page("0|list\n1|listitem\n2|Iframe|1|A\n1|listitem\n2|Iframe|2|B\n0|button|3|end"), doc: doc("top")},
		"a":    {page: page("0|Iframe|1|C\n0|link|2|in a"), doc: doc("a")},
		"b":    {reason: "frame not shown: why"},
		"c":    {page: page("0|button|1|in c"), doc: doc("c")},
		"lost": {page: page("0|button|1|nowhere"), doc: doc("lost")},
	}
	held := map[string]model.FrameID{"top1": "a", "top2": "b", "a1": "c"}
	o := stitch("top", parts, func(d world.Document, id uint32) model.FrameID {
		return held[fmt.Sprintf("%s%d", d.Frame, id)]
	})
	o.tidy(Options{})
	given := 0
	got := o.render(Options{}, func(*line) int { given++; return given })
	want := strings.Join([]string{
		`- list`,
		`  - listitem`,
		`    - Iframe "A" [ref=e1]`,
		`      - Iframe "C" [ref=e2]`,
		`        - button "in c" [ref=e3]`,
		`      - link "in a" [ref=e4]`,
		`  - listitem`,
		`    - Iframe "B" [ref=e5]`,
		`      - (frame not shown: why)`,
		`- button "end" [ref=e6]`,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRefsOfManyDocuments(t *testing.T) {
	r := NewRefs()
	one, two := world.Document{Frame: "f", Loader: "1"}, world.Document{Frame: "g", Loader: "1"}
	if a, b, c := r.Number("t", one, 5, "button", "a"), r.Number("t", two, 5, "link", "b"), r.Number("t", one, 2, "tab", "c"); a != 1 || b != 2 || c != 3 {
		t.Errorf("numbers %d %d %d, want 1 2 3", a, b, c)
	}
	if again := r.Number("t", one, 5, "button", "renamed"); again != 1 {
		t.Errorf("the same element is e%d now", again)
	}
	for n, want := range map[int]Ref{
		1: {1, one, 5, "button", "renamed", true}, 2: {2, two, 5, "link", "b", true}, 3: {3, one, 2, "tab", "c", true},
	} {
		if got, ok := r.Lookup(n); !ok || got != want {
			t.Errorf("Lookup(%d) = %+v, %v", n, got, ok)
		}
	}
	for _, n := range []int{-1, 0, 4} {
		if _, ok := r.Lookup(n); ok {
			t.Errorf("e%d is known", n)
		}
	}
	r.departed(one, []uint32{2, 99})
	r.departed(one, []uint32{2})
	if got := fmt.Sprint(r.takeRemoved("t"), r.takeRemoved("t")); got != "[3] []" {
		t.Errorf("removed %s", got)
	}
	r.Sync(&model.State{})
	if got := fmt.Sprint(r.takeRemoved("other"), r.takeRemoved("t")); got != "[] [1 2]" {
		t.Errorf("removed %s", got)
	}
	if ref, ok := r.Lookup(1); !ok || ref.Alive || ref.Name != "renamed" {
		t.Errorf("Lookup(1) = %+v, %v", ref, ok)
	}
}

// TestRefsForget: the refs of replaced documents do not accumulate in memory, and their numbers stay known.
func TestRefsForget(t *testing.T) {
	r := NewRefs()
	for d := range 5 {
		doc := world.Document{Frame: "f", Loader: fmt.Sprint(d)}
		for id := range uint32(maxStaleRefs / 2) {
			r.Number("t", doc, id+1, "button", "name")
		}
		r.Sync(&model.State{})
		r.takeRemoved("t")
	}
	r.Sync(&model.State{})
	if len(r.gone) != 2 || len(r.runs) != 2 {
		t.Errorf("%d documents and %d runs are remembered, want 2", len(r.gone), len(r.runs))
	}
	if ref, ok := r.Lookup(1); !ok || ref.Alive || ref.Document.Frame != "" {
		t.Errorf("Lookup(1) = %+v, %v; want known and forgotten", ref, ok)
	}
}

func TestMemoryOfRefs(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := NewRefs()
	doc := world.Document{Frame: "f", Loader: "l"}
	for id := range uint32(50_000) {
		r.Number("t", doc, id+1, "button", fmt.Sprintf("Button %d", id))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	used := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	t.Logf("50,000 refs take %.1f MB", float64(used)/1e6)
	if used > 8_000_000 {
		t.Errorf("50,000 refs take %d bytes", used)
	}
	runtime.KeepAlive(r)
}

// BenchmarkOutline measures the Go part: parsing, tidying, numbering and rendering 50,000 buttons.
func BenchmarkOutline(b *testing.B) {
	var text strings.Builder
	text.WriteString("usher1\thttp://x/\t0\t")
	for i := range 50_000 {
		fmt.Fprintf(&text, "\n0\tbutton\t%d\tButton %d", i+1, i+1)
	}
	b.ReportAllocs()
	for b.Loop() {
		page, err := ParsePage(text.String())
		if err != nil {
			b.Fatal(err)
		}
		v := &Viewer{refs: NewRefs()}
		snap := &Snapshot{}
		o := treeOf(page)
		o.tidy(Options{Interactive: true})
		snap.Text = o.render(Options{Interactive: true}, v.number("t", snap, false))
	}
}
