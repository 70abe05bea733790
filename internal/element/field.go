package element

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/element/entry"
	"github.com/usher-browser/usher/internal/element/geometry"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/element/locate"
	"github.com/usher-browser/usher/internal/element/verify"
	"github.com/usher-browser/usher/internal/world"
)

// prepared is the answer of fill.ts: the input that is still to be sent.
type prepared struct {
	reply
	Element locate.Found `json:"element"`
	Shape   string       `json:"shape"`
	Next    string       `json:"next"`
	Editor  bool         `json:"editor"`
	Drawn   bool         `json:"drawn"`
	Fresh   bool         `json:"fresh"`
	Value   string       `json:"value"`
}

// field returns the field that has the focus; drawn marks an editor that draws its text elsewhere.
func (e *action) field(drawn bool) *entry.Field {
	a := e.actor
	return &entry.Field{Worlds: a.worlds, Devices: a.input, Frame: e.frame, Session: e.session, Target: e.target.inPage(), Drawn: drawn}
}

// Filled is the outcome of entering text.
type Filled struct {
	Outcome
	// Value is the value of the field afterwards. It differs from the entered text where the page changed it (a mask, a
	// limit).
	Value string
	// Unknown reports whether the value cannot be read: an editor that draws its text elsewhere.
	Unknown bool
	// Unheard reports whether the keys had no effect: the element holds no text, and nothing listens for keys there.
	Unheard bool
}

// Fill replaces the value of a field: input, textarea, contenteditable. The text arrives as from an input method, in
// one trusted input event, followed by the keyup of its last character, for pages that validate on keyup. A field with
// keydown listeners of its own gets a short text key by key, as typed. Dates, colours and ranges are set as their
// picker would, and sliders that the page draws by their keys. The error is [api.ElementUnsuitable] for an element that
// is no field.
func (a *Actor) Fill(ctx context.Context, t locate.Target, text string) (Filled, error) {
	if !utf8.ValidString(text) {
		return Filled{}, api.Errorf(api.InvalidArgument, "fill: the text is not valid UTF-8")
	}
	ctx, e, done, err := a.begin(ctx, "fill", t)
	if err != nil {
		return Filled{}, err
	}
	defer done()
	for try := 1; ; try++ {
		if filled, again, err := e.fillOnce(ctx, try, text); !again {
			return filled, err
		}
	}
}

// fillOnce makes one attempt of Fill. again requests another one.
func (e *action) fillOnce(ctx context.Context, try int, text string) (filled Filled, again bool, err error) {
	var p prepared
	o := e.observe()
	doc, asked, err := e.startFill(ctx, text, &p)
	if err != nil {
		return Filled{}, false, err
	}
	o.out = Outcome{Element: p.Element.In(doc), Description: p.Shape, Attempts: try}
	e.pinElement(o.out.Element)
	switch {
	case p.Next == "done":
		out, err := o.finish(ctx, nil, true)
		return Filled{Outcome: out, Value: p.Value}, false, err
	case p.Next == "emptied":
		filled, err = e.emptied(ctx, o)
		return filled, false, err
	case p.Next == "slide":
		filled, err = e.slide(ctx, o, &p, text)
		return filled, false, err
	case p.Editor:
		filled, err = e.fillEditor(ctx, o, &p, text)
		return filled, false, err
	}
	alone, err := e.enterText(ctx, text, asked)
	if err != nil {
		out, err := o.finish(ctx, err, false)
		return Filled{Outcome: out, Value: text}, false, err
	}
	seen, value := asked.entered(ctx, text, alone)
	if seen == nil {
		seen, value, _ = e.takeEntered(ctx, true)
	}
	if seen != nil && seen.Connected && !e.isLeaving() {
		same := value == p.Value
		switch {
		case same && len(seen.Events) == 0 && try >= attempts && (e.once || time.Until(e.end) <= 0):
			return Filled{}, false, api.Errorf(api.ActionNotDelivered, "fill %s: %s has the focus, but did not receive the text", e.target, p.Shape)
		case same && len(seen.Events) == 0:
			// The browser's focus was elsewhere: a frame of another process gets it only a moment later.
			err = input.Sleep(ctx, pause)
			return Filled{}, err == nil, e.apiErrorOrNil(err)
		case try < attempts && (p.Fresh || e.keyed) && value != "" && !entry.SameText(value, text) && (same || !sharesText(value, text)):
			// A component that draws itself again because it has the focus now restores what it held, or shows a
			// format: that is over when it is filled again. One with a selection of its own (the date field of MUI)
			// ignores keys until a key or a click has set that, and takes text that is inserted.
			e.keyed, e.insertOnly = false, true
			err = e.field(false).AwaitDeferred(ctx)
			return Filled{}, err == nil, e.apiErrorOrNil(err)
		}
	}
	if seen != nil {
		o.out.Events = seen.Events
	}
	out, err := o.finish(ctx, nil, true)
	return Filled{Outcome: out, Value: value}, false, err
}

