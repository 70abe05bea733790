package video

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/at-wat/ebml-go/mkvcore"
	"github.com/at-wat/ebml-go/webm"
)

// file is a WebM file with one video track. Every frame is written when it comes, so that a file cut off at any point
// plays up to there; duration and seek index are added by close.
type file struct {
	file   *os.File
	blocks webm.BlockWriteCloser

	mu     sync.Mutex
	failed error // guarded by mu: the first error of the library
}

// seekIndex is the space reserved for the index, in bytes; if it does not suffice, fewer positions are in it.
const seekIndex = 4096

// keyFrameEvery is the time between frames that a player can seek to.
const keyFrameEvery = 5 * time.Second

// newFile writes the header of a file.
func newFile(to *os.File, codec string, width, height int) (*file, error) {
	f := &file{file: to}
	track := webm.TrackEntry{
		Name: "Video", TrackNumber: 1, TrackUID: 1, CodecID: codec, TrackType: 1,
		Video: &webm.Video{PixelWidth: uint64(width), PixelHeight: uint64(height)},
	}
	writers, err := webm.NewSimpleBlockWriter((*closer)(f), []webm.TrackEntry{track},
		mkvcore.WithSegmentInfo(&webm.Info{TimecodeScale: uint64(time.Millisecond), MuxingApp: "usher", WritingApp: "usher"}),
		mkvcore.WithSeekHead(true), mkvcore.WithCues(seekIndex),
		mkvcore.WithMaxKeyframeInterval(1, keyFrameEvery.Milliseconds()),
		mkvcore.WithBlockInterceptor(nil),
		mkvcore.WithOnErrorHandler(f.fail), mkvcore.WithOnFatalHandler(f.fail))
	if err != nil {
		return nil, fmt.Errorf("write the header: %w", err)
	}
	f.blocks = writers[0]
	return f, nil
}

// closer is the file for the library. It reports no error to it: the library would stop reading frames, and its callers
// would wait for ever.
type closer file

func (c *closer) Write(b []byte) (int, error) {
	if _, err := c.file.Write(b); err != nil {
		(*file)(c).fail(err)
	}
	return len(b), nil
}

func (c *closer) WriteAt(b []byte, at int64) (int, error) {
	if _, err := c.file.WriteAt(b, at); err != nil {
		(*file)(c).fail(err)
	}
	return len(b), nil
}

func (c *closer) Close() error {
	if err := errors.Join(c.file.Sync(), c.file.Close()); err != nil {
		(*file)(c).fail(err)
	}
	return nil
}

func (f *file) fail(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed == nil {
		f.failed = err
	}
}

func (f *file) error() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// write adds a frame. Times grow from frame to frame, in milliseconds.
func (f *file) write(at time.Duration, key bool, data []byte) error {
	if err := f.error(); err != nil {
		return err
	}
	if _, err := f.blocks.Write(key, at.Milliseconds(), data); err != nil {
		return err
	}
	return f.error()
}

// close completes the file.
func (f *file) close() error {
	err := f.blocks.Close()
	return errors.Join(err, f.error())
}
