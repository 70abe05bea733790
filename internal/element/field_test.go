package element_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/locate"
)

const fields = `
	<input id=text value=before><textarea id=area>before</textarea>
	<div id=rich contenteditable><p>before</p><p>that</p></div>
	<input id=number type=number value=1><input id=date type=date><input id=colour type=color><input id=range type=range max=10>
	<input id=time type=time><input id=month type=month><input id=email type=email value="a@b"><input id=max maxlength=3>
	<label id=label>Named <input id=named></label>
	<input id=readonly readonly><input id=off disabled><div id=div>div</div><button id=button>b</button>
	<select id=list><option value=r>Red</option><option value=g>Gr&nbsp;een</option><optgroup disabled><option value=b>Blue</option></optgroup></select>
	<select id=many multiple><option>one</option><option selected>two</option><option>three</option></select>
	<input id=box type=checkbox><input id=file type=file>
	<script>window.log = [];
	for (const type of ['beforeinput','input','change','keydown','keypress','keyup','focus','blur'])
		addEventListener(type, e => log.push(type + ':' + e.target.id + (e.isTrusted ? '' : '!') + (e.key ? ':' + e.key : '')), true);</script>`

func (p *tab) events(id string) string {
	return p.text(`(() => { const l = log.filter(e => e.includes(':` + id + `')).map(e => e.replace(':` + id + `', '')).join(' '); log.length = 0; return l })()`)
}

func TestFillReplaces(t *testing.T) {
	p := page(t, fields)
	for _, c := range []struct{ id, text, value, events string }{
		{"text", "after é 😀", "after é 😀", "focus beforeinput input keyup:😀"},
		{"area", "after", "after", "focus beforeinput input keyup:r"},
		{"rich", "after", "after", "focus keydown:Control keydown:a keyup:a keyup:Control keydown:Delete beforeinput input keyup:Delete beforeinput input keyup:r"},
		{"number", "-12.5e3", "-12.5e3", "focus beforeinput input keyup:3"},
		{"email", "c@d", "c@d", "focus beforeinput input keyup:d"},
		{"max", "12345", "123", "focus beforeinput input keyup:5"},
		{"date", "2026-11-21", "2026-11-21", "focus input! change!"},
		{"month", "2026-11", "2026-11", "focus input! change!"},
		{"time", "23:59", "23:59", "focus input! change!"},
		{"colour", "#FF8800", "#ff8800", "focus input! change!"},
		{"range", "7", "7", "focus input! change!"},
	} {
		p.eval("log.length = 0", nil)
		got, err := p.Fill(p.ctx(), sel(t, "#"+c.id), c.text)
		if err != nil {
			t.Errorf("%s: %v", c.id, err)
			continue
		}
		if got.Value != c.value {
			t.Errorf("%s holds %q, want %q", c.id, got.Value, c.value)
		}
		if events := p.events(c.id); events != c.events {
			t.Errorf("%s events %q, want %q", c.id, events, c.events)
		}
	}
	got, err := p.Fill(p.ctx(), sel(t, "#area"), "two\nlines")
	ok(t, err)
	equal(t, "area", got.Value, "two\nlines")
	for _, id := range []string{"text", "area", "rich"} {
		got, err := p.Fill(p.ctx(), sel(t, "#"+id), "")
		ok(t, err)
		equal(t, id, got.Value, "")
		if events := p.events(id); !strings.HasSuffix(events, "input keyup:Delete") || strings.Contains(events, "!") {
			t.Errorf("%s emptied with events %q, want trusted input", id, events)
		}
	}
	_, err = p.Fill(p.ctx(), sel(t, "#label"), "through its label")
	ok(t, err)
	equal(t, "labelled", p.text("named.value"), "through its label")
}

