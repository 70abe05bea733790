package supervisor

import (
	"fmt"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// BenchmarkDialog is the way of a dialog through the model: it opens, is answered,
// ends, and the browser replies; what is known is handed out after each.
func BenchmarkDialog(b *testing.B) {
	m := NewModel(false, "nonce")
	event := func(method, params string) {
		m.Apply(Input{At: time.Now(), Event: &cdp.Event{SessionID: "P", Method: method, Params: []byte(params)}})
		m.Snapshot()
	}
	m.Apply(Input{Event: &cdp.Event{Method: "Target.attachedToTarget", Params: []byte(`{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)}})
	m.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		event("Page.javascriptDialogOpening", `{"url":"http://x/","frameId":"T","message":"sure?","type":"confirm","hasBrowserHandler":false,"defaultPrompt":""}`)
		id := fmt.Sprintf("d-%d", m.dialogs)
		m.Apply(Input{At: time.Now(), Command: &Answer{Dialog: id, By: model.ByAgent, Accept: true}})
		m.Snapshot()
		event("Page.javascriptDialogClosed", `{"frameId":"T","result":true,"userInput":""}`)
		m.Apply(Input{At: time.Now(), Command: &Reply{Tag: Tag{Kind: TagAnswer, Dialog: id}, Session: "P"}})
		m.Snapshot()
	}
}
