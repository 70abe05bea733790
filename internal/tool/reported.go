package tool

import (
	"math"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Reported records what was last reported to an agent. It is safe for concurrent use; a nil Reported records nothing.
type Reported struct {
	mu     sync.Mutex
	last   map[string]string // guarded by mu, by name
	closed float64           // guarded by mu: dialogs closed up to this time, in seconds since 1970, are not reported (again)
}

// NewReported returns a Reported for a new agent. Dialogs that were closed before now are never reported to it.
func NewReported() *Reported { return &Reported{closed: float64(time.Now().UnixMicro()) / 1e6} }

// NewDialogs returns those of recent, a list of closed dialogs with the oldest first, that were not reported, and
// records them as reported.
func (r *Reported) NewDialogs(recent []jsontext.Value) []jsontext.Value {
	if r == nil {
		return recent
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := slices.DeleteFunc(recent, func(d jsontext.Value) bool { return closedAt(d) <= r.closed })
	for _, d := range fresh {
		r.closed = max(r.closed, closedAt(d))
	}
	return fresh
}

// Changed reports whether value differs from the last one of that name, and records it.
func (r *Reported) Changed(name string, value jsontext.Value) bool {
	if r == nil {
		return true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last[name] == string(value) {
		return false
	}
	if r.last == nil {
		r.last = map[string]string{}
	}
	r.last[name] = string(value)
	return true
}

// closedAt returns when a dialog of recent_dialogs was closed, in seconds since 1970; +Inf if that cannot be read.
func closedAt(d jsontext.Value) float64 {
	var when struct {
		ClosedAt float64 `json:"closed_at"`
	}
	if json.Unmarshal(d, &when, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return math.Inf(1) // report it again rather than never
	}
	return when.ClosedAt
}
