package replay

import (
	"time"

	"github.com/usher-browser/usher/internal/api"
)

// Shown is the result of `replay`: the state of the browser at one moment of a recording.
type Shown struct {
	Start         time.Time  `json:"start"`  // of the recording
	Offset        float64    `json:"offset"` // of the moment since then, in seconds
	Step          uint64     `json:"step"`   // its number, counting events and replies
	Tabs          []Tab      `json:"tabs"`
	Dialogs       []Dialog   `json:"dialogs"` // open ones
	RecentDialogs []Dialog   `json:"recentDialogs"`
	Downloads     []Download `json:"downloads"`
	Gone          []GoneTab  `json:"gone"`
	Closed        *string    `json:"closed"`          // why the connection ended; null while it lives
	Events        []Event    `json:"events,omitzero"` // with --events
	Ended         string     `json:"ended,omitzero"`  // why the recording ends early
}

// Tab is a tab of a recording.
type Tab struct {
	Tab       string `json:"tab"` // t1, t2, ...
	TargetID  string `json:"targetId"`
	ContextID string `json:"contextId"`
	URL       string `json:"url"`
	Title     string `json:"title"`
	Ready     bool   `json:"ready"`  // its frames are known and it runs
	Frames    *Frame `json:"frames"` // the main frame; null while it is not known
	Opener    string `json:"opener,omitzero"`
	Crashed   string `json:"crashed,omitzero"`
}

// Frame is a frame of a recording, with those in it.
type Frame struct {
	FrameID    string   `json:"frameId"`
	URL        string   `json:"url"`
	Load       string   `json:"load"` // loading, domcontentloaded, load or networkidle; stopped if it stopped before its load event
	Name       string   `json:"name,omitzero"`
	OwnProcess bool     `json:"ownProcess,omitzero"`
	LeavingFor string   `json:"leavingFor,omitzero"` // the address of a navigation under way
	Crashed    string   `json:"crashed,omitzero"`
	Children   []*Frame `json:"children,omitzero"`
}

// Dialog is a dialog of a recording. The members below those of [api.Dialog] are of a closed one.
type Dialog struct {
	api.Dialog
	TargetID string  `json:"targetId"`
	ClosedBy string  `json:"closedBy,omitzero"`
	Accepted *bool   `json:"accepted,omitzero"`
	Answer   *string `json:"answer,omitzero"`
	ClosedAt float64 `json:"closedAt,omitzero"` // seconds since 1970
}

// Download is a download of a recording.
type Download struct {
	GUID              string `json:"guid"`
	TargetID          string `json:"targetId"`
	URL               string `json:"url"`
	SuggestedFilename string `json:"suggestedFilename"`
	State             string `json:"state"`
	ReceivedBytes     int64  `json:"receivedBytes"`
	TotalBytes        int64  `json:"totalBytes"`
}

// GoneTab is a tab that was closed.
type GoneTab struct {
	Tab       string `json:"tab"`
	TargetID  string `json:"targetId"`
	ContextID string `json:"contextId"`
	URL       string `json:"url"`
}
