package vm

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	js "modernc.org/libquickjs"

	"github.com/usher-browser/usher/internal/script/message"
)

// The limits of a run. The daemon has the same for what it keeps.
const (
	MaxInFlight = 1000      // calls that are sent and not answered
	maxQueued   = 20_000    // calls that wait to be sent
	maxQueue    = 48 << 20  // bytes of their parameters
	maxTimers   = 1_000_000 // at a time
)

// sent is a call without an answer.
type sent struct {
	method string
	at     time.Time
	beside bool // the code is not to await it
}

// functions are what the prelude calls.
func (m *machine) functions() map[string]native {
	return map[string]native{
		"send": m.send, "cancel": m.cancel, "done": m.done, "value": m.setValue, "error": m.setError, "output": m.output,
		"timer": m.setTimer, "now": m.now, "zone": m.zone, "lock": m.lock,
		"classOf": m.classOf, "promise": m.promise, "isJSON": m.isJSON, "isOutOfMemory": m.isOutOfMemory,
		"inCode": m.inCode, "codeFrames": m.codeFrames, "place": m.place, "placed": m.placed, "stackOf": m.stackOf,
		"encode": m.encode, "decode": m.decode, "read": m.read, "random": m.random, "url": m.url, "unescape": m.unescape,
	}
}

var errOver = errors.New("the run has ended")

var errArguments = errors.New("the prelude called a native with other arguments than it has")

// texts returns the arguments, all of which are strings.
func (m *machine) texts(args []value, n int) ([]string, error) {
	if len(args) != n {
		return nil, errArguments
	}
	texts := make([]string, n)
	for i := range texts {
		s, ok := m.toText(args[i])
		if !ok {
			return nil, errArguments
		}
		texts[i] = s
	}
	return texts, nil
}

// send sends a call: its number, method and parameters as JSON, "" for none, whether the code is not to await it, and what the code called
// for it.
func (m *machine) send(args []value) (value, error) {
	if len(args) != 5 {
		return undefined, errArguments
	}
	if m.stop.Load() { // a loop may go on for a while: promises keep what interrupts it
		return undefined, errOver
	}
	texts, err := m.texts([]value{args[1], args[2], args[4]}, 3)
	if err != nil {
		return undefined, err
	}
	c := &message.Message{Type: message.Call, ID: int64(toFloat(args[0])), Name: texts[0], Label: texts[2]}
	if texts[1] != "" {
		if len(texts[1]) > maxQueue {
			return undefined, fmt.Errorf("%w: the arguments of %s have %d MB of JSON, more than the limit of %d MB", errRange, texts[0], len(texts[1])>>20, maxQueue>>20)
		}
		if c.Value, err = jsonValue(texts[1]); err != nil {
			return undefined, err
		}
	}
	if len(m.calls) < MaxInFlight {
		m.dispatch(c, toFloat(args[3]) != 0)
		return undefined, nil
	}
	if len(m.queue) >= maxQueued || m.queued+len(c.Value) > maxQueue {
		m.abort(&message.Error{Name: "RangeError", Message: fmt.Sprintf("the code has made %d calls without awaiting them", len(m.calls)+len(m.queue)),
			Hint: "Await each call, or some at a time with Promise.all."})
		return undefined, nil
	}
	m.queue, m.queued = append(m.queue, c), m.queued+len(c.Value)
	return undefined, nil
}

// cancel ends a call, which is answered nevertheless.
func (m *machine) cancel(args []value) (value, error) {
	if len(args) != 1 {
		return undefined, errArguments
	}
	id := int64(toFloat(args[0]))
	if _, waits := m.calls[id]; waits {
		m.out.write(&message.Message{Type: message.Cancel, ID: id})
	}
	return undefined, nil
}

// dispatch sends a call to the daemon.
func (m *machine) dispatch(c *message.Message, beside bool) {
	m.calls[c.ID] = sent{c.Called(), time.Now(), beside}
	m.out.write(c)
}

// answered takes the answer to a call, and sends one that waited for its place.
func (m *machine) answered(a *message.Message) error {
	m.took = time.Since(m.calls[a.ID].at)
	delete(m.calls, a.ID)
	if len(m.queue) > 0 && len(m.calls) < MaxInFlight {
		c := m.queue[0]
		m.queue, m.queued = m.queue[1:], m.queued-len(c.Value)
		m.dispatch(c, false)
	}
	text, ok := string(a.Value), true
	if a.Error != nil {
		e, err := json.Marshal(a.Error)
		if err != nil {
			return err
		}
		text, ok = string(e), false
	}
	t := m.text(text)
	defer m.free(t)
	return m.enter("settle", number(float64(a.ID)), boolean(ok), t)
}

// abort ends the run at once.
func (m *machine) abort(e *message.Error) {
	if m.ended {
		return
	}
	m.thrown, m.ended = e, true
	m.expire(m.round)
}

func (m *machine) done([]value) (value, error) {
	m.ended = true
	return undefined, nil
}

