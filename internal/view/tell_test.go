package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
	"github.com/usher-browser/usher/internal/view/budget"
	"github.com/usher-browser/usher/internal/view/outline"
)

func (b *bench) tell(t testing.TB, tab model.TargetID, opt view.Options) *view.Snapshot {
	t.Helper()
	snap, err := b.ReportSnapshot(deadline(t), tab, opt)
	if err != nil {
		t.Fatal(err)
	}
	return snap
}

func TestDeltaOfAPage(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/todo"))
	opt := view.Options{Delta: true}

	first := b.tell(t, tab, opt)
	if c := first.Compared; c == nil || c.Delta || c.Why == "" || c.Baseline != "" || !strings.Contains(first.Text, "Delete Paper") {
		t.Fatalf("the first time: %+v\n%s", first.Compared, first.Text)
	}
	same := b.tell(t, tab, opt)
	if same.Text != outline.NothingChanged || !same.Compared.Delta || same.Compared.Baseline == "" || len(same.Refs) != 0 {
		t.Errorf("nothing changed: %+v %v\n%s", same.Compared, same.Refs, same.Text)
	}

	salt, tea := number(t, first, "Delete Salt"), number(t, first, "Tea")
	b.script(t, tab, `document.querySelectorAll('li')[5].remove(); document.querySelector('li:nth-child(3) input').click()`)
	ticked := b.tell(t, tab, opt)
	want := fmt.Sprintf(`- … 3 lines unchanged
- list
  - … 6 lines unchanged
  - listitem
    - changed: checkbox "Tea" [checked=true, ref=e%[1]d]
    - button "Delete Tea" [ref=e%[2]d]
  - … 6 lines unchanged
  - removed: @e%[3]d, @e%[4]d (3 lines)
  - … 12 lines unchanged
- paragraph
  - changed: StaticText "8 items left"
- … 3 lines unchanged`, tea, tea+1, salt-1, salt)
	if ticked.Text != want {
		t.Errorf("got\n%s\nwant\n%s", ticked.Text, want)
	}
	if !slices.Equal(ticked.Removed, []int{salt - 1, salt}) || len(ticked.Refs) != 2 {
		t.Errorf("removed %v, refs %v", ticked.Removed, ticked.Refs)
	}

	// A plain snapshot is the next baseline, one with other options is not.
	b.script(t, tab, `document.querySelector('h1').textContent = 'Once'`)
	b.tell(t, tab, view.Options{})
	b.script(t, tab, `document.querySelector('h1').textContent = 'Twice'`)
	b.tell(t, tab, view.Options{Interactive: true})
	if got := b.tell(t, tab, opt); !strings.HasPrefix(got.Text, `- changed: heading "Twice"`) {
		t.Errorf("after two snapshots:\n%s", got.Text)
	}

	// A delta that is longer than the whole outline is not returned.
	b.script(t, tab, `document.body.innerHTML = '<button>Other</button>'`)
	if got := b.tell(t, tab, opt); got.Compared.Delta || !strings.Contains(got.Compared.Why, "shorter") || !strings.HasPrefix(got.Text, "- (whole outline: the whole page is shorter than its changes)\n- button \"Other\"") {
		t.Errorf("with all replaced: %+v\n%s", got.Compared, got.Text)
	}
	b.script(t, tab, `document.body.innerHTML = ''`)
	if got := b.tell(t, tab, opt); got.Compared.Delta || got.Text != "- (whole outline: the snapshots cannot be compared line by line)\n"+view.EmptyPage {
		t.Errorf("with all gone: %+v\n%s", got.Compared, got.Text)
	}

	b.navigate(t, tab, b.site.URL("/chat"))
	if got := b.tell(t, tab, opt); got.Compared.Delta || !strings.Contains(got.Compared.Why, "another document") {
		t.Errorf("on another page: %+v", got.Compared)
	}
}

// TestDeltaOfAGrowingPage has a chat: the delta has the new messages only, and nothing of the page's frames.
func TestDeltaOfAGrowingPage(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/chat"))
	whole := b.tell(t, tab, view.Options{})
	b.script(t, tab, `say("Ada", "one more")`)
	got := b.tell(t, tab, view.Options{Delta: true})
	fresh := number(t, got, "Reply")
	want := fmt.Sprintf(`- main "Chat" [ref=e1]
  - list
    - … 120 lines unchanged
    - new: listitem
      - StaticText "Ada: one more"
      - button "Reply" [ref=e%d]
  - … 3 lines unchanged`, fresh)
	if got.Text != want {
		t.Errorf("got\n%s\nwant\n%s", got.Text, want)
	}
	if fresh <= len(whole.Refs) {
		t.Errorf("the new button has the old ref e%d", fresh)
	}
}

