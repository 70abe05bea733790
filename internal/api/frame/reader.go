package frame

import (
	"errors"
	"io"
)

// Reader reads frames and their raw bytes from a stream. It is not safe for concurrent use.
type Reader struct {
	in         io.Reader
	buf        []byte
	start, end int // buf[start:end] was read from in and is not consumed
}

// NewReader returns a reader with a buffer of size bytes. The buffer grows for longer frames with fields.
func NewReader(in io.Reader, size int) *Reader { return &Reader{in: in, buf: make([]byte, size)} }

// Request reads a client's first frame. The error is io.EOF if nothing came, a *[SyntaxError] if it is not a request, a
// *[TooLong] if it exceeds [MaxRequest], or that of the stream.
func (r *Reader) Request() (*Request, error) {
	if err := r.fill(1); err != nil {
		return nil, err
	}
	if first := Kind(r.buf[r.start]); first != Run {
		return nil, &SyntaxError{"a request starts with 'r', this one with " + quote(byte(first))}
	}
	_, size, err := r.header()
	if err != nil {
		return nil, err
	}
	data, err := r.take(size, MaxRequest)
	if err != nil {
		return nil, err
	}
	return ParseRequest(data)
}

// Next reads a frame. If its Size is above zero, the caller must call [Reader.Copy] before the next call. The error is
// io.EOF at the end of the stream, a *[SyntaxError], a *[TooLong], or that of the stream.
func (r *Reader) Next() (Frame, error) {
	kind, size, err := r.header()
	if err != nil {
		return Frame{}, err
	}
	f := Frame{Kind: kind}
	switch kind {
	case Out, Err, Input:
		f.Size = size
		return f, nil
	case Cancel, InputEnd, WantInput, Progress, Exit, Refused, Local, Alive:
		data, err := r.take(size, MaxFields)
		if err != nil {
			return f, err
		}
		return f, f.parse(data)
	case '{':
		return f, &SyntaxError{"it uses the line protocol of an older build"}
	}
	return f, r.Copy(nil, size)
}

// Copy copies the next n bytes to w, or discards them if w is nil. The error of w is a *[WriteError].
func (r *Reader) Copy(w io.Writer, n int) error {
	for n > 0 {
		if err := r.fill(1); err != nil {
			return unexpected(err)
		}
		part := r.buf[r.start:min(r.end, r.start+n)]
		if w != nil {
			if _, err := w.Write(part); err != nil {
				return &WriteError{err}
			}
		}
		r.start += len(part)
		n -= len(part)
	}
	return nil
}

// TooLong is the error for a frame that exceeds the limit of its kind, in bytes.
type TooLong struct{ Limit int }

func (e *TooLong) Error() string { return "a frame that is too long" }

// WriteError is an error of the writer in [Reader.Copy], as opposed to one of the stream.
type WriteError struct{ Cause error }

func (e *WriteError) Error() string { return e.Cause.Error() }
func (e *WriteError) Unwrap() error { return e.Cause }

func (r *Reader) header() (Kind, int, error) {
	if err := r.fill(1); err != nil {
		return 0, 0, err
	}
	if r.buf[r.start] == '{' { // the line protocol of older builds; a line may be shorter than a header
		return '{', 0, nil
	}
	if err := r.fill(HeaderSize); err != nil {
		return 0, 0, unexpected(err)
	}
	kind, size, err := parseHeader(r.buf[r.start:])
	r.start += HeaderSize
	return kind, size, err
}

// take returns the next n bytes, which are valid until the next call. It returns a *[TooLong] if n exceeds most.
func (r *Reader) take(n, most int) ([]byte, error) {
	if n > most {
		return nil, &TooLong{most}
	}
	if err := r.fill(n); err != nil {
		return nil, unexpected(err)
	}
	data := r.buf[r.start : r.start+n]
	r.start += n
	return data, nil
}

// fill reads until the buffer has n bytes. The buffer grows with the bytes received, not with the announced size.
func (r *Reader) fill(n int) error {
	for r.end-r.start < n {
		if r.start == r.end {
			r.start, r.end = 0, 0
		}
		if r.end == len(r.buf) {
			if r.start > 0 {
				r.end = copy(r.buf, r.buf[r.start:r.end])
				r.start = 0
			} else {
				r.buf = append(r.buf, make([]byte, len(r.buf))...)
			}
		}
		got, err := r.in.Read(r.buf[r.end:])
		r.end += got
		if got == 0 && err != nil {
			return err
		}
	}
	return nil
}

// unexpected returns the error for a stream that ended within a frame.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func quote(c byte) string {
	if c < ' ' || c > '~' {
		return "another byte"
	}
	return "'" + string(rune(c)) + "'"
}