// TestFillIsSeenByThoseThatListenToKeys: a search that looks at its field when a key comes up notices what is filled
// in, and a field that enters characters by itself when a key goes down gets them once.
func TestFillIsSeenByThoseThatListenToKeys(t *testing.T) {
	p := page(t, `<input id=search onkeyup="seen.push(value + '/' + event.key)">
		<input id=own onkeydown="if (event.key.length === 1) { value += event.key; event.preventDefault() }">
		<textarea id=lines onkeyup="if (event.key === 'Enter') seen.push('sent')"></textarea><script>seen = []</script>`)
	for _, c := range []struct{ id, text string }{{"search", "Bern B"}, {"search", ""}, {"search", ""}, {"own", "abc"}, {"lines", "a\n"}} {
		got, err := p.Fill(p.ctx(), sel(t, "#"+c.id), c.text)
		ok(t, err)
		equal(t, c.id, got.Value, c.text)
	}
	equal(t, "what the search saw", p.text("seen.join(' ')"), "Bern B/B /Delete")
}

// TestFillOfFieldsThatListenToKeys: a field that itself listens for keys going down gets them, in a shadow tree and by
// React's properties, too; one whose page listens for shortcuts gets its text at once.
func TestFillOfFieldsThatListenToKeys(t *testing.T) {
	p := page(t, `<input id=own value=old onkeydown="down++"><input id=react value=old><x-field></x-field><textarea id=lines onkeydown="down++">old</textarea><input id=plain value=old>
		<script>var down = 0, all = 0;
		react.__reactProps$a1b2 = { onKeyDown() {} };
		const inner = document.querySelector('x-field').attachShadow({ mode: 'open' });
		inner.innerHTML = '<input id=inside value=old>';
		inner.getElementById('inside').addEventListener('keypress', () => down++);
		addEventListener('keydown', () => all++);</script>`)
	counted := func(what, target, text, down, all string) {
		t.Helper()
		p.eval("down = all = 0", nil)
		got, err := p.Fill(p.ctx(), sel(t, target), text)
		ok(t, err)
		equal(t, what, got.Value, text)
		equal(t, what+": keys that its own listeners heard", p.text("down"), down)
		equal(t, what+": keys that the page heard", p.text("all"), all)
	}
	counted("a listener", "#own", "ab c", "4", "4")
	counted("a property of React", "#react", "abc", "0", "3")
	counted("a listener in a shadow tree", "#inside", "abc", "3", "3")
	counted("a text of two lines, for Enter may send it", "#lines", "a\nb", "0", "0")
	counted("a long text", "#own", strings.Repeat("long ", 50), "0", "0")
	counted("a plain field", "#plain", "abc", "0", "0")
}

func TestFillRefusesWhatIsNoField(t *testing.T) {
	p := page(t, fields)
	for _, c := range []struct {
		id   string
		code api.Code
		part string
	}{
		{"readonly", api.ElementReadonly, "read-only; if a click on it opens"}, {"off", api.ElementDisabled, "disabled"},
		{"div", api.ElementUnsuitable, "not an editable field"}, {"button", api.ElementUnsuitable, "not an editable field"},
		{"list", api.ElementUnsuitable, "use select"}, {"box", api.ElementUnsuitable, "use check"}, {"file", api.ElementUnsuitable, "use upload"},
		{"date", api.InvalidArgument, "YYYY-MM-DD"}, {"number", api.InvalidArgument, "takes a number"},
		{"range", api.InvalidArgument, "a number"}, {"colour", api.InvalidArgument, "#rrggbb"},
	} {
		_, err := p.Fill(p.ctx(), briefly(sel(t, "#"+c.id)), "tomorrow")
		refused(t, err, c.code, c.part)
	}
	equal(t, "changed", p.text("log.filter(e => e.startsWith('input')).length"), "0")
}