// TestDeltaIsPerTab has two tabs, and parts of one.
func TestDeltaIsPerTab(t *testing.T) {
	b := start(t)
	one, two := b.open(t, b.site.URL("/todo")), b.open(t, b.site.URL("/todo"))
	b.tell(t, one, view.Options{})
	if got := b.tell(t, two, view.Options{Delta: true}); got.Compared.Delta {
		t.Errorf("compared with another tab:\n%s", got.Text)
	}
	b.tell(t, one, view.Options{Selector: "ul"})
	b.script(t, one, `add("Candles")`)
	got := b.tell(t, one, view.Options{Selector: "ul", Delta: true})
	if !got.Compared.Delta || !strings.HasPrefix(got.Text, "- list\n  - … 30 lines unchanged\n  - new: listitem") {
		t.Errorf("the list: %+v\n%s", got.Compared, got.Text)
	}
}

// TestBudgetOfAPage has pages with parts of different importance.
func TestBudgetOfAPage(t *testing.T) {
	b := start(t)
	for _, test := range []struct {
		name, page, script string
		opt                view.Options
		has, hasNot        []string
	}{
		{"rows in view, the others counted", "/rows?n=1000", "", view.Options{Budget: 500},
			[]string{`heading "Orders"`, `textbox "Find an order"`, `columnheader "Customer"`, `button "Cancel 1"`, `link "Help"`, " more row ("}, nil},
		{"what is scrolled to", "/rows?n=1000", "document.getElementById('r700').scrollIntoView()", view.Options{Budget: 515},
			[]string{`heading "Orders"`, `button "Cancel 702"`}, []string{`button "Cancel 5"`}},
		{"flat", "/rows?n=1000", "", view.Options{Budget: 300, Interactive: true}, []string{`button "Cancel 1"`, ": snapshot -i"}, nil},
		{"the focus", "/buttons?n=2000", "document.getElementById('b1500').focus({preventScroll: true})", view.Options{Budget: 100}, []string{`"Button 1500"`}, nil},
		{"a dialog by ARIA", "/buttons?n=2000", `document.body.insertAdjacentHTML('beforeend',
			'<div role=dialog aria-modal=true aria-label=Cookies><p>We set cookies.<button>Refuse</button></div>')`, view.Options{Budget: 60},
			[]string{`dialog "Cookies"`, `"We set cookies."`, `button "Refuse"`}, nil},
		{"a field with an error, in a shadow root", "/buttons?n=2000", `{ const host = document.createElement('div'); document.body.append(host);
			host.attachShadow({mode: 'open'}).innerHTML = '<input aria-label=Card aria-invalid=true><input aria-label=Other>' }`, view.Options{Budget: 60},
			[]string{`textbox "Card"`}, []string{`"Other"`}},
		{"a frame out of view has nothing in view", "/small", `new Promise(done => { document.body.innerHTML = '<div style="height:5000px"><button>Here</button></div>';
			const f = document.createElement('iframe'); f.onload = () => setTimeout(done, 50); f.src = '/buttons?n=50'; document.body.append(f);
			document.body.insertAdjacentHTML('beforeend', '<h2>Below</h2>'.repeat(30)) })`,
			view.Options{Budget: 120}, []string{`"Here"`, `"Below"`}, []string{`"Button 7"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tab := b.open(t, b.site.URL(test.page))
			if test.script != "" {
				b.script(t, tab, test.script)
			}
			got := b.tell(t, tab, test.opt)
			if s := got.Spent; !s.Truncated || s.Tokens > test.opt.Budget || budget.Tokens(got.Text) != s.Tokens || s.Total <= s.Tokens {
				t.Errorf("%+v", s)
			}
			for _, part := range test.has {
				if !strings.Contains(got.Text, part) {
					t.Errorf("no %s in\n%s", part, got.Text)
				}
			}
			for _, part := range test.hasNot {
				if strings.Contains(got.Text, part) {
					t.Errorf("there is %s in\n%s", part, got.Text)
				}
			}
			for _, one := range got.Refs {
				if !strings.Contains(got.Text, fmt.Sprintf("e%d", one.Number)) {
					t.Errorf("@e%d is in the data and not in the text", one.Number)
				}
			}
			if again := b.tell(t, tab, test.opt); again.Text != got.Text {
				t.Errorf("the second time:\n%s", again.Text)
			}
		})
	}
}

// TestOmittedPartCanBeRequested requests the omitted part with the command in the line that reports the omission.
func TestOmittedPartCanBeRequested(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/rows?n=200"))
	whole := b.tell(t, tab, view.Options{})
	if same := b.tell(t, tab, view.Options{Budget: 100_000}); same.Text != whole.Text || same.Spent.Truncated || same.Spent.Tokens != budget.Tokens(whole.Text) {
		t.Errorf("a page that fits is told otherwise: %+v", same.Spent)
	}
	cut := b.tell(t, tab, view.Options{Budget: 500})
	_, how, ok := strings.Cut(cut.Text, ": snapshot -s @e")
	var ref int
	if _, err := fmt.Sscanf(how, "%d", &ref); !ok || err != nil {
		t.Fatalf("it does not say how to see the rest: %v\n%s", err, cut.Text)
	}
	part := b.tell(t, tab, view.Options{Ref: ref})
	if !strings.HasPrefix(part.Text, `- table "Orders"`) || !strings.Contains(part.Text, `"Cancel 200"`) {
		t.Errorf("@e%d is\n%.300s", ref, part.Text)
	}
}

// TestBudgetOfADelta has a delta that exceeds its budget.
func TestBudgetOfADelta(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/rows?n=300"))
	b.tell(t, tab, view.Options{})
	b.script(t, tab, `for (const r of document.querySelectorAll('tr:nth-child(3n)')) if (r.cells[1]) r.cells[1].textContent = 'Somebody else'; document.getElementById('r8').remove()`)
	got := b.tell(t, tab, view.Options{Delta: true, Budget: 300})
	if !got.Compared.Delta || !got.Spent.Truncated || got.Spent.Tokens > 300 {
		t.Fatalf("%+v %+v", got.Compared, got.Spent)
	}
	for _, part := range []string{`changed: cell "Somebody else"`, "removed: @e", " more "} {
		if !strings.Contains(got.Text, part) {
			t.Errorf("no %s in\n%s", part, got.Text)
		}
	}
	if again := b.tell(t, tab, view.Options{Delta: true, Budget: 300}); again.Text != outline.NothingChanged || again.Spent.Truncated {
		t.Errorf("%+v\n%s", again.Spent, again.Text)
	}
}

func TestDataOfADelta(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/todo"))
	for _, test := range []struct {
		opt  view.Options
		want string
	}{
		{view.Options{Delta: true}, "baseline delta origin refs removedRefs snapshot why"},
		{view.Options{Delta: true}, "baseline delta origin refs removedRefs snapshot"},
		{view.Options{Budget: 50}, "origin refs removedRefs snapshot tokens total_tokens truncated"},
		{view.Options{Budget: 50, Delta: true, Depth: 2}, "baseline delta origin refs removedRefs snapshot tokens total_tokens truncated why"},
	} {
		raw, err := json.Marshal(b.tell(t, tab, test.opt).Data())
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		keys := make([]string, 0, len(got))
		for key := range got {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if strings.Join(keys, " ") != test.want {
			t.Errorf("keys %v, want %s", keys, test.want)
		}
	}
}

// TestFocusInAFrameIsReportedOnce: the delta does not report that a frame contains the focus, nor which field lost it.
func TestFocusInAFrameIsReportedOnce(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, `new Promise(done => { const f = document.createElement('iframe'); f.title = 'Inside'; f.onload = done;
		f.srcdoc = '<input aria-label=One><input aria-label=Two>' + '<p>Words</p>'.repeat(20); document.body.append(f) })`)
	b.tell(t, tab, view.Options{Delta: true})
	for _, name := range []string{"One", "Two"} {
		b.script(t, tab, `document.querySelector('iframe').contentDocument.querySelector('[aria-label=`+name+`]').focus()`)
		got := b.tell(t, tab, view.Options{Delta: true}).Text
		if strings.Count(got, "changed:") != 1 || !strings.Contains(got, `changed: textbox "`+name+`" [focused`) {
			t.Errorf("with the focus in %s:\n%s", name, got)
		}
	}
}

// TestFocusIsReportedOnce moves the focus between two snapshots: the delta reports where it is, and not where it was.
func TestFocusIsReportedOnce(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/buttons?n=20"))
	opt := view.Options{Delta: true, Interactive: true}
	b.script(t, tab, "b2.focus(); b5.textContent = 'focused, ref=e1'")
	b.tell(t, tab, opt)
	if got := b.tell(t, tab, opt); got.Text != outline.NothingChanged {
		t.Errorf("with the focus where it was:\n%s", got.Text)
	}
	b.script(t, tab, "b9.focus()")
	want := "- … 8 lines unchanged\n- changed: button \"Button 9\" [focused, ref=e9]\n- … 11 lines unchanged"
	if got := b.tell(t, tab, opt); got.Text != want {
		t.Errorf("got\n%s\nwant\n%s", got.Text, want)
	}
	b.script(t, tab, "b9.blur()")
	if got := b.tell(t, tab, opt); got.Text != outline.NothingChanged {
		t.Errorf("with the focus gone:\n%s", got.Text)
	}
}
