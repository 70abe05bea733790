package element_test

import (
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/entry"
)

// lateEditor keeps its own text and selection, and hears of a new selection only in a later task, as Lexical does.
const lateEditor = `<div id=ed contenteditable style="white-space:pre-wrap">Hello</div><script>
	let model = 'Hello', a = 5, b = 5;
	const at = (node, n) => node === ed ? (n ? model.length : 0) : n;
	document.addEventListener('selectionchange', () => setTimeout(() => {
		const s = getSelection();
		if (ed.contains(s.anchorNode)) [a, b] = [at(s.anchorNode, s.anchorOffset), at(s.focusNode, s.focusOffset)].sort((x, y) => x - y);
	}));
	ed.addEventListener('beforeinput', e => {
		e.preventDefault();
		if (e.inputType.startsWith('delete') && a === b) return; // nothing that it knows of is selected
		const add = e.inputType.startsWith('insert') ? e.data ?? '\n' : '';
		model = model.slice(0, a) + add + model.slice(b);
		a = b = a + add.length;
		ed.textContent = model;
		if (ed.firstChild) getSelection().collapse(ed.firstChild, a);
	});</script>`

// drawnEditor takes keys in a field that nobody sees and draws its lines with the next frame, as Ace and Monaco do; it
// completes brackets and indents by itself.
const drawnEditor = `<div id=ed style="width:300px;height:90px"><textarea id=keys style="width:1px;height:1px;opacity:0"></textarea><div id=lines></div></div><script>
	let model = 'one\ntwo', all = false;
	const draw = () => requestAnimationFrame(() => lines.innerHTML = model.split('\n').map(l => '<div class=ace_line>' + l + '</div>').join(''));
	const put = text => { model = all ? text : model + text; all = false; draw() };
	draw();
	keys.onkeydown = e => {
		if (e.ctrlKey && e.key === 'a') { all = true; e.preventDefault() }
		if (e.key === 'Delete' || e.key === 'Backspace') { if (all) put(''); e.preventDefault() }
		if (e.key === 'Enter') { put('\n  '); e.preventDefault() }
	};
	keys.onbeforeinput = e => { e.preventDefault(); put(e.data.replace(/\n/g, '\n  ').replace(/\(/g, '()')) };
	keys.onpaste = e => { e.preventDefault(); put(e.clipboardData.getData('text/plain')) };</script>`

// contextEditor takes text by the EditContext API.
const contextEditor = `<div id=keys tabindex=0 role=textbox></div><div id=lines></div><script>
	let model = 'one', all = false;
	const context = new EditContext();
	keys.editContext = context;
	const draw = () => lines.innerHTML = '<div class=view-line>' + model + '</div>';
	draw();
	context.ontextupdate = e => { model = all ? e.text : model + e.text; all = false; draw() };
	keys.onkeydown = e => {
		if (e.ctrlKey && e.key === 'a') all = true;
		if (e.key === 'Delete' && all) { model = ''; all = false; draw() }
	};</script>`

func TestFillEditors(t *testing.T) {
	for _, c := range []struct{ name, markup, target, holds, lines string }{
		{"plain", `<div id=ed contenteditable>Hello <b>bold</b></div>`, "#ed", "ed.innerText.trim()", "One\nTwo"},
		{"late", lateEditor, "#ed", "model", "One\nTwo"},
		{"drawn", drawnEditor, "#keys", "model", "f(\n  x"},
		{"context", contextEditor, "#keys", "model", ""},
	} {
		p := page(t, c.markup)
		fill := func(text string) {
			t.Helper()
			out, err := p.Fill(p.ctx(), sel(t, c.target), text)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			equal(t, c.name, p.text(c.holds), text)
			if out.Unknown || !entry.SameText(out.Value, text) {
				t.Errorf("%s: told to hold %q, want %q", c.name, out.Value, text)
			}
		}
		fill("New text")
		if c.lines != "" {
			fill(c.lines)
		}
		fill("")
		fill("again")
		_, err := p.Type(p.ctx(), sel(t, c.target), "!", element.TypeOptions{})
		ok(t, err)
		equal(t, c.name+" typed into", p.text(c.holds), "again!")
		_, err = p.Type(p.ctx(), sel(t, c.target), "zz", element.TypeOptions{Clear: true})
		ok(t, err)
		equal(t, c.name+" typed anew", p.text(c.holds), "zz")
	}
}

