package model

import (
	"errors"
	"fmt"
	"time"
)

// The model outlives its connection. When that of an attached browser is lost, tabs, frames, dialogs and downloads stay as
// they were last seen, with no CDP session to speak to them. On the next connection everything is discovered again under
// the same ids and compared: what is still there goes on, what vanished meanwhile is taken out.
//
// A dialog is the one thing a new connection cannot take over: Chromium answers "No dialog is showing" to it, while
// Page.enable and all that needs the renderer hang (measured on Chromium 156). Two ways remain. A standby connection that
// was there when the dialog opened can answer it as if nothing had happened. Without one the dialog can be dismissed by
// a navigation within the document: Chromium drops open dialogs when a navigation begins, and this one keeps the page.

// ErrOtherBrowser is the end of the watch when another browser has taken the place of the one that was lost.
var ErrOtherBrowser = errors.New("another browser answers at its address")

// Outage says that the connection to the browser is lost and another is sought.
type Outage struct {
	Since time.Time
	Cause error
}

func (o *Outage) Error() string {
	return fmt.Sprintf("the connection to the browser is lost: %v", o.Cause)
}

// Unwrap is the cause.
func (o *Outage) Unwrap() error { return o.Cause }
