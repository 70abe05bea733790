package vm

import (
	"container/heap"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	js "modernc.org/libquickjs"

	"github.com/usher-browser/usher/internal/script/message"
)

// execute carries out a run. in are the messages that come meanwhile; what is left of them belongs to the run.
func (m *machine) execute(c *message.Code, in <-chan *message.Message) *message.Outcome {
	round := m.round
	deadline := time.AfterFunc(time.Duration(c.Timeout), func() { m.expire(round) })
	defer deadline.Stop()
	switch e := m.begin(c); {
	case e == nil:
	case !m.stop.Load():
		m.thrown, m.ended = e, true
	case e.Line > 0: // what was thrown is what ended the run
		m.last = e
	}
	for m.jobs() && !m.ended {
		if !m.turn(in) {
			break
		}
	}
	return m.end()
}

// expire ends a run: its time is over. Any goroutine may call it; for a run that has ended it does nothing.
func (m *machine) expire(round int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.round == round && m.stop.CompareAndSwap(false, true) {
		m.alarm <- struct{}{}
	}
}

// end returns the outcome. Promises that were rejected just now have a last chance to be awaited.
func (m *machine) end() *message.Outcome {
	m.showRest()
	if m.stop.Load() && js.XJS_PromiseState(m.tls, m.ctx, m.main) == promiseRejected {
		reason := js.XJS_PromiseResult(m.tls, m.ctx, m.main)
		m.noteStop(reason)
		m.free(reason)
	}
	waiting := m.waiting()
	var o *message.Outcome
	switch {
	case m.stop.Load() && !m.ended:
		o = m.overdue(waiting)
	case m.thrown != nil:
		o = &message.Outcome{Error: m.thrown}
	default:
		if o = m.finish(); m.stop.Load() {
			o = m.overdue(waiting)
		}
	}
	o.Waiting = waiting[:min(len(waiting), maxWaiting)]
	return o
}

// maxWaiting is how many calls a result names.
const maxWaiting = 20

// jobs does what follows awaits, until there is no more of it. It returns false when the time is over.
func (m *machine) jobs() bool {
	m.busy = true
	for !m.stop.Load() {
		more, err := m.job()
		if err != nil {
			m.interruptedAt(err)
		}
		if !more {
			m.busy = false
			return true
		}
	}
	return false
}

// turn waits for the next thing to happen, and lets the code deal with it. It returns false when the run is over.
func (m *machine) turn(in <-chan *message.Message) bool {
	if m.out.err != nil {
		return false
	}
	due, have := m.timers.next()
	if len(m.calls) == 0 && !have && !m.run.Events {
		m.thrown, m.ended = &message.Error{Name: "Error", Message: "the code awaits a promise that nothing can settle: no call and no timer is pending"}, true
		return false
	}
	if a := m.awaitAnswer(); a != nil {
		return m.take(a)
	}
	if m.rest != nil {
		if a := m.rest(); a != nil {
			return m.take(a)
		}
	}
	var clock <-chan time.Time
	if have {
		wait := time.Until(due)
		if wait <= 0 {
			select { // in turns with what comes
			case a := <-in:
				return m.take(a)
			default:
				return m.fire()
			}
		}
		t := time.NewTimer(wait)
		defer t.Stop()
		clock = t.C
	}
	select {
	case a := <-in:
		return m.take(a)
	case <-clock:
		return m.fire()
	case <-m.alarm:
		return false
	}
}

// take lets the code deal with a message.
func (m *machine) take(a *message.Message) bool {
	var err error
	switch a.Type {
	case message.Answer:
		err = m.answered(a)
	case message.Event:
		err = m.enterText("event", a.Name, string(a.Value))
	}
	m.interruptedAt(err)
	return !m.stop.Load()
}

// fire calls the function of the timer that is due.
func (m *machine) fire() bool {
	m.interruptedAt(m.enter("fire", number(float64(m.timers.pop()))))
	return !m.stop.Load()
}

// interruptedAt notes where the code was when its time was over.
func (m *machine) interruptedAt(err error) {
	var t *thrown
	if !errors.As(err, &t) {
		return
	}
	if m.stop.Load() {
		m.noteStop(t.v)
	}
	m.free(t.v)
}

// noteStop notes where the code was when an error, which is borrowed, ended it.
func (m *machine) noteStop(reason value) {
	if m.last != nil || js.XJS_IsError(m.tls, m.ctx, reason) == 0 {
		return
	}
	stack := m.property(reason, "stack")
	defer m.free(stack)
	text, _ := m.toText(stack)
	e := &message.Error{Stack: text}
	if m.locate(e); e.Line > 0 {
		m.last = e
	}
}

