package vm

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/script/message"
)

// refusals is a daemon that answers every call with an error.
type refusals struct {
	in chan<- *message.Message
}

func (a refusals) Write(frame []byte) (int, error) {
	m, err := message.Read(bytes.NewReader(frame))
	if err == nil && m.Type == message.Call {
		a.in <- &message.Message{Type: message.Answer, ID: m.ID, Error: &message.Error{Message: "refused"}}
	}
	return len(frame), err
}

// TestPlaces: an error tells where its call was made, whether that place was known or not: again and again from the same line, from
// deeper than what is kept, from more places than are kept, and in the next run of the machine, whose code stands elsewhere.
func TestPlaces(t *testing.T) {
	p, err := compile(&message.Settings{Facade: "(host) => ({ call: (v) => host.call('refuse', v) })", Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	in := make(chan *message.Message, 10)
	m, err := p.newMachine(&outlet{w: refusals{in}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	run := func(code string, want ...int) {
		t.Helper()
		o := m.execute(&message.Code{Code: "const at = []\n" + code + "\nreturn at.join()", Name: "run.js", Timeout: int64(time.Minute)}, in)
		if o.Error != nil {
			t.Fatal(o.Error)
		}
		var lines []string
		for _, n := range want {
			lines = append(lines, fmt.Sprint(n))
		}
		if got := strings.Trim(string(o.Value), `"`); got != strings.Join(lines, ",") {
			t.Errorf("calls were made in lines %s, want %s:\n%s", got, strings.Join(lines, ","), code)
		}
		m.renew()
	}
	const tell = `const tell = (e) => at.push(/run.js:(\d+)/.exec(e.stack)[1])`
	run(tell+"\nfor (const i of [1, 2]) {\nawait call(1).catch(tell)\nawait call(1).catch(tell)\n}", 4, 5, 4, 5)
	run(tell+"\n\n\nawait call(1).catch(tell)", 5)
	run(tell+"\nconst down = (n) => n > 0 ? down(n - 1) : call(1)\nfor (const n of [5, 5, 60, 60, 61]) await down(n).catch(tell)", 3, 3, 3, 3, 3)
	many := strings.Repeat("await call(1).catch(tell)\n", maxPlaces+3)
	var lines []int
	for range 2 {
		for i := range maxPlaces + 3 {
			lines = append(lines, i+4)
		}
	}
	run(tell+"\nfor (const i of [1, 2]) {\n"+many+"}", lines...)
}