func TestTypeIsWhatTypingDoes(t *testing.T) {
	p := page(t, fields)
	got, err := p.Type(p.ctx(), sel(t, "#text"), "aB !", element.TypeOptions{})
	ok(t, err)
	equal(t, "value", got.Value, "beforeaB !")
	equal(t, "events", p.events("text"), "focus keydown:a keypress:a beforeinput input keyup:a "+
		"keydown:Shift keydown:B keypress:B beforeinput input keyup:B keydown:  keypress:  beforeinput input keyup:  "+
		"keydown:! keypress:! beforeinput input keyup:! keyup:Shift")
	got, err = p.Type(p.ctx(), sel(t, "#text"), "né 😀\t", element.TypeOptions{Clear: true})
	ok(t, err)
	equal(t, "value", got.Value, "né 😀")
	equal(t, "focus moved on", p.text("document.activeElement.id"), "area")
	if events := p.events("text"); !strings.Contains(events, "keydown:é keypress:é beforeinput input keyup:é") || !strings.HasSuffix(events, "keydown:Tab change blur") {
		t.Errorf("events %q", events)
	}
	p.eval("document.activeElement.blur()", nil)
	got, err = p.Type(p.ctx(), sel(t, "#area"), "x\r\ny", element.TypeOptions{})
	ok(t, err)
	equal(t, "area", got.Value, "beforex\ny")
	got, err = p.Type(p.ctx(), sel(t, "#rich"), "!", element.TypeOptions{})
	ok(t, err)
	equal(t, "rich", strings.Join(strings.Fields(got.Value), " "), "before that!")
	got, err = p.Type(p.ctx(), sel(t, "#number"), "5", element.TypeOptions{})
	ok(t, err)
	equal(t, "number", got.Value, "15")
	_, err = p.Type(p.ctx(), briefly(sel(t, "#div")), "x", element.TypeOptions{})
	refused(t, err, api.ElementUnsuitable, "not focusable")
	_, err = p.Type(p.ctx(), briefly(sel(t, "#readonly")), "x", element.TypeOptions{})
	refused(t, err, api.ElementReadonly)
	long := strings.Repeat("The quick brown fox. ", 50)
	got, err = p.Type(p.ctx(), sel(t, "#area"), long, element.TypeOptions{Clear: true})
	ok(t, err)
	equal(t, "long", got.Value, long)
}

func TestSelect(t *testing.T) {
	p := page(t, fields)
	for _, c := range []struct{ by, value string }{{"g", "g"}, {"Red", "r"}, {"Gr een", "g"}, {"index=0", "r"}} {
		got, err := p.Select(p.ctx(), sel(t, "#list"), c.by)
		ok(t, err)
		equal(t, c.by, p.text("list.value"), c.value)
		equal(t, c.by+" events", p.events("list"), map[bool]string{true: "focus input! change!", false: "input! change!"}[c.by == "g"])
		equal(t, "changed", got.Changed, true)
	}
	got, err := p.Select(p.ctx(), sel(t, "#list"), "r")
	ok(t, err)
	equal(t, "changed", got.Changed, false)
	equal(t, "events of no change", p.events("list"), "")
	got, err = p.Select(p.ctx(), sel(t, "#many"), "one", "three")
	ok(t, err)
	equal(t, "many", strings.Join(got.Values, " "), "one three")
	_, err = p.Select(p.ctx(), briefly(sel(t, "#list")), "Violet")
	refused(t, err, api.OptionNotFound, `"Violet"`, `r ("Red")`, `g ("Gr een")`)
	_, err = p.Select(p.ctx(), briefly(sel(t, "#list")), "b")
	refused(t, err, api.ElementDisabled, `"Blue"`)
	_, err = p.Select(p.ctx(), briefly(sel(t, "#list")), "r", "g")
	refused(t, err, api.ElementUnsuitable, "takes one option")
	_, err = p.Select(p.ctx(), briefly(sel(t, "#button")), "r")
	refused(t, err, api.ElementUnsuitable, "not a <select>")
}

// TestSelectInAHiddenList: a component that draws a list of its own may not notice what is selected in the native one.
func TestSelectInAHiddenList(t *testing.T) {
	list := `<div><select style="opacity:0"><option value=r>Red<option value=g>Green</select><div id=drawn>Red</div></div>`
	for script, unshown := range map[string]bool{
		"": true, "onchange = e => { drawn.textContent = e.target.selectedOptions[0].text }": false,
		"drawn.remove()": false, "onchange = () => { document.querySelector('select').parentNode.innerHTML = 'Fine' }": false,
	} {
		p := page(t, list+"<script>"+script+"</script>")
		got, err := p.Select(p.ctx(), sel(t, "select"), "Green")
		ok(t, err)
		equal(t, script, got.Unshown, unshown)
		if script == "" {
			_, err = p.Select(p.ctx(), briefly(sel(t, "select")), "Blue")
			refused(t, err, api.OptionNotFound, "it is hidden")
		}
	}
}

