package vm

import (
	"bytes"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/script/message"
)

// BenchmarkMachine makes what a run begins with.
func BenchmarkMachine(b *testing.B) {
	p, err := compile(&message.Settings{Facade: "() => ({})", Memory: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m, err := p.newMachine(&outlet{w: io.Discard})
		if err != nil {
			b.Fatal(err)
		}
		m.close()
	}
}

// answers is a daemon that answers every call at once.
type answers struct {
	in chan<- *message.Message
}

func (a answers) Write(frame []byte) (int, error) {
	m, err := message.Read(bytes.NewReader(frame))
	if err == nil && m.Type == message.Call {
		a.in <- &message.Message{Type: message.Answer, ID: m.ID, Value: jsontext.Value("1")}
	}
	return len(frame), err
}

// BenchmarkCall is the part of a call that is the process's own, without the pipes.
func BenchmarkCall(b *testing.B) {
	p, err := compile(&message.Settings{Facade: "(host) => ({ call: (v) => host.call('echo', v) })", Memory: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	in := make(chan *message.Message, 10)
	m, err := p.newMachine(&outlet{w: answers{in}})
	if err != nil {
		b.Fatal(err)
	}
	defer m.close()
	b.ResetTimer()
	code := fmt.Sprintf("for (let i = 0; i < %d; i++) await call(1)", b.N)
	if o := m.execute(&message.Code{Code: code, Name: "run.js", Timeout: int64(time.Hour)}, in); o.Error != nil {
		b.Fatal(o.Error)
	}
}
