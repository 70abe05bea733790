package stream

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// followed is a set of streams of a model that the test feeds.
type followed struct {
	*fold.Model
	all *Set
}

func follow() *followed { return &followed{fold.New(fold.Options{Nonce: "nonce"}), NewSet()} }

// apply applies an input and adds its changes to the streams.
func (b *followed) apply(in fold.Input) {
	b.Apply(in)
	for _, c := range b.Changes() {
		b.all.Add(c, b.State())
	}
}

// feed applies an event.
func (b *followed) feed(session, method, params string) {
	b.apply(fold.Input{At: time.Unix(1000, 0), Event: &cdp.Event{SessionID: session, Method: method, Params: []byte(params)}})
}

func (b *followed) page(id, context string) {
	b.feed("", "Target.attachedToTarget", `{"sessionId":"S`+id+`","targetInfo":{"targetId":"`+id+`","type":"page","url":"http://x/","browserContextId":"`+context+`"}}`)
}

// note adds a change that the fold did not observe.
func (b *followed) note(c model.Change) {
	b.Complete(&c)
	b.all.Add(c, b.State())
}

func (b *followed) stream(c model.ContextID) *Stream { return b.all.Of(c, b.State()) }

func kindsOf(list []model.Change) string {
	var names []string
	for _, c := range list {
		names = append(names, string(c.Kind))
	}
	return strings.Join(names, " ")
}

// The changes of a context are in order, numbered without gaps, and contain those of the context only.
func TestChanges(t *testing.T) {
	b := follow()
	b.stream("C")
	b.page("T", "C")
	b.page("U", "D")
	const p = "ST"
	b.feed(p, "Page.frameStartedNavigating", `{"frameId":"T","url":"http://x/a","navigationType":"differentDocument"}`)
	b.feed(p, "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L","url":"http://x/a"}}`)
	b.feed(p, "Page.frameAttached", `{"frameId":"F","parentFrameId":"T"}`)
	b.feed(p, "Page.frameAttached", `{"frameId":"F","parentFrameId":"T"}`) // reported again: no change
	b.feed(p, "Page.frameNavigated", `{"frame":{"id":"F","parentId":"T","loaderId":"M","url":"http://x/f"}}`)
	b.feed(p, "Page.lifecycleEvent", `{"frameId":"T","loaderId":"L","name":"load"}`)
	b.feed("", "Target.targetInfoChanged", `{"targetInfo":{"targetId":"T","type":"page","url":"http://x/before","title":"Hello","browserContextId":"C"}}`)
	b.feed("", "Target.targetInfoChanged", `{"targetInfo":{"targetId":"T","type":"page","title":"Hello","browserContextId":"C"}}`)
	b.note(model.Change{Kind: model.ConsoleMessage, Tab: "T", Detail: "log", Text: strings.Repeat("ä", 300)})
	b.feed(p, "Page.javascriptDialogOpening", `{"frameId":"T","type":"confirm","message":"Really?"}`)
	b.feed(p, "Page.javascriptDialogClosed", `{"result":true}`)
	b.feed("", "Browser.downloadWillBegin", `{"frameId":"T","guid":"g","url":"http://x/d","suggestedFilename":"d.txt"}`)
	for range 5 { // at the same time: reported at most once
		b.feed("", "Browser.downloadProgress", `{"guid":"g","receivedBytes":5,"totalBytes":10,"state":"inProgress"}`)
	}
	b.feed("", "Browser.downloadProgress", `{"guid":"g","receivedBytes":10,"totalBytes":10,"state":"completed"}`)
	b.feed(p, "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"N","url":"http://x/b"}}`)
	b.feed("", "Target.targetCrashed", `{"targetId":"T","status":"oom"}`)
	b.feed("", "Target.targetDestroyed", `{"targetId":"T"}`)

	list, lost := b.stream("C").After(0, 100)
	const want = "tab_opened load_started tab_navigated frame_attached frame_navigated load_state tab_title console_message " +
		"dialog_opened dialog_closed download_started download_ended frame_detached tab_navigated tab_crashed tab_closed"
	if got := kindsOf(list); got != want || lost != 0 {
		t.Fatalf("changes are\n%s\nwant\n%s", got, want)
	}
	for i, c := range list {
		if c.Seq != uint64(i+1) || c.Tab != "T" || c.Number != 1 || c.Context != "C" || c.At.IsZero() {
			t.Errorf("change %d is %+v", i, c)
		}
		if s := c.Sentence(strings.TrimSpace); strings.ContainsAny(s, "{}") || s == string(c.Kind) {
			t.Errorf("%s is told as %q", c.Kind, s)
		}
	}
	if d := list[9]; d.By != model.ByRemote || d.Detail != "accepted" || d.ID != "d-1" {
		t.Errorf("the closed dialog is %+v", d)
	}
	if c := list[6]; c.URL != "http://x/before" { // the URL of the page with that title, which the guard checks, not of the next page
		t.Errorf("the title is one of %q", c.URL)
	}
	if c := list[7]; c.Text != strings.Repeat("ä", 200)+"…" {
		t.Errorf("the console line is %q", c.Text)
	}
	if other, _ := b.stream("D").After(0, 100); kindsOf(other) != "tab_opened" {
		t.Errorf("the other context has %s", kindsOf(other))
	}
}

