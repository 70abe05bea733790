// Command bench measures usher beside agent-browser from npm: the same pages, the same Chromium, the same machine, one
// run of each in turn, medians. It prints a row per bar that usher has to meet.
//
//	make bench                                     everything
//	make bench BENCH='-rows snapshot -n 5'         rows whose name matches, fewer runs
//	make bench BENCH=-commands                     every command that both programs have, and the geometric mean
//	make bench BENCH='-only usher'                 without the other side
//	make bench BENCH=-cdp                          CDP through the endpoint of get cdp-url, beside the browser's own port
//	make bench BENCH=-run                          scripts with usher run, beside Playwright and Puppeteer in Node
//	make bench BENCH='-run -warm -n 20'            the same without runs in a Node of its own, which are slow
//
// What is timed is the whole process of a command, from before it is made until it has ended, as an agent's shell sees it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() { program.Main("bench", run) }

func run(ctx context.Context) error {
	if os.Getenv(serveVariable) != "" {
		return serveEndpoint(ctx)
	}
	n := flag.Int("n", 20, "runs of each side per row; the median counts")
	only := flag.String("only", "", "measure one side alone: usher or agent-browser")
	choose := flag.String("rows", "", "measure the rows whose name matches this regular expression")
	commands := flag.Bool("commands", false, "measure only the rows that compare each command of both programs")
	binary := flag.String("binary", "bin/usher", "the usher to measure")
	overCDP := flag.Bool("cdp", false, "measure a CDP client of usher's endpoint beside one of the browser's own port")
	scripted := flag.Bool("run", false, "measure usher run beside Playwright and Puppeteer; a quarter of the runs that -n says")
	warm := flag.Bool("warm", false, "with -run: leave out the times of a Node that starts for every task")
	flag.Parse()
	wanted, err := regexp.Compile(*choose)
	if err != nil {
		return fmt.Errorf("read -rows: %w", err)
	}
	if *overCDP {
		return measureEndpoint(ctx, *binary, wanted)
	}
	if *scripted {
		return measureScripts(ctx, *binary, max(*n/4, 1), wanted, !*warm)
	}
	site, err := cdptest.Open()
	if err != nil {
		return err
	}
	defer site.Close()

	sides, err := contenders(ctx, *only, *binary)
	if err != nil {
		return err
	}
	defer func() {
		for _, s := range sides {
			end(s.program)
		}
	}()
	var chosen []row
	for _, r := range rows(site) {
		if wanted.MatchString(r.name) && (r.command || !*commands) {
			chosen = append(chosen, r)
		}
	}
	describe(sides, *n)
	table := newTable(os.Stdout)
	for _, r := range chosen {
		result, err := measure(ctx, r, sides, *n)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		table.add(r, result)
	}
	table.end()
	return nil
}

// side is one contender. usher is first, and is what the bars judge.
type side struct {
	program *program.Program // a pattern: each row runs a copy of it in a fresh home
}

func contenders(ctx context.Context, only, binary string) ([]*side, error) {
	var sides []*side
	if only != peer.Name {
		usher, err := peer.Usher(binary)
		if err != nil {
			return nil, fmt.Errorf("%w; run make build", err)
		}
		sides = append(sides, &side{program: usher})
	}
	if only != "usher" {
		other, err := peer.AgentBrowser(ctx, "bench/package.json", ".cache/bench")
		if err != nil {
			return nil, err
		}
		sides = append(sides, &side{program: other})
	}
	if len(sides) == 0 {
		return nil, errors.New("-only names neither usher nor " + peer.Name)
	}
	return sides, nil
}

func describe(sides []*side, n int) {
	for _, s := range sides {
		version := "?"
		if outcome, err := s.program.Run(context.Background(), "--version"); err == nil {
			version = strings.TrimSpace(outcome.Stdout)
		}
		fmt.Printf("%-14s %s\n", s.program.Name, version)
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("medians of %d, interleaved; load %s\n", n, load)
}

// measure runs a row for every side in turn, the first side first in even rounds and last in odd ones.
func measure(ctx context.Context, r row, sides []*side, n int) ([]*sample, error) {
	samples := make([]*sample, len(sides))
	rounds := make([]round, len(sides))
	for i, s := range sides {
		samples[i] = &sample{side: s.program.Name}
		fresh, err := s.program.Again()
		if err != nil {
			return nil, err
		}
		rounds[i] = round{ctx: ctx, program: fresh}
	}
	defer func() {
		for i := range rounds {
			end(rounds[i].program)
		}
	}()
	for i := range rounds {
		if r.ours && i > 0 {
			samples[i].left = true
			continue
		}
		if r.prepare != nil {
			if err := r.prepare(&rounds[i]); err != nil {
				samples[i].err = fmt.Errorf("prepare: %w", err)
			}
		}
		if r.alone {
			// Memory shared with the other side's browser would count for half.
			samples[i].take(r, &rounds[i])
			end(rounds[i].program)
		}
	}
	if r.alone {
		return samples, ctx.Err()
	}
	if r.slow {
		n = min(n, 3)
	}
	for number := -1; number < n; number++ { // the first run is for warmth
		for k := range rounds {
			i := k
			if number%2 != 0 {
				i = len(rounds) - 1 - k
			}
			rounds[i].number = number + 1
			samples[i].take(r, &rounds[i])
			if number < 0 {
				samples[i].values = nil
			}
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
	}
	return samples, nil
}

func (s *sample) take(r row, at *round) {
	if s.err != nil || s.left {
		return
	}
	value, err := r.measure(at)
	if err != nil {
		s.err = err
		return
	}
	s.values = append(s.values, value)
}

// end ends all that a program left running. What had to be killed is told: it is a fault.
func end(p *program.Program) {
	killed, err := p.End()
	for _, process := range killed {
		fmt.Fprintf(os.Stderr, "%s left a process that did not leave when asked: %d %.80s\n", p.Name, process.PID, process.Command)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "end %s: %v\n", p.Name, err)
	}
}

// round is one measurement of one side.
type round struct {
	ctx     context.Context
	program *program.Program
	number  int
}

// timed runs a command and gives its time in milliseconds; check, if any, judges what it printed.
func (at *round) timed(check func(program.Outcome) error, args ...string) (float64, error) {
	ctx, cancel := context.WithTimeout(at.ctx, 3*time.Minute)
	defer cancel()
	outcome, err := at.program.Run(ctx, args...)
	if err == nil {
		err = outcome.Failed()
	}
	if err == nil && check != nil {
		err = check(outcome)
	}
	return float64(outcome.Wall.Microseconds()) / 1000, err
}

// do runs commands whose time does not matter.
func (at *round) do(commands ...[]string) error {
	for _, args := range commands {
		if _, err := at.timed(nil, args...); err != nil {
			return err
		}
	}
	return nil
}
