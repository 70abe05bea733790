package fold

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// traffic generates the events that Chromium sends for loading pages, in order and with parameters of realistic size
// (like a news page: about thirty requests per document, which the model ignores).
type traffic struct {
	loads int // documents so far, for loader ids
	turn  int
	big   string
}

func newTraffic() *traffic { return &traffic{big: strings.Repeat("h", 700)} }

func event(session, method, format string, args ...any) *cdp.Event {
	return &cdp.Event{SessionID: session, Method: method, Params: fmt.Appendf(nil, format, args...)}
}

// open attaches a tab with frames, one of them out-of-process.
func (w *traffic) open(tab string, frames int) []*cdp.Event {
	context := "C" + tab
	out := []*cdp.Event{
		event("", "Target.targetCreated", `{"targetInfo":{"targetId":%q,"type":"page","url":"about:blank","browserContextId":%q}}`, tab, context),
		event("", "Target.attachedToTarget", `{"sessionId":"S%s","targetInfo":{"targetId":%q,"type":"page","url":"about:blank","browserContextId":%q}}`, tab, tab, context),
	}
	return append(out, w.load(tab, frames)...)
}

// load loads a new document in a tab.
func (w *traffic) load(tab string, frames int) []*cdp.Event {
	w.loads++
	s, loader := "S"+tab, fmt.Sprintf("L%d", w.loads)
	url := "https://news.example/" + loader
	out := []*cdp.Event{
		event(s, "Page.frameStartedNavigating", `{"frameId":%q,"url":%q,"loaderId":%q,"navigationType":"differentDocument"}`, tab, url, loader),
		event(s, "Network.requestWillBeSent", `{"requestId":%q,"loaderId":%q,"documentURL":%q,"type":"Document","frameId":%q,"request":{"url":%q,"headers":{"x":%q}}}`, loader, loader, url, tab, url, w.big),
		event(s, "Network.responseReceived", `{"requestId":%q,"loaderId":%q,"type":"Document","frameId":%q,"response":{"url":%q,"status":200,"mimeType":"text/html","headers":{"x":%q}}}`, loader, loader, tab, url, w.big),
		event(s, "Runtime.executionContextsCleared", `{}`),
		event(s, "Page.frameNavigated", `{"frame":{"id":%q,"loaderId":%q,"url":%q,"securityOrigin":"https://news.example","mimeType":"text/html"},"type":"Navigation"}`, tab, loader, url),
		event(s, "Runtime.executionContextCreated", `{"context":{"id":1,"uniqueId":"u%s","origin":"https://news.example","name":"","auxData":{"isDefault":true,"type":"default","frameId":%q}}}`, loader, tab),
		event("", "Target.targetInfoChanged", `{"targetInfo":{"targetId":%q,"type":"page","title":"News %s","url":%q,"browserContextId":"C%s"}}`, tab, loader, url, tab),
		event(s, "Page.lifecycleEvent", `{"frameId":%q,"loaderId":%q,"name":"init","timestamp":1.5}`, tab, loader),
	}
	for i := 1; i < frames; i++ {
		f := fmt.Sprintf("%s-%d", tab, i)
		inner := loader + "-" + f
		out = append(out,
			event(s, "Page.frameAttached", `{"frameId":%q,"parentFrameId":%q}`, f, tab),
			event(s, "Page.frameStartedLoading", `{"frameId":%q}`, f))
		fs := s
		if i == frames-1 {
			fs = "S" + f
			out = append(out,
				event(s, "Target.attachedToTarget", `{"sessionId":%q,"targetInfo":{"targetId":%q,"type":"iframe","url":"","parentFrameId":%q,"browserContextId":"C%s"}}`, fs, f, tab, tab),
				event(s, "Page.frameDetached", `{"frameId":%q,"reason":"swap"}`, f))
		}
		out = append(out,
			event(fs, "Page.frameNavigated", `{"frame":{"id":%q,"parentId":%q,"loaderId":%q,"url":"https://ads.example/%d","securityOrigin":"https://ads.example"}}`, f, tab, inner, i),
			event(fs, "Runtime.executionContextCreated", `{"context":{"id":%d,"uniqueId":"u%s","auxData":{"isDefault":true,"frameId":%q}}}`, i+1, inner, f))
		for _, name := range []string{"init", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle"} {
			out = append(out, event(fs, "Page.lifecycleEvent", `{"frameId":%q,"loaderId":%q,"name":%q,"timestamp":2.5}`, f, inner, name))
		}
	}
	for i := range 30 {
		id := fmt.Sprintf("%s.%d", loader, i)
		out = append(out,
			event(s, "Network.requestWillBeSent", `{"requestId":%q,"loaderId":%q,"type":"Script","frameId":%q,"request":{"url":"https://cdn.example/%d.js","headers":{"x":%q}}}`, id, loader, tab, i, w.big),
			event(s, "Network.requestWillBeSentExtraInfo", `{"requestId":%q,"headers":{"x":%q}}`, id, w.big),
			event(s, "Network.responseReceivedExtraInfo", `{"requestId":%q,"headers":{"x":%q}}`, id, w.big),
			event(s, "Network.responseReceived", `{"requestId":%q,"loaderId":%q,"type":"Script","frameId":%q,"response":{"url":"https://cdn.example/%d.js","status":200,"headers":{"x":%q}}}`, id, loader, tab, i, w.big),
			event(s, "Network.dataReceived", `{"requestId":%q,"dataLength":65536,"encodedDataLength":0}`, id),
			event(s, "Network.loadingFinished", `{"requestId":%q,"encodedDataLength":12345}`, id))
	}
	for _, name := range []string{"firstPaint", "firstContentfulPaint", "DOMContentLoaded", "load", "networkAlmostIdle", "networkIdle"} {
		out = append(out, event(s, "Page.lifecycleEvent", `{"frameId":%q,"loaderId":%q,"name":%q,"timestamp":3.5}`, tab, loader, name))
	}
	return append(out,
		event(s, "Runtime.consoleAPICalled", `{"type":"log","args":[{"type":"string","value":"ready"}],"executionContextId":1,"timestamp":1}`),
		event(s, "Page.frameStoppedLoading", `{"frameId":%q}`, tab))
}

