package fold

import (
	"fmt"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	raw, err := jsonv2.Marshal(v, jsonv2.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestFrameTree(t *testing.T) {
	var none *model.Tab
	if got := jsonOf(t, none.Tree(false)); got != `{"top":null,"children":[],"truncated":false}` {
		t.Errorf("no tab: %s", got)
	}
	m := newDriver(t)
	m.tab()
	for _, f := range []string{"Z", "A", "M"} { // in the order of the document, not of ids
		m.event("P", "Page.frameAttached", `{"frameId":%q,"parentFrameId":"T"}`, f)
	}
	m.event("P", "Page.frameNavigated", `{"frame":{"id":"A","parentId":"T","loaderId":"L","name":"middle","url":"http://a/f","securityOrigin":"http://a"}}`)
	m.event("P", "Page.frameNavigated", `{"frame":{"id":"M","parentId":"T","loaderId":"L","url":"about:srcdoc","securityOrigin":"://"}}`)
	m.event("P", "Page.frameAttached", `{"frameId":"B","parentFrameId":"Z"}`)
	m.event("P", "Target.attachedToTarget", `{"sessionId":"O","targetInfo":{"targetId":"B","type":"iframe","url":"http://b/","parentFrameId":"Z"}}`)
	m.event("O", "Page.frameAttached", `{"frameId":"C","parentFrameId":"B"}`)
	m.event("O", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"C","type":"iframe","url":"http://c/","parentFrameId":"B"}}`)
	const want = `{"top":{"frame_id":"T","url":"http://a/","origin":"http://a","is_oopif":false,"session_id":"P"},"children":[` +
		`{"frame_id":"Z","url":"","origin":"","is_oopif":false,"parent_frame_id":"T"},` +
		`{"frame_id":"A","url":"http://a/f","origin":"http://a","is_oopif":false,"parent_frame_id":"T","name":"middle"},` +
		`{"frame_id":"M","url":"about:srcdoc","origin":"http://a","is_oopif":false,"parent_frame_id":"T"},` +
		`{"frame_id":"B","url":"http://b/","origin":"http://b","is_oopif":true,"session_id":"O","parent_frame_id":"Z"}%s],"truncated":%v}`
	if got := jsonOf(t, m.State().Tabs["T"].Tree(false)); got != fmt.Sprintf(want, "", true) {
		t.Errorf("the tree is\n%s", got)
	}
	deep := `,{"frame_id":"C","url":"http://c/","origin":"http://c","is_oopif":true,"session_id":"Q","parent_frame_id":"B"}`
	if got := jsonOf(t, m.State().Tabs["T"].Tree(true)); got != fmt.Sprintf(want, deep, false) {
		t.Errorf("the whole tree is\n%s", got)
	}
	order := ""
	for f, depth := range m.State().Tabs["T"].InOrder() {
		order += fmt.Sprint(f.ID, depth, " ")
	}
	if order != "T0 Z1 B2 C3 A1 M1 " {
		t.Errorf("the frames in order are %s", order)
	}
	m.event("", "Target.detachedFromTarget", `{"sessionId":"Q"}`)
	for i := range 26 {
		m.event("P", "Page.frameAttached", `{"frameId":"N%d","parentFrameId":"T"}`, i)
	}
	if tree := m.State().Tabs["T"].Tree(false); len(tree.Children) != 30 || tree.Truncated {
		t.Errorf("30 frames: %d, truncated %v", len(tree.Children), tree.Truncated)
	}
	m.event("P", "Page.frameAttached", `{"frameId":"N26","parentFrameId":"T"}`)
	if tree := m.State().Tabs["T"].Tree(false); len(tree.Children) != 30 || !tree.Truncated {
		t.Errorf("31 frames: %d, truncated %v", len(tree.Children), tree.Truncated)
	}
}

func TestDialogViews(t *testing.T) {
	m := newDriver(t)
	m.tab()
	if got := jsonOf(t, []any{m.State().Pending("C"), m.State().Recent("C")}); got != `[[],[]]` {
		t.Errorf("nothing: %s", got)
	}
	m.open("prompt")
	const open = `"id":"d-1","type":"prompt","message":"hello","default_prompt":"default","opened_at":1000,"frame_id":"T"`
	if got := jsonOf(t, m.State().Pending("C")); got != "[{"+open+"}]" {
		t.Errorf("pending: %s", got)
	}
	if got := m.State().Pending("D"); len(got) != 0 {
		t.Errorf("another context sees %v", got)
	}
	m.after(1500*time.Millisecond, Input{Command: &dialogs.Answer{Dialog: "d-1", By: model.ByAgent, Accept: true, Text: "words"}})
	if got := m.State().Pending("C"); len(got) != 0 {
		t.Errorf("with an answer in flight it does not wait any more: %v", got)
	}
	m.closed(true, "words")
	if got := jsonOf(t, m.State().Recent("C")); got != "[{"+open+`,"closed_at":1000,"closed_by":"agent","accepted":true,"prompt_text":"words"}]` {
		t.Errorf("recent: %s", got)
	}
	m.event("P", "Page.javascriptDialogOpening", `{"frameId":"T","type":"alert","message":%q}`, strings.Repeat("x", 5000))
	if got := m.State().Pending("C")[0].Message; len(got) > 2020 || !strings.HasSuffix(got, "… (cut)") {
		t.Errorf("a long message has %d bytes", len(got))
	}
}
