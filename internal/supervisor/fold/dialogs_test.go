package fold

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/policy"
	"github.com/usher-browser/usher/internal/supervisor/fold/dialogs"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestWhoClosedADialog plays races between those that may close a dialog. The record must name the one whose answer the
// browser used.
func TestWhoClosedADialog(t *testing.T) {
	refused := errors.New("No dialog is showing")
	answer := func(m *driver, id string, accept bool) {
		m.apply(Input{Command: &dialogs.Answer{Dialog: id, By: model.ByAgent, Accept: accept, Text: "ours"}})
	}
	watchdog := func(m *driver, id string) { m.after(time.Hour, Input{Command: &dialogs.Watchdog{Dialog: id}}) }
	ends := func(m *driver, result bool, text string) {
		m.event("P", "Page.javascriptDialogClosed", `{"result":%v,"userInput":%q}`, result, text)
	}
	for _, c := range []struct {
		name string
		play func(m *driver)
		want string // closed dialogs: id, by, accepted, answer
		left string // open dialogs
	}{
		{"our answer", func(m *driver) { answer(m, "d-1", true); ends(m, true, "ours"); m.replied("d-1", nil) }, "d-1 agent true ours", ""},
		{"our answer, the end not reported", func(m *driver) { answer(m, "d-1", true); m.replied("d-1", nil) }, "d-1 agent true ours", ""},
		{"agent before watchdog", func(m *driver) {
			answer(m, "d-1", true)
			watchdog(m, "d-1")
			ends(m, true, "ours")
			m.replied("d-1", nil)
		},
			"d-1 agent true ours", ""},
		{"watchdog before agent", func(m *driver) { watchdog(m, "d-1"); answer(m, "d-1", true); ends(m, false, ""); m.replied("d-1", nil) },
			"d-1 watchdog false ", ""},
		{"somebody else while nobody answers", func(m *driver) { ends(m, true, "theirs") }, "d-1 remote true theirs", ""},
		{"somebody else while our answer is in flight", func(m *driver) { answer(m, "d-1", false); ends(m, true, "theirs"); m.replied("d-1", refused) },
			"d-1 remote true theirs", ""},
		{"refused, the end not reported", func(m *driver) { answer(m, "d-1", true); m.replied("d-1", refused) }, "d-1 remote false ", ""},
		{"not settled before the reply", func(m *driver) { answer(m, "d-1", true); ends(m, true, "") }, "", "d-1"},
		{"somebody else, and the page asks again before our answer comes", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, false, "")
			m.open("confirm")
		}, "d-1 remote false ", "d-2"},
		{"our answer then meets the next dialog", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, false, "")
			m.open("confirm")
			ends(m, true, "")
			m.replied("d-1", nil)
		}, "d-1 remote false , d-2 agent true ", ""},
		{"our answer then meets no dialog", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, false, "")
			m.open("confirm")
			m.replied("d-1", refused)
		}, "d-1 remote false ", "d-2"},
		{"somebody else closes the next, too", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, false, "")
			m.open("confirm")
			ends(m, false, "")
			m.replied("d-1", refused)
		}, "d-1 remote false , d-2 remote false ", ""},
		{"two of our answers meet the next dialog", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, false, "")
			m.open("confirm")
			answer(m, "d-2", false)
			ends(m, true, "")
			m.replied("d-1", nil)
			m.replied("d-2", refused)
		}, "d-1 remote false , d-2 agent true ", ""},
		{"the page goes", func(m *driver) { m.event("", "Target.targetDestroyed", `{"targetId":"T"}`) }, "d-1 remote false ", ""},
		{"the page goes with our answer in flight", func(m *driver) {
			answer(m, "d-1", true)
			m.event("", "Target.detachedFromTarget", `{"sessionId":"P"}`)
			m.replied("d-1", refused)
		}, "d-1 remote false ", ""},
		{"the page goes because of our answer", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, true, "")
			m.event("", "Target.detachedFromTarget", `{"sessionId":"P"}`)
		}, "d-1 agent true ", ""},
		{"the connection ends", func(m *driver) {
			answer(m, "d-1", true)
			m.apply(Input{Command: &targets.Closed{Cause: errors.New("gone")}})
		}, "d-1 remote false ", ""},
		{"an end told twice", func(m *driver) {
			answer(m, "d-1", true)
			ends(m, true, "ours")
			ends(m, false, "")
			m.replied("d-1", nil)
		},
			"d-1 agent true ours", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newDriver(t)
			m.tab()
			m.open("prompt")
			c.play(m)
			var closed, open []string
			for _, d := range m.State().RecentDialogs {
				word := "false"
				if d.Accepted {
					word = "true"
				}
				closed = append(closed, d.ID+" "+string(d.ClosedBy)+" "+word+" "+d.Answer)
			}
			for _, d := range m.State().Dialogs {
				open = append(open, d.ID)
			}
			if got := strings.Join(closed, ", "); got != c.want {
				t.Errorf("closed are %q, want %q", got, c.want)
			}
			if got := strings.Join(open, ", "); got != c.left {
				t.Errorf("open are %q, want %q", got, c.left)
			}
			if n := entries(m.Model, "Dialogs.unmatched"); len(c.left) == 0 && n != 0 {
				t.Errorf("%d answers still count as in flight", n)
			}
		})
	}
}

