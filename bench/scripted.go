package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/bench/scripts"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// The bars of scripts. Ours is always the time of the whole process of `usher run`.
const (
	withoutStart = 1.0 // over the time of the script alone in a library that runs, with a browser that runs
	withStart    = 0.3 // over the time of Node that launches a browser for the script
	loopBar      = 1.3 // 1,000 evaluations in one run, over a loop of CDP calls
	nothingBar   = 10  // ms of a run of nothing on a warm tab
	childBar     = 15  // MB of the process that runs scripts, when it is idle
)

// scriptIdle is how long a process for scripts is left alone before its memory is read: it gives memory back after 10 s.
const scriptIdle = 12 * time.Second

// scriptChild is the name of the processes that run scripts: ChildName of internal/script/vm.
const scriptChild = "usher-script"

// scripted measures usher run beside Playwright and Puppeteer in Node.
type scripted struct {
	site   *scripts.Site
	usher  *scripts.Usher
	n      int
	starts bool // also runs in a Node of its own

	noRun  bool // the usher has no command run: the libraries are measured alone
	judged int
	missed int
	faults []string
}

// measureScripts prints the tables of `make bench BENCH=-run`: 20 tasks in both dialects, then what usher alone is judged by.
func measureScripts(ctx context.Context, binary string, n int, wanted *regexp.Regexp, starts bool) error {
	modules, err := peer.Modules(ctx, "bench/scripts/package.json", ".cache/scripts")
	if err != nil {
		return err
	}
	site, err := scripts.OpenSite()
	if err != nil {
		return err
	}
	defer site.Close()
	usher, err := scripts.OpenUsher(binary)
	if err != nil {
		return err
	}
	defer usher.Close()
	b := &scripted{site: site, usher: usher, n: n, starts: starts}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("medians of %d, interleaved; load %s", n, load)
	for _, dialect := range scripts.Dialects {
		if err := b.dialect(ctx, dialect, modules, wanted); err != nil {
			return err
		}
	}
	if !b.noRun {
		if err := b.alone(ctx, wanted); err != nil {
			return err
		}
	}
	fmt.Printf("\n%d bars judged, %d missed\n", b.judged, b.missed)
	for _, fault := range b.faults {
		fmt.Println("no figure:", fault)
	}
	if b.noRun {
		return scripts.ErrNoRun
	}
	return nil
}

// onePage is the name of the page on which every task of a dialect runs, one after the other, on both sides.
const onePage = "tasks"

// task has the times of one task.
type task struct {
	name                            string
	usher, library, launch, connect sample
}

func (b *scripted) dialect(ctx context.Context, d scripts.Dialect, modules string, wanted *regexp.Regexp) error {
	all, err := scripts.Tasks(d)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(s scripts.Script) bool { return !wanted.MatchString(s.String()) })
	if len(all) == 0 {
		return nil
	}
	library, err := scripts.OpenLibrary(d, modules)
	if err != nil {
		return err
	}
	defer library.Close()
	browser, err := cdptest.Start()
	if err != nil {
		return err
	}
	defer browser.Close()
	fmt.Printf("\nTasks in %s's dialect; ours is the process of usher run, theirs the script in a Node that runs, then Node that\n"+
		"connects to a browser, then Node that launches one:\n\n", d)
	b.row("", "usher", "script", "ratio", "connect", "ratio", "launch", "ratio")
	var tasks []*task
	for _, s := range all {
		t := &task{name: s.Name}
		if err := b.task(ctx, t, s, library, browser.WebSocketURL); err != nil {
			return err
		}
		tasks = append(tasks, t)
		b.show(t)
	}
	b.sum(tasks)
	return nil
}

// task measures one task: the sides in turn, the first one first in even rounds and last in odd ones. The first round is for
// warmth. A result that differs from the library's leaves usher without a figure.
func (b *scripted) task(ctx context.Context, t *task, s scripts.Script, library *scripts.Library, webSocketURL string) error {
	for round := -1; round < b.n; round++ {
		var want, got scripts.Result
		sides := []func() error{
			func() (err error) { want, err = library.Run(ctx, b.site, s, onePage); return err },
			func() (err error) { got, err = b.ours(ctx, t, s); return err },
		}
		for k := range sides {
			if err := sides[(k+round+2)%2](); err != nil {
				return err
			}
		}
		if want.Error != nil {
			return fmt.Errorf("%s: under the library: %s", s, want)
		}
		if round >= 0 {
			t.library.add(want.Took)
		}
		if b.left(t) {
			continue
		}
		if found, err := want.Differences(got); err != nil {
			return err
		} else if len(found) > 0 {
			t.usher.err = fmt.Errorf("another result: %.400s", strings.Join(found, "; "))
		} else if round >= 0 {
			t.usher.add(got.Took)
		}
	}
	if t.usher.err != nil {
		b.faults = append(b.faults, fmt.Sprintf("%s, usher: %v", s, t.usher.err))
	}
	return b.startsOf(ctx, t, s, library, webSocketURL)
}