// fillAsked is what was asked behind startFill.
type fillAsked struct {
	field    *world.AskedField // what listens to it; nil if that is still to be asked
	selected *world.Pending    // whether what it holds is selected; nil if that is still to be done
	report   *world.Pending    // the report of what is inserted; nil if that is still to be asked
}

// startFill prepares the field. Behind that it asks what is needed next; without use is what the page may have answered before the
// field had the focus.
func (e *action) startFill(ctx context.Context, text string, p *prepared) (doc world.Document, asked fillAsked, err error) {
	var start *world.Sent
	e.sent = func(s *world.Sent) {
		start, asked = s, fillAsked{field: e.actor.worlds.AskField(e.frame)}
		asked.selected, _ = e.actor.worlds.Start(ctx, e.frame, "selectValue", nil) // or it is done later
		if asked.field.Asked() {
			asked.report, _ = e.actor.worlds.Start(ctx, e.frame, "awaitEntered", args{"target": e.target.inPage()}) // or it is asked later
		}
	}
	doc, err = e.ask(ctx, "startFill", args{"text": text}, p)
	e.sent = nil
	if err == nil && !asked.field.Follows(start) {
		asked = fillAsked{}
	}
	return doc, asked, err
}

// selectValue selects what the field holds, unless the page has done so behind startFill.
func (e *action) selectValue(ctx context.Context, asked fillAsked) error {
	var res struct {
		Selected bool `json:"selected"`
	}
	if asked.selected != nil && asked.selected.Wait(ctx, &res) == nil && res.Selected {
		return nil
	}
	if err := e.actor.worlds.Call(ctx, e.frame, "selectValue", nil, &res); err != nil || res.Selected {
		return err
	}
	return api.Errorf(api.ActionNotDelivered, "fill %s: the page was replaced before the text was entered", e.target)
}

// enteredGrace is how long the report of what was inserted may come later than the browser's own answer to the input.
const enteredGrace = 5 * time.Millisecond

// entered returns the report of text that was inserted into a field, if that has arrived as it is and stays so: alone is whether nothing
// around the field listens. Of others, nil is returned: their page may change the value in a later task.
func (a fillAsked) entered(ctx context.Context, text string, alone bool) (seen *verify.Report, value string) {
	if a.report == nil || !alone {
		return nil, ""
	}
	ctx, cancel := context.WithTimeout(ctx, enteredGrace)
	defer cancel()
	var res entered
	if a.report.Wait(ctx, &res) != nil || res.Value == nil || *res.Value != text || res.Events["input"] == 0 {
		return nil, ""
	}
	return res.report(), *res.Value
}

// entered is the answer of awaitEntered and takeEntered.
type entered struct {
	verify.Report
	Value *string `json:"value"`
}

// report returns the events of the text; its keyup is sent besides.
func (r *entered) report() *verify.Report {
	delete(r.Events, "keyup")
	return &r.Report
}

// maxKeys is the largest number of characters entered key by key where the caller did not request keys.
const maxKeys = 200

// sharesText reports whether a letter or digit of one text is in the other.
func sharesText(value, text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return (unicode.IsLetter(r) || unicode.IsDigit(r)) && strings.ContainsRune(value, r)
	})
}

