package element_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element"
	"github.com/usher-browser/usher/internal/element/failure"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/verb/chain"
)

func TestActionsOnChains(t *testing.T) {
	p := page(t, `<div class=row>Ada <button onclick="this.textContent='Saved'">Save</button></div><div class=row>Bob <button onclick="this.textContent='Saved'">Save</button></div>
		<label>Name <input></label><label><input type=checkbox id=a> A</label><label><input type=checkbox id=b> B</label>
		<p id=late></p><script>setTimeout(() => late.innerHTML = '<b>Here</b><button onclick="late.dataset.hit=1">Go</button>', 400)</script>`)
	_, err := p.Click(p.ctx(), briefly(chained(t, `.row >> has-text="Bob"s >> role=button`)), element.ClickOptions{})
	refused(t, err, api.ElementNotFound, `2 elements match .row, but nothing there matches has-text="Bob"s`)
	out, err := p.Click(p.ctx(), chained(t, `.row >> has-text="Bob" >> role=button[name="Save"s]`), element.ClickOptions{})
	ok(t, err)
	equal(t, "clicks", out.Events["click"], 1)
	equal(t, "rows", p.text("[...document.querySelectorAll('.row')].map(row => row.innerText).join()"), "Ada Save,Bob Saved")
	_, err = p.Click(p.ctx(), chained(t, `#late >> has="text=Here" >> role=button`), element.ClickOptions{})
	ok(t, err)
	equal(t, "a click on what came later", p.text("late.dataset.hit"), "1")
	filled, err := p.Fill(p.ctx(), chained(t, `label >> has-text=Name >> input`), "Grace")
	ok(t, err)
	equal(t, "filled", filled.Value, "Grace")
}

// What an action does may change what its selector matches: it goes on with its element.
func TestChainThatItsActionChanges(t *testing.T) {
	p := page(t, `<label><input type=checkbox id=a> A</label><label><input type=checkbox id=b> B</label>
		<div><input id=empty class=empty oninput="this.className=this.value?'':'empty'"><input class=other></div>`)
	for _, id := range []string{"a", "b"} {
		toggled, err := p.Check(p.ctx(), chained(t, "role=checkbox[checked=false] >> nth=0"), true)
		ok(t, err)
		equal(t, "changed", toggled.Changed, true)
		equal(t, id, p.text("document.getElementById('"+id+"').checked"), "true")
	}
	filled, err := p.Fill(p.ctx(), chained(t, "div >> .empty"), "text")
	ok(t, err)
	equal(t, "filled", filled.Value, "text")
}

func TestStrict(t *testing.T) {
	p := page(t, `<button>One</button><button>Two</button><p>three</p><p>three</p><iframe srcdoc="<i>In</i>"></iframe>`+strings.Repeat("<u>u</u>", 9))
	strict := func(target locate.Target) locate.Target {
		target.Strict = true
		return target
	}
	for _, target := range []locate.Target{chained(t, "role=button"), sel(t, "button"), sel(t, "//button"), sel(t, "role=button")} {
		began := time.Now()
		_, err := p.Click(p.ctx(), strict(target), element.ClickOptions{})
		refused(t, err, api.SelectorAmbiguous, "strict mode violation: the selector resolved to 2 elements")
		if time.Since(began) > 2*time.Second {
			t.Errorf("%s: waited for what waiting does not change", target)
		}
		var several *failure.StrictError
		if !errors.As(err, &several) || several.Matched != 2 || len(several.Elements) != 2 || several.Elements[1].Name != "Two" {
			t.Errorf("%s: %+v", target, several)
		}
		_, err = p.Click(p.ctx(), target, element.ClickOptions{})
		ok(t, err)
	}
	_, err := p.Text(p.ctx(), strict(sel(t, "text=three")))
	refused(t, err, api.SelectorAmbiguous)
	_, err = p.Text(p.ctx(), strict(sel(t, "u")))
	var several *failure.StrictError
	if !errors.As(err, &several) || several.Matched != 9 || len(several.Elements) != 5 {
		t.Errorf("%+v", several)
	}
	_, err = p.States(p.ctx(), strict(sel(t, "button")))
	refused(t, err, api.SelectorAmbiguous)
	for _, s := range []string{"role=button >> nth=1", `role=button[name="Two"]`} {
		text, err := p.Text(p.ctx(), strict(chained(t, s)))
		ok(t, err)
		equal(t, s, text, "Two")
	}
	// What is strict is where it was asked for, and not in a frame by chance.
	text, err := p.Text(p.ctx(), chained(t, "body >> i"))
	ok(t, err)
	equal(t, "in the frame", text, "In")
	_, err = p.Text(p.ctx(), briefly(strict(chained(t, "body >> i"))))
	refused(t, err, api.ElementNotFound)
}

