package navigate

import (
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestStayed: only a dialog that was dismissed shortly before a navigation makes it worth another try. One that was dismissed during
// it, by a policy, is its own, and asking again would show the page's question twice.
func TestStayed(t *testing.T) {
	began := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		dialog model.Dialog
		want   bool
	}{
		"before":       {model.Dialog{Tab: "t", Type: "beforeunload", ClosedAt: began.Add(-time.Second)}, true},
		"during":       {model.Dialog{Tab: "t", Type: "beforeunload", ClosedAt: began.Add(time.Second)}, false},
		"long before":  {model.Dialog{Tab: "t", Type: "beforeunload", ClosedAt: began.Add(-time.Minute)}, false},
		"accepted":     {model.Dialog{Tab: "t", Type: "beforeunload", ClosedAt: began.Add(-time.Second), Accepted: true}, false},
		"another type": {model.Dialog{Tab: "t", Type: "confirm", ClosedAt: began.Add(-time.Second)}, false},
		"another tab":  {model.Dialog{Tab: "u", Type: "beforeunload", ClosedAt: began.Add(-time.Second)}, false},
	} {
		if got := stayed(&model.State{RecentDialogs: []*model.Dialog{&c.dialog}}, "t", began); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