// TestSelectThatThePageUndoes has lists whose page does not keep the choice, one of them with new options.
func TestSelectThatThePageUndoes(t *testing.T) {
	const options = "<option value=r>Red<option value=g>Green<option value=b>Blue"
	for _, c := range []struct {
		list, script, values string
		undone, hidden       bool
	}{
		{"<select>", "", "g", false, false},
		{"<select>", "list.onchange = () => { list.value = 'r' }", "r", true, false},
		{"<select style='opacity:0'>", "list.onchange = () => { list.innerHTML = list.innerHTML }", "r", true, true},
		{"<select multiple>", "list.onchange = () => { list.options[1].selected = false }", "b", true, false},
		{"<select>", "list.onchange = () => { list.innerHTML = '<option value=g>Other' }", "g", false, false},
	} {
		p := page(t, c.list+options+"</select><script>const list = document.querySelector('select');"+c.script+"</script>")
		wanted := []string{"Green"}
		if strings.Contains(c.list, "multiple") {
			wanted = append(wanted, "Blue")
		}
		got, err := p.Select(p.ctx(), sel(t, "select"), wanted...)
		ok(t, err)
		equal(t, c.script, strings.Join(got.Values, ","), c.values)
		equal(t, c.script, got.Undone, c.undone)
		equal(t, c.script, got.Hidden, c.hidden)
	}
}

// TestCheckByElementInternals has check boxes whose state only the accessibility tree knows.
func TestCheckByElementInternals(t *testing.T) {
	p := page(t, `<x-tick id=a></x-tick><x-tick id=stuck></x-tick><script>customElements.define("x-tick", class extends HTMLElement {
		constructor() { super(); this.i = this.attachInternals(); this.i.role = "checkbox"; this.i.ariaChecked = "false"; this.i.ariaLabel = "Tick"; }
		connectedCallback() {
			this.tabIndex = 0; this.style.cssText = "display:inline-block;width:60px;height:20px";
			if (this.id != "stuck") this.onclick = () => setTimeout(() => { this.i.ariaChecked = this.i.ariaChecked === "true" ? "false" : "true"; }, 150);
		}
	})</script>`)
	for _, want := range []bool{true, false, true} {
		got, err := p.Check(p.ctx(), sel(t, "#a"), want)
		ok(t, err)
		equal(t, "changed", got.Changed, true)
		equal(t, "really", p.text("a.i.ariaChecked"), fmt.Sprint(want))
		st, err := p.Status(p.ctx(), sel(t, "#a"))
		ok(t, err)
		equal(t, "told", st.Checked, fmt.Sprint(want))
	}
	got, err := p.Check(p.ctx(), sel(t, "#a"), true)
	ok(t, err)
	equal(t, "changed", got.Changed, false)
	p.text("a.i.ariaChecked = 'mixed'")
	st, err := p.Status(p.ctx(), sel(t, "#a"))
	ok(t, err)
	equal(t, "told", st.Checked, "mixed")
	_, err = p.Check(p.ctx(), briefly(sel(t, "#stuck")), true)
	refused(t, err, api.ActionNotDelivered, "still not checked")
}

