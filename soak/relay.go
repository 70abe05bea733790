package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/endpoint"
	"github.com/usher-browser/usher/internal/extension"
	"github.com/usher-browser/usher/internal/relay"
)

// relaySoak is a run over the relay and the extension, which are interrupted: the extension's worker is killed every 30 seconds, its
// connection is cut at random, and a user opens and closes tabs. Relay and clients are in this process; each client works in a tab of its
// own, over WebSocket. It is checked that
//
//   - every command returns within the grace for an extension that comes back, and the slack;
//   - none fails but those that an interruption may have lost, and these say so;
//   - a page keeps what it had: the debugger and the CDP sessions are the same after an interruption;
//   - the clients see the tabs that the browser has, and the debugger is attached to those of clients only; with no client left, to none;
//   - memory, goroutines and the extension's storage do not grow.
type relaySoak struct {
	options
	site    *cdptest.Site
	browser *cdptest.Browser
	proxy   *cdptest.Proxy // between the extension and the relay
	relay   *relay.Relay
	server  *endpoint.Server
	direct  *cdp.Conn // to the browser's own port
	report  *report
	clients []*relayClient
	dir     string
	calm    sync.RWMutex // held for reading by a client during a step, for writing by a check
	mu      sync.Mutex
	recent  []string // guarded by mu: the last faults, and when
	growth  []growth
}

// growth is what is there at a check.
type growth struct {
	at         time.Duration
	heap       uint64 // bytes
	goroutines int
	storage    int // bytes of the extension's session storage
}

const (
	killEvery  = 30 * time.Second // the extension's worker
	cutMean    = 8 * time.Second  // between cuts
	checkEvery = time.Minute
	comesBack  = 15 * time.Second // the extension, at a check
	leaves     = 10 * time.Second // the debugger, from tabs without clients
	heapSlack  = 24 << 20         // bytes by which the heap may differ at the end
	growSlack  = 12               // goroutines, likewise
)

func runRelay(ctx context.Context, o options) (err error) {
	before := runtime.NumGoroutine()
	s := &relaySoak{options: o, report: newReport(o)}
	if err := s.open(); err != nil {
		return errors.Join(err, s.close())
	}
	fmt.Printf("relay: %v, %d clients, seed %d\n", s.length, s.workers, s.seed)
	if err = s.work(ctx); err == nil {
		s.nobodyLeft(context.WithoutCancel(ctx))
	}
	if err = errors.Join(err, s.close()); err == nil {
		noGoroutineIsLeft(s.report, before)
	}
	s.report.print(os.Stdout)
	s.printGrowth()
	return errors.Join(err, s.report.verdict())
}

// open starts all there is, but the clients.
func (s *relaySoak) open() (err error) {
	if s.dir, err = os.MkdirTemp("", "usher-relay-soak-"); err != nil {
		return err
	}
	if s.site, err = cdptest.Open(); err != nil {
		return err
	}
	if s.relay, err = relay.New(relay.Options{Dir: s.dir, Version: "soak"}); err != nil {
		return err
	}
	if s.server, err = s.relay.Serve(nil, 0, endpoint.MultiClient); err != nil {
		return err
	}
	u, err := url.Parse(s.server.URL())
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		return err
	}
	if s.proxy, err = cdptest.OpenProxy(port); err != nil {
		return err
	}
	token, err := s.relay.Pairing().Pin(extension.ID())
	if err != nil {
		return err
	}
	files := filepath.Join(s.dir, "extension")
	address := fmt.Sprintf("ws://127.0.0.1:%d/extension", s.proxy.Port)
	if err := extension.Write(files, extension.Config{Relay: address, Token: token}); err != nil {
		return err
	}
	s.browser, err = cdptest.Start("--load-extension="+files, "--disable-extensions-except="+files, "--disable-features=DisableLoadExtensionCommandLineSwitch")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if s.direct, err = dialClient(ctx, s.browser.WebSocketURL); err != nil {
		return err
	}
	if _, err := s.userOpens(ctx); err != nil {
		return err
	}
	return s.relay.Ready(ctx)
}