// A part of an editor is replaced alone.
func TestFillPartOfAnEditor(t *testing.T) {
	p := page(t, `<div id=ed contenteditable><p id=one>One</p><p id=two>Two</p></div>`)
	_, err := p.Fill(p.ctx(), sel(t, "#two"), "Second")
	ok(t, err)
	equal(t, "text", p.text("ed.innerText.replace(/\\n+/g, ' ').trim()"), "One Second")
	_, err = p.Fill(p.ctx(), sel(t, "#one"), "First\nNext")
	ok(t, err)
	_, err = p.Keyboard(p.ctx(), "!", 0)
	ok(t, err)
	equal(t, "lines", p.text("ed.innerText.replace(/\\n+/g, ' ').trim()"), "First Next! Second")
}

// An editor makes its own elements of the lines that it gets, and puts the caret where it believes that it was: what is
// typed next goes to the end, as after any fill.
func TestCaretAfterFillingLines(t *testing.T) {
	p := page(t, `<div id=ed contenteditable><p>Hello</p></div><script>
		const own = () => {
			watch.disconnect();
			const lines = ed.innerText.split(/\n+/).filter(line => line);
			ed.innerHTML = lines.map(line => '<p>' + line + '</p>').join('') || '<p><br></p>';
			const at = ed.children[Math.max(0, lines.length - 2)];
			getSelection().collapse(at.firstChild, at.textContent.length);
			watch.observe(ed, { childList: true, subtree: true, characterData: true });
		};
		const watch = new MutationObserver(own);
		own();</script>`)
	_, err := p.Fill(p.ctx(), sel(t, "#ed"), "One\nTwo\nThree")
	ok(t, err)
	p.text("watch.disconnect()")
	_, err = p.Keyboard(p.ctx(), "!", 0)
	ok(t, err)
	equal(t, "lines", p.text("[...ed.children].map(line => line.textContent).join()"), "One,Two,Three!")
}

func TestFillReturnsWhatAnEditorHolds(t *testing.T) {
	p := page(t, `<div id=ed contenteditable>x</div><script>ed.oninput = () => { ed.textContent = ed.textContent.toUpperCase() };</script>`)
	out, err := p.Fill(p.ctx(), sel(t, "#ed"), "abc")
	ok(t, err)
	equal(t, "value", out.Value, "ABC")
}

// The row of a frame stands for the document in it.
func TestFramesThatAreEditors(t *testing.T) {
	p := page(t, `<iframe id=editable srcdoc="<body contenteditable>Hello</body>"></iframe>
		<iframe id=design srcdoc="Hello" onload="contentDocument.designMode = 'on'"></iframe>
		<iframe id=plain srcdoc="<script>onclick = () => document.title = 'hit'</script>"></iframe>
		<script>held = id => document.getElementById(id).contentDocument.body.innerText.trim();</script>`)
	for _, id := range []string{"editable", "design"} {
		_, err := p.Fill(p.ctx(), sel(t, "#"+id), "New text")
		ok(t, err)
		equal(t, id+" filled", p.text("held('"+id+"')"), "New text")
		_, err = p.Type(p.ctx(), sel(t, "#"+id), "!", element.TypeOptions{})
		ok(t, err)
		equal(t, id+" typed into", p.text("held('"+id+"')"), "New text!")
		_, err = p.Focus(p.ctx(), sel(t, "#plain"))
		ok(t, err)
		_, err = p.Fill(p.ctx(), briefly(sel(t, "#plain")), "x")
		refused(t, err, api.ElementUnsuitable)
		_, err = p.Click(p.ctx(), sel(t, "#plain"), element.ClickOptions{})
		ok(t, err)
		equal(t, "frame clicked", p.text("plain.contentDocument.title"), "hit")
		_, err = p.Focus(p.ctx(), sel(t, "#"+id))
		ok(t, err)
		_, err = p.Press(p.ctx(), "Control+a")
		ok(t, err)
		_, err = p.Keyboard(p.ctx(), "keys", 0)
		ok(t, err)
		equal(t, id+" by keys", p.text("held('"+id+"')"), "keys")
		_, err = p.Click(p.ctx(), sel(t, "#"+id), element.ClickOptions{})
		ok(t, err)
		_, err = p.Keyboard(p.ctx(), "!", 0)
		ok(t, err)
		equal(t, id+" clicked", p.text("held('"+id+"')"), "keys!")
	}
}

