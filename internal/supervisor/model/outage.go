package model

import (
	"errors"
	"fmt"
	"time"
)

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
