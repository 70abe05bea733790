package frame

import (
	"errors"
	"io"
)

// Reader cuts what arrives into frames and the bytes they announce.
type Reader struct {
	in         io.Reader
	buf        []byte
	start, end int // buf[start:end] has arrived and is not used up
}

// NewReader returns a reader of frames with a buffer of size bytes, which grows
// where a frame with fields is longer.
func NewReader(in io.Reader, size int) *Reader { return &Reader{in: in, buf: make([]byte, size)} }

// Request reads the frame that a client starts with. The error is io.EOF where
// nothing came at all, a *[SyntaxError] for what is no request, a *[TooLong]
// for one of more than [MaxRequest] bytes, or that of the reading.
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

// Next reads a frame. Of one that announces bytes (Size above zero), those are
// to be copied before the next call. The error is io.EOF at the end of the
// stream, a *[SyntaxError], a *[TooLong], or that of the reading.
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

// Copy passes the next n bytes on to w, or to nobody.
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

// TooLong is the error for a frame that is longer than its kind may be.
type TooLong struct{ Limit int }

func (e *TooLong) Error() string { return "a frame that is too long" }

// WriteError tells a failed write of what was read from a failed read.
type WriteError struct{ Cause error }

func (e *WriteError) Error() string { return e.Cause.Error() }
func (e *WriteError) Unwrap() error { return e.Cause }

func (r *Reader) header() (Kind, int, error) {
	if err := r.fill(1); err != nil {
		return 0, 0, err
	}
	if r.buf[r.start] == '{' { // it may be shorter than a header
		return '{', 0, nil
	}
	if err := r.fill(HeaderSize); err != nil {
		return 0, 0, unexpected(err)
	}
	kind, size, err := parseHeader(r.buf[r.start:])
	r.start += HeaderSize
	return kind, size, err
}

// take returns the next n bytes, valid until the next call.
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

// fill reads until n bytes are there. The buffer grows with what arrives, not
// with what is announced.
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

// unexpected is the error of a frame that was cut off.
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
