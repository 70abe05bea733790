package vm

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/usher-browser/usher/internal/script/message"
)

// ChildName is the first argument of a process that runs code. No name of the program equals it.
const ChildName = "usher-script"

// Child runs code, and returns true, if this process was started for that. Programs that use an engine call it first.
func Child() bool {
	if len(os.Args) != 1 || filepath.Base(os.Args[0]) != ChildName {
		return false
	}
	confine()
	debug.SetMemoryLimit(softMemory)
	debug.SetGCPercent(50)
	if err := serve(standardInput(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// What the process may take, besides the values of the code.
const (
	softMemory = 128 << 20 // of Go's memory: beyond it the collector works as hard as it can
	hardMemory = 1 << 30   // of all, by the kernel
	maxPeak    = 64 << 20  // of all, after which the process is not used again: little of it comes back
	valueSlack = 16 << 20  // what the values may take in addition when the run is over, to report it
)

// maxInbox is how many messages wait for the code.
const maxInbox = 256

// serve carries out the runs that it is sent. It returns at the end of the input.
func serve(input *os.File, output *os.File) error {
	reader, out := bufio.NewReader(input), &outlet{w: output}
	first, err := message.Read(reader)
	if err != nil {
		return err
	}
	if first.Type != message.Start || first.Start == nil {
		return fmt.Errorf("the first message is %q, not %q", first.Type, message.Start)
	}
	p, err := compile(first.Start)
	if err != nil {
		return err
	}
	inbox := make(chan *message.Message, maxInbox)
	var running atomic.Pointer[runs]
	go receive(reader, inbox, &running) // ends the process when the daemon is gone, also while code runs
	for m := (*machine)(nil); ; {
		fresh := m == nil
		if !fresh {
			m.renew()
		} else if m, err = p.newMachine(out); err != nil {
			return err
		}
		out.write(&message.Message{Type: message.Ready, Fresh: fresh})
		run := next(inbox, time.Duration(first.Start.Idle))
		running.Store(&runs{m, m.round})
		result := m.execute(run.Run, inbox)
		running.Store(nil)
		keep := first.Start.Keep && !m.stop.Load()
		if first.Start.Keep {
			result.State = m.save()
		}
		result.Last = peak() > maxPeak && !keep
		out.write(&message.Message{Type: message.Result, Result: result})
		if out.err != nil || result.Last {
			return out.err
		}
		if !keep {
			m.close()
			m = nil
		}
	}
}

// runs is the run that goes on.
type runs struct {
	*machine
	round int64
}

// next waits for the next run. It gives memory back when none comes for some time.
func next(inbox <-chan *message.Message, idle time.Duration) *message.Message {
	quiet := time.AfterFunc(idle, func() { debug.FreeOSMemory(); trim() })
	defer quiet.Stop()
	for {
		if m := <-inbox; m.Type == message.Run && m.Run != nil {
			return m
		} // else it is an answer that was late
	}
}

// receive reads messages, and ends the process at the end of the input.
func receive(reader *bufio.Reader, inbox chan<- *message.Message, running *atomic.Pointer[runs]) {
	for {
		m, err := message.Read(reader)
		if err != nil {
			os.Exit(0)
		}
		if m.Type != message.Stop {
			inbox <- m
		} else if now := running.Load(); now != nil {
			now.expire(now.round)
		}
	}
}
