package network

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/supervisor/stream"
	"github.com/usher-browser/usher/internal/verb"
)

// ErrSessionClosed is the cause of the end of a verb that follows a session when that session is closed.
var ErrSessionClosed = errors.New("the session was closed")

// eventVerbs are those about the stream of what happens.

// Events is the result of `events` without --follow.
type Events struct {
	Stream string  `json:"stream"` // identifies the stream: another browser, another name
	Events []Event `json:"events"`
	First  uint64  `json:"first"` // number of the oldest event that is stored
	Last   uint64  `json:"last"`  // of the last one returned: --since continues after it
	Lost   uint64  `json:"lost"`  // events after --since that were dropped
	// Restarted reports whether --since was of another stream.
	Restarted bool `json:"restarted,omitzero"`
}

// Event is an event in the output.
type Event struct {
	model.Change
	TabID string `json:"tab,omitzero"`
}

// marker is a line about the stream itself. Its Type is one of the names below.
type marker struct {
	Type   string `json:"type"`
	Stream string `json:"stream,omitzero"`
	// Session is the session whose browser is awaited.
	Session string `json:"session,omitzero"`
	// First and Last are the numbers of the oldest event that is stored and of the newest there was.
	First uint64 `json:"first,omitzero"`
	Last  uint64 `json:"last"`
	Lost  uint64 `json:"lost,omitzero"`
	Why   string `json:"why,omitzero"`
}

// The kinds of marker.
const (
	markWaiting   = "waiting"   // there is no browser yet; a stream follows when there is one
	markStream    = "stream"    // the first line of a stream: which it is
	markRestarted = "restarted" // the number to go on from belongs to another stream
	markLost      = "lost"      // some of the requested events were dropped
	markDropped   = "dropped"   // the reader was too slow; Last is the last event it got
	markClosed    = "closed"    // no more events will come
	markTimeout   = "timeout"   // --timeout is over
)

func (m *marker) line() string {
	switch m.Type {
	case markWaiting:
		return "— session " + m.Session + " has no browser yet; its events follow once it has one"
	case markStream:
		return fmt.Sprintf("— stream %s, %d events until now", m.Stream, m.Last)
	case markRestarted:
		return "— the number belongs to another stream (the browser or the daemon was restarted); all kept events follow"
	case markLost:
		return fmt.Sprintf("— %d events are no longer kept; continuing with number %d", m.Lost, m.First)
	case markDropped:
		return fmt.Sprintf("— disconnected after %s:%d: %s", m.Stream, m.Last, m.Why)
	}
	return fmt.Sprintf("— %s after %s:%d: %s", m.Type, m.Stream, m.Last, m.Why)
}

// watching is one run of events.
type subscription struct {
	stream *stream.Stream
	after  uint64
	types  []string
	tab    func(*model.Change) bool
	asJSON bool
	emit   func([]byte) error
	marks  []marker // about where it begins
}

func events(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Events], error) {
	w := &subscription{stream: e.Browser.Stream(e.Context), types: c.List("types"), asJSON: e.Settings.JSON, emit: e.Emit}
	if err := checkTypes(w.types); err != nil {
		return run.Reply[*Events]{}, err
	}
	if err := w.ofTab(e, c); err != nil {
		return run.Reply[*Events]{}, err
	}
	if wanted := w.tab; e.Sites != nil {
		w.tab = func(ch *model.Change) bool { return wanted(ch) && !e.Filtered(ctx, ch) }
	}
	if err := w.since(c, e.Waited); err != nil {
		return run.Reply[*Events]{}, err
	}
	if !c.Bool("follow") {
		return w.now(), nil
	}
	if e.Emit == nil {
		return run.Reply[*Events]{}, api.Errorf(api.InvalidArgument, "events --follow cannot be used in a batch, because it runs until the session ends").
			WithHint("Omit --follow to print the events until now.")
	}
	if e.Limited {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, e.Limit, run.ErrLimit)
		defer cancel()
	}
	return w.follow(ctx)
}

// checkTypes refuses what is no kind of event and no family of kinds.
func checkTypes(types []string) error {
	var known []string
	for _, k := range model.ChangeKinds() {
		if f := k.Family(); !slices.Contains(known, f) {
			known = append(known, f)
		}
	}
	for _, name := range types {
		if !slices.Contains(known, name) && !slices.Contains(model.ChangeKinds(), model.ChangeKind(name)) {
			return api.Errorf(api.InvalidArgument, "events: there is no type %q", name).
				WithHint("The families are %s; a type is a family and an event, such as dialog_opened.", strings.Join(known, ", "))
		}
	}
	return nil
}

// ofTab parses --tab. The events of a closed tab are still in the stream.
func (w *subscription) ofTab(e *run.Env, c *verb.Call) error {
	w.tab = func(*model.Change) bool { return true }
	if !c.Has("tab") {
		return nil
	}
	name := c.Str("tab")
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "t")); err == nil && name[0] == 't' {
		w.tab = func(ch *model.Change) bool { return ch.Number == n }
		return nil
	}
	t, err := e.FindTab(name)
	if err != nil {
		return err
	}
	w.tab = func(ch *model.Change) bool { return ch.Tab == t.ID }
	return nil
}