// A slow reader loses its position, gets the last number, and can continue. The writer did not wait.
func TestSlowSubscriber(t *testing.T) {
	s := newStream()
	sub := s.Subscribe(0)
	for range 3 {
		s.add(model.Change{Kind: model.ConsoleMessage})
	}
	got, err := sub.Next(t.Context())
	if err != nil || len(got) != 3 || sub.Last() != 3 {
		t.Fatal(got, err)
	}
	for range streamLength + 10 {
		s.add(model.Change{Kind: model.ConsoleMessage})
	}
	_, err = sub.Next(t.Context())
	var behind *FellBehindError
	if !errors.As(err, &behind) || behind.Last != 3 || behind.Lost != 10 {
		t.Fatalf("a slow reader gets %v", err)
	}
	first, last := s.Bounds()
	if first != 14 || last != streamLength+13 {
		t.Errorf("the stream holds %d to %d", first, last)
	}
	sub = s.Subscribe(behind.Last + behind.Lost)
	n := uint64(0)
	for n < streamLength {
		list, err := sub.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			if c.Seq != 14+n {
				t.Fatalf("number %d follows %d", c.Seq, 13+n)
			}
			n++
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := sub.Next(ctx); err == nil || err.Error() != "enough" {
		t.Errorf("a cancelled reader gets %v", err)
	}
	s.end("closed")
	if _, err := sub.Next(t.Context()); err == nil || err.Error() != "closed" {
		t.Errorf("the end is %v", err)
	}
}

// A stream stays within its bounds, whatever pages write, and does not keep long texts in memory.
func TestStreamIsBounded(t *testing.T) {
	b := follow()
	b.page("T", "C")
	long := strings.Repeat("x", 1<<16)
	for range 3 * streamLength {
		b.note(model.Change{Kind: model.RequestSent, Tab: "T", URL: long, Text: long})
	}
	s := b.stream("C")
	first, last := s.Bounds()
	if s.bytes > streamBytes || len(s.list) > 2*streamLength+256 || last != 3*streamLength+1 || last-first > streamLength {
		t.Errorf("it holds %d to %d in %d bytes and %d slots", first, last, s.bytes, len(s.list))
	}
	b.feed("", "Target.targetDestroyed", `{"targetId":"T"}`)
	b.all.End("C", "over")
	for _, id := range []string{"V", "W"} { // of contexts whose stream was never requested
		b.page(id, "D")
	}
	b.feed("", "Target.targetDestroyed", `{"targetId":"V"}`)
	if len(b.all.streams) != 1 {
		t.Errorf("streams: %v", b.all.streams)
	}
	b.feed("", "Target.targetDestroyed", `{"targetId":"W"}`)
	if len(b.all.streams) != 0 {
		t.Errorf("the stream of a context without tabs is kept: %v", b.all.streams)
	}
}

// The end of the browser is the last change of every stream.
func TestStreamsEndWithTheBrowser(t *testing.T) {
	b := follow()
	b.page("T", "C")
	sub := b.stream("C").Subscribe(1)
	b.apply(fold.Input{Command: &targets.Closed{Cause: errors.New("cut")}})
	if list, err := sub.Next(t.Context()); err != nil || kindsOf(list) != "browser_closed" || list[0].Text != "cut" {
		t.Errorf("the last change is %v, %v", list, err)
	}
	var ended *EndedError
	if _, err := sub.Next(t.Context()); !errors.As(err, &ended) || !strings.Contains(ended.Why, "cut") {
		t.Errorf("the end is %v", err)
	}
	if _, err := b.stream("later").Subscribe(0).Next(t.Context()); !errors.As(err, &ended) {
		t.Errorf("a stream asked for later gives %v", err)
	}
}

// Every kind has a sentence.
func TestChangeKinds(t *testing.T) {
	seen := map[model.ChangeKind]bool{}
	for _, k := range model.ChangeKinds() {
		if seen[k] || k.Family() == string(k) {
			t.Errorf("%s stands twice, or has no family", k)
		}
		seen[k] = true
	}
}

// BenchmarkStream adds changes to a stream without readers.
func BenchmarkStream(b *testing.B) {
	s := newStream()
	b.ReportAllocs()
	for b.Loop() {
		s.add(model.Change{Kind: model.LoadState, Tab: "T", Number: 1, Detail: "load", URL: "http://x/y"})
	}
}
