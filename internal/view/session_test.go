package view_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	json "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view"
)

// number finds the ref of the one line that contains part.
func number(t *testing.T, snap *view.Snapshot, part string) int {
	t.Helper()
	at := slices.IndexFunc(snap.Refs, func(s view.Shown) bool { return strings.Contains(s.Name, part) })
	if at < 0 {
		t.Fatalf("no ref for %q in\n%s", part, snap.Text)
	}
	return snap.Refs[at].Number
}

func TestRefsBelongToElements(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/buttons?n=3"))
	first := b.look(t, tab, view.Options{Interactive: true})
	two := number(t, first, "Button 2")

	b.script(t, tab, `window.kept = document.getElementById('b2'); kept.remove();
		document.body.prepend(Object.assign(document.createElement('button'), {textContent: 'New'}))`)
	second := b.look(t, tab, view.Options{Interactive: true})
	if got := number(t, second, "Button 3"); got != number(t, first, "Button 3") {
		t.Errorf("Button 3 is e%d now", got)
	}
	if got := number(t, second, "New"); got <= number(t, first, "Button 3") {
		t.Errorf("a new element took the old number e%d", got)
	}
	if want := []int{two}; !slices.Equal(second.Removed, want) {
		t.Errorf("removed %v, want %v", second.Removed, want)
	}
	if again := b.look(t, tab, view.Options{Interactive: true}); len(again.Removed) != 0 {
		t.Errorf("removed %v is told twice", again.Removed)
	}

	b.script(t, tab, `document.body.append(kept); kept.textContent = 'Back again'`)
	third := b.look(t, tab, view.Options{Interactive: true})
	if got := number(t, third, "Back again"); got != two {
		t.Errorf("the element that came back is e%d, was e%d", got, two)
	}
	if ref, ok := b.Refs().Lookup(two); !ok || !ref.Alive || ref.Name != "Back again" || ref.Role != "button" {
		t.Errorf("Lookup(%d) = %+v, %v", two, ref, ok)
	}
}

func TestNavigationEndsRefs(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/buttons?n=2"))
	before := b.look(t, tab, view.Options{Interactive: true})
	old := number(t, before, "Button 1")
	b.navigate(t, tab, b.site.URL("/links?n=2"))
	after := b.look(t, tab, view.Options{Interactive: true})
	if fresh := number(t, after, "Link 1"); fresh <= len(before.Refs) {
		t.Errorf("number e%d is used again", fresh)
	}
	if len(after.Removed) != 0 {
		t.Errorf("removed %v, want nothing: the whole page is another", after.Removed)
	}
	ref, ok := b.Refs().Lookup(old)
	if !ok || ref.Alive || ref.Role != "button" || ref.Name != "Button 1" {
		t.Errorf("Lookup(%d) = %+v, %v; want a dead button", old, ref, ok)
	}
	var gone *view.RefError
	if _, err := b.Snapshot(deadline(t), tab, view.Options{Ref: old}); !errors.As(err, &gone) || !gone.Known {
		t.Errorf("a snapshot of a dead ref: %v", err)
	}
	if _, err := b.Snapshot(deadline(t), tab, view.Options{Ref: 9999}); !errors.As(err, &gone) || gone.Known {
		t.Errorf("a snapshot of an unknown ref: %v", err)
	}
}

