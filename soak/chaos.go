package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/config"
	"github.com/usher-browser/usher/internal/program"
	"github.com/usher-browser/usher/internal/session"
	"github.com/usher-browser/usher/internal/verb"
)

// chaos is a run over a network that breaks. Everything is in this process, so that what the supervisors know can be
// compared with what Chromium says. Sessions attach to one browser through a proxy, each works in a tab of its own, and the
// proxy does its worst. It is checked that
//
//   - every command returns by its deadline and twice the slack;
//   - none fails by a code that says the browser is gone, or that is a fault of usher: the browser lives all the time;
//   - at the end, with the network whole again, tabs and frames are those that Chromium names;
//   - with the sessions closed no goroutine is left.
type chaos struct {
	options
	site     *cdptest.Site
	browser  *cdptest.Browser
	proxy    *cdptest.Proxy
	registry *session.Registry
	home     string
	report   *report
}

func runChaos(ctx context.Context, o options) (err error) {
	if err := checkWithout(o.without); err != nil {
		return err
	}
	before := runtime.NumGoroutine()
	c := &chaos{options: o, report: newReport(o)}
	if c.home, err = os.MkdirTemp("", "usher-chaos-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.home)
	if err := c.work(ctx); err != nil {
		return err
	}
	noGoroutineIsLeft(c.report, before)
	c.report.print(os.Stdout)
	return c.report.verdict()
}

func (c *chaos) work(ctx context.Context) (err error) {
	if c.site, err = cdptest.Open(); err != nil {
		return err
	}
	defer c.site.Close()
	if c.browser, err = cdptest.Start(c.switches...); err != nil {
		return err
	}
	defer c.browser.Close()
	if c.proxy, err = cdptest.OpenProxy(c.browser.Port); err != nil {
		return err
	}
	defer c.proxy.Close()
	c.registry = session.NewRegistry(session.Options{Table: program.Table(), StateDir: c.home})
	fmt.Printf("chaos: %v, %d workers, seed %d\n", c.length, c.workers, c.seed)

	wctx, cancel := context.WithTimeout(ctx, c.length)
	var all sync.WaitGroup
	for i := range c.workers {
		all.Go(func() { c.newWorker(i).work(wctx) })
	}
	if c.faults > 0 {
		all.Go(func() { c.breakThings(wctx) })
	}
	all.Go(func() { c.watch(wctx, cancel) })
	all.Wait()
	cancel()
	if err := c.mend(); err != nil {
		return err
	}
	c.compare(ctx)
	ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
	defer cancel()
	return c.registry.Close(ctx)
}

// watch ends the run when Chromium has died by itself, for there is nothing more to be learnt then.
func (c *chaos) watch(ctx context.Context, stop func()) {
	for c.sleep(ctx, 300*time.Millisecond); ctx.Err() == nil; c.sleep(ctx, 300*time.Millisecond) {
		if at, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", c.browser.Port)); err == nil {
			_ = at.Close() // it was only to see
			continue
		}
		c.report.violation("", "Chromium has died by itself; the end of its log:\n"+c.lastWords(), "", nil)
		stop()
	}
}

// breakThings does one thing after another to the network.
func (c *chaos) breakThings(ctx context.Context) {
	r := rand.New(rand.NewPCG(c.seed, 1<<33))
	for {
		pause := time.Duration(r.Int64N(int64(4 * time.Second)))
		fault := r.IntN(7)
		long := time.Duration(r.Int64N(int64(2 * time.Second)))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		switch fault {
		case 0:
			c.report.fault("all connections cut")
			c.proxy.Cut()
		case 1, 2:
			c.report.fault("oldest connection cut")
			c.proxy.CutOldest()
		case 3:
			c.report.fault("cut in the middle of a message")
			c.proxy.Truncate(1 + r.IntN(20000))
		case 4:
			c.report.fault("delayed")
			c.proxy.Delay(5*time.Millisecond + long/40)
			c.sleep(ctx, long)
			c.proxy.Delay(0)
		case 5:
			c.report.fault("held back, then all at once")
			c.proxy.Hold()
			c.sleep(ctx, long)
			c.proxy.Release()
		case 6:
			c.report.fault("refused")
			c.proxy.Refuse()
			c.sleep(ctx, long)
			if err := c.proxy.Allow(); err != nil {
				c.report.violation("", err.Error(), "", nil)
			}
		}
	}
}

func (c *chaos) sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// mend makes the network whole.
func (c *chaos) mend() error {
	c.proxy.Delay(0)
	c.proxy.Release()
	return c.proxy.Allow()
}

// chaosWorker is one user of a session.
type chaosWorker struct {
	c      *chaos
	name   string
	rand   *rand.Rand
	recent []answer
	opened bool
}

func (c *chaos) newWorker(number int) *chaosWorker {
	return &chaosWorker{c: c, name: fmt.Sprintf("w%d", number), rand: rand.New(rand.NewPCG(c.seed, uint64(number)))}
}

func (w *chaosWorker) work(ctx context.Context) {
	for ctx.Err() == nil {
		if !w.opened {
			w.opened = w.do("tab", "new", w.c.site.URL("/small?"+w.name)).ok()
			continue
		}
		w.step()
	}
}

