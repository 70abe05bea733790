package relay

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/relay/link"
	"github.com/usher-browser/usher/internal/wire"
)

// attach attaches the debugger to a tab. Commands that come before it is attached wait in their sessions.
func (r *Relay) attach(t *tab) {
	if t.phase != idle || t.gone {
		return
	}
	t.phase, t.refusal = attaching, ""
	t.turn++
	turn := t.turn
	if t.retry != nil {
		t.retry.Stop()
		t.retry = nil
	}
	err := r.link.Start("debugger.attach", map[string]int{"tabId": t.id}, func(payload []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		switch {
		case t.turn != turn || t.gone:
		case failed:
			r.attachFailed(t, link.Error("debugger.attach", payload))
		default:
			r.replay(t)
		}
	})
	if err != nil {
		r.attachFailed(t, err)
	}
}

// attachFailed fails the commands that wait for a tab. The next one tries again.
func (r *Relay) attachFailed(t *tab, err error) {
	t.phase = idle
	t.failWaiting(err.Error())
	if t.retries > 0 {
		r.attachIfUsed(t)
	}
}

// failWaiting fails the commands that wait until the tab is attached.
func (t *tab) failWaiting(why string) {
	t.refusal = why
	t.allTakePart()
	for _, s := range t.root().views {
		for _, cmd := range s.queue {
			s.client.fail(cmd, codeServer, why)
		}
		s.queue = nil
	}
	t.settled()
}

// settled calls what waits for the tab to be attached.
func (t *tab) settled() {
	ready := t.ready
	t.ready = nil
	for _, f := range ready {
		f()
	}
}

// frameTree is a tree of frames.
type frameTree struct {
	Frame    jsontext.Value `json:"frame"`
	Children []frameTree    `json:"childFrames"`
}

// frameInfo is the part of a frame that the relay reads.
type frameInfo struct {
	ID     string `json:"id"`
	Parent string `json:"parentId"`
	Loader string `json:"loaderId"`
	URL    string `json:"url"`
}

// replay sends what the sessions of a tab had recorded. When all is answered, the tab is attached.
func (r *Relay) replay(t *tab) {
	t.phase = replaying
	t.waiting = 1
	root := t.root()
	if t.info.Discarded { // it has no document, and answers nothing before it is loaded again
		r.replayed(t, "Page.reload", nil, nil)
	}
	if t.settling && !t.created {
		r.replayed(t, "Target.getTargetInfo", nil, func(payload []byte, failed bool) { r.openerKnown(t, payload, failed) })
	}
	r.replayed(t, "Runtime.runIfWaitingForDebugger", nil, nil) // Chrome pauses a new debuggee
	r.replayed(t, "Page.enable", nil, nil)
	r.replayed(t, "Page.getFrameTree", nil, func(payload []byte, failed bool) {
		var got struct {
			Tree frameTree `json:"frameTree"`
		}
		root.tree.learn(payload, failed)
		if !failed && decode(payload, &got) {
			r.treeKnown(t, got.Tree)
		}
	})
	root.auto = autoAttach{}
	r.applyAutoAttach(root)
	r.applyFetch(root)
	for _, s := range root.views {
		if s.stage == apart { // its record is sent here
			s.takePart()
		}
		for i := range s.record {
			e := &s.record[i]
			var then link.Reply
			if added := e.script; added != nil { // the record may change before the reply
				then = func(payload []byte, failed bool) { r.learned(s, added, payload, failed) }
			}
			r.replayed(t, e.method, e.params, then)
		}
		s.queue = slices.DeleteFunc(s.queue, func(cmd wire.Command) bool {
			if cmd.Method == dialogAnswer {
				r.direct(s, cmd)
			}
			return cmd.Method == dialogAnswer
		})
	}
	r.oneLess(t)
}

// learn takes the reply to Page.addScriptToEvaluateOnNewDocument.
func (s *script) learn(payload []byte, failed bool) {
	var made struct {
		Identifier string `json:"identifier"`
	}
	if !failed && decode(payload, &made) {
		s.real = made.Identifier
	}
}

// replayed sends a command of a replay. then is called under the lock. It returns false if the command was not sent.
func (r *Relay) replayed(t *tab, method string, params jsontext.Value, then link.Reply) bool {
	t.waiting++
	turn := t.turn
	number := t.root().sending(method)
	err := r.link.CDP(t.id, "", method, params, func(payload []byte, failed bool) {
		r.mu.Lock()
		defer r.unlock()
		if t.turn != turn {
			return
		}
		t.root().carriedOut(number, method, params, failed)
		if then != nil {
			then(payload, failed)
		}
		r.oneLess(t)
	})
	if err != nil {
		t.waiting--
	}
	return err == nil
}

// oneLess counts a reply of a replay; the last one ends it.
func (r *Relay) oneLess(t *tab) {
	t.waiting--
	if t.waiting > 0 || t.phase != replaying {
		return
	}
	t.phase, t.retries = attached, 0
	t.settled()
	for _, s := range append([]*session{}, t.root().views...) {
		switch s.stage {
		case apart:
			r.ping(t)
			continue
		case asking:
			s.takePart()
		case fresh, joining, joined:
		}
		r.flush(s)
	}
}

// treeKnown compares the frames of a tab with what its sessions were told.
func (r *Relay) treeKnown(t *tab, tree frameTree) {
	for _, s := range t.root().views {
		if s.told == nil || s.stage == apart {
			continue
		}
		s.learnFrames(r, tree)
		for _, world := range s.worlds {
			makeWorlds(tree, world, func(params []byte) { r.replayed(t, "Page.createIsolatedWorld", params, nil) })
		}
	}
}

// announceFrames tells a session of the frames below the main one, which it could not know.
func (r *Relay) announceFrames(s *session, tree frameTree) {
	for _, child := range tree.Children {
		var f frameInfo
		decode(child.Frame, &f)
		s.event("Page.frameAttached", encode(map[string]string{"frameId": f.ID, "parentFrameId": f.Parent}))
		s.event("Page.frameNavigated", encode(map[string]any{"frame": child.Frame, "type": "Navigation"}))
		r.announceFrames(s, child)
	}
}

// makeWorlds sends the commands that make an isolated world in all frames of a tab, as a session did in the one that it knew.
func makeWorlds(tree frameTree, world jsontext.Value, send func(params []byte)) {
	var f frameInfo
	decode(tree.Frame, &f)
	send(withMember(world, "frameId", encode(f.ID)))
	for _, child := range tree.Children {
		makeWorlds(child, world, send)
	}
}

// detached takes that the debugger is not attached to a tab any more. Sessions stay: the next command attaches again.
func (r *Relay) detached(t *tab) {
	if t.phase == idle {
		return
	}
	was := t.phase
	t.phase = idle
	t.turn++
	t.allTakePart()
	r.followDownloads(t)
	for _, d := range t.debuggees {
		if d.id != "" {
			r.childGone(d)
		}
	}
	root := t.root()
	root.contexts, root.scripts, root.sheets, root.held, root.awaited, root.auto, root.pauser, root.done = nil, nil, nil, nil, nil, autoAttach{}, nil, nil
	root.life, root.tree.payload, root.lingers = life{}, nil, nil
	r.dropMessages(root, "")
	for _, s := range root.views {
		for _, e := range s.record {
			if e.script != nil {
				e.script.real = ""
			}
		}
		s.toReal, s.fromReal, s.loader = nil, nil, [2]string{}
		if was == attached || was == replaying {
			r.tellDocument(s)
		}
	}
}
