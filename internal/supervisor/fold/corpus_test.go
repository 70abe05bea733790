package fold

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest/statetest"
	"github.com/usher-browser/usher/internal/supervisor/fold/targets"
	"github.com/usher-browser/usher/internal/wire"
)

// FuzzCorpus folds recordings in which inputs are missing, duplicated or delayed, to cover inputs that are similar to a
// browser's.
func FuzzCorpus(f *testing.F) {
	known := New(Options{})
	var all [][]Input
	for _, path := range statetest.Recordings(f) {
		var list []Input
		var start time.Time
		err := wire.Replay(statetest.Open(f, path), func(line wire.Frame) bool {
			in := Input{At: start.Add(time.Duration(line.At) * time.Microsecond)}
			switch line.Dir {
			case wire.DirBegin:
				var begin wire.Begin
				if err := jsonv2.Unmarshal(line.Msg, &begin); err != nil {
					f.Fatal(err)
				}
				start = begin.Start
				return true
			case wire.DirIn:
				env, err := wire.Peek(line.Msg)
				if err != nil {
					f.Fatal(err)
				}
				if env.Method == "" {
					return true
				}
				in.Event = &cdp.Event{SessionID: env.SessionID, Method: env.Method, Params: env.Payload}
			case DirCommand:
				c, err := known.ReadCommand(line.Msg)
				if err != nil {
					f.Fatal(err)
				}
				in.Command = c
			default:
				return true
			}
			list = append(list, in)
			return true
		})
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, list)
	}
	for i := range all {
		f.Add([]byte{byte(i), 1, 10, 0, 2, 20, 0, 3, 30, 5})
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		list := slices.Clone(all[int(data[0])%len(all)])
		list = list[:min(len(list), 400)]
		for p := (&pick{data[1:min(len(data), 200)]}); len(p.data) > 0; {
			what, at, by := p.n(4), p.n(256)*len(list)/256, 1+p.n(40)
			if len(list) == 0 {
				return
			}
			switch in := list[at]; what {
			case 0: // lost
				list = slices.Delete(list, at, at+1)
			case 1: // twice
				list = slices.Insert(list, min(at+by, len(list)), in)
			case 2: // late
				list = slices.Delete(list, at, at+1)
				list = slices.Insert(list, min(at+by, len(list)), in)
			case 3: // the connection is cut, and comes back
				list = slices.Insert(list, at, Input{At: in.At, Command: &targets.Lost{Cause: io.ErrUnexpectedEOF}})
				list = slices.Insert(list, min(at+by, len(list)), Input{At: in.At, Command: &targets.Connected{}})
			}
		}
		m := New(Options{Nonce: "nonce"})
		for i := range list {
			before := slices.Clone(m.State().Dialogs)
			m.Apply(list[i])
			err := statetest.Check(m.State())
			if err == nil {
				err = m.wrongLink(&list[i], before)
			}
			if err != nil {
				text, _ := json.Marshal(list[i])
				t.Fatalf("after input %d, %s: %v", i, text, err)
			}
		}
	})
}

// TestRecordedCommandsAreWrittenAsBefore: encoding a command of a recording again gives the same bytes.
func TestRecordedCommandsAreWrittenAsBefore(t *testing.T) {
	lines, known := 0, New(Options{})
	for _, path := range statetest.Recordings(t) {
		err := wire.Replay(statetest.Open(t, path), func(line wire.Frame) bool {
			if line.Dir != DirCommand {
				return true
			}
			lines++
			c, err := known.ReadCommand(line.Msg)
			if err != nil || c == nil {
				t.Errorf("%s: %s is read as %v, %v", path, line.Msg, c, err)
				return false
			}
			if again, err := CommandLine(c); err != nil || !bytes.Equal(again, line.Msg) {
				t.Errorf("%s: %s is written as %s, %v", path, line.Msg, again, err)
			}
			return !t.Failed()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if lines < 1000 {
		t.Errorf("only %d lines were compared", lines)
	}
}
