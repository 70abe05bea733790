package core

import (
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Effect is one effect of an input. Exactly one kind is set.
type Effect struct {
	Send  *Send
	Timer *Timer
	// CheckGuards is a tab whose ability to answer may have changed.
	CheckGuards model.TargetID
	// Report is an event that no connection can report any more, for the observers.
	Report *Report
}

// Report is an event with the tab it is about.
type Report struct {
	Event cdp.Event
	Tab   model.TargetID
}

// Send is a protocol command to send without waiting.
type Send struct {
	Session string
	Method  string
	Params  any
	Tag     Tag // of the reply; TagNone if it is not used
	// Standby sends it on the standby connection.
	Standby bool
}

// Timer requests a Watchdog input after a delay.
type Timer struct {
	After  time.Duration
	Dialog string
}

// Send sends a command on the main connection; tag is the purpose of its reply.
func (m *Core) Send(session, method string, params any, tag Tag) {
	m.Do(Effect{Send: &Send{Session: session, Method: method, Params: params, Tag: tag}})
}

// SendStandby sends a command on the standby connection.
func (m *Core) SendStandby(session, method string, params any, tag Tag) {
	m.Do(Effect{Send: &Send{Session: session, Method: method, Params: params, Tag: tag, Standby: true}})
}

// Do adds an effect to those of the present input.
func (m *Core) Do(e Effect) { m.effects = append(m.effects, e) }

// CheckGuards records that the ability of a tab to answer may have changed.
func (m *Core) CheckGuards(tab model.TargetID) { m.Do(Effect{CheckGuards: tab}) }

// Report gives the observers an event that no connection reports any more.
func (m *Core) Report(method string, params []byte, tab model.TargetID) {
	m.Do(Effect{Report: &Report{Event: cdp.Event{Method: method, Params: params}, Tab: tab}})
}

// Params are the parameters of a protocol command.
type Params = map[string]any
