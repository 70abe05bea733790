package vm

import (
	"sync/atomic"
	"testing"

	"github.com/usher-browser/usher/internal/script/message"
)

// burst is an input with some bytes, which come at once.
type burst struct{ bytes []byte }

func (b *burst) receive(take func(read func([]byte) int)) { take(b.read) }

func (b *burst) read(to []byte) int {
	n := copy(to, b.bytes)
	b.bytes = b.bytes[n:]
	return n
}

func burstOf(t *testing.T, messages ...*message.Message) *burst {
	t.Helper()
	b := &burst{}
	for _, m := range messages {
		frame, err := message.Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		b.bytes = append(b.bytes, frame...)
	}
	return b
}

// TestFeedKeepsWhatComesTogether: a message that comes with the answer that the code waits for is there without another message.
func TestFeedKeepsWhatComesTogether(t *testing.T) {
	t.Parallel()
	together := []*message.Message{{Type: message.Answer, ID: 7}, {Type: message.Event, Name: "load"}, {Type: message.Event, Name: "idle"}}
	for name, rest := range map[string]func(*feed) *message.Message{
		"rest": (*feed).rest,
		"receive": func(f *feed) *message.Message { // finds nothing new
			f.receive()
			select {
			case m := <-f.inbox:
				return m
			default:
				return nil
			}
		},
	} {
		f := &feed{in: burstOf(t, together...), inbox: make(chan *message.Message, maxInbox), running: &atomic.Pointer[runs]{}}
		if m := f.poll(); m == nil || m.ID != 7 {
			t.Fatalf("%s: first came %+v", name, m)
		}
		for _, want := range together[1:] {
			if m := rest(f); m == nil || m.Name != want.Name {
				t.Errorf("%s: %+v came in place of %s", name, m, want.Name)
			}
		}
		if m := f.rest(); m != nil {
			t.Errorf("%s: then came %+v", name, m)
		}
	}
}
