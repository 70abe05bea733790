//go:build linux || darwin

package peer

import "testing"

func TestAdmit(t *testing.T) {
	if admit(1000, 1000) != nil {
		t.Error("oneself is refused")
	}
	for _, uid := range []int{0, 1001, -1} {
		if admit(uid, 1000) == nil {
			t.Errorf("user %d is let in", uid)
		}
	}
}
