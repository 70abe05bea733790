package supervisor

import (
	"errors"
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// A recording made by a Browser holds, besides the frames of the connection, every
// other input of the fold: answers, policies, timers that fired, replies with what
// they were for. Events stand in it in the order and with the time of their
// folding, so that the same fold over the recording comes to the same State.
const (
	dirFold  = "fold"  // an input that is no event
	dirModel = "model" // a new model begins
)

// modelLine is the message of a dirModel line.
type modelLine struct {
	Stealth bool
	Nonce   string // of the bridge's script
	// Mark is the reporter's, for whoever reads the console lines again.
	Mark string `json:",omitzero"`
}

// inputJSON reads and writes an Input: what JSON has no form for of itself.
func inputJSON() (marshal, unmarshal jsonv2.Options) {
	marshal = jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
		jsonv2.MarshalFunc(func(e error) ([]byte, error) {
			line := errorLine{Text: e.Error()}
			var refused *cdp.Error
			if errors.As(e, &refused) {
				line = errorLine{Text: refused.Message, Method: refused.Method, Code: refused.Code, Data: refused.Data}
			}
			return jsonv2.Marshal(line)
		}),
		jsonv2.MarshalFunc(func(d time.Duration) ([]byte, error) { return jsonv2.Marshal(int64(d)) }),
	))
	unmarshal = jsonv2.WithUnmarshalers(jsonv2.JoinUnmarshalers(
		jsonv2.UnmarshalFunc(func(raw []byte, e *error) error {
			var line errorLine
			if err := jsonv2.Unmarshal(raw, &line); err != nil {
				return err
			}
			if *e = errors.New(line.Text); line.Method != "" {
				*e = &cdp.Error{Method: line.Method, Code: line.Code, Message: line.Text, Data: line.Data}
			}
			return nil
		}),
		jsonv2.UnmarshalFunc(func(raw []byte, d *time.Duration) error {
			var n int64
			if err := jsonv2.Unmarshal(raw, &n); err != nil {
				return err
			}
			*d = time.Duration(n)
			return nil
		}),
	))
	return marshal, unmarshal
}

type errorLine struct {
	Text   string
	Method string `json:",omitzero"`
	Code   int64  `json:",omitzero"`
	Data   string `json:",omitzero"`
}

// begin notes what the model is made with.
func (b *Browser) begin() {
	if b.opts.Recorder == nil {
		return
	}
	line, err := jsonv2.Marshal(modelLine{Stealth: b.opts.Stealth, Nonce: b.model.bridge.nonce, Mark: b.opts.Reporter.Mark})
	if err != nil {
		panic("supervisor: " + err.Error()) // a bool and texts
	}
	b.opts.Recorder.Note(b.opts.Now(), dirModel, line)
}

// record notes an input and gives it the time that the recording has for it.
func record(rec *wire.Recorder, in *Input) {
	if in.Event != nil {
		in.At = rec.Event(in.At, in.Event.Method, in.Event.Params, in.Event.SessionID)
		return
	}
	line, err := commandLine(in.Command)
	if err != nil { // a command of a kind that has no JSON form: the test over all kinds fails
		line = fmt.Appendf(nil, `{"unrecorded":%q}`, err.Error())
	}
	in.At = rec.Note(in.At, dirFold, line)
}

// newCommands makes an empty command of each kind.
func newCommands() []Command {
	return []Command{
		&Reply{}, &Answer{}, &Watchdog{}, &SetPolicy{}, &Override{}, &Pulse{}, &InputHandled{}, &Work{}, &Resolve{}, &Choosers{}, &Printing{},
		&SetBridge{}, &Fetching{}, &HiddenLogin{}, &SetCredentials{}, &AskPermissions{}, &Decided{}, &Forget{}, &Overflow{}, &Closed{}, &Lost{},
		&Connected{}, &StandbyEvent{}, &StandbyLost{},
	}
}