// What is drawn of an editor stands for the hidden field that takes the keyboard for it.
func TestFillWhatAnEditorDraws(t *testing.T) {
	p := page(t, `<div id=editor class=CodeMirror><div style="overflow:hidden;position:relative;width:3px;height:0"><textarea id=keys style="position:absolute;width:1000px;height:1em"></textarea></div>
		<div class=CodeMirror-line id=line>old</div></div><div id=form><textarea></textarea><input></div><script>
		keys.oninput = () => { line.textContent += keys.value; keys.value = '' };
		keys.onkeydown = e => { if (e.key === 'Delete' || e.key === 'Backspace') line.textContent = '' }</script>`)
	_, err := p.Fill(p.ctx(), sel(t, "#editor"), "new")
	ok(t, err)
	equal(t, "text", p.text("line.textContent"), "new")
	_, err = p.Fill(p.ctx(), briefly(sel(t, "#form")), "x")
	refused(t, err, api.ElementUnsuitable)
}

// segments are the parts of a date, as React Aria and others have them: each is a region of its own, takes its text from beforeinput,
// and hands the focus to the part before it when it is emptied and empty, to the one behind it when it is complete.
const segments = `<div id=month class=part contenteditable role=spinbutton tabindex=0>mm</div>/<div id=day class=part contenteditable role=spinbutton tabindex=0>dd</div><script>
	const held = {month: '', day: ''}, parts = [...document.querySelectorAll('.part')];
	const step = (part, by) => parts[parts.indexOf(part) + by]?.focus();
	const put = (part, text) => {
		held[part.id] = text;
		part.textContent = text || part.id[0].repeat(2);
		if (text.length === 2) step(part, 1);
	};
	for (const part of parts) {
		part.onkeydown = e => {
			if (e.key !== 'Delete' && e.key !== 'Backspace') return;
			e.preventDefault();
			held[part.id] ? put(part, held[part.id].slice(0, -1)) : step(part, -1);
		};
		part.onbeforeinput = e => { e.preventDefault(); if (e.data) put(part, e.data) };
	}
	all = () => held.month + '/' + held.day;</script>`

func TestFillPartsOfADate(t *testing.T) {
	p := page(t, segments)
	for _, c := range []struct{ part, text, want string }{{"month", "12", "12/"}, {"day", "24", "12/24"}, {"month", "03", "03/24"}, {"day", "5", "03/5"}} {
		out, err := p.Fill(p.ctx(), sel(t, "#"+c.part), c.text)
		ok(t, err)
		equal(t, c.part+" holds", out.Value, c.text)
		equal(t, "the date after "+c.part+" "+c.text, p.text("all()"), c.want)
	}
}

// What a page has taken out of an editor is not entered once more.
func TestFillOfWhatIsTakenAtOnce(t *testing.T) {
	p := page(t, `<div id=ed contenteditable></div><script>
		const got = [];
		ed.oninput = () => { got.push(ed.textContent); ed.textContent = '' };</script>`)
	out, err := p.Fill(p.ctx(), sel(t, "#ed"), "hello")
	ok(t, err)
	equal(t, "value", out.Value, "")
	equal(t, "taken", p.text("got.join()"), "hello")
}

// What is drawn of an editor stands for the field that takes its keys, also where that is beside it.
func TestDrawnLinesOfAnEditor(t *testing.T) {
	p := page(t, drawnEditor+`<script>lines.tabIndex = -1</script>`)
	_, err := p.Fill(p.ctx(), sel(t, "#lines"), "three")
	ok(t, err)
	equal(t, "filled", p.text("model"), "three")
	_, err = p.Type(p.ctx(), sel(t, "#lines"), "!", element.TypeOptions{})
	ok(t, err)
	equal(t, "typed into", p.text("model"), "three!")
}
