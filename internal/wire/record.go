package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Frame is one line of a recording.
type Frame struct {
	// At is the time since the recording began, in microseconds.
	At int64 `json:"at"`
	// Dir is the kind of the line; see the constants.
	Dir string `json:"dir"`
	// Msg is the message as sent, or the content of a line of another kind.
	Msg jsontext.Value `json:"msg"`
	// Line is the number of the line, from 1. It is not written.
	Line int `json:"-"`
}

// The kinds of lines of a recording.
const (
	DirBegin = "begin" // the first line: version and start time
	DirIn    = "in"    // a message from the browser
	DirOut   = "out"   // a message to the browser
	DirEnd   = "end"   // the recording ended before the connection, and why
)

// RecordingVersion is the format in DirBegin. It changes when a reader of one format would misread another.
const RecordingVersion = 2

// Begin is the message of the first line.
type Begin struct {
	Version int       `json:"v"`
	Start   time.Time `json:"start"`
}

// Limits of a Recorder.
const (
	// DefaultRecordingLimit is the size at which a recording ends.
	DefaultRecordingLimit = 1 << 30
	// recordingBacklog is how much may wait for a slow disk before the recording
	// ends.
	recordingBacklog = 64 << 20
)

// Recorder records the messages of connections as JSON lines (see [Frame]). It never blocks them: lines are buffered in
// memory and written by a goroutine of its own, each batch as soon as the one before it is written. So when the process
// is killed, the file is complete up to a few milliseconds before. A failing writer, one that is too slow, or the size
// limit end the recording, not the connection; Close and Status return the reason.
type Recorder struct {
	start time.Time
	limit int64
	w     io.WriteCloser
	done  chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	ready   *sync.Cond // on mu: pending grew, or closed was set
	pending []byte     // guarded by mu
	size    int64      // guarded by mu: bytes taken
	err     error      // guarded by mu: why the recording ended early
	closed  bool       // guarded by mu
}

// NewRecorder starts a recording to w, which it owns. limit is the largest number of bytes it writes; 0 means
// DefaultRecordingLimit.
func NewRecorder(w io.WriteCloser, limit int64) *Recorder {
	if limit <= 0 {
		limit = DefaultRecordingLimit
	}
	r := &Recorder{start: time.Now(), limit: limit, w: w, done: make(chan struct{})}
	r.ready = sync.NewCond(&r.mu)
	go r.write()
	begin, err := jsonv2.Marshal(Begin{Version: RecordingVersion, Start: r.start})
	if err != nil {
		panic("wire: the first line of a recording: " + err.Error()) // a time and a number
	}
	r.Note(r.start, DirBegin, begin)
	return r
}

// Wrap returns a Conn that passes all calls on to c and records the messages, except the events that c reads: their
// consumer records them with Event, in the order and at the time they took effect. Several connections may be wrapped,
// one after another.
func (r *Recorder) Wrap(c Conn) Conn { return &recorded{c, r} }

type recorded struct {
	Conn
	rec *Recorder
}

func (c *recorded) Read() ([]byte, error) {
	msg, err := c.Conn.Read()
	if err == nil {
		if env, perr := Peek(msg); perr != nil || env.Method == "" {
			c.rec.Note(time.Now(), DirIn, msg)
		}
	}
	return msg, err
}

func (c *recorded) Write(msg []byte) error {
	c.rec.Note(time.Now(), DirOut, withoutPassword(msg))
	return c.Conn.Write(msg)
}

// withoutPassword takes the password out of an answer to an HTTP login: it is no
// part of what is folded, and a recording is shown to others.
func withoutPassword(msg []byte) []byte {
	const key = `"password":"`
	if !bytes.Contains(msg, []byte("Fetch.continueWithAuth")) {
		return msg
	}
	before, rest, found := bytes.Cut(msg, []byte(key))
	if !found {
		return msg
	}
	end := 0
	for end < len(rest) && rest[end] != '"' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	return slices.Concat(before, []byte(key), rest[min(end, len(rest)):])
}

// Event records an event of the browser and returns its time in the recording, which is exact to the microsecond.
func (r *Recorder) Event(at time.Time, method string, params []byte, sessionID string) time.Time {
	msg := make([]byte, 0, len(params)+len(method)+len(sessionID)+48)
	msg = append(msg, `{"method":`...)
	msg = strconv.AppendQuote(msg, method) // names and ids are plain ASCII, or Peek refuses them
	if len(params) > 0 {
		msg = append(append(msg, `,"params":`...), params...)
	}
	if sessionID != "" {
		msg = append(msg, `,"sessionId":`...)
		msg = strconv.AppendQuote(msg, sessionID)
	}
	return r.Note(at, DirIn, append(msg, '}'))
}

