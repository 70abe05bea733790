// Package recording writes the inputs of a fold into a recording, and folds them
// again without a browser.
package recording

import (
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/fold"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// Begin records the settings of the model.
func Begin(rec *wire.Recorder, at time.Time, with fold.ModelLine) {
	line, err := jsonv2.Marshal(with)
	if err != nil {
		panic("recording: " + err.Error()) // a bool and texts
	}
	rec.Note(at, fold.DirModel, line)
}

// Input records an input and sets its time to the one in the recording.
func Input(rec *wire.Recorder, in *fold.Input) {
	if in.Event != nil {
		in.At = rec.Event(in.At, in.Event.Method, in.Event.Params, in.Event.SessionID)
		return
	}
	line, err := fold.CommandLine(in.Command)
	if err != nil { // a command of a kind that has no JSON form: the test over all kinds fails
		line = fmt.Appendf(nil, `{"unrecorded":%q}`, err.Error())
	}
	in.At = rec.Note(in.At, fold.DirCommand, line)
}

// Replay folds a recording again, without a browser.
type Replay struct {
	// Change, if set, is called with every change in order, numbered as in the stream of its context.
	Change func(model.Change)
	// Tap, if set, sees every event after the model has, as the observers of a Browser do.
	Tap func(ev cdp.Event, tab model.TargetID)
	// Marked, if set, is called with the mark of a stealth browser's reporter, before its first event.
	Marked func(mark string)

	model *fold.Model
	start time.Time
	seqs  map[model.ContextID]uint64
	at    int64
	end   string
}

// Read folds everything up to the end, or until stop returns true for the time of the next line since the beginning and
// the number of its input or the one before it. The error is a *wire.DamageError when the recording is damaged;
// everything before the damage is folded.
func (r *Replay) Read(recording io.Reader, stop func(at time.Duration, step uint64) bool) error {
	if r.model == nil {
		r.model, r.seqs = fold.New(fold.Options{}), map[model.ContextID]uint64{}
	}
	var failed error
	err := wire.Replay(recording, func(f wire.Frame) bool {
		in, err := r.input(&f)
		if err != nil {
			failed = &wire.DamageError{Line: f.Line, Err: err}
			return false
		}
		step := r.model.Seq()
		if in != nil {
			step++
		}
		if stop != nil && stop(time.Duration(f.At)*time.Microsecond, step) {
			return false
		}
		if r.at = max(r.at, f.At); in == nil {
			return true
		}
		in.At = r.start.Add(time.Duration(f.At) * time.Microsecond)
		r.apply(in)
		return true
	})
	if failed != nil {
		return failed
	}
	return err
}

// FormatError is the error for a recording of another format, whose inputs have other names.
type FormatError struct{ Version int }

func (e *FormatError) Error() string {
	return fmt.Sprintf("the recording has format %d, and this usher reads format %d only", e.Version, wire.RecordingVersion)
}

// input makes an input of a line, nil of one that is none.
func (r *Replay) input(f *wire.Frame) (*fold.Input, error) {
	switch f.Dir {
	case wire.DirBegin:
		var begin wire.Begin
		if err := jsonv2.Unmarshal(f.Msg, &begin); err != nil {
			return nil, err
		}
		if begin.Version != wire.RecordingVersion {
			return nil, &FormatError{Version: begin.Version}
		}
		r.start = begin.Start
	case fold.DirModel:
		var line fold.ModelLine
		if err := jsonv2.Unmarshal(f.Msg, &line); err != nil {
			return nil, err
		}
		r.model.Renew(line.Stealth, line.Nonce)
		if r.Marked != nil && line.Mark != "" {
			r.Marked(line.Mark)
		}
	case wire.DirIn:
		env, err := wire.Peek(f.Msg)
		if err != nil {
			return nil, err
		}
		if env.Method != "" {
			return &fold.Input{Event: &cdp.Event{SessionID: env.SessionID, Method: env.Method, Params: env.Payload}}, nil
		}
	case fold.DirCommand:
		c, err := r.model.ReadCommand(f.Msg)
		if err != nil {
			return nil, err
		}
		return &fold.Input{Command: c}, nil
	case wire.DirEnd:
		if err := jsonv2.Unmarshal(f.Msg, &r.end); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (r *Replay) apply(in *fold.Input) {
	r.model.Apply(*in)
	for _, c := range r.model.Changes() {
		r.number(c)
	}
	if in.Event != nil && r.Tap != nil {
		r.Tap(*in.Event, r.model.Sessions[in.Event.SessionID].Tab)
	}
}

// number numbers a change as the streams of a Browser do.
func (r *Replay) number(c model.Change) {
	if c.Kind.ConcernsBrowser() {
		for id := range r.seqs {
			r.seqs[id]++
		}
	} else {
		r.seqs[c.Context]++
		c.Seq = r.seqs[c.Context]
	}
	if r.Change != nil {
		r.Change(c)
	}
}

// Note is Browser.Note for what Tap makes of an event.
func (r *Replay) Note(c model.Change) {
	r.model.Complete(&c)
	if c.Context != "" || c.Tab != "" {
		r.number(c)
	}
}

// State returns the state after the folded inputs.
func (r *Replay) State() *model.State { return r.model.Snapshot() }

// Step returns the number of the last input that was folded.
func (r *Replay) Step() uint64 { return r.model.Seq() }

// Start returns when the recording began.
func (r *Replay) Start() time.Time { return r.start }

// At returns the time of the last line read, since the beginning.
func (r *Replay) At() time.Duration { return time.Duration(r.at) * time.Microsecond }

// End returns why the recording ended before the connection, empty if it did not.
func (r *Replay) End() string { return r.end }