func TestChainsInFrames(t *testing.T) {
	site := site(t)
	p := page(t, `<iframe id=far style="width:600px;height:300px" src="`+site.Cross("/keys")+`"></iframe>
		<iframe id=near srcdoc="<button onclick='this.textContent=1'>In</button><p>one</p><p>two</p>"></iframe><div id=box><button>Out</button></div>`)
	p.frame("/keys")
	for range 2 {
		out, err := p.Click(p.ctx(), chained(t, `frame=#far >> #target`), element.ClickOptions{})
		ok(t, err)
		equal(t, "click in another process", out.Events["click"], 1)
	}
	filled, err := p.Fill(p.ctx(), chained(t, `#far >> internal:control=enter-frame >> #area`), "in the frame")
	ok(t, err)
	equal(t, "filled", filled.Value, "in the frame")
	_, err = p.Click(p.ctx(), chained(t, `frame="#near" >> role=button`), element.ClickOptions{})
	ok(t, err)
	equal(t, "button", p.text("near.contentDocument.querySelector('button').textContent"), "1")
	n, err := p.Count(p.ctx(), chained(t, "frame=#near >> p"))
	ok(t, err)
	equal(t, "count", n, 2)
	for _, s := range []string{"frame=.none >> p", "frame=#near >> h1"} {
		n, err := p.Count(p.ctx(), chained(t, s))
		ok(t, err)
		equal(t, s, n, 0)
		_, err = p.Text(p.ctx(), briefly(chained(t, s)))
		refused(t, err, api.ElementNotFound, "nothing matches")
	}
	_, err = p.Text(p.ctx(), briefly(chained(t, "frame=#box >> p")))
	refused(t, err, api.ElementUnsuitable, "<div> is no frame")
	// A frame that comes later, and one that is replaced.
	p.eval(`setTimeout(() => { const f = document.createElement('iframe'); f.id = 'later'; f.srcdoc = '<b>Later</b>'; document.body.append(f) }, 300)`, nil)
	text, err := p.Text(p.ctx(), chained(t, "frame=#later >> b"))
	ok(t, err)
	equal(t, "later", text, "Later")
	p.eval(`(() => { const old = document.getElementById('later'), f = document.createElement('iframe'); f.id = 'later'; f.srcdoc = '<b>Again</b>'; old.replaceWith(f) })()`, nil)
	text, err = p.Text(p.ctx(), chained(t, "frame=#later >> b"))
	ok(t, err)
	equal(t, "again", text, "Again")
}

func TestRefsTextsAndStates(t *testing.T) {
	p := page(t, `<ul><li>one <b style="display:none">hidden</b></li><li>two</li></ul><button disabled>Off</button><input id=i readonly><input type=checkbox checked aria-label=On>`)
	items := chained(t, "ul >> li")
	found, err := p.Refs(p.ctx(), items)
	ok(t, err)
	if len(found) != 2 || found[0].Role != "listitem" || found[1].ID == 0 {
		t.Fatalf("%+v", found)
	}
	text, err := p.Text(p.ctx(), found[1].Target())
	ok(t, err)
	equal(t, "second", text, "two")
	for _, rendered := range []bool{false, true} {
		texts, err := p.Texts(p.ctx(), items, rendered)
		ok(t, err)
		want := []string{"one hidden", "two"}
		if rendered {
			want[0] = "one"
		}
		if !slices.Equal(texts, want) {
			t.Errorf("rendered %v: %q", rendered, texts)
		}
	}
	found, err = p.Refs(p.ctx(), chained(t, "ul >> h1"))
	if err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	states := func(s string) element.States {
		states, err := p.States(p.ctx(), chained(t, s))
		ok(t, err)
		return states
	}
	equal(t, "missing", states("ul >> h1"), element.States{Status: element.Status{Checked: "none"}})
	equal(t, "hidden", states("ul >> b").Visible, false)
	equal(t, "attached", states("ul >> b").Attached, true)
	equal(t, "disabled", states("role=button[disabled]").Enabled, false)
	equal(t, "read-only", states("body >> #i").Editable, false)
	equal(t, "checked", states("role=checkbox").Checked, "true")
	// A ref stands for its element, in a chain as well.
	ref := func(c string, el locate.Element) locate.Target {
		target := chained(t, c)
		target.Loader = el.Loader
		target.Parts, err = chain.Refs(target.Parts, func(p chain.Part, _ bool) (chain.Part, error) {
			p.ID = el.ID
			return p, nil
		})
		ok(t, err)
		return target
	}
	list, _, err := p.Find(p.ctx(), sel(t, "ul"))
	ok(t, err)
	n, err := p.Count(p.ctx(), ref("@e1 >> li", list))
	ok(t, err)
	equal(t, "items of a ref", n, 2)
	n, err = p.Count(p.ctx(), ref("li >> and=@e1", list))
	ok(t, err)
	equal(t, "items that are the list", n, 0)
	p.eval("document.querySelector('ul').remove()", nil)
	_, err = p.Text(p.ctx(), briefly(ref("@e1 >> li", list)))
	refused(t, err, api.StaleRef)
}

