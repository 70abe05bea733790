package agenttool_test

import (
	"strings"
	"testing"
)

// TestExpectedText: qa finds every text that `wait --text` finds, and what fields and several blocks show.
func TestExpectedText(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/parts").ok()
	all := []string{"Hello Ada!", "one two", "a caption", "any news", "in a shadow", "in a frame"}
	for _, text := range all {
		c.args("wait", "--text", text).ok()
	}
	got := c.call(dump(map[string]any{"qa": map[string]any{"attached": true, "expectedText": append(all, "First Second", "in a field")}}))
	if got.IsError {
		t.Errorf("%s", got.Text())
	}
	got = c.call(`{"qa":{"attached":true,"expectedText":"not shown"}}`).fails("qa-failure")
	if !strings.Contains(got.Text(), `✗ text "not shown": expected text not found: "not shown"`) {
		t.Errorf("%s", got.Text())
	}
}
