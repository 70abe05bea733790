// Command soak lets several workers use usher at the same time, for a long time, while things break: renderers crash,
// browsers are killed, clients are interrupted, dialogs stay open, sessions are closed under a command. It starts one
// daemon of the real binary in a home of its own, works on the fixture site, and checks all along that
//
//   - every command returns within its deadline and two seconds;
//   - every failure has a code that fits: none is a fault of usher, and one that tells of a dead browser, renderer or
//     session is only met by sessions that had such a fault;
//   - a click on a ref presses the element that the snapshot showed, by the page's own books, or is refused;
//   - the outline has the frames that Chromium has, at moments when nothing moves;
//   - with all sessions closed the daemon has no more goroutines and open files than before, and its memory is bounded;
//   - after `daemon stop` no process, socket or temporary profile is left.
//
// It ends with a table, and with status 1 if anything was not so.
//
// With -chaos it attaches to a browser through a proxy that cuts, delays, truncates, holds back and refuses at random, and
// at the end compares what the supervisor knows with what Chromium says. See chaos.go.
//
// With -relay clients of the relay work in a Chromium with the extension, whose worker is killed and whose connection is cut. See relay.go.
//
// With -tabs nothing breaks: thousands of tabs, frames, documents and sessions come and go, and the daemon's memory has to stay. See
// churn.go.
//
//	make soak                                    ten minutes, and then 10,000 tabs
//	go run ./soak -tabs 10000                    those alone
//	go run ./soak -relay -for 1h                 an hour of the relay
//	make chaos                                   three minutes of a broken network
//	make soak SOAK=2m SOAKFLAGS='-seed 7'        the workload of an earlier run
//	go run ./soak -for 1m -workers 2 -faults=0   without faults
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var o options
	flag.DurationVar(&o.length, "for", 10*time.Minute, "how long the workers work")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()%1_000_000), "chooses the workload and the faults")
	flag.IntVar(&o.workers, "workers", 6, "sessions used at the same time")
	flag.DurationVar(&o.faults, "faults", 6*time.Second, "mean time between faults from outside; 0 for none")
	flag.DurationVar(&o.timeout, "timeout", 4*time.Second, "the deadline of each command")
	flag.DurationVar(&o.slack, "slack", 2*time.Second, "how much later than its deadline a command may return")
	flag.StringVar(&o.binary, "binary", "bin/usher", "the usher to test")
	flag.BoolVar(&o.verbose, "v", false, "print each command")
	chaos := flag.Bool("chaos", false, "attach to a browser through a network that breaks, inside this process (3m if -for is not given)")
	overRelay := flag.Bool("relay", false, "use the relay and the extension, whose worker is killed and whose connection is cut")
	without := flag.String("without", "", "with -chaos: moves to leave out, by name, with commas between")
	switches := flag.String("switches", "", "with -chaos: more switches for Chromium, with spaces between")
	tabs := flag.Int("tabs", 0, "let so many tabs, frames and documents come and go, and compare the daemon's memory")
	kinds := flag.String("kinds", "", "with -tabs: of them those alone whose name matches this regular expression")
	flag.Parse()
	o.without, o.switches = strings.Split(*without, ","), strings.Fields(*switches)
	work := run
	if *tabs > 0 {
		work = func(ctx context.Context, o options) error { return runChurn(ctx, o, *tabs, *kinds) }
	}
	if *overRelay {
		work = runRelay
	}
	if *chaos {
		work = runChaos
		if !given("for") {
			o.length = 3 * time.Minute
		}
	}
	err := work(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// given reports whether a flag stands on the command line.
func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

type options struct {
	length, faults, timeout, slack time.Duration
	seed                           uint64
	workers                        int
	binary                         string
	verbose                        bool
	without, switches              []string
}

// soak is one run.
type soak struct {
	options
	site    *cdptest.Site
	program *program.Program
	workers []*worker
	health  *health
	report  *report

	// calm is held for reading by each worker during a step, and for writing while the world must stand still.
	calm sync.RWMutex
	// joins is held for reading by a command that may give a session a browser, and for writing by a fault that must know
	// which sessions share one.
	joins sync.RWMutex
}

// newSoak opens the site and prepares the program; whoever asks for it closes the site.
func newSoak(o options) (s *soak, err error) {
	if runtime.GOOS != "linux" {
		return nil, errors.New("it reads memory, open files and processes from /proc, which only Linux has")
	}
	s = &soak{options: o, report: newReport(o)}
	if s.site, err = cdptest.Open(); err != nil {
		return nil, err
	}
	if s.program, err = peer.Usher(o.binary); err != nil {
		s.site.Close()
		return nil, fmt.Errorf("%w; run make build", err)
	}
	return s, nil
}

func run(ctx context.Context, o options) (err error) {
	s, err := newSoak(o)
	if err != nil {
		return err
	}
	defer s.site.Close()
	for i := range o.workers {
		s.workers = append(s.workers, newWorker(s, i))
	}
	fmt.Printf("soak: %v, %d workers, seed %d, home %s\n", o.length, o.workers, o.seed, s.program.Home)

	if err = s.begin(ctx); err == nil {
		s.work(ctx)
		err = s.finish()
	}
	s.leaveNothing()
	s.report.print(os.Stdout)
	return errors.Join(err, s.report.verdict())
}

// work runs the workers and the faults until time is up, with a pause to look around now and then.
func (s *soak) work(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.length)
	defer cancel()
	var all sync.WaitGroup
	for _, w := range s.workers {
		all.Go(func() { w.work(ctx) })
	}
	all.Go(func() { s.health.watch(ctx) })
	if s.faults > 0 {
		all.Go(func() { newInjector(s).work(ctx) })
	}
	all.Go(func() {
		for every := min(max(s.length/5, 20*time.Second), 2*time.Minute); ; {
			select {
			case <-time.After(every):
				s.lookAround(ctx)
			case <-ctx.Done():
				return
			}
		}
	})
	all.Wait()
}
