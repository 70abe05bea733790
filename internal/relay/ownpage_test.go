package relay_test

import (
	"strings"
	"testing"
)

// TestOwnPageOfAClient: only usher itself may open a page that others do not see, for people keep watch over what clients do.
func TestOwnPageOfAClient(t *testing.T) {
	r := newRig(t)
	c, _ := r.client(t)
	_, seen := r.client(t)
	made := must(t, c.Browser(), "Target.createTarget", map[string]any{"url": ownPage + "abc", "background": true})
	seen.await(t, 0, "Target.targetCreated", member(t, made, "targetId"))
}

// TestOwnPage: a page that usher opens for itself is shown to nobody else, wherever it goes.
func TestOwnPage(t *testing.T) {
	r := newRig(t)
	c, own := r.join(t, r.relay.ConnectOwn)
	other, seen := r.client(t)
	must(t, other.Browser(), "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
	made := must(t, c.Browser(), "Target.createTarget", map[string]any{"url": ownPage + "abc", "background": true})
	id := member(t, made, "targetId")
	own.await(t, 0, "Target.targetCreated", id)
	s := attachTo(t, c, id)
	must(t, s, "Page.enable", nil)
	must(t, s, "Page.navigate", map[string]string{"url": strings.Replace(r.server.URL(), "ws://", "http://", 1)})
	late, lateSeen := r.client(t)
	for _, one := range []string{string(must(t, other.Browser(), "Target.getTargets", nil)), string(must(t, late.Browser(), "Target.getTargets", nil))} {
		if strings.Contains(one, id) {
			t.Errorf("another client is shown %s", one)
		}
	}
	if err := other.Browser().Call(deadline(t), "Target.closeTarget", map[string]string{"targetId": id}, nil); err == nil {
		t.Error("another client has closed it")
	}
	must(t, c.Browser(), "Target.closeTarget", map[string]string{"targetId": id})
	own.await(t, 0, "Target.targetDestroyed", id)
	for _, e := range append(seen.list(), lateSeen.list()...) {
		if strings.Contains(e, id) {
			t.Errorf("another client was told %s", e)
		}
	}
}
