package supervisor_test

import (
	"fmt"
	"testing"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// eventRecorder is an observer that records every event of a tab.
type eventRecorder string

func (n eventRecorder) Tap(ev cdp.Event, tab model.TargetID, note func(model.Change)) {
	if tab != "" {
		note(model.Change{Kind: model.ConsoleMessage, Tab: tab, Text: string(n) + " " + ev.Method})
	}
}

// TestObservers: each observer gets every event after the model and before the next event, including the first event. The
// changes that it adds are in the stream in that order.
func TestObservers(t *testing.T) {
	ours, theirs := cdptest.Memory()
	for _, event := range []string{
		`"Target.attachedToTarget","params":{"sessionId":"P","targetInfo":{"targetId":"T","type":"page","browserContextId":"C"}}`,
		`"Test.one","sessionId":"P"`,
		`"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"B","type":"browser"}}`,
		`"Test.beside","sessionId":"S"`,
		`"Test.two","sessionId":"P"`,
	} {
		if err := theirs.Write(fmt.Appendf(nil, `{"method":%s}`, event)); err != nil {
			t.Fatal(err)
		}
	}
	b := supervisor.New(ours, supervisor.Options{Observers: []supervisor.Observer{eventRecorder("first"), eventRecorder("second")}})
	defer b.Close()
	defer theirs.Close()
	read := b.Stream("C").Subscribe(0)
	var got []string
	for len(got) < 5 {
		list, err := read.Next(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range list {
			got = append(got, fmt.Sprint(c.Seq, " ", c.Kind, " ", c.Text))
		}
	}
	want := fmt.Sprint([]string{"1 tab_opened ", "2 console_message first Test.one", "3 console_message second Test.one",
		"4 console_message first Test.two", "5 console_message second Test.two"})
	if fmt.Sprint(got) != want {
		t.Errorf("the stream is\n%s, want\n%s", got, want)
	}
}