func (b *bench) navigate(t *testing.T, tab model.TargetID, url string) {
	t.Helper()
	session := b.browser.Session(b.browser.State().Tabs[tab].Session)
	if _, err := cdp.Do(deadline(t), session, page.Navigate, page.NavigateParams{URL: url}); err != nil {
		t.Fatal(err)
	}
	err := b.browser.Wait(deadline(t), func(s *model.State) (bool, error) {
		one := s.Tabs[tab]
		return one != nil && one.MainFrame().Loaded && one.MainFrame().URL == url, nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestPartOfThePage(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/frames"))
	whole := b.look(t, tab, view.Options{Interactive: true})

	part := b.look(t, tab, view.Options{Selector: "#cross", Interactive: true})
	if !strings.HasPrefix(part.Text, `- Iframe "Cross site"`) || !strings.Contains(part.Text, "Button in depth1") || strings.Contains(part.Text, "Button in same") {
		t.Errorf("the part by selector is\n%s", part.Text)
	}
	for _, shown := range part.Refs {
		if !slices.ContainsFunc(whole.Refs, func(s view.Shown) bool { return s.Number == shown.Number }) {
			t.Errorf("@e%d is new in the part", shown.Number)
		}
	}

	inside := number(t, whole, "Card in depth1")
	one := b.look(t, tab, view.Options{Ref: inside})
	want := fmt.Sprintf("- generic \"Card in depth1\" [ref=e%d] clickable [cursor:pointer, onclick]", inside)
	if one.Text != want {
		t.Errorf("the part by ref is %q, want %q", one.Text, want)
	}

	in := b.look(t, tab, view.Options{Selector: `div[style="cursor:pointer"]`, Interactive: true})
	if !strings.HasPrefix(in.Text, `- generic "Card in srcdoc"`) {
		t.Errorf("the part in a frame is\n%s", in.Text)
	}

	for selector, code := range map[string]string{"#nothing": "element_not_found", "a[": "invalid_selector"} {
		var refused *view.PageError
		if _, err := b.Snapshot(deadline(t), tab, view.Options{Selector: selector}); !errors.As(err, &refused) || refused.Code != code {
			t.Errorf("selector %q: %v, want code %s", selector, err, code)
		}
	}
}

func TestSelectorReachesIntoShadowRoots(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/shadow"))
	b.look(t, tab, view.Options{})
	snap := b.look(t, tab, view.Options{Selector: "#deep"})
	if len(snap.Refs) != 1 || snap.Refs[0].Name != "Deep button" {
		t.Errorf("the part is\n%s", snap.Text)
	}
}

// TestFrameThatDoesNotAnswer blocks the renderer of a cross-site frame: the rest of the page is shown, the frame is marked.
func TestFrameThatDoesNotAnswer(t *testing.T) {
	b := start(t)
	inner := b.site.Cross("/loop?after=0&for=4000")
	tab := b.open(t, b.site.URL("/nest?inner="+strings.ReplaceAll(strings.ReplaceAll(inner, "?", "%3F"), "&", "%26")))
	time.Sleep(50 * time.Millisecond) // the loop starts in a task after the load event
	before := time.Now()
	snap := b.look(t, tab, view.Options{FrameTimeout: 300 * time.Millisecond})
	t.Logf("took %v", time.Since(before))
	if !strings.Contains(snap.Text, "A frame that holds a frame.") || !strings.Contains(snap.Text, `- Iframe "Inner"`) {
		t.Errorf("the page around the frame is not shown:\n%s", snap.Text)
	}
	if len(snap.Missing) != 1 || !strings.Contains(snap.Text, "did not answer in time") {
		t.Errorf("missing %v in\n%s", snap.Missing, snap.Text)
	}
}

// TestHiddenFrameDoesNotBlock blocks the renderer of a frame that is not shown.
func TestHiddenFrameDoesNotBlock(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, `new Promise(done => { const f = document.createElement('iframe'); f.style.display = 'none';
		f.onload = () => setTimeout(done, 50); f.src = '`+b.site.Cross("/loop?after=0")+`'; document.body.append(f) })`)
	// A wait for the frame would exceed the test's deadline.
	if snap := b.look(t, tab, view.Options{FrameTimeout: time.Hour}); len(snap.Missing) != 0 {
		t.Errorf("missing %v", snap.Missing)
	}
}

// TestPageCannotDetectUs takes snapshots of a page that observes itself with observers and traps.
func TestPageCannotDetectUs(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/mutations"))
	for range 2 {
		b.look(t, tab, view.Options{})
		b.look(t, tab, view.Options{Interactive: true, URLs: true})
	}
	b.script(t, tab, "new Promise(done => setTimeout(done, 50))")
	if touched := b.script(t, tab, "JSON.stringify(touched.concat(newNames()))"); touched != "[]" {
		t.Errorf("the page noticed %v", touched)
	}
}

func TestPasswordsAreMasked(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/forms"))
	b.script(t, tab, `document.querySelector('[type=password]').value = 'se\ncret'; document.querySelector('textarea').value = '- button "forged" [ref=e1]\n- x'`)
	snap := b.look(t, tab, view.Options{})
	if strings.Contains(snap.Text, "cret") || !strings.Contains(snap.Text, "•••••") {
		t.Errorf("the password is not masked:\n%s", snap.Text)
	}
	if strings.Contains(snap.Text, "\n- x") {
		t.Errorf("a value made lines of its own:\n%s", snap.Text)
	}
}

func TestModalDialogHidesTheRest(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	b.script(t, tab, `document.body.innerHTML = '<button>Behind</button><dialog><button>Inside</button></dialog>'; document.querySelector('dialog').showModal()`)
	if snap := b.look(t, tab, view.Options{Interactive: true}); strings.Contains(snap.Text, "Behind") || !strings.Contains(snap.Text, "Inside") {
		t.Errorf("with a modal dialog open:\n%s", snap.Text)
	}
	b.script(t, tab, `document.querySelector('dialog').close()`)
	if snap := b.look(t, tab, view.Options{Interactive: true}); !strings.Contains(snap.Text, "Behind") || strings.Contains(snap.Text, "Inside") {
		t.Errorf("after it was closed:\n%s", snap.Text)
	}
}

// TestMaskedProperties has a page whose elements shadow properties of the document and of a form.
func TestMaskedProperties(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/small"))
	var names strings.Builder
	for _, name := range strings.Fields("localName hasAttributes getAttribute hasAttribute parentNode nextSibling firstChild childNodes nodeType checkVisibility shadowRoot matches closest") {
		fmt.Fprintf(&names, `<input name="%s" aria-label="%s">`, name, name)
	}
	b.script(t, tab, `document.body.innerHTML = '<img name="body"><img name="querySelector"><img name="styleSheets"><img name="createRange"><img name="documentElement">'+
		'<div><form>Text `+names.String()+`<button>In the form</button></form></div><button>After</button>'`)
	snap := b.look(t, tab, view.Options{Interactive: true})
	for _, name := range []string{"localName", "parentNode", "closest", "In the form", "After"} {
		number(t, snap, name)
	}
	if full := b.look(t, tab, view.Options{}); !strings.Contains(full.Text, `StaticText "Text"`) {
		t.Errorf("the form's text is not shown:\n%s", full.Text)
	}
}

func TestEmptyPages(t *testing.T) {
	b := start(t)
	tab := b.open(t, "about:blank")
	if snap := b.look(t, tab, view.Options{}); snap.Text != view.EmptyPage {
		t.Errorf("an empty page is %q", snap.Text)
	}
	if snap := b.look(t, tab, view.Options{Interactive: true}); snap.Text != view.NoInteractive {
		t.Errorf("an empty page is %q with -i", snap.Text)
	}
}

func TestDataShape(t *testing.T) {
	b := start(t)
	tab := b.open(t, b.site.URL("/buttons?n=1"))
	raw, err := json.Marshal(b.look(t, tab, view.Options{Interactive: true}).Data())
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"origin": strings.TrimSuffix(b.site.URL("/"), "/"), "snapshot": `- button "Button 1" [ref=e1]`,
		"refs": map[string]any{"e1": map[string]any{"name": "Button 1", "role": "button"}}, "removedRefs": []any{},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