func TestCheck(t *testing.T) {
	p := page(t, `<input id=plain type=checkbox> <label id=wrap><input id=hidden type=checkbox style="display:none"><span>Fancy</span></label>
		<div id=aria role=switch aria-checked=false tabindex=0 onclick="setTimeout(() => this.ariaChecked = this.ariaChecked === 'true' ? 'false' : 'true', 150)">S</div>
		<div id=stuck role=checkbox aria-checked=false style="width:20px;height:20px"></div>
		<label><input type=radio name=r id=r1>1</label><label><input type=radio name=r id=r2>2</label>
		<button id=button>b</button><input id=mixed type=checkbox><script>mixed.indeterminate = true</script>`)
	for _, id := range []string{"#plain", "#hidden", "#wrap", "#aria", "#mixed", "#r1", "#r2"} {
		got, err := p.Check(p.ctx(), sel(t, id), true)
		ok(t, err)
		equal(t, id+" changed", got.Changed, id != "#wrap")
		st, err := p.Status(p.ctx(), sel(t, id))
		ok(t, err)
		equal(t, id, st.Checked, "true")
	}
	equal(t, "radio", p.text("r1.checked + ' ' + r2.checked"), "false true")
	_, err := p.Check(p.ctx(), sel(t, "#hidden"), false)
	ok(t, err)
	equal(t, "hidden", p.text("hidden.checked"), "false")
	_, err = p.Check(p.ctx(), briefly(sel(t, "#stuck")), true)
	refused(t, err, api.ActionNotDelivered, "still not checked")
	_, err = p.Check(p.ctx(), briefly(sel(t, "#button")), true)
	refused(t, err, api.ElementUnsuitable, "not a check box")
	_, err = p.Check(p.ctx(), briefly(sel(t, "#r2")), false)
	refused(t, err, api.ElementUnsuitable, "radio")
}

// canceled is a switch as Element Plus has it: the page keeps the state itself and takes back the browser's change of the input.
const canceled = `<label for=i>Instant</label><div id=w style="display:inline-block"><input id=i type=checkbox role=switch aria-checked=false
		style="position:absolute;width:0;height:0;opacity:0;margin:0"><span id=part style="display:inline-block;width:40px;height:20px;background:#999"></span></div>
	<p id=o>off</p><script>let on = false, hit = ""; w.addEventListener("click", e => { hit += e.target.id + " "; e.preventDefault(); on = !on;
		o.textContent = on ? "on" : "off"; i.setAttribute("aria-checked", on); Promise.resolve().then(() => i.checked = on) })</script>`

func TestCheckSwitchOfAComponent(t *testing.T) {
	p := page(t, canceled)
	target := locate.Target{By: locate.ByLabel, Value: "Instant"}
	for _, want := range []bool{true, true, false, false, true} {
		changed := p.text("String(on)") != fmt.Sprint(want)
		got, err := p.Check(p.ctx(), briefly(target), want)
		ok(t, err)
		equal(t, "changed", got.Changed, changed)
		equal(t, "really", p.text("on + ' ' + i.checked + ' ' + i.ariaChecked"), fmt.Sprintf("%t %t %t", want, want, want))
	}
	equal(t, "hit", p.text("hit"), "part part part ")
}

// TestCheckAfterCanceledClick has the browser reset the input after a click on its label: what the page says is what counts.
func TestCheckAfterCanceledClick(t *testing.T) {
	p := page(t, canceled)
	_, err := p.Click(p.ctx(), sel(t, "css=label"), element.ClickOptions{})
	ok(t, err)
	equal(t, "page", p.text("on + ' ' + i.checked + ' ' + i.ariaChecked"), "true false true")
	st, err := p.Status(p.ctx(), sel(t, "#i"))
	ok(t, err)
	equal(t, "told", st.Checked, "true")
	got, err := p.Check(p.ctx(), sel(t, "#i"), true)
	ok(t, err)
	equal(t, "changed", got.Changed, false)
	got, err = p.Check(p.ctx(), sel(t, "#i"), false)
	ok(t, err)
	equal(t, "changed", got.Changed, true)
	equal(t, "page", p.text("on + ' ' + i.checked + ' ' + i.ariaChecked"), "false false false")
}

// TestCheckByLabelOfCanceled has nothing but the label to press.
func TestCheckByLabelOfCanceled(t *testing.T) {
	p := page(t, strings.Replace(canceled, "background:#999", "visibility:hidden", 1))
	for _, want := range []bool{true, true, false} {
		_, err := p.Check(p.ctx(), briefly(sel(t, "#i")), want)
		ok(t, err)
		equal(t, "page", p.text("on + ' ' + i.ariaChecked"), fmt.Sprintf("%t %t", want, want))
	}
	equal(t, "hit", p.text("hit"), "i i ")
}