// commandLine is the line of a command: an object with one member, which has the command's name.
func commandLine(c Command) ([]byte, error) {
	marshal, _ := inputJSON()
	value, err := jsonv2.Marshal(payload(c), marshal, jsonv2.OmitZeroStructFields(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", c.InputName(), err)
	}
	return fmt.Appendf(nil, "{%q:%s}", c.InputName(), value), nil
}

// readCommand reads the line of a command; nil if this program knows none of that name.
func readCommand(line []byte) (Command, error) {
	lenient := jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	var members map[string]jsontext.Value
	if err := jsonv2.Unmarshal(line, &members, lenient); err != nil {
		return nil, err
	}
	for _, c := range newCommands() {
		value, found := members[c.InputName()]
		if !found {
			continue
		}
		_, unmarshal := inputJSON()
		if err := jsonv2.Unmarshal(value, payload(c), unmarshal, lenient); err != nil {
			return nil, err
		}
		return c, nil
	}
	return nil, nil
}

// payload points to what stands in a command's line: the command, or the one value that it holds.
func payload(c Command) any {
	switch c := c.(type) {
	case *Forget:
		return &c.Context
	case *InputHandled:
		return &c.Tab
	case *Overflow:
		return &c.Session
	case *Closed:
		return &c.Cause
	case *Lost:
		return &c.Cause
	case *StandbyEvent:
		return &c.Event
	case *Connected, *StandbyLost:
		yes := true
		return &yes
	}
	return c
}

// Replay folds a recording again, without a browser.
type Replay struct {
	// Change, if set, sees every change in order, numbered as in the stream of its
	// context.
	Change func(model.Change)
	// Tap, if set, sees every event after the model has, as that of a Browser does.
	Tap Tap
	// Marked, if set, is told the mark of the reporter of a stealth browser, before
	// its first event.
	Marked func(mark string)

	model *Model
	start time.Time
	seqs  map[model.ContextID]uint64
	at    int64
	end   string
}

// Read folds everything up to the end, or until stop, given the time of the next line
// since the beginning and the number of the input that it is or that came before it,
// says so. The error is a
// *wire.DamageError when the recording is damaged; what came before is folded.
func (r *Replay) Read(recording io.Reader, stop func(at time.Duration, step uint64) bool) error {
	if r.model == nil {
		r.model, r.seqs = NewModel(false, ""), map[model.ContextID]uint64{}
	}
	var failed error
	err := wire.Replay(recording, func(f wire.Frame) bool {
		in, err := r.input(&f)
		if err != nil {
			failed = &wire.DamageError{Line: f.Line, Err: err}
			return false
		}
		step := r.model.seq
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

// input makes an input of a line, nil of one that is none.
func (r *Replay) input(f *wire.Frame) (*Input, error) {
	switch f.Dir {
	case wire.DirBegin:
		var begin wire.Begin
		if err := jsonv2.Unmarshal(f.Msg, &begin); err != nil {
			return nil, err
		}
		if begin.Version > wire.RecordingVersion {
			return nil, fmt.Errorf("it is of version %d, this program reads up to %d", begin.Version, wire.RecordingVersion)
		}
		r.start = begin.Start
	case dirModel:
		var line modelLine
		if err := jsonv2.Unmarshal(f.Msg, &line); err != nil {
			return nil, err
		}
		r.model.stealth, r.model.bridge = line.Stealth, newBridge(line.Nonce)
		if r.Marked != nil && line.Mark != "" {
			r.Marked(line.Mark)
		}
	case wire.DirIn:
		env, err := wire.Peek(f.Msg)
		if err != nil {
			return nil, err
		}
		if env.Method != "" {
			return &Input{Event: &cdp.Event{SessionID: env.SessionID, Method: env.Method, Params: env.Payload}}, nil
		}
	case dirFold:
		c, err := readCommand(f.Msg)
		if err != nil {
			return nil, err
		}
		return &Input{Command: c}, nil
	case wire.DirEnd:
		if err := jsonv2.Unmarshal(f.Msg, &r.end); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func (r *Replay) apply(in *Input) {
	r.model.Apply(*in)
	for _, c := range r.model.changes {
		r.tell(c)
	}
	if in.Event != nil && r.Tap != nil {
		r.Tap(*in.Event, r.model.sessions[in.Event.SessionID].tab)
	}
}

// tell numbers a change as the streams of a Browser do.
func (r *Replay) tell(c model.Change) {
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

// Note is Browser.Note for what the Tap observes.
func (r *Replay) Note(c model.Change) {
	r.model.outside(&c)
	if c.Context != "" || c.Tab != "" {
		r.tell(c)
	}
}

// State is what is known after what was folded.
func (r *Replay) State() *model.State { return r.model.Snapshot() }

// Step is the number of the last input that was folded.
func (r *Replay) Step() uint64 { return r.model.seq }

// Start is when the recording began, At how long after that the last line was
// written.
func (r *Replay) Start() time.Time { return r.start }

// At is the time of the last line read, since the beginning.
func (r *Replay) At() time.Duration { return time.Duration(r.at) * time.Microsecond }

// End says why the recording ended before the connection, empty if it did not.
func (r *Replay) End() string { return r.end }