func rule(t *testing.T, words ...string) policy.DialogRule {
	t.Helper()
	r, err := policy.ParseDialogRule(words)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRulesComeBeforeTheMode(t *testing.T) {
	m := newDriver(t)
	m.tab()
	m.event("P", "Page.frameNavigated", `{"frame":{"id":"T","loaderId":"L2","url":"http://a/page","securityOrigin":"http://a","name":"top"}}`)
	m.apply(Input{Command: &dialogs.SetPolicy{Context: "C", Policy: model.Policy{
		Mode:     model.AutoDismiss,
		Rules:    []policy.DialogRule{rule(t, "ask", "kind=confirm", "name=first"), rule(t, "accept", "kind=prompt", "origin=http://a", "text=words", "name=second")},
		Standing: []policy.DialogRule{rule(t, "accept", "name=last")},
	}}})
	m.open("alert")
	if d := m.closed(true, ""); d.ClosedBy != model.ByPolicy || d.Rule != "last" {
		t.Errorf("the alert: %+v", d)
	}
	m.open("prompt")
	if d := m.closed(true, "words"); d.Rule != "second" || d.Answer != "words" {
		t.Errorf("the prompt: %+v", d)
	}
	if d := m.open("confirm"); d == nil || !d.Deadline.Equal(time.Unix(1300, 0)) {
		t.Errorf("the confirm was to be left to the agent: %+v", d)
	}
	// The rule of a running command takes precedence over all others, in its tab.
	first := rule(t, "accept", "name=call")
	m.apply(Input{Command: &dialogs.Answer{Dialog: "d-3", By: model.ByAgent}})
	if d := m.closed(false, ""); d.ClosedBy != model.ByAgent || d.Rule != "" {
		t.Errorf("answered by the agent: %+v", d)
	}
	m.apply(Input{Command: &dialogs.Override{Tab: "T", ID: 1, Rule: &first}})
	m.apply(Input{Command: &dialogs.Override{Tab: "U", ID: 2, Rule: &first}})
	m.open("confirm")
	if d := m.closed(true, ""); d.Rule != "call" || !d.Accepted {
		t.Errorf("during the command: %+v", d)
	}
	m.apply(Input{Command: &dialogs.Override{Tab: "T", ID: 1}})
	if d := m.open("confirm"); d == nil || !d.NeedsAnswer() {
		t.Errorf("after the command: %+v", d)
	}
	want := []string{`P {"accept":true}`, `P {"accept":true,"promptText":"words"}`, `P {"accept":false}`, `P {"accept":true}`}
	if got := m.answers(); !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

// TestPolicyMeetsOpenDialogs changes the policy while a dialog is open.
func TestPolicyMeetsOpenDialogs(t *testing.T) {
	m := newDriver(t)
	m.tab()
	opened := m.open("confirm")
	m.apply(Input{Command: &dialogs.SetPolicy{Context: "other", Policy: model.Policy{Mode: model.AutoAccept}}})
	m.apply(Input{Command: &dialogs.SetPolicy{Context: "C", Policy: model.Policy{Mode: model.MustRespond, Timeout: time.Minute}}})
	if d := m.State().Dialog("T"); !d.Deadline.Equal(time.Unix(1060, 0)) || len(m.answers()) != 0 {
		t.Errorf("with a shorter timeout: %+v", d)
	}
	if !opened.Deadline.Equal(time.Unix(1300, 0)) {
		t.Error("a dialog that was handed out was changed")
	}
	m.apply(Input{Command: &dialogs.SetPolicy{Context: "C", Policy: model.Policy{Mode: model.AutoAccept}}})
	if d := m.closed(true, ""); d.ClosedBy != model.ByPolicy || !d.Accepted {
		t.Errorf("closed as %+v", d)
	}
}

// TestDialogsAreBounded: the number of closed dialogs per context and the length of their texts are bounded.
func TestDialogsAreBounded(t *testing.T) {
	m := newDriver(t)
	m.tab()
	m.event("", "Target.attachedToTarget", `{"sessionId":"Q","targetInfo":{"targetId":"U","type":"page","browserContextId":"D"}}`)
	m.event("Q", "Page.javascriptDialogOpening", `{"frameId":"U","message":%q,"type":"prompt","defaultPrompt":%q}`,
		strings.Repeat("é", 20_000), strings.Repeat("x", 100_000))
	d := m.State().Dialog("U")
	if len(d.Message) > dialogs.MaxMessage+20 || !strings.HasSuffix(d.Message, "é… (cut)") || len(d.DefaultPrompt) != 100_000 {
		t.Errorf("kept %d and %d bytes", len(d.Message), len(d.DefaultPrompt))
	}
	m.event("Q", "Page.javascriptDialogClosed", `{"result":true,"userInput":%q}`, strings.Repeat("x", 100_000))
	for range 50 {
		m.open("alert")
		m.closed(true, "")
	}
	if n := len(m.State().RecentDialogs); n != dialogs.MaxRecentOfContext+1 {
		t.Errorf("%d closed dialogs are kept", n)
	}
	if d := m.State().RecentDialogs[0]; d.Context != "D" || len(d.Answer) > dialogs.MaxMessage+20 || len(d.DefaultPrompt) > dialogs.MaxMessage+20 {
		t.Errorf("the other context's dialog is %.200v", d)
	}
	m.apply(Input{Command: &Forget{Context: "C"}})
	if n := len(m.State().RecentDialogs); n != 1 {
		t.Errorf("%d closed dialogs are kept of a context that is gone", n)
	}
}
