package video

import "testing"

// A command is not held up by the recording of its tab, whatever that waits for.
func TestCaptionsDoNotWait(t *testing.T) {
	rec := &Recording{captions: make(chan string, 1)} // nobody reads
	rec.Caption("click @e1")
	rec.Caption("click @e2")
	if got := <-rec.captions; got != "click @e1" {
		t.Errorf("the caption is %q", got)
	}
}
