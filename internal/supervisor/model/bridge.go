package model

import (
	"time"
)

// BridgeMode is when dialogs of a context use the bridge.
type BridgeMode string

// Modes of the bridge.
const (
	// BridgeAuto switches it on when another program answers a native dialog at once.
	BridgeAuto BridgeMode = "auto"
	// BridgeOn uses it from the start.
	BridgeOn BridgeMode = "on"
	// BridgeOff never uses it.
	BridgeOff BridgeMode = "off"
)

// Bridge is set for contexts whose dialogs use the bridge.
type Bridge struct {
	Since time.Time
	// AnsweredElsewhere is the dialog that another program answered, nil if the bridge was requested.
	AnsweredElsewhere *Dialog
}

// BridgedDialog returns the open bridged dialog of a frame, or nil.
func (s *State) BridgedDialog(frame FrameID) *Dialog {
	for _, d := range s.Dialogs {
		if d.Bridge && d.Frame == frame {
			return d
		}
	}
	return nil
}

// Within reports whether a frame is equal to another one or is below it.
func Within(t *Tab, id, above FrameID) bool {
	for range len(t.Frames) + 1 {
		if id == above {
			return true
		}
		f := t.Frames[id]
		if f == nil {
			return false
		}
		id = f.Parent
	}
	return false
}