// left says that usher has no more to do in a task: it has no command run, or failed.
func (b *scripted) left(t *task) bool { return b.noRun || t.usher.err != nil }

// ours runs a task with usher, unless it failed before. A failure is kept with the task; the error is that of the context.
func (b *scripted) ours(ctx context.Context, t *task, s scripts.Script) (scripts.Result, error) {
	if b.left(t) {
		return scripts.Result{}, nil
	}
	got, err := b.usher.Run(ctx, b.site, s, onePage+string(s.Dialect))
	b.noRun = errors.Is(err, scripts.ErrNoRun)
	if !b.noRun {
		t.usher.err = err
	}
	return got, ctx.Err()
}

// startsOf measures a task in a Node of its own, in few runs: they are slow.
func (b *scripted) startsOf(ctx context.Context, t *task, s scripts.Script, library *scripts.Library, webSocketURL string) error {
	if !b.starts {
		return nil
	}
	for range min(b.n, 3) {
		for _, way := range []struct {
			url  string
			into *sample
		}{{"", &t.launch}, {webSocketURL, &t.connect}} {
			result, err := library.Once(ctx, b.site, s, way.url)
			if err != nil {
				return err
			}
			if result.Error != nil {
				return fmt.Errorf("%s: in a Node of its own: %s", s, result)
			}
			way.into.add(result.Took)
		}
	}
	return nil
}

func (s *sample) add(took time.Duration) {
	s.values = append(s.values, float64(took.Microseconds())/1000)
}

// widths are those of the cells after the name.
var widths = []int{10, 10, 6, 10, 6, 10, 6}

func (b *scripted) row(name string, cells ...string) {
	fmt.Printf("%-28s", name)
	for i, cell := range cells {
		fmt.Printf(" %*s", widths[i], cell)
	}
	fmt.Println()
}

func figure(s *sample) string {
	if s.missing() {
		return "-"
	}
	return fmt.Sprintf("%.0f ms", s.median())
}

func ratio(ours, theirs *sample) string {
	if ours.missing() || theirs.missing() {
		return "-"
	}
	return fmt.Sprintf("%.2f", ours.median()/theirs.median())
}

func (b *scripted) show(t *task) {
	b.row(t.name, figure(&t.usher), figure(&t.library), ratio(&t.usher, &t.library), figure(&t.connect), ratio(&t.usher, &t.connect), figure(&t.launch), ratio(&t.usher, &t.launch))
}

// sum prints the sums over the tasks of which all sides have figures, and judges them and the geometric means of the ratios.
func (b *scripted) sum(tasks []*task) {
	total := &task{name: "sum"}
	for _, side := range []func(*task) *sample{
		func(t *task) *sample { return &t.usher }, func(t *task) *sample { return &t.library },
		func(t *task) *sample { return &t.launch }, func(t *task) *sample { return &t.connect },
	} {
		sum := 0.0
		for _, t := range tasks {
			if side(t).missing() {
				sum = math.NaN()
				continue
			}
			sum += side(t).median()
		}
		if !math.IsNaN(sum) {
			side(total).values = []float64{sum}
		}
	}
	b.show(total)
	if b.noRun {
		return
	}
	b.judgeTasks("the script alone", withoutStart, total, tasks, func(t *task) *sample { return &t.library })
	if b.starts {
		b.judgeTasks("Node that launches", withStart, total, tasks, func(t *task) *sample { return &t.launch })
	}
}

// judgeTasks judges usher beside one way of running the tasks. A task without a figure of ours fails both bars.
func (b *scripted) judgeTasks(beside string, bar float64, total *task, tasks []*task, theirs func(*task) *sample) {
	if total.usher.missing() {
		b.judged, b.missed = b.judged+2, b.missed+2
		fmt.Printf("beside %-18s FAIL: tasks without a figure\n", beside)
		return
	}
	logs, worst, name := 0.0, 0.0, ""
	for _, t := range tasks {
		r := t.usher.median() / theirs(t).median()
		logs += math.Log(r)
		if r > worst {
			worst, name = r, t.name
		}
	}
	sum, mean := total.usher.median()/theirs(total).median(), math.Exp(logs/float64(len(tasks)))
	fmt.Printf("beside %-18s sum %.2f %s, geometric mean %.2f %s, bar %.2f; worst %.2f (%s)\n", beside, sum, b.judge(sum, bar), mean, b.judge(mean, bar), bar, worst, name)
}

