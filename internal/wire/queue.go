package wire

import (
	"errors"
	"sync"
	"time"
)

// errSlow is why nothing more comes for a client that does not read.
var errSlow = errors.New("the client reads too slowly")

// Queue holds the messages for a client until it reads them. Its methods may be called from any goroutine; Read and ReadAll are for one.
type Queue struct {
	limit int
	more  chan struct{}
	lost  chan struct{}

	mu     sync.Mutex
	msgs   [][]byte              // guarded by mu
	size   int                   // guarded by mu: their bytes
	ended  error                 // guarded by mu: why nothing more comes
	direct func(msg []byte) bool // guarded by mu: see Direct
	taken  bool                  // guarded by mu: what was read last may not have arrived
	last   time.Time             // guarded by mu: when a message was put last
}

// NewQueue returns a queue that holds up to limit bytes. A single message may be larger.
func NewQueue(limit int) *Queue {
	return &Queue{limit: limit, more: make(chan struct{}, 1), lost: make(chan struct{})}
}

// Direct sets a function that takes a message past the queue, without waiting, or refuses it. It is used for a message that comes alone:
// the reader need not wake. The reader must have dealt with what it has read when it reads again.
func (q *Queue) Direct(try func(msg []byte) bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.direct = try
}

// alone is how long no message must have come before one for which Direct is used: several are better written together.
const alone = 200 * time.Microsecond

// passes reports whether a message has gone past the queue. The caller holds mu.
func (q *Queue) passes(msg []byte) bool {
	if q.direct == nil {
		return false
	}
	before := q.last
	q.last = time.Now()
	return len(q.msgs) == 0 && !q.taken && q.last.Sub(before) > alone && q.direct(msg)
}

// Put appends a message; it owns msg. Beyond the limit all messages are dropped, and the queue ends.
func (q *Queue) Put(msg []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended != nil || q.passes(msg) {
		return
	}
	if len(q.msgs) > 0 && q.size+len(msg) > q.limit {
		q.msgs, q.size, q.ended = nil, 0, errSlow
		close(q.lost)
	} else {
		q.msgs, q.size = append(q.msgs, msg), q.size+len(msg)
	}
	q.wake()
}

// Lost is closed when messages were dropped.
func (q *Queue) Lost() <-chan struct{} { return q.lost }

// End ends the queue behind what is in it: Read returns err then.
func (q *Queue) End(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.ended == nil {
		q.ended = err
	}
	q.wake()
}

// Err returns why nothing more comes; nil if more may.
func (q *Queue) Err() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.ended
}

// wake wakes the reader. The caller holds mu.
func (q *Queue) wake() {
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// Read returns the next message; it waits for one.
func (q *Queue) Read() ([]byte, error) {
	msgs, err := q.read(0)
	if err != nil {
		return nil, err
	}
	return msgs[0], nil
}

// ReadAll returns the messages that there are, as many as can be written together, and at least one.
func (q *Queue) ReadAll() ([][]byte, error) { return q.read(joinLimit) }

// read returns the next message, and those behind it as long as all have less than size bytes.
func (q *Queue) read(size int) ([][]byte, error) {
	for {
		q.mu.Lock()
		q.taken = len(q.msgs) > 0
		if q.taken {
			msgs := q.take(size)
			q.mu.Unlock()
			return msgs, nil
		}
		err := q.ended
		q.mu.Unlock()
		if err != nil {
			return nil, err
		}
		<-q.more
	}
}

// take removes what read returns. The caller holds mu.
func (q *Queue) take(size int) [][]byte {
	n, taken := 1, len(q.msgs[0])
	for n < len(q.msgs) && taken+len(q.msgs[n]) < size {
		taken += len(q.msgs[n])
		n++
	}
	msgs := q.msgs[:n:n]
	if q.msgs = q.msgs[n:]; len(q.msgs) == 0 {
		q.msgs = nil
	}
	q.size -= taken
	return msgs
}
