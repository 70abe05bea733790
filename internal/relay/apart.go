package relay

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdp/schema"
	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// A page may answer nothing: a script blocks it, a dialog is open, its server does not answer, it has crashed. A client that connects waits for the
// replies of every page, so such a page would keep it out. When a session begins in a tab that another client has attached, the relay asks the page for
// its frames, and the session's commands wait for the answer. If it does not come in time, the session stays apart: as in a tab that is not attached,
// what it asks first is answered from what is known of the tab, and recorded. It joins, which means that its record is sent, when the page has answered.

// stage is how far a session takes part in an attached tab.
type stage int

const (
	fresh   stage = iota // it has sent nothing
	asking               // the page was asked whether it answers; the commands of the session wait
	apart                // the page did not answer in time
	joining              // it has answered, and the record of the session is being sent
	joined
)

// answerLimit is how long a page may take to answer before a new session stays apart.
const answerLimit = time.Second

// interrupts are the commands that Chrome carries out in a renderer though a script blocks it (measured on Chromium 156).
var interrupts = map[string]bool{"Performance.getMetrics": true, "Runtime.terminateExecution": true, "Page.crash": true}

// passes reports whether a command needs no answer of the page: the browser process answers, or a blocked renderer is interrupted for it.
func passes(cmd wire.Command) bool {
	if interrupts[cmd.Method] || loads[cmd.Method] || cmd.Method == dialogAnswer {
		return true
	}
	m := schema.Find(cmd.Method)
	return m != nil && m.Direct
}

// waitsForPage takes a command of a page's session that has not joined. It returns false for what goes on as in any other session.
func (r *Relay) waitsForPage(s *session, cmd wire.Command) bool {
	if s.kind != ofDebuggee || s.of.id != "" || s.stage == joined {
		return false
	}
	t := s.tab
	if s.stage == fresh {
		if t.phase == idle {
			s.stage = joined
			return false
		}
		r.askPage(s)
	}
	ofTargets := cmd.Method == "Target.setAutoAttach"
	switch {
	case s.stage == joined: // the extension could not be asked
		return false
	case cmd.Method == dialogAnswer && (t.phase == attached || t.phase == replaying):
		r.direct(s, cmd)
		return true
	case strings.HasPrefix(cmd.Method, "Target.") && !ofTargets, strings.HasPrefix(cmd.Method, "Browser."), cmd.Method == "Page.setDownloadBehavior":
		return false // the relay answers
	case s.stage == apart && ofTargets:
		return false // it is answered at once
	}
	cmd.Params = bytes.Clone(cmd.Params)
	switch {
	case s.stage == apart && r.early(s, cmd):
	case s.stage != asking && t.phase == attached && passes(cmd):
		r.direct(s, cmd)
	default:
		s.queue = append(s.queue, cmd)
	}
	return true
}

// askPage asks the page of a new session whether it answers.
func (r *Relay) askPage(s *session) {
	t := s.tab
	s.stage = asking
	s.limit = time.AfterFunc(answerLimit, func() {
		r.mu.Lock()
		defer r.unlock()
		if s.stage == asking && !s.ended && !t.gone && !r.closed {
			s.stage = apart
			r.flush(s)
		}
	})
	if t.phase == attached { // else what is being replayed is asked
		r.ping(t)
	}
}

// ping asks the page of an attached tab for its frames, and lets the sessions take part that wait for the answer. An error is one, too.
func (r *Relay) ping(t *tab) {
	if t.pinged == t.turn {
		return
	}
	t.pinged = t.turn
	turn, root := t.turn, t.root()
	answered := func(payload []byte, failed bool) {
		t.pinged = 0
		for _, s := range append([]*session{}, root.views...) {
			switch s.stage {
			case asking:
				s.takePart()
				r.flush(s)
			case apart:
				r.join(s, payload, failed)
			case fresh, joining, joined:
			}
		}
	}
	err := r.link.CDP(t.id, "", treeMethod, nil, func(payload []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		if t.turn != turn || t.gone {
			return
		}
		root.tree.learn(payload, failed)
		answered(payload, failed)
	})
	if err != nil {
		answered(nil, true)
	}
}

// takePart makes a session one like any other in its tab.
func (s *session) takePart() {
	if s.limit != nil {
		s.limit.Stop()
	}
	s.stage = joined
}

// allTakePart is for when the debugger is not attached any more, or what the sessions had recorded is sent for all of them.
func (t *tab) allTakePart() {
	for _, s := range t.root().views {
		if s.stage != fresh {
			s.takePart()
		}
	}
}

// flush carries out the commands of a session that waited.
func (r *Relay) flush(s *session) {
	queue := s.queue
	s.queue = nil
	for _, cmd := range queue {
		if !s.ended {
			r.command(s, cmd)
		}
	}
}

// join lets a session take part that stayed apart: it gets to know the page, and what it had recorded is sent. payload is the page's reply to
// Page.getFrameTree.
func (r *Relay) join(s *session, payload []byte, failed bool) {
	t, root := s.tab, s.of
	s.stage = joining
	left := 1
	done := func() {
		if left--; left == 0 && s.stage == joining && !s.ended {
			s.takePart()
			r.flush(s)
		}
	}
	send := func(method string, params []byte, then link.Reply) {
		left++
		if !r.replayed(t, method, params, func(payload []byte, failed bool) {
			if then != nil {
				then(payload, failed)
			}
			done()
		}) {
			left--
		}
	}
	var got struct {
		Tree frameTree `json:"frameTree"`
	}
	known := !failed && decode(payload, &got)
	if known {
		s.learnFrames(r, got.Tree)
	}
	for _, c := range root.contexts {
		if !s.hides(c) && !s.knows(c, c.world == "") && s.enabled["Runtime"] {
			s.event("Runtime.executionContextCreated", c.event)
		}
	}
	for i := range s.record {
		e := &s.record[i]
		shared := root.unchanged(wire.Command{Method: e.method, Params: e.params}) ||
			e.method == lifecycleMethod && slices.ContainsFunc(root.views, func(o *session) bool { return o != s && o.lifecycle })
		switch added := e.script; {
		case added != nil:
			send(e.method, e.params, func(payload []byte, failed bool) { r.learned(s, added, payload, failed) })
		case e.method == "Fetch.enable": // below
		case !shared:
			send(e.method, e.params, nil)
		}
	}
	r.applyFetch(root)
	r.applyAutoAttach(root)
	for _, child := range t.debuggees {
		if child.parent == root {
			r.attachChild(s, child, false)
		}
	}
	for _, domain := range []string{"Runtime", "Log"} {
		if s.enabled[domain] {
			s.repeatMessages(domain)
		}
	}
	if known && s.told != nil {
		for _, world := range s.worlds {
			makeWorlds(got.Tree, world, func(params []byte) { send("Page.createIsolatedWorld", params, nil) })
		}
	}
	done()
}

// learnFrames tells a session of the frames that it could not know, and joins the document that it was told of with the browser's.
func (s *session) learnFrames(r *Relay, tree frameTree) {
	if s.told == nil || !s.enabled["Page"] && !s.told.tree {
		return
	}
	var main frameInfo
	decode(tree.Frame, &main)
	s.loader = [2]string{main.Loader, s.told.loader}
	r.announceFrames(s, tree)
}