func (b *scripted) judge(value, bar float64) string {
	b.judged++
	verdict := judge(value, bar)
	if verdict == "FAIL" {
		b.missed++
	}
	return verdict
}

// alone measures what is judged without the libraries.
func (b *scripted) alone(ctx context.Context, wanted *regexp.Regexp) error {
	fmt.Println()
	for _, r := range []struct {
		name string
		run  func(context.Context) error
	}{{"run of nothing", b.nothing}, {"1,000 evaluations", b.loop}, {"idle child", b.child}} {
		if !wanted.MatchString(r.name) {
			continue
		}
		if err := r.run(ctx); err != nil {
			b.judged, b.missed = b.judged+1, b.missed+1
			b.faults = append(b.faults, fmt.Sprintf("%s: %v", r.name, err))
		}
	}
	return ctx.Err()
}

// timedRun runs code in a session that stays, and gives the time of the process. The script must return want.
func (b *scripted) timedRun(ctx context.Context, code string, want jsontext.Value) (time.Duration, error) {
	result, err := b.usher.Run(ctx, b.site, scripts.New("timed", code), "alone")
	if err != nil {
		return 0, err
	}
	found, err := scripts.Result{Value: want}.Differences(result)
	if err == nil && len(found) > 0 {
		err = errors.New(strings.Join(found, "; "))
	}
	return result.Took, err
}

func (b *scripted) nothing(ctx context.Context) error {
	var ours sample
	for round := -1; round < max(b.n, 20); round++ {
		took, err := b.timedRun(ctx, "return 1", jsontext.Value("1"))
		if err != nil {
			return err
		}
		if round >= 0 {
			ours.add(took)
		}
	}
	fmt.Printf("%-44s %8.1f ms, bar %d ms  %s\n", "usher run of nothing, warm", ours.median(), nothingBar, b.judge(ours.median(), nothingBar))
	return nil
}

// loop measures evaluations one after the other, in usher and over a debugging pipe with nothing in between.
func (b *scripted) loop(ctx context.Context) error {
	const times = 1000
	raw, err := openPipe(b.site.Origin() + "/article")
	if err != nil {
		return err
	}
	defer raw.close()
	code := "let sum = 0; for (let i = 0; i < " + strconv.Itoa(times) + "; i++) sum += await tab.evaluate('1'); return sum"
	if _, err := b.timedRun(ctx, "await page.goto('"+b.site.Origin()+"/article')", nil); err != nil {
		return err
	}
	var ours, theirs sample
	for round := -1; round < b.n; round++ {
		took, err := b.timedRun(ctx, code, jsontext.Value(strconv.Itoa(times)))
		if err != nil {
			return err
		}
		began := time.Now()
		if err := raw.evaluate(times); err != nil {
			return err
		}
		if round >= 0 {
			ours.add(took)
			theirs.add(time.Since(began))
		}
	}
	over := ours.median() / theirs.median()
	fmt.Printf("%-44s %8.1f ms, loop of CDP calls %.1f ms, ratio %.2f, bar %.2f  %s\n", "1,000 tab.evaluate('1') in one run", ours.median(), theirs.median(), over, loopBar, b.judge(over, loopBar))
	return nil
}

// child measures the resident memory of the processes that run scripts, after they have been idle.
func (b *scripted) child(ctx context.Context) error {
	if _, err := b.timedRun(ctx, "return 1", jsontext.Value("1")); err != nil {
		return err
	}
	time.Sleep(scriptIdle)
	living, err := b.usher.Program.Processes()
	if err != nil {
		return err
	}
	worst, number := int64(0), 0
	for _, process := range living {
		if name, _, _ := strings.Cut(process.Command, " "); filepath.Base(name) != scriptChild {
			continue
		}
		bytes, err := process.RSS()
		if err != nil {
			return err
		}
		worst = max(worst, bytes)
		number++
	}
	if number == 0 {
		return fmt.Errorf("no process %s is running", scriptChild)
	}
	size := float64(worst) / megabyte
	fmt.Printf("%-44s %8.1f MB, bar %d MB  %s\n", fmt.Sprintf("largest of %d idle processes for scripts", number), size, childBar, b.judge(size, childBar))
	return nil
}
