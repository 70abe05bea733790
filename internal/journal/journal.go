// Package journal records what the pages of one browser did: their console messages, uncaught exceptions and requests.
//
// [Journal.Tap] receives every event from the supervisor in order. It decodes the few events that it uses into small
// records and stores them by tab; frames in other processes and workers count to the tab they belong to. Records are
// bounded in number and in bytes: the oldest are dropped first and counted, so that a result can state how many are
// missing.
//
//	supervisor --event--> Tap --decode--> owner of the CDP session --> its tabRecords
//	                                                                    | ring of messages
//	readers: Console, Errors, Requests, Detail  <------ copies ---------+ ring of errors
//	waits:   WaitIdle  <------- wake-ups -------------------------------+ ring of requests
//	                                                                    | requests in flight
package journal

import (
	"cmp"
	"slices"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Limits bound the stored records. Zero fields take the values of DefaultLimits.
type Limits struct {
	// Messages, Errors and Requests are the largest numbers of records per tab.
	Messages, Errors, Requests int
	// Bytes is the largest size of the texts of all records of all tabs together; the fullest list drops its oldest
	// records first.
	Bytes int
}

// DefaultLimits suffice for a page of 10,000 requests twice over. A request with the headers of both sides has about
// 1.5 kB, so 20,000 of them fit.
var DefaultLimits = Limits{Messages: 2000, Errors: 1000, Requests: 20000, Bytes: 48 << 20}

func (l Limits) orDefault() Limits {
	return Limits{
		Messages: cmp.Or(l.Messages, DefaultLimits.Messages),
		Errors:   cmp.Or(l.Errors, DefaultLimits.Errors),
		Requests: cmp.Or(l.Requests, DefaultLimits.Requests),
		Bytes:    cmp.Or(l.Bytes, DefaultLimits.Bytes),
	}
}

// maxText bounds one text from a page, in bytes: a URL, a console line, a stack. Longer ones are cut, with a mark.
const maxText = 256 << 10

// Journal stores the records of one browser. Its methods may be called from any goroutine, except Tap, which belongs to
// the goroutine of the connection.
type Journal struct {
	mark string // of the reporter of a stealth browser; empty for none

	limits Limits
	noting bool           // used by the goroutine of Tap only: Tap was given a note function
	notes  []model.Change // belongs to the goroutine of Tap

	mu          sync.Mutex
	seq         uint64                         // guarded by mu: order of records over all tabs
	records     map[model.TargetID]*tabRecords // guarded by mu
	sessions    map[string]*session            // guarded by mu: by CDP session
	bytes       int                            // guarded by mu: of all records
	lastMessage map[model.TargetID]float64     // guarded by mu: of targets without a session, the time of the last message
	// recordings are the HARs being recorded.
	recordings map[model.ContextID]*recording // guarded by mu
	later      []func()                       // guarded by mu: calls to make when mu is free
}

// tabRecords are the records of one tab, or of one worker that belongs to none.
type tabRecords struct {
	id       model.TargetID
	context  model.ContextID
	messages ring[*Message]
	errors   ring[*Error]
	network  network
	since    uint64 // the last record before the present document
}

// session is the target of a CDP session.
type session struct {
	owner    model.TargetID
	target   model.TargetID
	context  model.ContextID
	worker   bool
	contexts map[int64]model.FrameID // JavaScript contexts of frames
	// last is the time of the newest message, in Chromium's milliseconds; before is that of an earlier session to the
	// same target, while its messages may be repeated.
	last, before float64
}

// New returns an empty journal. Hand it to the supervisor's Options as an observer.
func New(l Limits) *Journal {
	return &Journal{
		limits: l.orDefault(), records: map[model.TargetID]*tabRecords{}, sessions: map[string]*session{},
		lastMessage: map[model.TargetID]float64{}, recordings: map[model.ContextID]*recording{},
	}
}

// Tap handles one event. tab is the tab of the event's CDP session. note, if set, is called with a short form of each
// message, error and request when it is recorded. Events of an unknown shape are ignored, because later versions of
// Chromium may change them.
func (j *Journal) Tap(ev cdp.Event, tab model.TargetID, note func(model.Change)) {
	j.noting = note != nil
	j.dispatch(ev, tab)
	j.makeCalls()
	for _, c := range j.notes {
		note(c)
	}
	j.notes = j.notes[:0]
}

// note queues a note until the event has been stored: the receiver may take locks of its own. The caller holds mu.
func (j *Journal) note(b *tabRecords, c model.Change) {
	if j.noting {
		c.Tab, c.Context = b.id, b.context
		j.notes = append(j.notes, c)
	}
}

func (j *Journal) dispatch(ev cdp.Event, tab model.TargetID) {
	switch ev.Method {
	case "Target.attachedToTarget":
		j.attached(&ev, tab)
	case "Target.detachedFromTarget":
		j.detached(&ev)
	case "Target.targetDestroyed":
		j.destroyed(&ev)
	case "Target.targetCrashed":
		j.crashed(&ev)
	case "Runtime.executionContextCreated":
		j.contextCreated(&ev)
	case "Runtime.executionContextDestroyed":
		j.contextDestroyed(&ev)
	case "Runtime.executionContextsCleared":
		j.contextsCleared(&ev)
	case "Runtime.consoleAPICalled":
		j.consoleCalled(&ev, tab)
	case "Console.messageAdded":
		j.consoleAdded(&ev, tab)
	case "Runtime.exceptionThrown":
		j.exceptionThrown(&ev, tab)
	case "Runtime.exceptionRevoked":
		j.exceptionRevoked(&ev, tab)
	case "Page.frameNavigated":
		j.frameNavigated(&ev, tab)
	case "Page.frameDetached":
		j.frameDetached(&ev, tab)
	case "Page.lifecycleEvent":
		j.lifecycle(&ev, tab)
	default:
		j.tapNetwork(&ev, tab)
	}
}

func decode(ev *cdp.Event, into any) bool {
	return jsonv2.Unmarshal(ev.Params, into, jsontext.AllowInvalidUTF8(true)) == nil
}

// Tabs lists the owners of the records of a browser context: tabs, and workers that belong to no tab (service and
// shared workers), in the order of their ids.
func (j *Journal) Tabs(c model.ContextID) []model.TargetID {
	j.mu.Lock()
	defer j.mu.Unlock()
	var ids []model.TargetID
	for id, b := range j.records {
		if b.context == c {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// recordsOf returns the records of the tab or worker of an event, or nil. The caller holds mu.
func (j *Journal) recordsOf(sessionID string, tab model.TargetID) *tabRecords {
	s := j.sessions[sessionID]
	if s != nil {
		return j.records[s.owner]
	}
	if tab == "" {
		return nil
	}
	return j.open(tab, "")
}

// open returns the records of a tab or worker, new ones if need be. The caller holds mu.
func (j *Journal) open(id model.TargetID, c model.ContextID) *tabRecords {
	b := j.records[id]
	if b == nil {
		b = &tabRecords{id: id, context: c}
		b.network.init()
		j.records[id] = b
	}
	if b.context == "" {
		b.context = c
	}
	return b
}

func (j *Journal) attached(ev *cdp.Event, parent model.TargetID) {
	var p struct {
		SessionID string `json:"sessionId"`
		Info      struct {
			TargetID model.TargetID  `json:"targetId"`
			Type     string          `json:"type"`
			Context  model.ContextID `json:"browserContextId"`
		} `json:"targetInfo"`
	}
	if !decode(ev, &p) || p.SessionID == "" || p.Info.TargetID == "" {
		return
	}
	s := &session{target: p.Info.TargetID, context: p.Info.Context, owner: parent}
	switch p.Info.Type {
	case "page", "iframe":
	case "worker", "service_worker", "shared_worker", "worklet", "shared_storage_worklet", "auction_worklet":
		s.worker = true
	default:
		return // the browser's own helpers do nothing a page did
	}
	if p.Info.Type == "page" || parent == "" {
		s.owner = p.Info.TargetID
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s.before, s.last = j.lastMessage[s.target], j.lastMessage[s.target]
	delete(j.lastMessage, s.target)
	j.sessions[p.SessionID] = s
	j.open(s.owner, p.Info.Context)
}

// maxLastMessages bounds the times stored for targets that may return.
const maxLastMessages = 4096

// isRepeated reports whether a console message or exception was recorded on an earlier session to the same target:
// Runtime.enable repeats those of the present documents, with their times (measured on Chromium 156). So after a lost
// connection no record is there twice, and those made meanwhile are not missed. The caller holds mu.
func (j *Journal) isRepeated(sessionID string, at float64) bool {
	s := j.sessions[sessionID]
	if s == nil {
		return false
	}
	if s.before > 0 && at <= s.before {
		return true
	}
	s.before, s.last = 0, at // the repetition is in order and has ended
	return false
}

func (j *Journal) detached(ev *cdp.Event) {
	var p struct {
		SessionID string `json:"sessionId"`
	}
	if !decode(ev, &p) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.sessions[p.SessionID]
	if s == nil {
		return
	}
	delete(j.sessions, p.SessionID)
	if len(j.lastMessage) >= maxLastMessages {
		clear(j.lastMessage)
	}
	j.lastMessage[s.target] = s.last
	if b := j.records[s.owner]; b != nil {
		b.network.abandon(func(r *record) bool { return r.session == p.SessionID })
		j.abandonCaptures(func(r *record) bool { return r.session == p.SessionID })
		if s.worker && s.owner == s.target {
			j.close(b)
		}
	}
}

func (j *Journal) destroyed(ev *cdp.Event) {
	var p struct {
		TargetID model.TargetID `json:"targetId"`
	}
	if !decode(ev, &p) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	b := j.records[p.TargetID]
	if b == nil {
		return
	}
	for id, s := range j.sessions {
		if s.owner == p.TargetID {
			delete(j.sessions, id)
		}
	}
	delete(j.lastMessage, p.TargetID)
	j.close(b)
}

// close drops all records of a tab or worker. The caller holds mu.
func (j *Journal) close(b *tabRecords) {
	delete(j.records, b.id)
	j.abandonCaptures(func(r *record) bool { return r.Tab == b.id })
	j.bytes -= b.messages.bytes + b.errors.bytes + b.network.list.bytes
	b.network.close()
}

func (j *Journal) crashed(ev *cdp.Event) {
	var p struct {
		TargetID model.TargetID `json:"targetId"`
	}
	if !decode(ev, &p) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if b := j.records[p.TargetID]; b != nil {
		b.network.abandon(func(*record) bool { return true })
	}
}

func (j *Journal) contextCreated(ev *cdp.Event) {
	var p struct {
		Context struct {
			ID  int64 `json:"id"`
			Aux struct {
				Frame model.FrameID `json:"frameId"`
			} `json:"auxData"`
		} `json:"context"`
	}
	if !decode(ev, &p) || p.Context.Aux.Frame == "" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.sessions[ev.SessionID]; s != nil {
		if s.contexts == nil {
			s.contexts = map[int64]model.FrameID{}
		}
		s.contexts[p.Context.ID] = p.Context.Aux.Frame
	}
}

func (j *Journal) contextDestroyed(ev *cdp.Event) {
	var p struct {
		ID int64 `json:"executionContextId"`
	}
	if !decode(ev, &p) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.sessions[ev.SessionID]; s != nil {
		delete(s.contexts, p.ID)
	}
}

func (j *Journal) contextsCleared(ev *cdp.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.sessions[ev.SessionID]; s != nil {
		clear(s.contexts)
	}
}

// frameOf returns the frame of a JavaScript context of a CDP session, empty for workers. The caller holds mu.
func (j *Journal) frameOf(sessionID string, context int64) model.FrameID {
	if s := j.sessions[sessionID]; s != nil {
		return s.contexts[context]
	}
	return ""
}

// next numbers a record. The caller holds mu.
func (j *Journal) next() uint64 {
	j.seq++
	return j.seq
}

// trim drops the oldest records of the fullest lists until all fit in the byte limit, with a margin so that it need not
// search again at once. The caller holds mu.
func (j *Journal) trim() {
	if j.bytes <= j.limits.Bytes {
		return
	}
	for goal := j.limits.Bytes / 16 * 15; j.bytes > goal; {
		var fullest *tabRecords
		most, drop := 0, func() int { return 0 }
		for _, b := range j.records {
			for _, list := range []struct {
				bytes int
				drop  func(*tabRecords) int
			}{
				{b.messages.bytes, func(b *tabRecords) int { return b.messages.dropOldest() }},
				{b.errors.bytes, func(b *tabRecords) int { return b.errors.dropOldest() }},
				{b.network.list.bytes, func(b *tabRecords) int { return b.network.dropOldest() }},
			} {
				if list.bytes > most {
					most, fullest = list.bytes, b
					drop = func() int { return list.drop(fullest) }
				}
			}
		}
		if fullest == nil {
			return
		}
		// A sixteenth of the fullest list at a time keeps the search rare.
		for freed := 0; freed <= most/16 && j.bytes > goal; {
			n := drop()
			freed += n
			j.bytes -= n
			if n == 0 {
				break
			}
		}
	}
}

// cut shortens a text a page chose.
func cut(s string) string { return model.Cut(s, maxText) }
