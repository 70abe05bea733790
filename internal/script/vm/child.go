package vm

import (
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
	in, err := openInput()
	if err == nil {
		err = serve(in, os.Stdout)
	}
	if err != nil {
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

// serve carries out the runs that it is sent. It returns at the end of the input.
func serve(in source, output *os.File) error {
	out := &outlet{w: output}
	var running atomic.Pointer[runs]
	f := &feed{in: in, inbox: make(chan *message.Message, maxInbox), running: &running}
	go f.receive() // ends the process when the daemon is gone, also while code runs
	first := <-f.inbox
	if first.Type != message.Start || first.Start == nil {
		return fmt.Errorf("the first message is %q, not %q", first.Type, message.Start)
	}
	p, err := compile(first.Start)
	if err != nil {
		return err
	}
	for m := (*machine)(nil); ; {
		fresh := m == nil
		if !fresh {
			m.renew()
		} else if m, err = p.newMachine(out); err != nil {
			return err
		}
		out.write(&message.Message{Type: message.Ready, Fresh: fresh})
		run := next(f.inbox, time.Duration(first.Start.Idle))
		m.poll, m.rest = f.poll, f.rest
		running.Store(&runs{m, m.round})
		result := m.execute(run.Run, f.inbox)
		running.Store(nil)
		keep := first.Start.Keep && !m.stop.Load()
		if first.Start.Keep {
			result.State = m.save()
		}
		if !keep && len(result.Waiting) > 0 && result.Error == nil {
			waiting := m.unawaited()
			result.Waiting = waiting[:min(len(waiting), maxWaiting)]
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
