// Package stream stores the changes of the tabs of a browser context, numbered and in order, for any number of readers.
package stream

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"unsafe"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Bounds of a stream: the oldest of its changes are dropped first.
const (
	streamLength = 10000
	streamBytes  = 4 << 20
)

// Stream is the changes of the tabs of one browser context, in order and numbered from 1 without gaps. It stores the
// newest changes; each reader has a position in it, so that a slow one costs the writer nothing. The numbering outlives
// a lost connection, because a Stream lives as long as its Browser.
type Stream struct {
	id string

	mu      sync.Mutex
	list    []model.Change // guarded by mu
	head    int            // guarded by mu: changes before it are dropped
	bytes   int            // guarded by mu: of list[head:]
	last    uint64         // guarded by mu: Seq of the newest change, stored or not
	ended   string         // guarded by mu: the reason of the end
	changed chan struct{}  // guarded by mu: closed at the next change; nil while there is no wait
	used    bool           // guarded by the owner of the Set: it has had a reader
}

// newStream returns an empty stream. Its name distinguishes it from those of other browsers and of other runs of the
// program, which have numbers of their own.
func newStream() *Stream {
	var name [4]byte
	_, _ = rand.Read(name[:]) // never fails, by its documentation
	return &Stream{id: hex.EncodeToString(name[:])}
}

// ID returns the name of the stream that sequence numbers belong to.
func (s *Stream) ID() string { return s.id }

// Bounds returns the number of the oldest change that is stored and that of the newest; first is last+1 when none is.
func (s *Stream) Bounds() (first, last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first(), s.last
}

// first returns the number of the oldest stored change. The caller holds mu.
func (s *Stream) first() uint64 { return s.last - uint64(len(s.list)-s.head) + 1 }

const changeSize = int(unsafe.Sizeof(model.Change{}))

// add numbers a change and stores it.
func (s *Stream) add(c model.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended != "" {
		return
	}
	s.last++
	c.Seq = s.last
	s.list = append(s.list, c)
	s.bytes += c.Weight() + changeSize
	for len(s.list)-s.head > streamLength || s.bytes > streamBytes {
		old := &s.list[s.head]
		s.bytes -= old.Weight() + changeSize
		*old = model.Change{}
		s.head++
	}
	if s.head > 256 && s.head*2 > len(s.list) {
		n := copy(s.list, s.list[s.head:])
		clear(s.list[n:])
		s.list, s.head = s.list[:n], 0
	}
	s.wake()
}

// wake wakes the waiting readers. The caller holds mu.
func (s *Stream) wake() {
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

// end ends the stream with a reason.
func (s *Stream) end(why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == "" {
		s.ended = why
		s.wake()
	}
}

// After returns up to most changes that follow the number after, and how many of those that follow it were dropped.
func (s *Stream) After(after uint64, most int) (list []model.Change, lost uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.after(after, most)
}

// after is After. The caller holds mu.
func (s *Stream) after(after uint64, most int) (list []model.Change, lost uint64) {
	first := s.first()
	if after+1 < first {
		lost = first - after - 1
		after = first - 1
	}
	if after >= s.last {
		return nil, lost
	}
	from := s.head + int(after-first+1)
	return append(list, s.list[from:min(len(s.list), from+most)]...), lost
}

// Subscribe returns a reader of the changes after a number. It holds no resources and needs no closing.
func (s *Stream) Subscribe(after uint64) *Subscription {
	return &Subscription{stream: s, last: after}
}

// Subscription is one reader's position in a Stream. It is for one goroutine.
type Subscription struct {
	stream *Stream
	last   uint64
}

// Last returns the number of the last change that Next returned, from which another subscription can continue.
func (s *Subscription) Last() uint64 { return s.last }

// FellBehindError is the error for a subscriber so slow that changes it had not read were dropped. Its subscription has
// ended; a new one may begin after Last, or later.
type FellBehindError struct {
	Last uint64 // the last change it got
	Lost uint64 // how many after that were dropped
}

func (e *FellBehindError) Error() string {
	return fmt.Sprintf("the reader was too slow: %d events after number %d are no longer kept", e.Lost, e.Last)
}

// EndedError is the error when a stream has ended, and all of it was read.
type EndedError struct{ Why string }

func (e *EndedError) Error() string { return e.Why }

// batchSize is how many changes a reader gets at once.
const batchSize = 256

// Next waits for changes and returns them, in order and without gaps. It fails
// with *FellBehindError, *EndedError, or the cause of ctx's end.
func (s *Subscription) Next(ctx context.Context) ([]model.Change, error) {
	for {
		list, wait, err := s.next()
		if list != nil || err != nil {
			return list, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (s *Subscription) next() (list []model.Change, wait <-chan struct{}, err error) {
	st := s.stream
	st.mu.Lock()
	defer st.mu.Unlock()
	list, lost := st.after(s.last, batchSize)
	switch {
	case lost > 0:
		return nil, nil, &FellBehindError{Last: s.last, Lost: lost}
	case len(list) > 0:
		s.last = list[len(list)-1].Seq
		return list, nil, nil
	case st.ended != "":
		return nil, nil, &EndedError{Why: st.ended}
	}
	if st.changed == nil {
		st.changed = make(chan struct{})
	}
	return nil, st.changed, nil
}
