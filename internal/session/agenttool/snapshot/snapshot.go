// Package snapshot keeps which refs an agent has been told of, and finds elements among them by role and name.
package snapshot

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/session/agenttool/result"
)

// Data are the data of a snapshot.
type Data struct {
	Origin   string                    `json:"origin"`
	Refs     map[string]result.RefInfo `json:"refs"`
	Snapshot string                    `json:"snapshot"`
	Title    string                    `json:"title"`
	URL      string                    `json:"url"`
}

// Reader is the reader of snapshots that the tool takes for itself.
const Reader = "agent-tool"

// Told is what an agent has been told of its session's refs.
type Told struct {
	Refs     *result.RefSnapshot
	sum      [32]byte
	Revision int
	sent     int
}

// Note records the refs of a snapshot.
func (t *Told) Note(data jsontext.Value) {
	var shot Data
	result.Read(data, &shot)
	if shot.Refs == nil {
		return
	}
	s := &result.RefSnapshot{Refs: shot.Refs, RefIDs: slices.SortedFunc(maps.Keys(shot.Refs), ByNumber), Target: result.Target{Title: shot.Title, URL: shot.Origin}}
	if s.RefIDs == nil {
		s.RefIDs = []string{}
	}
	sum := sha256.Sum256(result.Encode(s))
	if t.Refs == nil || sum != t.sum {
		t.Refs, t.sum = s, sum
		t.Revision++
	}
}

// Report sets the refs if they have changed since the agent got them, and their revision.
func (t *Told) Report(d *result.Details) {
	d.RefSnapshotRevision = t.Revision
	if t.Revision != t.sent {
		t.sent, d.RefSnapshot = t.Revision, t.Refs
	}
}