// leave generates the events of the out-of-process frame of a document that is replaced.
func (w *traffic) leave(tab string, frames int) *cdp.Event {
	return event("S"+tab, "Target.detachedFromTarget", `{"sessionId":"S%s-%d"}`, tab, frames-1)
}

// hour generates the traffic of a busy browser: pages load in lasting and in short-lived tabs, dialogs open and are
// answered, files are downloaded, workers and popups open and close, renderers crash.
func (w *traffic) hour(apply func(Input)) {
	w.turn++
	now := time.Unix(int64(1000+w.turn*60), 0)
	send := func(list ...*cdp.Event) {
		for _, ev := range list {
			apply(Input{At: now, Event: ev})
		}
	}
	stays := fmt.Sprintf("stay%d", w.turn%5)
	if w.turn <= 5 {
		send(w.open(stays, 4)...)
	} else {
		send(w.leave(stays, 4))
		send(w.load(stays, 4)...)
	}
	send(event("S"+stays, "Page.javascriptDialogOpening", `{"frameId":%q,"type":"prompt","message":%q,"url":"https://news.example/"}`, stays, w.big))
	if w.turn%2 == 0 {
		apply(Input{At: now, Command: &dialogs.Answer{Dialog: fmt.Sprintf("d-%d", w.turn), By: model.ByAgent, Accept: true, Text: w.big}})
		send(event("S"+stays, "Page.javascriptDialogClosed", `{"result":true,"userInput":%q}`, w.big))
		apply(Input{At: now, Command: &core.Reply{Session: "S" + stays, Tag: core.Tag{Kind: core.TagAnswer, Dialog: fmt.Sprintf("d-%d", w.turn)}}})
	} else {
		send(event("S"+stays, "Page.javascriptDialogClosed", `{"result":false,"userInput":""}`))
	}
	guid := fmt.Sprintf("g%d", w.turn)
	send(event("", "Browser.downloadWillBegin", `{"frameId":%q,"guid":%q,"url":"https://news.example/f","suggestedFilename":"f"}`, stays, guid),
		event("", "Browser.downloadProgress", `{"guid":%q,"totalBytes":10,"receivedBytes":5,"state":"inProgress"}`, guid),
		event("", "Browser.downloadProgress", `{"guid":%q,"totalBytes":10,"receivedBytes":10,"state":"completed"}`, guid))
	worker := fmt.Sprintf("w%d", w.turn)
	send(event("S"+stays, "Target.attachedToTarget", `{"sessionId":"S%s","targetInfo":{"targetId":%q,"type":"worker"}}`, worker, worker),
		event("S"+stays, "Target.detachedFromTarget", `{"sessionId":"S%s"}`, worker))
	goes := fmt.Sprintf("go%d", w.turn)
	context := model.ContextID("C" + goes)
	apply(Input{At: now, Command: &dialogs.SetPolicy{Context: context, Policy: model.Policy{Mode: model.MustRespond}}})
	send(w.open(goes, 4)...)
	send(event("S"+goes, "Page.fileChooserOpened", `{"frameId":%q,"mode":"selectSingle","backendNodeId":7}`, goes),
		event("S"+goes, "Page.javascriptDialogOpening", `{"frameId":%q,"type":"alert","message":"bye"}`, goes))
	if w.turn%3 == 0 {
		send(event("", "Target.targetCrashed", `{"targetId":%q,"status":"crashed","errorCode":11}`, goes))
	}
	send(w.leave(goes, 4), event("", "Target.detachedFromTarget", `{"sessionId":"S%s"}`, goes), event("", "Target.targetDestroyed", `{"targetId":%q}`, goes))
	apply(Input{At: now, Command: &Forget{Context: context}})
}