func TestWaitForStatesOfChains(t *testing.T) {
	p := page(t, `<div id=box></div><script>
		setTimeout(() => box.innerHTML = '<p style="display:none">Ada</p>', 200);
		setTimeout(() => box.firstChild.style.display = '', 400);
		setTimeout(() => box.firstChild.style.display = 'none', 600);
		setTimeout(() => box.innerHTML = '', 800);</script>`)
	target := chained(t, "#box >> text=Ada")
	for _, state := range []element.State{element.Attached, element.Visible, element.Hidden, element.Detached} {
		ok(t, p.Wait(p.ctx(), target, state))
	}
	target.Timeout = 200 * time.Millisecond
	refused(t, p.Wait(p.ctx(), target, element.Visible), api.Timeout, "#box >> text=Ada")
}

// Mistakes that only the page can see.
func TestChainsThatPagesRefuse(t *testing.T) {
	p := page(t, `<p>text</p>`)
	for s, part := range map[string]string{
		"p >> css=a[": "", "p >> a[[b]]": `"a[[b]]" is not a valid selector`, "p >> text=/(/": `"/(/" is not a valid selector`,
		"p >> xpath=//(": "", "p >> xpath=//*[name(1,)]": `"//*[name(1,)]" is not a valid selector`, "p >> has-text=/a{2,1}/": "is not a valid selector",
	} {
		parts, err := chain.Parse(s)
		if part == "" {
			if err == nil {
				t.Errorf("%s: no error", s)
			}
			continue
		}
		ok(t, err)
		_, err = p.Text(p.ctx(), locate.Target{By: locate.ByChain, Value: s, Parts: parts})
		refused(t, err, api.InvalidSelector, part)
	}
	// A long chain and a deep page.
	p.eval(`(() => { let at = document.body; for (let i = 0; i < 1500; i++) at = at.appendChild(document.createElement('div')); at.textContent = 'deep' })()`, nil)
	text, err := p.Text(p.ctx(), chained(t, "body >> text=deep"+strings.Repeat(" >> visible=true", 400)))
	ok(t, err)
	equal(t, "deep", text, "deep")
}

// What is in a frame that is not there is not there.
func TestWaitForWhatIsInNoFrame(t *testing.T) {
	p := page(t, `<iframe id=here srcdoc="<p>Inside</p>"></iframe>`)
	for _, state := range []element.State{element.Hidden, element.Detached} {
		ok(t, p.Wait(p.ctx(), chained(t, "frame=#none >> p"), state))
		refused(t, p.Wait(p.ctx(), briefly(chained(t, "frame=#here >> p")), state), api.Timeout, "visible")
	}
	refused(t, p.Wait(p.ctx(), briefly(chained(t, "frame=#none >> p")), element.Attached), api.Timeout, "nothing matches #none")
}

// Elements inside each other are searched once, not once for each that is around them: that took minutes.
func TestChainInNestedElements(t *testing.T) {
	p := page(t, strings.Repeat("<div>", 4000)+"<p aria-label=Last title=last>End</p>")
	for _, s := range []string{"div >> text=End", "div >> label=Last", "div >> title=last", "div >> role=paragraph"} {
		found, err := p.Refs(p.ctx(), chained(t, s))
		ok(t, err)
		equal(t, s, len(found), 1)
	}
}

// A chain goes through the frame that is there in the end, when the page replaces it meanwhile, as rich text editors do.
func TestChainThroughAFrameThatIsReplaced(t *testing.T) {
	p := page(t, `<iframe srcdoc="<button>Go</button>"></iframe><script>
		const { port1, port2 } = new MessageChannel(), end = performance.now() + 1000;
		port1.onmessage = () => {
			const next = document.createElement('iframe');
			next.srcdoc = '<button onclick="top.went = true">Go</button>';
			document.querySelector('iframe').replaceWith(next);
			if (performance.now() < end) port2.postMessage(0);
		};
		port2.postMessage(0);</script>`)
	_, err := p.Click(p.ctx(), chained(t, `iframe >> internal:control=enter-frame >> role=button`), element.ClickOptions{})
	ok(t, err)
	equal(t, "the button was clicked", p.text("window.went"), "true")
}
