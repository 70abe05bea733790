package journal

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/journal/console"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Message is one call of the console. All of it is page content.
type Message struct {
	// Type is the console's method as the protocol names it: log, info, warning, error, debug, dir, table, trace,
	// assert, startGroup, …
	Type string `json:"type"`
	// Text is the line as a console would show it.
	Text string `json:"text"`
	// Args are the arguments as the protocol's RemoteObjects.
	Args []jsontext.Value `json:"args"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// URL, Line and Column are the position of the call; both numbers start at 1 and are 0 when unknown.
	URL    string `json:"url,omitzero"`
	Line   int    `json:"line,omitzero"`
	Column int    `json:"column,omitzero"`
	// Frame is empty for a worker.
	Frame  model.FrameID  `json:"frameId,omitzero"`
	Worker bool           `json:"worker,omitzero"`
	Tab    model.TargetID `json:"-"`
	// Earlier reports whether the tab has shown another document since.
	Earlier bool `json:"earlier,omitzero"`
	seq     uint64
}

func (m *Message) weight() int {
	n := len(m.Text) + len(m.URL)
	for _, a := range m.Args {
		n += len(a)
	}
	return n
}

// Error is an uncaught exception or unhandled rejection. All texts are page content.
type Error struct {
	// Text is the first line a console would show: "Uncaught TypeError: …".
	Text string `json:"text"`
	// Line and Column count from 1; 0 when unknown.
	Line   int    `json:"line"`
	Column int    `json:"column"`
	URL    string `json:"url"`
	// Stack is the description of the thrown error with its call stack, or the
	// stack alone if something else was thrown.
	Stack string `json:"stack,omitzero"`
	// Timestamp is in milliseconds since 1970.
	Timestamp int64 `json:"timestamp"`
	// Handled reports whether a rejected promise was caught after all, later.
	Handled bool          `json:"handled,omitzero"`
	Frame   model.FrameID `json:"frameId,omitzero"`
	Worker  bool          `json:"worker,omitzero"`
	// Earlier reports whether the tab has shown another document since.
	Earlier bool `json:"earlier,omitzero"`

	Tab model.TargetID `json:"-"`
	id  int64
	// session names the id space of id.
	session string
	seq     uint64
	// echo reports whether a stealth page reported the error without its value, and it may be a worker's; paired
	// whether both reports are there.
	echo, paired bool
	stamp        float64 // of the event, as a stealth page reported it
}

func (e *Error) weight() int { return len(e.Text) + len(e.URL) + len(e.Stack) }

// Console returns the messages of some tabs, oldest first, and how many older ones were dropped for the limits.
func (j *Journal) Console(tabs ...model.TargetID) (messages []Message, dropped int) {
	return gather(j, tabs, func(b *tabRecords) *ring[*Message] { return &b.messages }, func(m *Message) uint64 { return m.seq },
		func(m *Message) { m.Earlier = true })
}

// Errors returns the uncaught errors of some tabs, oldest first, and how many older ones were dropped for the limits.
func (j *Journal) Errors(tabs ...model.TargetID) (errors []Error, dropped int) {
	return gather(j, tabs, func(b *tabRecords) *ring[*Error] { return &b.errors }, func(e *Error) uint64 { return e.seq },
		func(e *Error) { e.Earlier = true })
}

// gather copies the records of some tabs, oldest first, and counts what was dropped of them. It calls earlier with those from before
// the present document of their tab.
func gather[T any, P interface {
	*T
	sized
}](j *Journal, tabs []model.TargetID, list func(*tabRecords) *ring[P], seq func(*T) uint64, earlier func(*T)) (records []T, dropped int) {
	j.mu.Lock()
	for _, id := range tabs {
		if b := j.records[id]; b != nil {
			for _, r := range list(b).all() {
				records = append(records, *r)
				if last := &records[len(records)-1]; seq(last) <= b.since {
					earlier(last)
				}
			}
			dropped += list(b).dropped
		}
	}
	j.mu.Unlock()
	if len(tabs) > 1 {
		slices.SortFunc(records, func(a, b T) int { return cmp.Compare(seq(&a), seq(&b)) })
	}
	return records, dropped
}

// Message returns the console message of a tab with the number of a [model.Change]; nil if there is none, or none any more.
func (j *Journal) Message(tab model.TargetID, number uint64) *Message {
	return latest(j, tab, func(b *tabRecords) *ring[*Message] { return &b.messages }, func(m *Message) bool { return m.seq == number })
}

// Error returns the uncaught error of a tab with the number of a [model.Change]; nil if there is none, or none any more.
func (j *Journal) Error(tab model.TargetID, number uint64) *Error {
	return latest(j, tab, func(b *tabRecords) *ring[*Error] { return &b.errors }, func(e *Error) bool { return e.seq == number })
}

// latest returns a copy of the latest record of a tab that is wanted.
func latest[T any, P interface {
	*T
	sized
}](j *Journal, tab model.TargetID, list func(*tabRecords) *ring[P], wanted func(*T) bool) *T {
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.records[tab]
	if b == nil {
		return nil
	}
	for _, r := range slices.Backward(list(b).all()) {
		if wanted(r) {
			found := *r
			return &found
		}
	}
	return nil
}

// ClearConsole drops the messages of some tabs and returns how many there were.
func (j *Journal) ClearConsole(tabs ...model.TargetID) int {
	return j.clear(tabs, func(b *tabRecords) (int, int) { return b.messages.clear() })
}

// ClearErrors drops the errors of some tabs and returns how many there were.
func (j *Journal) ClearErrors(tabs ...model.TargetID) int {
	return j.clear(tabs, func(b *tabRecords) (int, int) { return b.errors.clear() })
}

func (j *Journal) clear(tabs []model.TargetID, empty func(*tabRecords) (records, bytes int)) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	total := 0
	for _, id := range tabs {
		if b := j.records[id]; b != nil {
			records, bytes := empty(b)
			total += records
			j.bytes -= bytes
		}
	}
	return total
}

func (j *Journal) consoleCalled(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		Type      string           `json:"type"`
		Args      []jsontext.Value `json:"args"`
		Context   int64            `json:"executionContextId"`
		Timestamp float64          `json:"timestamp"`
		Stack     *console.Stack   `json:"stackTrace"`
	}
	if !decode(ev, &p) {
		return
	}
	m := &Message{Type: p.Type, Args: p.Args, Timestamp: int64(p.Timestamp)}
	objects := make([]console.Value, len(p.Args))
	for i, raw := range p.Args {
		objects[i] = console.Read(raw)
		m.Args[i] = console.Shorten(raw, &objects[i])
	}
	if m.Args == nil {
		m.Args = []jsontext.Value{}
	}
	m.Text = cut(console.Line(objects, 2*maxText))
	if p.Stack != nil && len(p.Stack.CallFrames) > 0 {
		f := &p.Stack.CallFrames[0]
		m.URL, m.Line, m.Column = cut(f.URL), f.Line+1, f.Column+1
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil || j.isRepeated(ev.SessionID, p.Timestamp) {
		return
	}
	m.Frame, m.Worker = j.frameOf(ev.SessionID, p.Context), j.isWorker(ev.SessionID)
	j.addMessage(b, m)
}

// addMessage needs mu.
func (j *Journal) addMessage(b *tabRecords, m *Message) {
	m.Tab, m.seq = b.id, j.next()
	j.note(b, model.Change{Kind: model.ConsoleMessage, Record: m.seq, Frame: m.Frame, Detail: m.Type, Text: m.Text, URL: m.URL})
	j.bytes += b.messages.add(m, j.limits.Messages)
	j.trim()
}

// isWorker needs mu.
func (j *Journal) isWorker(sessionID string) bool {
	s := j.sessions[sessionID]
	return s != nil && s.worker
}

func (j *Journal) exceptionThrown(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		Timestamp float64 `json:"timestamp"`
		Details   struct {
			ID        int64          `json:"exceptionId"`
			Text      string         `json:"text"`
			Line      int            `json:"lineNumber"`   // from 0
			Column    int            `json:"columnNumber"` // from 0
			URL       string         `json:"url"`
			Stack     *console.Stack `json:"stackTrace"`
			Exception jsontext.Value `json:"exception"`
			Context   int64          `json:"executionContextId"`
		} `json:"exceptionDetails"`
	}
	if !decode(ev, &p) {
		return
	}
	d := &p.Details
	e := &Error{
		URL: cut(d.URL), Line: d.Line + 1, Column: d.Column + 1, Timestamp: int64(p.Timestamp),
		id: d.ID, session: ev.SessionID,
	}
	if e.URL == "" && d.Stack != nil {
		for _, f := range d.Stack.CallFrames {
			if f.URL != "" {
				e.URL, e.Line, e.Column = cut(f.URL), f.Line+1, f.Column+1
				break
			}
		}
	}
	text, stack := console.ErrorText(d.Text, d.Exception, d.Stack)
	e.Text, e.Stack = cut(text), cut(stack)
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil || j.isRepeated(ev.SessionID, p.Timestamp) {
		return
	}
	e.Frame, e.Worker = j.frameOf(ev.SessionID, d.Context), j.isWorker(ev.SessionID)
	j.addError(b, e)
}

// addError needs mu.
func (j *Journal) addError(b *tabRecords, e *Error) {
	e.Tab, e.seq = b.id, j.next()
	j.note(b, model.Change{Kind: model.PageError, Record: e.seq, Frame: e.Frame, Text: e.Text, URL: e.URL})
	j.bytes += b.errors.add(e, j.limits.Errors)
	j.trim()
}

// exceptionRevoked records that a rejected promise got a handler after it had been reported.
func (j *Journal) exceptionRevoked(ev *cdp.Event, tab model.TargetID) {
	var p struct {
		ID int64 `json:"exceptionId"`
	}
	if !decode(ev, &p) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.recordsOf(ev.SessionID, tab)
	if b == nil {
		return
	}
	for _, e := range slices.Backward(b.errors.all()) {
		if e.id == p.ID && e.session == ev.SessionID {
			e.Handled = true
			return
		}
	}
}