// enterText enters text into the focused field, in place of the selection. asked is what startFill has asked. alone reports whether
// the text was inserted and nothing around the field listens.
func (e *action) enterText(ctx context.Context, text string, asked fillAsked) (alone bool, err error) {
	e.keyed = false
	line := !e.insertOnly && utf8.RuneCountInString(text) <= maxKeys && !strings.ContainsFunc(text, unicode.IsControl) // Enter and Tab do more than enter text
	listens := world.FieldListeners{Around: true}
	if line {
		if asked.field == nil {
			asked.field = e.actor.worlds.AskField(e.frame)
		}
		if known, err := asked.field.Wait(ctx); err == nil { // a failure shows in the outcome of the next calls
			listens = known
		}
	}
	if !listens.Keys {
		if err := e.selectValue(ctx, asked); err != nil {
			return false, err
		}
		return !listens.Around, e.field(false).Insert(ctx, text)
	}
	var p prepared
	if _, err := e.ask(ctx, "startType", args{"clear": true}, &p); err != nil {
		return false, err
	}
	e.keyed = true
	err = e.actor.input.Type(ctx, e.session, text, 0)
	if err != nil {
		e.actor.input.ForgetKeys()
	}
	return false, err
}

// emptied is the part of Fill for a field that has been emptied.
func (e *action) emptied(ctx context.Context, o *observer) (Filled, error) {
	if err := (input.Sent{e.actor.input.KeyUp(e.session, key.Must("Delete"))}).Wait(ctx); err != nil {
		out, err := o.finish(ctx, err, false)
		return Filled{Outcome: out}, err
	}
	value, _ := e.field(false).Value(ctx)
	out, err := o.finish(ctx, nil, true)
	return Filled{Outcome: out, Value: value}, err
}

// fillEditor is the part of Fill for what is filled with keys.
func (e *action) fillEditor(ctx context.Context, o *observer, p *prepared, text string) (Filled, error) {
	if err := e.keysArrive(ctx); err != nil {
		return Filled{}, err
	}
	value, known, err := e.field(p.Drawn).Replace(ctx, text, p.Next == "selected")
	var seen verify.Report
	if err == nil && e.actor.worlds.Call(ctx, e.frame, "takeEventReport", nil, &seen) == nil {
		o.out.Events = seen.Events
	}
	out, err := o.finish(ctx, err, false)
	return Filled{Outcome: out, Value: value, Unknown: !known}, err
}

// pinElement makes the action mean the element that was found, whatever a selector
// would match by now.
func (e *action) pinElement(el locate.Element) {
	t := el.Target()
	t.Value, t.Timeout, t.FailEarly, t.Aim = e.target.Value, e.target.Timeout, e.target.FailEarly, e.target.Aim
	if e.target.By != locate.ByRef {
		t.Value = e.target.String()
	}
	e.target = sought{Target: t}
}

// takeEntered returns the events that reached the field and its value, if that can be read; nil when the field is gone. deferred is
// after what the page has put off until after the last event.
func (e *action) takeEntered(ctx context.Context, deferred bool) (_ *verify.Report, value string, known bool) {
	var res entered
	if e.actor.worlds.Call(ctx, e.frame, "takeEntered", args{"target": e.target.inPage(), "deferred": deferred}, &res) != nil {
		return nil, "", true
	}
	if res.Value != nil {
		value = *res.Value
	}
	return res.report(), value, res.Value != nil
}

// Focus gives an element the keyboard focus.
func (a *Actor) Focus(ctx context.Context, t locate.Target) (locate.Element, error) {
	ctx, e, done, err := a.begin(ctx, "focus", t)
	if err != nil {
		return locate.Element{}, err
	}
	defer done()
	var res struct {
		reply
		Element locate.Found `json:"element"`
	}
	doc, err := e.ask(ctx, "focusOn", nil, &res)
	if err != nil {
		return locate.Element{}, err
	}
	return res.Element.In(doc), nil
}

// Selected is the outcome of choosing options.
type Selected struct {
	Outcome
	Values  []string // of all options that are selected now
	Changed bool     // false: they were selected before
	Undone  bool     // the page answered with another choice: Values are not what was asked for
	Hidden  bool     // the list is hidden behind what the page draws
	Unshown bool     // the list is hidden, and what the page draws around it does not show them
}

