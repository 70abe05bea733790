package journal

import (
	"fmt"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
)

// TestReportsAreRecordedOnce handles the reports of a page and of its worker.
func TestReportsAreRecordedOnce(t *testing.T) {
	t.Parallel()
	j := New(DefaultLimits)
	mark := j.Reporter().Mark
	attach := func(session, target, kind, parent string) {
		j.Tap(cdp.Event{SessionID: parent, Method: "Target.attachedToTarget", Params: fmt.Appendf(nil,
			`{"sessionId":%q,"targetInfo":{"targetId":%q,"type":%q}}`, session, target, kind)}, "", nil)
	}
	say := func(session, text string) {
		quoted, err := jsonv2.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		j.Tap(cdp.Event{SessionID: session, Method: "Console.messageAdded", Params: fmt.Appendf(nil,
			`{"message":{"source":"console-api","level":"debug","text":%s}}`, quoted)}, "T", nil)
	}
	attach("S", "T", "page", "")
	j.Tap(cdp.Event{SessionID: "S", Method: "Target.attachedToTarget", Params: []byte(
		`{"sessionId":"W","targetInfo":{"targetId":"V","type":"worker"}}`)}, "T", nil)
	say("S", mark+`["one","u",1,2,false,10.5]`)
	say("S", mark+`["one","u",1,2,false,10.5]`) // the same event
	say("S", mark+`["one","u",1,2,false,11]`)   // the same error again
	say("W", mark+`["two","w",1,2,false,3]`)
	say("S", mark+`["two","w",1,2,true,20]`)   // the worker's, on its page
	say("S", mark+`["three","w",5,2,true,21]`) // the other way round
	say("W", mark+`["three","w",5,2,false,4]`)
	say("S", mark+`no report`)
	say("S", `usher-GUESSED["forged","u",1,2,false,30]`)
	thrown, _ := j.Errors("T")
	var got string
	for _, e := range thrown {
		got += fmt.Sprintf("%s worker=%v; ", e.Text, e.Worker)
	}
	if want := "one worker=false; one worker=false; two worker=true; three worker=true; "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if lines, _ := j.Console("T"); len(lines) != 1 || lines[0].Text != `usher-GUESSED["forged","u",1,2,false,30]` {
		t.Errorf("the console has %+v", lines)
	}
}