// chaosMoves are what a worker does, each as often as the next. -without leaves some out by name, which is how one finds what in the
// work makes a browser fall.
var chaosMoves = []struct {
	name string
	do   func(w *chaosWorker)
}{
	{"open", func(w *chaosWorker) { w.do("open", w.page()) }},
	{"reload", func(w *chaosWorker) { w.do("reload") }},
	{"snapshot", func(w *chaosWorker) { w.do("snapshot", "-i") }},
	{"frame-in", func(w *chaosWorker) {
		w.do("eval", "document.body.append(Object.assign(document.createElement('iframe'), {src: '"+w.c.site.URL("/frame?depth=2")+"'})); 1")
	}},
	{"frame-out", func(w *chaosWorker) { w.do("eval", "document.querySelector('iframe')?.remove(); 1") }},
	{"flood", func(w *chaosWorker) {
		w.do("eval", "for (let i = 0; i < 3000; i++) console.log('flood', i, 'x'.repeat(100)); 1")
	}},
	{"tab-new", func(w *chaosWorker) { w.do("tab", "new", w.page()) }},
	{"tab-close", func(w *chaosWorker) {
		w.do("tab", "close")
		w.opened = w.rand.IntN(3) > 0 // else it makes one again
	}},
	{"dialog", func(w *chaosWorker) {
		kind, soon := one(w.rand, "confirm", "alert", "prompt"), fmt.Sprint(w.rand.IntN(400))
		w.do("eval", "setTimeout(() => "+kind+"('now?'), "+soon+"); 1")
		w.do("dialog", "status")
		w.do("dialog", one(w.rand, "accept", "dismiss"))
	}},
	{"dismiss", func(w *chaosWorker) { w.do("dialog", "dismiss") }},
	{"title", func(w *chaosWorker) { w.do("get", "title") }},
	{"console", func(w *chaosWorker) { w.do("console") }},
	{"screenshot", func(w *chaosWorker) { w.do("screenshot", filepath.Join(w.c.home, w.name+".png")) }},
}

// checkWithout refuses names that are no moves', and to leave out all of them.
func checkWithout(without []string) error {
	var names []string
	for _, m := range chaosMoves {
		names = append(names, m.name)
	}
	left := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(without, name) })
	for _, name := range without {
		if name != "" && !slices.Contains(names, name) {
			return fmt.Errorf("-without: there is no move %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	if len(left) == 0 {
		return errors.New("-without: no move is left")
	}
	return nil
}

// page is the address of a random page.
func (w *chaosWorker) page() string {
	return w.c.site.URL(one(w.rand, "/frames", "/small", "/forms", "/dialogs", "/frame?depth=3", "/text?n=2000"))
}

// step does one random thing.
func (w *chaosWorker) step() {
	m := chaosMoves[w.rand.IntN(len(chaosMoves))]
	if !slices.Contains(w.c.without, m.name) {
		m.do(w)
	}
}

// do runs a command as the daemon does, and judges it.
func (w *chaosWorker) do(words ...string) answer {
	// Two ways to say the same address make two connections, each with sessions that share it.
	address := fmt.Sprint(w.c.proxy.Port)
	if w.name[len(w.name)-1]%2 == 1 {
		address = "http://127.0.0.1:" + address
	}
	a := answer{args: words}
	began := time.Now()
	err := w.c.run(append(words, "--session", w.name, "--cdp", address, "--timeout", w.c.timeout.String()))
	a.wall = time.Since(began)
	if err != nil {
		a.code, a.words = string(api.CodeOf(err)), err.Error()
	}
	w.recent = append(w.recent, a)
	if len(w.recent) > 14 {
		w.recent = slices.Delete(w.recent, 0, 1)
	}
	w.c.report.count(w.name, a)
	if a.wall > w.c.timeout+2*w.c.slack { // floods of messages take both processors for themselves
		w.complain(fmt.Sprintf("%s took %.1f s; its deadline is %v", words[0], a.wall.Seconds(), w.c.timeout))
	}
	switch api.Code(a.code) {
	case api.Internal, api.ProtocolError, api.BrowserCrashed, api.BrowserNotRunning, api.SessionClosed, api.RendererCrashed,
		api.LaunchFailed, api.LaunchConflict, api.InvalidArgument, api.UnknownCommand, api.UnknownFlag, api.Cancelled:
		w.complain(a.code + " cannot be the outcome of " + strings.Join(words, " ") + ": " + a.words)
	}
	return a
}

func (w *chaosWorker) complain(what string) {
	w.c.report.violation(w.name, what, "", slices.Clone(w.recent))
}

func (c *chaos) run(words []string) error {
	call, err := program.Table().Parse(words, verb.Usher)
	if err != nil {
		return err
	}
	env := func(string) (string, bool) { return "", false }
	settings, err := config.Load(config.Source{Mode: verb.Usher, Env: env, Cwd: c.home, Flags: call.Globals})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), never)
	defer cancel()
	_, err = c.registry.Run(ctx, session.Command{Call: call, Settings: settings, Cwd: c.home, Env: env, Stdin: strings.NewReader(""), Artifacts: c.home})
	if ctx.Err() != nil {
		return errors.New("HANG")
	}
	return err
}

// noGoroutineIsLeft gives what is ending a moment.
func noGoroutineIsLeft(r *report, before int) {
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			r.violation("", fmt.Sprintf("%d goroutines are left, there were %d:\n%s", runtime.NumGoroutine(), before, stacks), "", nil)
			return
		}
	}
}
