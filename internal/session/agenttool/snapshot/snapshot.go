// Package snapshot keeps which refs an agent has been told of, and finds elements among them by role and name.
package snapshot

import (
	"crypto/sha256"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
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
	s, sum := refsOf(data)
	if s != nil && (t.Refs == nil || sum != t.sum) {
		t.Refs, t.sum = s, sum
		t.Revision++
	}
}

// Forget makes Report set the refs again.
func (t *Told) Forget() { t.sent = 0 }

// refsOf returns the refs of a snapshot with their digest; nil if the data are of none.
func refsOf(data jsontext.Value) (*result.RefSnapshot, [32]byte) {
	var shot Data
	result.Read(data, &shot)
	if shot.Refs == nil {
		return nil, [32]byte{}
	}
	s := &result.RefSnapshot{Refs: shot.Refs, RefIDs: slices.SortedFunc(maps.Keys(shot.Refs), ByNumber), Target: result.Target{Title: shot.Title, URL: shot.Origin}}
	if s.RefIDs == nil {
		s.RefIDs = []string{}
	}
	return s, sha256.Sum256(result.Encode(s))
}

// WithoutRefs returns the data of a snapshot without their member refs, if it has what t has.
func (t *Told) WithoutRefs(data jsontext.Value) jsontext.Value {
	s, sum := refsOf(data)
	members := map[string]jsontext.Value{}
	if s == nil || sum != t.sum || json.Unmarshal(data, &members, jsontext.AllowInvalidUTF8(true)) != nil {
		return data
	}
	delete(members, "refs")
	return result.Encode(members)
}

// Report sets the refs if they have changed since the agent got them, and their revision.
func (t *Told) Report(d *result.Details) {
	d.RefSnapshotRevision = t.Revision
	if t.Revision != t.sent {
		t.sent, d.RefSnapshot = t.Revision, t.Refs
	}
}
