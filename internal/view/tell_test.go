package view_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/view"
)

func (b *bench) tell(t testing.TB, tab supervisor.TargetID, opt view.Options) *view.Snapshot {
	t.Helper()
	snap, err := b.Tell(deadline(t), tab, opt)
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
	if same.Text != view.Unchanged || !same.Compared.Delta || same.Compared.Baseline == "" || len(same.Refs) != 0 {
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

	// What is more than the whole is not told.
	b.script(t, tab, `document.body.innerHTML = '<button>Other</button>'`)
	if got := b.tell(t, tab, opt); got.Compared.Delta || !strings.Contains(got.Compared.Why, "shorter") || !strings.HasPrefix(got.Text, `- button "Other"`) {
		t.Errorf("with all replaced: %+v\n%s", got.Compared, got.Text)
	}
	b.script(t, tab, `document.body.innerHTML = ''`)
	if got := b.tell(t, tab, opt); got.Compared.Delta || got.Text != view.EmptyPage {
		t.Errorf("with all gone: %+v\n%s", got.Compared, got.Text)
	}

	b.navigate(t, tab, b.site.URL("/chat"))
	if got := b.tell(t, tab, opt); got.Compared.Delta || !strings.Contains(got.Compared.Why, "another document") {
		t.Errorf("on another page: %+v", got.Compared)
	}
}

// TestDeltaOfAGrowingPage has a chat of which only the new messages are told, and its frames stay out of it.
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

// TestDeltaKnowsItsTab has two tabs, and parts of one.
func TestDeltaKnowsItsTab(t *testing.T) {
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

func TestDataOfADelta(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/todo"))
	for _, want := range []string{"baseline delta origin refs removedRefs snapshot why", "baseline delta origin refs removedRefs snapshot"} {
		raw, err := json.Marshal(b.tell(t, tab, view.Options{Delta: true}))
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
		if strings.Join(keys, " ") != want {
			t.Errorf("keys %v, want %s", keys, want)
		}
	}
}
