package model

import (
	"errors"
	"fmt"
	"time"
)

// ErrOtherBrowser is the reason of the end when another browser has replaced the one that was lost.
var ErrOtherBrowser = errors.New("another browser answers at its address")

// Outage is the state in which the connection to the browser is lost and is being restored.
type Outage struct {
	Since time.Time
	Cause error
}

func (o *Outage) Error() string {
	return fmt.Sprintf("the connection to the browser is lost: %v", o.Cause)
}

// Unwrap returns the cause.
func (o *Outage) Unwrap() error { return o.Cause }