// sizes returns the lengths of all maps and slices of the model, its features and its state.
func sizes(m *Model) map[string]int {
	out := map[string]int{}
	count := func(name string, v reflect.Value) {
		for i := range v.NumField() {
			if k := v.Field(i).Kind(); k == reflect.Map || k == reflect.Slice {
				out[name+"."+v.Type().Field(i).Name] = v.Field(i).Len()
			}
		}
	}
	count("State", reflect.ValueOf(m.State()).Elem())
	whole := reflect.ValueOf(m).Elem()
	for i := range whole.NumField() {
		if v := whole.Field(i); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
			count(v.Elem().Type().Name(), v.Elem())
		}
	}
	return out
}

// feature returns the feature of a model by type name.
func feature(m *Model, name string) reflect.Value {
	whole := reflect.ValueOf(m).Elem()
	for i := range whole.NumField() {
		if v := whole.Field(i); v.Kind() == reflect.Pointer && v.Elem().Type().Name() == name {
			return v.Elem()
		}
	}
	panic("no feature " + name)
}

// entries returns the length of a map or list of a feature, as "Feature.field".
func entries(m *Model, of string) int {
	name, field, _ := strings.Cut(of, ".")
	return feature(m, name).FieldByName(field).Len()
}

// TestModelMemoryIsBounded folds the traffic of a day (an hour in the quick version): afterwards no map or list has grown
// beyond its bound.
func TestModelMemoryIsBounded(t *testing.T) {
	turns := 360
	if os.Getenv("USHER_LONG") != "" {
		turns = 60_000 // 24 hours at 325 inputs a second
	}
	m, w := New(Options{Nonce: "nonce"}), newTraffic()
	m.Start()
	inputs := 0
	apply := func(in Input) {
		m.Apply(in)
		if inputs++; inputs%20 == 0 {
			m.Snapshot()
		}
	}
	heap := func() uint64 {
		m.Snapshot()
		m.Edit()
		runtime.GC()
		runtime.GC()
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.HeapAlloc
	}
	warm := max(turns/10, 120) // enough to fill the bounded lists
	for range warm {
		w.hour(apply)
	}
	early, small := heap(), sizes(m)
	for range turns - warm {
		w.hour(apply)
	}
	late, large := heap(), sizes(m)
	if err := statetest.Check(m.State()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d inputs; %d KiB when the rings were full, %d KiB at the end", inputs, early>>10, late>>10)
	const bound = 200 // the longest bounded list
	for name, n := range large {
		if n > bound || n > small[name]+40 && n > 2*small[name] {
			t.Errorf("%s has %d entries, and had %d when the rings were full", name, n, small[name])
		}
	}
	if late > early+early/4+1<<20 {
		t.Errorf("%d bytes are in use when the rings are full, %d at the end", early, late)
	}
}

// manyTabs returns a model of 100 tabs with 1,000 frames, and the events of loading all of them again.
func manyTabs() (*Model, []*cdp.Event) {
	m, w := New(Options{Nonce: "nonce"}), newTraffic()
	m.Start()
	for i := range 100 {
		for _, ev := range w.open(fmt.Sprintf("T%d", i), 10) {
			m.Apply(Input{Event: ev})
		}
	}
	// The tabs load concurrently, so their events are interleaved.
	var lists [][]*cdp.Event
	for i := range 100 {
		tab := fmt.Sprintf("T%d", i)
		lists = append(lists, append([]*cdp.Event{w.leave(tab, 10)}, w.load(tab, 10)...))
	}
	var mixed []*cdp.Event
	for k := range lists[0] {
		for _, list := range lists {
			mixed = append(mixed, list[k])
		}
	}
	return m, mixed
}

// BenchmarkTraffic folds the events of 100 loading tabs, with a snapshot after a number of events.
func BenchmarkTraffic(b *testing.B) {
	for _, every := range []int{1, 16} {
		b.Run(fmt.Sprintf("snapshot-each-%d", every), func(b *testing.B) {
			m, events := manyTabs()
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				m.Apply(Input{Event: events[n%len(events)]})
				if n++; n%every == 0 {
					m.Snapshot()
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkTree reads the frame trees of 100 tabs with 1,000 frames in all, and of one tab with as many.
func BenchmarkTree(b *testing.B) {
	m, _ := manyTabs()
	s := m.Snapshot()
	b.Run("100-tabs", func(b *testing.B) {
		for b.Loop() {
			frames := 0
			for _, id := range s.Order {
				frames += 1 + len(s.Tabs[id].Tree(true).Children)
			}
			if frames != 1000 {
				b.Fatalf("%d frames", frames)
			}
		}
	})
	big, w := New(Options{Nonce: "nonce"}), newTraffic()
	for _, ev := range w.open("T", 1000) {
		big.Apply(Input{Event: ev})
	}
	t := big.Snapshot().Tabs["T"]
	b.Run("1-tab", func(b *testing.B) {
		for b.Loop() {
			if n := len(t.Tree(true).Children); n != 999 {
				b.Fatalf("%d children", n)
			}
		}
	})
	b.Run("1-tab-change", func(b *testing.B) {
		ev := event("ST", "Page.lifecycleEvent", `{"frameId":"T-500","loaderId":"L1-T-500","name":"load","timestamp":2.5}`)
		for b.Loop() {
			big.Apply(Input{Event: ev})
			big.Snapshot()
		}
	})
}
