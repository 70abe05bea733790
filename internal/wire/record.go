package wire

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Frame is one line of a recording.
type Frame struct {
	// At is the time since the recording began, in microseconds.
	At int64 `json:"at"`
	// Dir is "in" for a message from the browser, "out" for one to it.
	Dir string `json:"dir"`
	// Msg is the message as it passed.
	Msg jsontext.Value `json:"msg"`
}

// Record returns a Conn that passes everything on to c and writes each message
// to w as one JSON line (see [Frame]). A failing w ends the recording, not the
// connection; the first such failure is returned by Close.
func Record(c Conn, w io.Writer) Conn {
	return &recorder{Conn: c, w: bufio.NewWriter(w), start: time.Now()}
}

type recorder struct {
	Conn
	start time.Time
	mu    sync.Mutex
	w     *bufio.Writer // guarded by mu
	err   error         // guarded by mu
}

func (r *recorder) Read() ([]byte, error) {
	msg, err := r.Conn.Read()
	if err == nil {
		r.note("in", msg)
	}
	return msg, err
}

func (r *recorder) Write(msg []byte) error {
	r.note("out", msg)
	return r.Conn.Write(msg)
}

func (r *recorder) note(dir string, msg []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return
	}
	if bytes.IndexByte(msg, '\n') >= 0 { // only between tokens: a frame is one line
		flat := jsontext.Value(bytes.Clone(msg))
		if r.err = flat.Compact(jsontext.AllowInvalidUTF8(true), jsontext.PreserveRawStrings(true)); r.err != nil {
			return
		}
		msg = flat
	}
	// By hand: an encoder may write <, > and & in another way than they passed.
	if _, r.err = fmt.Fprintf(r.w, `{"at":%d,"dir":%q,"msg":`, time.Since(r.start).Microseconds(), dir); r.err == nil {
		if _, r.err = r.w.Write(msg); r.err == nil {
			_, r.err = r.w.WriteString("}\n")
		}
	}
}

func (r *recorder) Close() error {
	err := r.Conn.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if ferr := r.w.Flush(); r.err == nil {
		r.err = ferr
	}
	if r.err != nil {
		return fmt.Errorf("write recording: %w", r.err)
	}
	return err
}

// Replay calls yield for every frame of a recording in order, until yield
// returns false or the recording ends. A malformed line ends it with an error
// that names the line.
func Replay(r io.Reader, yield func(Frame) bool) error {
	br := bufio.NewReaderSize(r, readBuffer)
	for n := 1; ; n++ {
		line, err := br.ReadBytes('\n')
		if len(line) > 0 {
			var f Frame
			if jerr := jsonv2.Unmarshal(line, &f, jsontext.AllowInvalidUTF8(true)); jerr != nil {
				return fmt.Errorf("read recording line %d: %w", n, jerr)
			}
			if !yield(f) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read recording line %d: %w", n, err)
		}
	}
}