// since parses --since and emits the markers for it. A caller who waited for the browser gets all events.
func (w *subscription) since(c *verb.Call, waited bool) error {
	first, last := w.stream.Bounds()
	w.mark(marker{Type: markStream, First: first, Last: last})
	if !c.Has("since") {
		if c.Bool("follow") && !waited {
			w.after = last
		} else if first > 1 {
			w.after = first - 1
			w.mark(marker{Type: markLost, Lost: first - 1, First: first, Last: last})
		}
		return nil
	}
	text := c.Str("since")
	stream, number, named := strings.Cut(text, ":")
	if !named {
		stream, number = w.stream.ID(), text
	}
	n, err := strconv.ParseUint(number, 10, 63)
	if err != nil {
		return api.Errorf(api.InvalidArgument, "events --since takes a number such as 120 or %s:120, not %q", w.stream.ID(), text)
	}
	w.after = n
	if stream != w.stream.ID() || n > last { // numbers of this stream go no further
		w.after = first - 1
		w.mark(marker{Type: markRestarted, First: first, Last: last})
	}
	if w.after+1 < first {
		w.mark(marker{Type: markLost, Lost: first - w.after - 1, First: first, Last: last})
		w.after = first - 1
	}
	return nil
}

func (w *subscription) mark(m marker) {
	m.Stream = w.stream.ID()
	w.marks = append(w.marks, m)
}

// wants reports whether an event is to be printed.
func (w *subscription) wants(c *model.Change) bool {
	return w.tab(c) && (len(w.types) == 0 || slices.Contains(w.types, string(c.Kind)) || slices.Contains(w.types, c.Kind.Family()))
}

// now returns the result without --follow.
func (w *subscription) now() run.Reply[*Events] {
	list, lost := w.stream.After(w.after, 1<<30)
	data := &Events{Stream: w.stream.ID(), First: w.marks[0].First, Events: []Event{}}
	var lines []string
	for _, m := range w.marks[1:] {
		lines = append(lines, m.line())
		switch m.Type {
		case markRestarted:
			data.Restarted = true
		case markLost:
			lost += m.Lost
		}
	}
	last := w.after
	for i := range list {
		last = list[i].Seq
		if w.wants(&list[i]) {
			data.Events = append(data.Events, row(&list[i]))
			lines = append(lines, eventLine(&list[i]))
		}
	}
	data.Last, data.Lost = last, lost
	if len(data.Events) == 0 {
		lines = append(lines, "No events")
	}
	lines = append(lines, fmt.Sprintf("— end of the events so far; `events --since %s:%d` continues", w.stream.ID(), last))
	return run.Reply[*Events]{Data: data, Text: strings.Join(lines, "\n")}
}

func row(c *model.Change) Event {
	r := Event{Change: *c}
	if c.Number > 0 {
		r.TabID = "t" + strconv.Itoa(c.Number)
	}
	return r
}

// eventLine returns an event for people: number, time, tab, what.
func eventLine(c *model.Change) string {
	tab := row(c).TabID
	if tab == "" {
		tab = "-"
	}
	return fmt.Sprintf("%6d  %s  %-3s %s", c.Seq, c.At.Local().Format("15:04:05.000"), tab, c.Sentence(run.OneLine))
}

// follow prints events as they happen.
func (w *subscription) follow(ctx context.Context) (run.Reply[*Events], error) {
	sub := w.stream.Subscribe(w.after)
	for i := range w.marks {
		if err := w.print(&w.marks[i]); err != nil {
			return run.Reply[*Events]{}, err
		}
	}
	for {
		list, err := sub.Next(ctx)
		if err != nil {
			return w.finish(sub, err)
		}
		var out []byte
		for i := range list {
			if !w.wants(&list[i]) {
				continue
			}
			if out, err = w.append(out, row(&list[i]), func() string { return eventLine(&list[i]) }); err != nil {
				return run.Reply[*Events]{}, err
			}
		}
		if err := w.send(out); err != nil {
			return run.Reply[*Events]{}, err
		}
	}
}

// PrintWaiting reports to a follower that its session has no browser yet.
func PrintWaiting(emit func([]byte) error, session string, asJSON bool) error {
	w := &subscription{emit: emit, asJSON: asJSON}
	return w.print(&marker{Type: markWaiting, Session: session})
}

// finish reports why no more events come.
func (w *subscription) finish(sub *stream.Subscription, err error) (run.Reply[*Events], error) {
	end := marker{Type: markClosed, Stream: w.stream.ID(), Last: sub.Last(), Why: err.Error()}
	var behind *stream.FellBehindError
	var ended *stream.EndedError
	switch {
	case errors.As(err, &behind):
		end.Type, end.Lost = markDropped, behind.Lost
		if serr := w.print(&end); serr != nil {
			return run.Reply[*Events]{}, serr
		}
		return run.Reply[*Events]{}, api.Errorf(api.EventsLost, "events --follow: %w", err).With("stream", w.stream.ID()).With("last", sub.Last()).
			WithHint("Continue with `events --follow --since %s:%d`, or select fewer events with --types.", w.stream.ID(), sub.Last())
	case errors.Is(err, run.ErrLimit):
		end.Type, end.Why = markTimeout, "the timeout expired"
	case errors.As(err, &ended), errors.Is(err, ErrSessionClosed):
	default:
		return run.Reply[*Events]{}, err
	}
	return run.Reply[*Events]{Streamed: true}, w.print(&end)
}

func (w *subscription) print(m *marker) error {
	out, err := w.append(nil, m, m.line)
	if err != nil {
		return err
	}
	return w.send(out)
}

// append adds a line: v as JSON, or text.
func (w *subscription) append(out []byte, v any, text func() string) ([]byte, error) {
	if !w.asJSON {
		return append(append(out, text()...), '\n'), nil
	}
	out, err := api.AppendJSON(out, v)
	if err != nil {
		return nil, api.Errorf(api.Internal, "events: %w", err)
	}
	return append(out, '\n'), nil
}

func (w *subscription) send(out []byte) error {
	if len(out) == 0 {
		return nil
	}
	if err := w.emit(out); err != nil {
		return api.Errorf(api.Cancelled, "events: the reader closed the stream: %w", err)
	}
	return nil
}
