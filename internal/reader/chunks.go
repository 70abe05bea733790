package reader

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// A document goes to its process in chunks, whose end is not the end of the stream: 4 bytes of length, big-endian, and so
// many bytes; the length 0 ends the document.

// chunkHead is the size of a chunk's length.
const chunkHead = 4

// chunkReader reads a document up to its end.
type chunkReader struct {
	from *bufio.Reader
	left uint32 // bytes of the chunk
	done bool
}

// Read returns io.EOF at the end of the document, and io.ErrUnexpectedEOF if the stream ends before it.
func (r *chunkReader) Read(b []byte) (int, error) {
	if r.done {
		return 0, io.EOF
	}
	if r.left == 0 {
		var head [chunkHead]byte
		if _, err := io.ReadFull(r.from, head[:]); err != nil {
			return 0, cut(err)
		}
		if r.left = binary.BigEndian.Uint32(head[:]); r.left == 0 {
			r.done = true
			return 0, io.EOF
		}
		if r.left > MaxSize+1 {
			return 0, fmt.Errorf("a chunk declares %d bytes", r.left)
		}
	}
	n, err := r.from.Read(b[:min(len(b), int(r.left))])
	r.left -= uint32(n)
	return n, cut(err)
}

// cut is the error for a stream that ends within a document.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// chunkWriter writes a document. It keeps the error of the process apart from those of the document's source.
type chunkWriter struct {
	to  *bufio.Writer
	err error
}

func newChunkWriter(to io.Writer) *chunkWriter {
	return &chunkWriter{to: bufio.NewWriterSize(to, 64<<10)}
}

func (w *chunkWriter) Write(b []byte) (int, error) {
	if len(b) == 0 { // it would end the document
		return 0, nil
	}
	var n int
	if w.err = w.head(len(b)); w.err == nil {
		n, w.err = w.to.Write(b)
	}
	return n, w.err
}

// end ends the document.
func (w *chunkWriter) end() error {
	if err := w.head(0); err != nil {
		return err
	}
	return w.to.Flush()
}

func (w *chunkWriter) head(size int) error {
	_, err := w.to.Write(binary.BigEndian.AppendUint32(make([]byte, 0, chunkHead), uint32(size)))
	return err
}