// TestCheckStaleAttribute has aria-checked that the page never changes: the browser ignores it, and so do we.
func TestCheckStaleAttribute(t *testing.T) {
	p := page(t, `<input id=stale type=checkbox role=switch aria-checked=false><input id=wrong type=checkbox role=switch aria-checked=true>
		<input id=stuck type=checkbox role=switch aria-checked=true onclick="event.preventDefault()">
		<input id=apart type=checkbox role=switch aria-checked=true onclick="event.preventDefault(), ariaChecked = ariaChecked !== 'true'">`)
	for _, want := range []bool{true, false, true} {
		for _, id := range []string{"stale", "wrong"} {
			_, err := p.Check(p.ctx(), sel(t, "#"+id), want)
			ok(t, err)
			equal(t, id, p.text(id+".checked"), fmt.Sprint(want))
		}
	}
	_, err := p.Check(p.ctx(), briefly(sel(t, "#stuck")), true)
	refused(t, err, api.ActionNotDelivered, "still not checked", "its aria-checked is true")
	_, err = p.Check(p.ctx(), briefly(sel(t, "#apart")), true)
	refused(t, err, api.ActionNotDelivered, "its aria-checked was true before and is false now")
}

func TestFocus(t *testing.T) {
	p := page(t, fields)
	_, err := p.Focus(p.ctx(), sel(t, "#area"))
	ok(t, err)
	equal(t, "focus", p.text("document.activeElement.id"), "area")
	_, err = p.Focus(p.ctx(), briefly(sel(t, "#div")))
	refused(t, err, api.ElementUnsuitable, "not focusable")
	_, err = p.Keyboard(p.ctx(), "+1", 0)
	ok(t, err)
	ok(t, p.InsertText(p.ctx(), "+2"))
	value, err := p.Value(p.ctx(), locate.Target{By: locate.ByFocus})
	ok(t, err)
	if !strings.Contains(*value, "+1") || !strings.Contains(*value, "+2") {
		t.Errorf("value %q", *value)
	}
}

func TestUpload(t *testing.T) {
	p := open(t, site(t).URL("/upload"))
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	for _, f := range []string{a, b} {
		ok(t, os.WriteFile(f, []byte("12345"), 0o600))
	}
	got, err := p.Upload(p.ctx(), sel(t, "#file"), a)
	ok(t, err)
	equal(t, "files", strings.Join(got.Files, " "), "a.txt")
	equal(t, "page", p.text("chosen.textContent"), "a.txt 5")
	got, err = p.Upload(p.ctx(), sel(t, "#files"), a, b)
	ok(t, err)
	equal(t, "files", strings.Join(got.Files, " "), "a.txt b.txt")
	_, err = p.Upload(p.ctx(), sel(t, "#zone"), b)
	ok(t, err)
	equal(t, "page", p.text("chosen.textContent"), "b.txt 5")
	p.eval(`for (const [id, over] of [["field", "<input type=file style='opacity: 0; position: absolute; inset: 0'>"], ["label", "<label style='position: absolute; inset: 0'><input type=file hidden></label>"]])
		document.body.insertAdjacentHTML("beforeend", "<div style='height: 3000px'></div><div style='position: relative'><button id=under-" + id + ">Choose</button>" + over + "</div>")`, nil)
	for _, over := range []string{"field", "label"} {
		got, err = p.Upload(p.ctx(), sel(t, "#under-"+over), a)
		ok(t, err)
		equal(t, "files of the "+over+" over a button", strings.Join(got.Files, " "), "a.txt")
	}
	_, err = p.Upload(p.ctx(), sel(t, "#file"), filepath.Join(dir, "none"))
	refused(t, err, api.FileNotFound, "none")
	_, err = p.Upload(p.ctx(), sel(t, "#file"))
	refused(t, err, api.MissingArgument)
	_, err = p.Upload(p.ctx(), briefly(sel(t, "#file")), a, b)
	refused(t, err, api.InvalidArgument, "accepts one file")
	_, err = p.Upload(p.ctx(), briefly(sel(t, "#file")), dir)
	refused(t, err, api.InvalidArgument, "directory")
	_, err = p.Upload(p.ctx(), briefly(sel(t, "#send")), a)
	refused(t, err, api.ElementUnsuitable, "takes no files")
}

