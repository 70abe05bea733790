package fold

import (
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold/core"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// BenchmarkDialog folds a dialog: it opens, is answered and ends, and the browser replies. A snapshot is taken after each
// input.
func BenchmarkDialog(b *testing.B) {
	m := New(Options{Nonce: "nonce"})
	event := func(method, params string) {
		m.Apply(Input{At: time.Now(), Event: &cdp.Event{SessionID: "P", Method: method, Params: []byte(params)}})
		m.Snapshot()
	}
	m.Apply(Input{Event: &cdp.Event{Method: "Target.attachedToTarget", Params: []byte(`{"sessionId":"P","targetInfo":{"targetId":"T","type":"page"}}`)}})
	m.Snapshot()
	b.ReportAllocs()
	for b.Loop() {
		event("Page.javascriptDialogOpening", `{"url":"http://x/","frameId":"T","message":"sure?","type":"confirm","hasBrowserHandler":false,"defaultPrompt":""}`)
		id := m.State().Dialogs[0].ID
		m.Apply(Input{At: time.Now(), Command: &dialogs.Answer{Dialog: id, By: model.ByAgent, Accept: true}})
		m.Snapshot()
		event("Page.javascriptDialogClosed", `{"frameId":"T","result":true,"userInput":""}`)
		m.Apply(Input{At: time.Now(), Command: &core.Reply{Tag: core.Tag{Kind: core.TagAnswer, Dialog: id}, Session: "P"}})
		m.Snapshot()
	}
}