// Note writes a line and returns its time in the recording. msg is JSON.
func (r *Recorder) Note(at time.Time, dir string, msg []byte) time.Time {
	micros := at.Sub(r.start).Microseconds()
	if bytes.IndexByte(msg, '\n') >= 0 { // only between tokens: a frame is one line
		flat := jsontext.Value(bytes.Clone(msg))
		if flat.Compact(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true), jsontext.PreserveRawStrings(true)) != nil {
			flat = bytes.ReplaceAll(msg, []byte("\n"), []byte(" ")) // no JSON: readers of the line report it
		}
		msg = flat
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil || r.closed:
	case r.size+int64(len(msg)) > r.limit:
		r.end(micros, fmt.Errorf("the recording has reached its limit of %d bytes", r.limit))
	case len(r.pending)+len(msg) > recordingBacklog:
		r.end(micros, fmt.Errorf("the disk is too slow: %d MB wait to be written", recordingBacklog>>20))
	default:
		r.line(micros, dir, msg)
	}
	return r.start.Add(time.Duration(micros) * time.Microsecond)
}

// line needs mu.
func (r *Recorder) line(micros int64, dir string, msg []byte) {
	before := len(r.pending)
	// Not by an encoder, which may write <, > and & in another form than they were sent.
	r.pending = fmt.Appendf(r.pending, `{"at":%d,"dir":%q,"msg":`, micros, dir)
	r.pending = append(append(r.pending, msg...), '}', '\n')
	r.size += int64(len(r.pending) - before)
	r.ready.Signal()
}

// end needs mu.
func (r *Recorder) end(micros int64, why error) {
	if text, err := jsonv2.Marshal(why.Error()); err == nil {
		r.line(micros, DirEnd, text)
	}
	r.err = why
}

// write is the goroutine that feeds the file.
func (r *Recorder) write() {
	defer close(r.done)
	var batch []byte
	for {
		r.mu.Lock()
		for len(r.pending) == 0 && !r.closed {
			r.ready.Wait()
		}
		if len(r.pending) == 0 {
			r.mu.Unlock()
			return
		}
		batch, r.pending = r.pending, batch[:0]
		r.mu.Unlock()
		if _, err := r.w.Write(batch); err != nil {
			r.mu.Lock()
			r.err, r.pending = err, nil
			r.mu.Unlock()
		}
		if cap(batch) > 1<<20 {
			batch = nil
		}
	}
}

// Status returns how many bytes were taken, and why the recording ended early, if it did.
func (r *Recorder) Status() (size int64, ended error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.size, r.err
}

// Close writes the buffered lines, closes the writer, and returns the first failure. It may be called twice.
func (r *Recorder) Close() error {
	r.mu.Lock()
	again := r.closed
	r.closed = true
	r.ready.Signal()
	r.mu.Unlock()
	<-r.done
	if again {
		return nil
	}
	_, ended := r.Status()
	if err := errors.Join(ended, r.w.Close()); err != nil {
		return fmt.Errorf("write recording: %w", err)
	}
	return nil
}

// DamageError is the error at a line from which a recording cannot be read any further.
type DamageError struct {
	Line int
	// Cut reports whether it is the last line and incomplete, as after the recording process was killed.
	Cut bool
	Err error
}

func (e *DamageError) Error() string {
	if e.Cut {
		return fmt.Sprintf("recording line %d, the last, is cut short", e.Line)
	}
	return fmt.Sprintf("recording line %d cannot be read: %v", e.Line, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Replay calls yield for every frame of a recording in order, until yield
// returns false or the recording ends. A malformed line ends it with a
// *DamageError.
func Replay(r io.Reader, yield func(Frame) bool) error {
	br := bufio.NewReaderSize(r, readBuffer)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if len(line) > 0 {
			f := Frame{Line: n}
			jerr := jsonv2.Unmarshal(line, &f, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
			if jerr == nil && f.Dir == "" {
				jerr = errors.New("it has no member \"dir\"")
			}
			if jerr != nil {
				return &DamageError{Line: n, Cut: errors.Is(err, io.EOF), Err: jerr}
			}
			if !yield(f) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return &DamageError{Line: n, Cut: errors.Is(err, io.ErrUnexpectedEOF), Err: err} // a compressed file that is cut
		}
	}
}
