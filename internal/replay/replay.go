// Package replay folds a recording made with --record again and returns the state of the browser at any moment of it.
// It needs no browser and no daemon.
package replay

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/recording"
	"github.com/usher-browser/usher/internal/verb"
	"github.com/usher-browser/usher/internal/wire"
)

// Moment is where to stop: after a step, or at a time since the beginning. The zero Moment is the end.
type Moment struct {
	Step uint64
	Time time.Duration
	set  bool
}

// ParseMoment parses "#340", "2.5s" or "1500", which are milliseconds.
func ParseMoment(text string) (Moment, error) {
	if number, step := strings.CutPrefix(text, "#"); step {
		n, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			return Moment{}, api.Errorf(api.InvalidArgument, "--at: a step is a number such as #340, not %q", text)
		}
		return Moment{Step: n, set: true}, nil
	}
	d, err := verb.ParseDuration(text)
	if err != nil {
		return Moment{}, api.Errorf(api.InvalidArgument, "--at takes a time since the beginning such as 2.5s, or a step such as #340, not %q", text)
	}
	return Moment{Time: d, set: true}, nil
}

// passed reports whether an input comes after the moment.
func (m *Moment) passed(at time.Duration, step uint64) bool {
	switch {
	case !m.set:
		return false
	case m.Step > 0 || m.Time == 0:
		return step > m.Step
	}
	return at > m.Time
}

// Event is a change with its position in the recording.
type Event struct {
	Step uint64 `json:"step"`
	// Offset is the time since the beginning in seconds.
	Offset float64 `json:"offset"`
	model.Change
	Context model.ContextID `json:"contextId,omitzero"`
	TabID   string          `json:"tab,omitzero"`
}

// Result is the content of a recording up to a moment.
type Result struct {
	State  *model.State
	Start  time.Time
	At     time.Duration // of the last line read
	Step   uint64        // of the last input folded
	Events []Event       // nil unless requested
	// Ended is why the recording ended before the connection, empty if it did not.
	Ended string
	// Damage has the line from which it cannot be read any further; nil if all can be read.
	Damage *wire.DamageError
}

// File folds a recording, which may be compressed, up to a moment.
func File(path string, until Moment, events bool) (*Result, error) {
	f, err := files.Open(context.Background(), path) // bounded in time by itself
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "open the recording: %w", err)
	}
	defer f.Close()
	var in io.Reader = bufio.NewReader(f)
	if magic, err := in.(*bufio.Reader).Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		if in, err = gzip.NewReader(in); err != nil {
			return nil, api.Errorf(api.InvalidArgument, "%s begins like a gzip file but is not one: %w", path, err)
		}
	}
	res, err := Read(in, until, events)
	if err != nil {
		return nil, err
	}
	var format *recording.FormatError
	if res.Damage != nil && errors.As(res.Damage, &format) {
		return nil, api.Errorf(api.InvalidArgument, "replay %s: %w", path, format).WithHint("Replay it with the usher that recorded it, or record again.")
	}
	if res.Damage != nil && res.Damage.Line == 1 {
		return nil, api.Errorf(api.InvalidArgument, "%s is not a recording: %w", path, res.Damage)
	}
	return res, nil
}

// Read is File for an open file.
func Read(in io.Reader, until Moment, events bool) (*Result, error) {
	r := &recording.Replay{}
	res := &Result{}
	if events {
		// The journal reports console messages, errors and requests as it does over a browser.
		j := journal.New(journal.DefaultLimits)
		r.Marked = j.AcceptReporter
		r.Tap = func(ev cdp.Event, tab model.TargetID) { j.Tap(ev, tab, r.Note) }
		r.Change = func(c model.Change) {
			e := Event{Step: r.Step(), Offset: c.At.Sub(r.Start()).Seconds(), Change: c, Context: c.Context}
			if c.Number > 0 {
				e.TabID = "t" + strconv.Itoa(c.Number)
			}
			res.Events = append(res.Events, e)
		}
	}
	if err := r.Read(in, until.passed); err != nil && !errors.As(err, &res.Damage) {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	res.State, res.Start, res.At, res.Step, res.Ended = r.State(), r.Start(), r.At(), r.Step(), r.End()
	return res, nil
}
