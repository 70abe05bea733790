package element

import (
	"context"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/dom"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/element/input"
	"github.com/usher-browser/usher/internal/element/key"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// An editor is filled by keys and input-method text, and its content is read afterwards:
//
//	Control+a, Delete        what is left then is selected by script and deleted once more
//	the text, at once        as from an input method
//	differs, several lines?  again, with Enter between the lines
//	still differs?           again, as a paste, which nothing completes or indents
//
// Each step waits for the page's deferred tasks: editors handle selectionchange in a later task, and a key sent before
// that acts on the old selection.

// replaceAll replaces the content of an editor, and returns its new content; known is false where that cannot be read.
func (e *action) replaceAll(ctx context.Context, p *prepared, text string) (value string, known bool, err error) {
	type way func(context.Context, string) error
	ways := []way{e.insert}
	if strings.Contains(text, "\n") {
		ways = append(ways, e.insertLines)
	}
	for i, enter := range append(ways, e.paste) {
		if err := e.empty(ctx, p.Next == "selected"); err != nil {
			return "", false, err
		}
		if text != "" {
			if err := enter(ctx, text); err != nil {
				return "", false, err
			}
		}
		if value, known = e.editorValue(ctx); !known || sameLines(value, text) || text == "" && i > 0 {
			break
		}
	}
	return value, known, nil
}

// empty deletes all that an editor holds, or what is selected in it.
func (e *action) empty(ctx context.Context, selected bool) error {
	if value, known := e.editorValue(ctx); known && value == "" {
		return nil
	}
	for try := range 2 {
		switch {
		case try > 0 || selected:
			if err := e.actor.worlds.Call(ctx, e.frame, "selectContent", args{"target": e.target.inPage()}, nil); err != nil {
				return err
			}
		default:
			if err := e.chord(ctx, selectAllKeys(runtime.GOOS)); err != nil {
				return err
			}
		}
		if err := e.awaitDeferred(ctx); err != nil {
			return err
		}
		if err := e.chord(ctx, []string{"Delete", "Backspace"}[try]); err != nil {
			return err
		}
		if value, known := e.editorValue(ctx); !known || strings.TrimSpace(value) == "" {
			return nil
		}
	}
	return nil // the caller reads what is left
}

func selectAllKeys(system string) string {
	if system == "darwin" {
		return "Meta+a"
	}
	return "Control+a"
}

func endKeys(system string) string {
	if system == "darwin" {
		return "Meta+ArrowDown"
	}
	return "Control+End"
}

// chord presses keys in whatever has the keyboard focus and waits until the page has handled them.
func (e *action) chord(ctx context.Context, keys string) error {
	c, err := key.ParseChord(keys)
	if err != nil {
		return err
	}
	a := e.actor
	if err := a.input.Chord(e.session, c).Wait(ctx); err != nil {
		a.input.ForgetKeys()
		return err
	}
	return nil
}

// awaitDeferred waits until the page has done what it put off. Editors that draw their text do so with the next frame.
func (e *action) awaitDeferred(ctx context.Context) error {
	fn := "turn"
	if e.drawsText {
		fn = "drawn"
	}
	return e.actor.worlds.Call(ctx, e.frame, fn, nil, nil)
}

// editorValue returns the content of an editor after the page's deferred tasks have run.
func (e *action) editorValue(ctx context.Context) (value string, known bool) {
	if e.awaitDeferred(ctx) != nil {
		return "", false
	}
	return e.value(ctx)
}

// insert enters text at once, as an input method does, and sends the keyup of its last character: pages check a field
// at keyup. No keydown is sent, because a page that enters characters by itself would enter that one again.
func (e *action) insert(ctx context.Context, text string) error {
	events := input.Sent{e.actor.input.Insert(e.session, text)}
	if last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\r\n\t")); last != utf8.RuneError {
		k, shifted := key.ForRune(last)
		if shifted {
			k.Name = k.Shifted
		}
		events = append(events, e.actor.input.KeyUp(e.session, k))
	}
	return events.Wait(ctx)
}

// insertLines enters text with the Enter key between its lines.
func (e *action) insertLines(ctx context.Context, text string) error {
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			if err := e.chord(ctx, "Enter"); err != nil {
				return err
			}
			if err := e.awaitDeferred(ctx); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if err := e.insert(ctx, line); err != nil {
			return err
		}
	}
	return nil
}

// paste offers text as a paste, and inserts it where that is not taken.
func (e *action) paste(ctx context.Context, text string) error {
	var res struct {
		reply
		Taken bool `json:"taken"`
	}
	err := e.actor.worlds.Call(ctx, e.frame, "pasteInto", args{"target": e.target.inPage(), "text": text}, &res)
	if err != nil || res.Taken {
		return err
	}
	return e.insert(ctx, text)
}

// sameLines is SameText with the spaces at the beginning of a line and within: what an editor indents by itself differs.
func sameLines(a, b string) bool { return slices.Equal(lines(a), lines(b)) }

// lines returns those of a text that are not empty, without the spaces at their end.
func lines(s string) []string {
	var list []string
	for line := range strings.Lines(strings.ReplaceAll(s, "\r\n", "\n")) {
		if line = strings.TrimRight(line, " \t\n"); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// SameText reports whether two texts are equal as the content of a field: spaces, which fields rearrange, and empty
// lines, which editors show between paragraphs, do not count.
func SameText(a, b string) bool { return plainText(a) == plainText(b) }

// HoldsText reports whether one text contains the other, compared as by [SameText].
func HoldsText(whole, part string) bool { return strings.Contains(plainText(whole), plainText(part)) }

func plainText(s string) string {
	list := lines(s)
	for i, line := range list {
		list[i] = strings.Join(strings.Fields(line), "")
	}
	return strings.Join(list, "\n")
}

// inFrame is the refusal code for a target that is a frame: the action is for the document in it.
const inFrame = "in_frame"

// askInternals is the refusal code for a target whose state has to be read from the accessibility tree.
const askInternals = "ask_internals"

// enterFrame makes the action mean the document in the frame element that is its target.
func (e *action) enterFrame(ctx context.Context, fn string) error {
	handle, err := e.actor.worlds.Handle(ctx, e.frame, "node", args{"target": e.target.inPage()})
	if err != nil {
		return e.apiError(err)
	}
	defer handle.Release()
	node, err := cdp.Do(ctx, handle.Session, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: handle.Object.ObjectID})
	if err != nil {
		return e.apiError(err)
	}
	id := model.FrameID(node.Node.FrameID)
	if id == "" || e.actor.browser.State().Frame(id) == nil {
		return api.Errorf(api.FrameDetached, "%s: the frame has no document yet", e.what())
	}
	e.frame = id
	inner := "body"
	if fn == "check" {
		// All of the document can be clicked; where the body is the editor, only what is in it gives it the caret.
		inner = "body:read-write, :root:not(:has(> body:read-write))"
	}
	e.target = Target{By: ByCSS, Value: inner, Frame: id, Timeout: e.target.Timeout, FailEarly: e.target.FailEarly}
	return nil
}