// Select selects options of a <select> by value, label or "index=N". Errors besides those of any action:
// [api.OptionNotFound] with the available options, [api.ElementUnsuitable] for an element that is no <select>.
func (a *Actor) Select(ctx context.Context, t locate.Target, values ...string) (Selected, error) {
	ctx, e, done, err := a.begin(ctx, "select", t)
	if err != nil {
		return Selected{}, err
	}
	defer done()
	if len(values) == 0 {
		return Selected{}, api.Errorf(api.MissingArgument, "select %s: no option was named", t)
	}
	var res struct {
		reply
		Element  locate.Found `json:"element"`
		Selected []string     `json:"selected"`
		Changed  bool         `json:"changed"`
		Undone   bool         `json:"undone"`
		Hidden   bool         `json:"hidden"`
	}
	o := e.observe()
	doc, err := e.ask(ctx, "selectOptions", args{"values": values}, &res)
	if err != nil {
		return o.dialogOr(err, func(out Outcome) Selected { return Selected{Outcome: out, Values: values, Changed: true} })
	}
	o.out = Outcome{Element: res.Element.In(doc), Attempts: 1}
	out, err := o.finish(ctx, nil, false)
	return Selected{
		Outcome: out, Values: res.Selected, Changed: res.Changed, Undone: res.Undone, Hidden: res.Hidden,
		Unshown: err == nil && res.Hidden && e.hidesChoice(ctx, out.Element),
	}, err
}

// hidesChoice reports whether a component keeps another choice than its hidden list. A list that is gone hides nothing.
func (e *action) hidesChoice(ctx context.Context, list locate.Element) bool {
	e.pinElement(list)
	var res struct {
		OK    bool `json:"ok"`
		Shows bool `json:"shows"`
	}
	return e.actor.worlds.Call(ctx, e.frame, "choiceShows", args{"target": e.target.inPage()}, &res) == nil && res.OK && !res.Shows
}

// Toggled is the outcome of checking and unchecking.
type Toggled struct {
	Outcome
	Changed bool // false: it was so before, and nothing was done
}

// Check turns a check box, radio button or switch on, or with on false off. It clicks it, or its label when the box
// itself is hidden, and then checks the state. The error is [api.ActionIneffective] if the state did not change.
func (a *Actor) Check(ctx context.Context, t locate.Target, on bool) (Toggled, error) {
	verb := "check"
	if !on {
		verb = "uncheck"
	}
	ctx, e, done, err := a.begin(ctx, verb, t)
	if err != nil {
		return Toggled{}, err
	}
	defer done()
	var now struct {
		reply
		Element locate.Found `json:"element"`
		Shape   string       `json:"shape"`
		Checked string       `json:"checked"`
		Radio   bool         `json:"radio"`
	}
	doc, err := e.ask(ctx, "toggle", nil, &now)
	if err != nil {
		return Toggled{}, err
	}
	el := now.Element.In(doc)
	if now.Checked == fmt.Sprint(on) {
		return Toggled{Outcome: Outcome{Element: el, Description: now.Shape}}, nil
	}
	if !on && now.Radio && el.Tag == "option" {
		return Toggled{}, api.Errorf(api.ElementUnsuitable, "uncheck %s: %s is in a list with exactly one selected item; check another instead", t, now.Shape)
	}
	if !on && now.Radio {
		return Toggled{}, api.Errorf(api.ElementUnsuitable, "uncheck %s: %s is a radio button; check another of its group instead", t, now.Shape)
	}
	out, err := e.perform(ctx, clickEvents(input.Left, 1), args{"toggle": true, "choose": true, "leave": !on}, func(at geometry.Point) input.Sent {
		return e.clicks(ctx, at, ClickOptions{})
	})
	if err != nil || e.target.Trial {
		return Toggled{out, err != nil}, err
	}
	if out.Dialog != nil || out.TabClosed || out.Navigation != nil && !out.Navigation.SameDocument {
		return Toggled{out, true}, nil
	}
	if e.target.By != locate.ByRef {
		e.pinElement(el)
	}
	var after struct{ reply }
	e.end = time.Now().Add(stateGrace)
	if _, err := e.ask(ctx, "awaitChecked", args{"checked": on}, &after); err != nil {
		if api.CodeOf(err) == api.StaleRef {
			return Toggled{out, true}, nil // the page replaced the element: its state cannot be checked
		}
		return Toggled{out, true}, err
	}
	return Toggled{out, true}, nil
}

// stateGrace is how long a page may take to show the new state of a toggle.
const stateGrace = time.Second

// dialogOr turns an error into an outcome if the error only reports a dialog that the action opened.
func (o *observer) dialogOr(err error, outcome func(Outcome) Selected) (Selected, error) {
	a := o.e.actor
	if blocked := a.browser.Blocked(err, a.tab); blocked != nil && blocked.Dialog != nil {
		o.out.Dialog = blocked.Dialog
		return outcome(o.out), nil
	}
	return Selected{}, err
}