// waiting returns the calls without an answer, the oldest first.
func (m *machine) waiting() []message.Waiting {
	list := make([]message.Waiting, 0, len(m.calls))
	ids := make([]int64, 0, len(m.calls))
	for id, c := range m.calls {
		if !c.beside {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		list = append(list, message.Waiting{Method: m.calls[id].method, For: int64(time.Since(m.calls[id].at))})
	}
	return list
}

// cancelTime is how long code may deal with the end of its calls.
const cancelTime = 50 * time.Millisecond

// unawaited ends the calls without an answer when the code has returned, and returns those that the code did not await. They are
// rejected: the promise of one that was awaited, with Promise.race for example, is handled then, and that of another is not. What
// the code does then reaches nobody, and the realm must not be used again.
func (m *machine) unawaited() []message.Waiting {
	limit := time.Now().Add(cancelTime)
	m.interrupted = func() bool { return time.Now().After(limit) }
	m.shown.left = 1
	if err := m.enter("cancel"); err != nil {
		m.drop(err)
	}
	for more := true; more && time.Now().Before(limit); {
		var err error
		if more, err = m.job(); err != nil {
			m.drop(err)
		}
	}
	v, err := m.call(m.bridge["unawaited"])
	if err != nil {
		m.drop(err)
		return nil
	}
	defer m.free(v)
	text, _ := m.toText(v)
	lost := map[int64]sent{}
	for _, number := range strings.Fields(text) {
		if id, err := strconv.ParseInt(number, 10, 64); err == nil {
			lost[id] = m.calls[id]
		}
	}
	m.calls = lost
	return m.waiting()
}

// overdue returns the outcome of a run whose time was over.
func (m *machine) overdue(waiting []message.Waiting) *message.Outcome {
	e := &message.Error{Name: "TimeoutError"}
	what := "was waiting for a promise that no call or timer will settle"
	switch {
	case m.ended:
		what = "had returned, but reading its value did not end"
	case m.last != nil:
		e.Line, e.Column, e.Stack = m.last.Line, m.last.Column, m.last.Stack
		what = fmt.Sprintf("was still computing, at line %d or after it", e.Line) // the engine knows the last call
	case m.busy:
		what = "was still computing, in promises that settle one after the other"
	case len(waiting) > 0:
		what = "was waiting for " + Describe(waiting)
	case m.timers.Len() > 0:
		what = fmt.Sprintf("was waiting for one of %d timers", m.timers.Len())
		if m.timers.Len() == 1 {
			what = "was waiting for a timer"
		}
	}
	e.Message = fmt.Sprintf("the code did not finish within %s; it %s", Time(time.Duration(m.run.Timeout)), what)
	return &message.Outcome{Error: e, TimedOut: true}
}

// Describe returns calls without an answer as text: "click (12.3 s), evaluate (2 s) and 4 others".
func Describe(waiting []message.Waiting) string {
	var parts []string
	for i, w := range waiting {
		if i == 5 {
			return strings.Join(parts, ", ") + fmt.Sprintf(" and %d others", len(waiting)-i)
		}
		parts = append(parts, fmt.Sprintf("%s (%s)", w.Method, Time(time.Duration(w.For))))
	}
	return strings.Join(parts, ", ")
}

// timers are the timers that run, as a heap; index has their places.
type timers struct {
	list  []timer
	index map[int64]int
	count int64
}

type timer struct {
	at    time.Time
	order int64 // those of one time are called in the order of their start
	id    int64
}

// Len implements heap.Interface, as do the next four.
func (t *timers) Len() int { return len(t.list) }

// Less orders by time.
func (t *timers) Less(i, j int) bool {
	if !t.list[i].at.Equal(t.list[j].at) {
		return t.list[i].at.Before(t.list[j].at)
	}
	return t.list[i].order < t.list[j].order
}

// Swap exchanges two.
func (t *timers) Swap(i, j int) {
	t.list[i], t.list[j] = t.list[j], t.list[i]
	t.index[t.list[i].id], t.index[t.list[j].id] = i, j
}

// Push is for package heap.
func (t *timers) Push(x any) {
	t.index[x.(timer).id] = len(t.list)
	t.list = append(t.list, x.(timer))
}

// Pop is for package heap.
func (t *timers) Pop() any {
	last := t.list[len(t.list)-1]
	t.list = t.list[:len(t.list)-1]
	delete(t.index, last.id)
	return last
}

func (t *timers) add(id int64, at time.Time) {
	if t.index == nil {
		t.index = map[int64]int{}
	}
	t.count++
	heap.Push(t, timer{at, t.count, id})
}

func (t *timers) remove(id int64) {
	if i, ok := t.index[id]; ok {
		heap.Remove(t, i)
	}
}

// next returns when the next timer is due.
func (t *timers) next() (time.Time, bool) {
	if len(t.list) == 0 {
		return time.Time{}, false
	}
	return t.list[0].at, true
}

// pop removes the next timer and returns its number.
func (t *timers) pop() int64 { return heap.Pop(t).(timer).id }