// TestCheckOptions: the options of native lists are checked and unchecked by themselves; the others stay as they are.
func TestCheckOptions(t *testing.T) {
	p := page(t, `<select id=one><option>Red</option><option id=green>Green</option></select>
		<select id=many multiple><option id=a>a</option><option id=b selected>b</option><option id=c selected>c</option></select>
		<script>changes = 0; addEventListener("change", () => changes++)</script>`)
	for _, c := range []struct {
		id string
		on bool
	}{{"b", false}, {"a", true}, {"a", true}, {"green", true}} {
		_, err := p.Check(p.ctx(), sel(t, "#"+c.id), c.on)
		ok(t, err)
	}
	equal(t, "chosen", p.text("[...document.querySelectorAll('option')].filter(o => o.selected).map(o => o.text).join(' ') + ' ' + changes"), "Green a c 3")
	_, err := p.Check(p.ctx(), briefly(sel(t, "#green")), false)
	refused(t, err, api.ElementUnsuitable, "check another")
}

// A component may draw itself again when it has the focus, and put back what it held.
func TestFillComponentRenderedOnFocus(t *testing.T) {
	p := page(t, `<input id=f value=3><script>
		let drawn = false;
		f.oninput = () => { if (!drawn) f.value = 3; drawn = true };</script>`)
	out, err := p.Fill(p.ctx(), sel(t, "#f"), "8")
	ok(t, err)
	equal(t, "value", out.Value, "8")
	equal(t, "field", p.text("f.value"), "8")
	// What refuses a text keeps what it held, and is asked once more only.
	p = page(t, `<input id=f value=3><script>let asked = 0; f.oninput = () => { asked++; f.value = 3 }</script>`)
	out, err = p.Fill(p.ctx(), sel(t, "#f"), "8")
	ok(t, err)
	equal(t, "value", out.Value, "3")
	equal(t, "asked", p.text("asked"), "2")
}

// A page may change the value in a task after the last event: a mask, a component that draws itself again.
func TestFillReadsAfterDeferredTasks(t *testing.T) {
	p := page(t, `<div id=around></div><script>
		for (let i = 0; i < 12; i++) around.append(Object.assign(document.createElement('input'), { id: 'mask' + i }));
		around.addEventListener('input', event => setTimeout(() => event.target.value = '(555) 1234'));
		for (let i = 0; i < 3; i++) {
			const again = Object.assign(document.createElement('input'), { id: 'again' + i, value: 3 });
			again.oninput = () => { again.oninput = null; setTimeout(() => again.value = 3) };
			around.before(again);
		}</script>`)
	for i := range 12 {
		out, err := p.Fill(p.ctx(), sel(t, fmt.Sprint("#mask", i)), "5551234")
		ok(t, err)
		equal(t, "value", out.Value, "(555) 1234")
	}
	for i := range 3 {
		out, err := p.Fill(p.ctx(), sel(t, fmt.Sprint("#again", i)), "8")
		ok(t, err)
		equal(t, "value", out.Value, "8")
		equal(t, "field", p.text(fmt.Sprintf("again%d.value", i)), "8")
	}
}

func TestFillSaysHowCellsAreEdited(t *testing.T) {
	p := page(t, `<div role=grid><div role=row><div id=drawn role=gridcell>Ann</div></div></div><table><tr><td id=cell>Ann</td></tr></table>`)
	for _, id := range []string{"#drawn", "#cell"} {
		_, err := p.Fill(p.ctx(), briefly(sel(t, id)), "Bob")
		refused(t, err, api.ElementUnsuitable, "dblclick it", "keyboard type")
	}
}

// A day, month, week or time that does not exist is refused as that, and not for its form.
func TestFillWhatDoesNotExist(t *testing.T) {
	p := page(t, `<input id=date type=date> <input id=month type=month> <input id=week type=week> <input id=time type=time> <input id=both type=datetime-local>`)
	for id, text := range map[string]string{"date": "2024-02-30", "month": "2024-13", "week": "2023-W53", "time": "25:00", "both": "2024-02-30T10:00"} {
		_, err := p.Fill(p.ctx(), sel(t, "#"+id), text)
		refused(t, err, api.InvalidArgument, "there is no ", text)
	}
	_, err := p.Fill(p.ctx(), sel(t, "#date"), "30.2.2024")
	refused(t, err, api.InvalidArgument, "takes YYYY-MM-DD, not")
}

