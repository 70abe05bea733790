package join_test

import "testing"

// TestAttached: a target is attached if a client is, not because usher is. chromedp's WaitNewTarget waits for one that is not.
func TestAttached(t *testing.T) {
	r := newRig(t, "")
	tab := r.open(t, r.own, r.site.URL("/small"))
	one, two := r.dial(t), r.dial(t)
	listed := func(c *client, id string) bool {
		t.Helper()
		for _, listed := range c.call(t, "", "Target.getTargets", nil)["targetInfos"].([]any) {
			listed := listed.(map[string]any)
			if listed["targetId"] != id {
				continue
			}
			return listed["attached"].(bool)
		}
		t.Fatalf("no target %s", id)
		return false
	}
	attached := func(c *client, id string) bool {
		t.Helper()
		asked := c.call(t, "", "Target.getTargetInfo", map[string]any{"targetId": id})["targetInfo"].(map[string]any)
		if was := listed(c, id); was != asked["attached"] {
			t.Errorf("getTargets says %v, getTargetInfo %v", was, asked["attached"])
		}
		return asked["attached"].(bool)
	}
	if attached(one, string(tab)) {
		t.Error("a tab that no client is attached to is attached")
	}
	a := one.attach(t, tab)
	if !attached(one, string(tab)) || !attached(two, string(tab)) {
		t.Error("a tab that a client is attached to is not attached")
	}

	two.call(t, "", "Target.setDiscoverTargets", map[string]any{"discover": true})
	two.seen(t, "Target.targetCreated", `"attached":true`)
	one.call(t, a, "Runtime.evaluate", map[string]any{"expression": `window.open("/forms?,%22attached%22:true,#,\"attached\":true,")`, "userGesture": true})
	two.seen(t, "Target.targetCreated", `"attached":false`)
	two.seen(t, "Target.targetInfoChanged", `"attached":false`)

	one.call(t, "", "Target.detachFromTarget", map[string]any{"sessionId": a})
	if attached(two, string(tab)) {
		t.Error("the tab is attached after its client has detached")
	}
	two.attach(t, tab)
	two.Close()
	<-two.Done()
	three := r.dial(t)
	for ctx := deadline(t); listed(three, string(tab)); { // the server notices the end of the connection
		if ctx.Err() != nil {
			t.Fatal("the tab is attached after the client that was has left")
		}
	}
}