// close ends what open started.
func (s *relaySoak) close() error {
	var errs []error
	for _, c := range s.clients {
		errs = append(errs, c.leave())
	}
	if s.direct != nil {
		errs = append(errs, s.direct.Close())
	}
	if s.browser != nil {
		s.browser.Close()
	}
	if s.proxy != nil {
		s.proxy.Close()
	}
	if s.relay != nil {
		s.relay.Close()
	}
	if s.server != nil {
		s.server.Close()
	}
	if s.site != nil {
		s.site.Close()
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

func (s *relaySoak) work(ctx context.Context) error {
	for i := range s.workers {
		c := &relayClient{s: s, name: fmt.Sprintf("c%d", i), rand: rand.New(rand.NewPCG(s.seed, uint64(i)))}
		s.clients = append(s.clients, c)
		if err := c.begin(ctx); err != nil {
			return err
		}
	}
	wctx, cancel := context.WithTimeout(ctx, s.length)
	defer cancel()
	var all sync.WaitGroup
	for _, c := range s.clients {
		all.Go(func() { c.work(wctx) })
	}
	all.Go(func() { s.killWorkers(wctx) })
	all.Go(func() { s.cut(wctx) })
	s.check(ctx)
	for again := time.Now().Add(checkEvery); pause(wctx, time.Until(again)); again = again.Add(checkEvery) {
		s.check(ctx)
	}
	all.Wait()
	if ctx.Err() == nil { // nobody has interrupted it
		s.check(ctx)
	}
	return ctx.Err()
}

// killWorkers ends the extension's worker again and again. When it has ended, the user does something, for which Chrome starts it again:
// otherwise it would only do so for the alarm, up to 30 s later.
func (s *relaySoak) killWorkers(ctx context.Context) {
	for pause(ctx, killEvery) {
		target, err := s.target(ctx, "service_worker")
		if err != nil {
			s.violation("", "the extension's worker: "+err.Error(), nil)
			continue
		}
		if target == "" {
			continue // Chrome itself has ended it
		}
		s.fault("extension's worker killed")
		err = s.direct.Browser().Call(ctx, "Target.closeTarget", map[string]string{"targetId": target}, nil)
		for err == nil && pause(ctx, 10*time.Millisecond) {
			var now string
			if now, err = s.target(ctx, "service_worker"); now != target {
				break
			}
		}
		if err != nil && ctx.Err() == nil {
			s.violation("", "kill the extension's worker: "+err.Error(), nil)
		}
		opened, err := s.userOpens(ctx)
		if err == nil && pause(ctx, time.Second) {
			err = s.direct.Browser().Call(ctx, "Target.closeTarget", map[string]string{"targetId": opened}, nil)
		}
		if err != nil && ctx.Err() == nil {
			s.violation("", "the user's tab: "+err.Error(), nil)
		}
	}
}

func (s *relaySoak) cut(ctx context.Context) {
	r := rand.New(rand.NewPCG(s.seed, 1<<33))
	for pause(ctx, time.Duration(r.Int64N(int64(2*cutMean)))) {
		if r.IntN(2) == 0 {
			s.fault("connection cut")
			s.proxy.Cut()
		} else {
			s.fault("connection cut in the middle of a message")
			s.proxy.Truncate(1 + r.IntN(5000))
		}
	}
}

// fault counts a fault.
func (s *relaySoak) fault(what string) {
	s.report.fault(what)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recent = append(s.recent, fmt.Sprintf("%.2f s %s", time.Since(s.report.began).Seconds(), what))
	s.recent = s.recent[max(0, len(s.recent)-6):]
}

// violation notes one, with the last faults.
func (s *relaySoak) violation(who, what string, answers []answer) {
	s.mu.Lock()
	after := strings.Join(s.recent, ", ")
	s.mu.Unlock()
	s.report.violation(who, what, after, answers)
}

// userOpens opens a tab without the relay.
func (s *relaySoak) userOpens(ctx context.Context) (target string, err error) {
	var made struct {
		TargetID string `json:"targetId"`
	}
	err = s.direct.Browser().Call(ctx, "Target.createTarget", map[string]string{"url": s.site.URL("/small?user")}, &made)
	return made.TargetID, err
}

// target finds a target of the extension, "" for none.
func (s *relaySoak) target(ctx context.Context, kind string) (string, error) {
	all, err := targets(ctx, s.direct)
	for _, t := range all {
		if t.Type == kind && strings.HasPrefix(t.URL, "chrome-extension://"+extension.ID()) {
			return t.ID, err
		}
	}
	return "", err
}

// check compares what clients see with what the browser has, while no client does anything.
func (s *relaySoak) check(ctx context.Context) {
	s.calm.Lock()
	defer s.calm.Unlock()
	ctx, cancel := context.WithTimeout(ctx, comesBack)
	defer cancel()
	if err := s.agree(ctx); err != nil {
		s.violation("", "at a check: "+err.Error(), nil)
	}
	s.report.trees(0)
	s.measure(ctx)
}

// agree waits until the clients' tabs are the browser's, and the debugger is attached to the clients' own.
func (s *relaySoak) agree(ctx context.Context) error {
	wanted := map[string]bool{}
	for _, c := range s.clients {
		wanted[c.target] = true
	}
	for {
		err := s.agrees(ctx, wanted)
		if err == nil || !pause(ctx, 100*time.Millisecond) {
			return err
		}
	}
}

func (s *relaySoak) agrees(ctx context.Context, wanted map[string]bool) error {
	if !s.relay.Status().Link.Connected {
		return errors.New("the extension is not connected")
	}
	client, err := dialClient(ctx, s.server.URL())
	if err != nil {
		return err
	}
	defer client.Close() //nolint:errcheck // it was only to see
	seen, err := targets(ctx, client)
	if err != nil {
		return err
	}
	there, err := targets(ctx, s.direct)
	if err != nil {
		return err
	}
	have, want := pagesOf(seen), pagesOf(there)
	if !maps.Equal(have, want) {
		return fmt.Errorf("clients see the pages %v, the browser has %v", slices.Sorted(maps.Keys(have)), slices.Sorted(maps.Keys(want)))
	}
	for target := range wanted {
		if !have[target] {
			return fmt.Errorf("the tab %s of a client has gone", target)
		}
	}
	attached, err := s.attached(ctx)
	if err != nil {
		return err
	}
	wanted = maps.Clone(wanted)
	for _, c := range s.clients {
		for target := range c.others {
			if have[target] {
				wanted[target] = true
			}
		}
	}
	if !maps.Equal(attached, wanted) {
		return fmt.Errorf("the debugger is attached to %v, and should be to %v", slices.Sorted(maps.Keys(attached)), slices.Sorted(maps.Keys(wanted)))
	}
	return nil
}

// attached returns the pages that the extension's debugger is attached to, as Chrome says.
func (s *relaySoak) attached(ctx context.Context) (map[string]bool, error) {
	var list []string
	err := s.ask(ctx, "chrome.debugger.getTargets().then(l => l.filter(t => t.attached && t.type === 'page').map(t => t.id))", &list)
	set := map[string]bool{}
	for _, id := range list {
		set[id] = true
	}
	return set, err
}

// ask evaluates an expression in the extension's worker.
func (s *relaySoak) ask(ctx context.Context, expression string, result any) error {
	target, err := s.target(ctx, "service_worker")
	if err != nil || target == "" {
		return errors.Join(err, errors.New("the extension's worker does not run"))
	}
	session, err := attachTo(ctx, s.direct, target)
	if err != nil {
		return err
	}
	defer s.direct.Browser().Post("Target.detachFromTarget", map[string]string{"sessionId": session.ID()}, nil)
	return evaluate(ctx, session, expression, result)
}

// measure notes what may grow.
func (s *relaySoak) measure(ctx context.Context) {
	g := growth{at: time.Since(s.report.began)}
	if err := s.ask(ctx, "chrome.storage.session.getBytesInUse()", &g.storage); err != nil {
		s.violation("", "the extension's storage: "+err.Error(), nil)
	}
	s.site.Forget() // the requests that it has recorded
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	g.heap, g.goroutines = m.HeapInuse, runtime.NumGoroutine()
	s.growth = append(s.growth, g)
	first := s.growth[0]
	if g.heap > first.heap+heapSlack || g.goroutines > first.goroutines+growSlack || g.storage > 2*first.storage+4096 {
		s.violation("", fmt.Sprintf("it grew from %+v to %+v", first, g), nil)
	}
}

func (s *relaySoak) printGrowth() {
	fmt.Printf("relay and clients at checks:\n%8s %8s %11s %14s\n", "s", "MB", "goroutines", "storage, bytes")
	step := max(1, (len(s.growth)+9)/10)
	for i, g := range s.growth {
		if i%step == 0 || i == len(s.growth)-1 {
			fmt.Printf("%8.0f %8.1f %11d %14d\n", g.at.Seconds(), float64(g.heap)/(1<<20), g.goroutines, g.storage)
		}
	}
}

// nobodyLeft checks that with no client nothing is attached and nothing waits.
func (s *relaySoak) nobodyLeft(ctx context.Context) {
	for _, c := range s.clients {
		if err := c.leave(); err != nil {
			s.violation(c.name, "leave: "+err.Error(), nil)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, leaves)
	defer cancel()
	for {
		attached, err := s.attached(ctx)
		status := s.relay.Status()
		if err == nil && len(attached)+status.Attached+status.Clients+status.Link.Pending == 0 {
			return
		}
		if !pause(ctx, 100*time.Millisecond) {
			s.violation("", fmt.Sprintf("with no client left: attached to %v (%v), status %+v", attached, err, status), nil)
			return
		}
	}
}