func (m *machine) setValue(args []value) (value, error) {
	texts, err := m.texts(args, 2)
	if err != nil {
		return undefined, err
	}
	v, err := jsonValue(texts[0])
	if err != nil {
		return undefined, err
	}
	m.outcome = message.Outcome{Value: v, Text: withoutSurrogates(texts[1])}
	return undefined, nil
}

func (m *machine) setError(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	if err != nil {
		return undefined, err
	}
	if m.ended && m.thrown != nil { // why the run was ended tells more than what that threw in the code
		return undefined, nil
	}
	m.thrown = m.errorFrom(texts[0])
	return undefined, nil
}

// output shows something: its kind, level, text, or data in base64 for an image, and media type. It returns false when the run has shown
// all that it may.
func (m *machine) output(args []value) (value, error) {
	if m.shown.left > 0 { // so that a flood costs little
		m.shown.left++
		return boolean(false), nil
	}
	texts, err := m.texts(args, 4)
	if err != nil {
		return undefined, err
	}
	o := &message.Shown{Kind: texts[0], Level: texts[1], MIMEType: texts[3]}
	if o.Kind == "image" {
		if o.Data, err = base64.StdEncoding.DecodeString(texts[2]); err != nil {
			return undefined, fmt.Errorf("the image's data is not base64: %w", err)
		}
	} else {
		o.Text = withoutSurrogates(texts[2])
	}
	m.show(o)
	return boolean(m.shown.left == 0), nil
}

// setTimer starts a timer, by number and milliseconds, or ends one for a negative time.
func (m *machine) setTimer(args []value) (value, error) {
	if len(args) != 2 {
		return undefined, errArguments
	}
	id, ms := int64(toFloat(args[0])), toFloat(args[1])
	if ms < 0 {
		m.timers.remove(id)
		return undefined, nil
	}
	if m.timers.Len() >= maxTimers {
		return undefined, fmt.Errorf("%w: %d timers are running", errRange, m.timers.Len())
	}
	m.timers.add(id, time.Now().Add(time.Duration(ms*float64(time.Millisecond))))
	return undefined, nil
}

func (m *machine) now([]value) (value, error) {
	return number(float64(time.Since(m.began).Nanoseconds()) / 1e6), nil
}

// classOf returns a number that values of one kind have in common.
func (m *machine) classOf(args []value) (value, error) {
	if len(args) != 1 {
		return undefined, errArguments
	}
	return number(float64(js.XJS_GetClassID(m.tls, args[0]))), nil
}

// promise returns 0 for a promise that is pending, else 1 or 2 and its value, in an array.
func (m *machine) promise(args []value) (value, error) {
	if len(args) != 1 {
		return undefined, errArguments
	}
	state := js.XJS_PromiseState(m.tls, m.ctx, args[0])
	result := undefined
	if state > 0 {
		result = js.XJS_PromiseResult(m.tls, m.ctx, args[0])
	}
	return m.pair(number(float64(state)), result), nil
}

// pair returns an array of two values, which it takes over.
func (m *machine) pair(a, b value) value {
	array := js.XJS_NewArray(m.tls, m.ctx)
	m.setProperty(array, "0", a)
	m.setProperty(array, "1", b)
	return array
}

func (m *machine) isJSON(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	if err != nil {
		return undefined, err
	}
	return boolean(jsontext.Value(wellFormed(texts[0])).IsValid()), nil
}

// isOutOfMemory reports whether what was thrown is the engine's error for that.
func (m *machine) isOutOfMemory(args []value) (value, error) {
	if len(args) != 1 {
		return undefined, errArguments
	}
	if js.XJS_IsError(m.tls, m.ctx, args[0]) == 0 {
		return boolean(false), nil
	}
	v := m.property(args[0], "message")
	defer m.free(v)
	text, _ := m.toText(v)
	return boolean(text == "out of memory"), nil
}

func (m *machine) inCode(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	return boolean(err == nil && m.frames(texts[0]) != nil), nil
}

// codeFrames returns the frames of a stack that are the code's.
func (m *machine) codeFrames(args []value) (value, error) {
	texts, err := m.texts(args, 1)
	if err != nil {
		return undefined, err
	}
	var b strings.Builder
	for _, f := range m.frames(texts[0]) {
		b.WriteString(f.text(m.run.Name))
	}
	return m.text(strings.TrimSuffix(b.String(), "\n")), nil
}

// wellFormed replaces the lone surrogates in JSON that the engine wrote: they are no Unicode text.
func wellFormed(text string) string {
	text = withoutSurrogates(text)
	if !strings.Contains(text, `\ud`) {
		return text
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 >= len(text) {
			b.WriteString(text)
			return b.String()
		}
		size := 2
		if strings.HasPrefix(text[i:], `\ud`) && i+6 <= len(text) {
			size = 6 // JSON.stringify writes pairs as they are, so this is a lone one
		}
		b.WriteString(text[:i])
		if size == 6 {
			b.WriteString("\uFFFD")
		} else {
			b.WriteString(text[i : i+2])
		}
		text = text[i+size:]
	}
}

// Time returns a duration for people: "300 ms", "12.3 s".
func Time(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%g s", math.Round(d.Seconds()*10)/10)
}