// Where an element holds no text and nothing listens for keys, typing has no effect.
func TestTypeWhereNothingListens(t *testing.T) {
	p := page(t, `<table><tr><td id=cell tabindex=-1>cell</table><div id=inner tabindex=0>inner</div><details><summary id=native>native</summary></details><section onkeyup="n++"><div id=around tabindex=0>around</div></section>
		<canvas id=game tabindex=0></canvas><script>let n = 0; game.onkeydown = () => n++</script>`)
	for id, unheard := range map[string]bool{"cell": true, "inner": true, "native": false, "around": false, "game": false} {
		out, err := p.Type(p.ctx(), sel(t, "#"+id), "ab", element.TypeOptions{})
		ok(t, err)
		equal(t, id, out.Unheard, unheard)
	}
	p.text("void addEventListener('keypress', () => n++)")
	out, err := p.Type(p.ctx(), sel(t, "#cell"), "ab", element.TypeOptions{})
	ok(t, err)
	equal(t, "with a listener of the window", out.Unheard, false)
}

// A field of a date shows its format once it has the focus, and loses what is entered until it does.
func TestFillOfAFieldThatShowsItsFormat(t *testing.T) {
	p := page(t, `<input id=date> <input id=tags> <input id=sections value="MM/DD">`)
	p.eval(`let shown = 0, times = 0
		date.oninput = () => { if (++shown === 1) date.value = 'MM/DD' }
		tags.oninput = () => { document.title = ++times; tags.value = "" }; 0`, nil)
	out, err := p.Fill(p.ctx(), sel(t, "#date"), "12/24")
	ok(t, err)
	equal(t, "value", out.Value, "12/24")

	// One that ignores keys takes text that is inserted.
	p.eval(`sections.onkeydown = e => e.preventDefault(); 0`, nil)
	out, err = p.Fill(p.ctx(), sel(t, "#sections"), "12/24")
	ok(t, err)
	equal(t, "value", out.Value, "12/24")

	// What takes the text away by itself is not filled twice.
	out, err = p.Fill(p.ctx(), sel(t, "#tags"), "new")
	ok(t, err)
	equal(t, "value", out.Value, "")
	equal(t, "times", p.text("document.title"), "1")
}

// sheet is a grid with a selection of its own: a press moves it, the focus does not, and keys go to the selected cell.
const sheet = `<table role=grid><tr><td tabindex=-1 id=a>1</td><td tabindex=-1 id=b>2</td><td id=c>3</td><td tabindex=-1 id=d><button>4</button></td></tr></table>
	<table><tr><td id=plain>5</td></tr></table><script>
	let chosen = a, entry = '';
	document.addEventListener('mousedown', e => { const cell = e.target.closest('td'); if (cell) chosen = cell, entry = '' });
	document.addEventListener('keydown', e => { if (e.key.length === 1) chosen.textContent = entry += e.key });
	all = () => [a, b, c].map(cell => cell.textContent).join();</script>`

// What is typed into a cell goes into that cell, whichever is selected before.
func TestTypeInCells(t *testing.T) {
	p := page(t, sheet)
	for _, c := range []struct{ cell, text, want string }{{"#b", "xy", "1,xy,3"}, {"#c", "z", "1,xy,z"}, {"#a", "w", "w,xy,z"}} {
		_, err := p.Type(p.ctx(), sel(t, c.cell), c.text, element.TypeOptions{})
		ok(t, err)
		equal(t, "cells after "+c.cell, p.text("all()"), c.want)
	}
	_, err := p.Type(p.ctx(), sel(t, "#plain"), "x", element.TypeOptions{})
	refused(t, err, api.ElementUnsuitable, "keyboard type")
	_, err = p.Type(p.ctx(), sel(t, "#d"), "x", element.TypeOptions{}) // a press would be one of its button
	ok(t, err)
	equal(t, "cells after #d", p.text("all()"), "wx,xy,z")
}
