// Command apps lets the same scripted agent do the same jobs in real applications through usher's MCP server and through
// Playwright's, and counts what a model would pay: calls of tools, text to read, errors.
//
//	make bench-apps                              everything
//	make bench-apps BENCH='-only tiddlywiki'     applications and jobs whose names contain this
//	make bench-apps BENCH='-log /tmp/log'        also every call with its answer
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() { program.Main("bench", run) }

func run(ctx context.Context) error {
	binary := flag.String("binary", "bin/usher", "the usher to measure")
	only := flag.String("only", "", "only jobs whose \"application: job\" contains this")
	who := flag.String("who", "", "only this contender; then nothing is compared")
	logs := flag.String("log", "", "a directory for a file per job and contender with every call and answer")
	flag.Parse()
	modules, err := peer.Modules(ctx, "bench/apps/package.json", ".cache/bench-apps")
	if err != nil {
		return err
	}
	all, err := contenders(ctx, *binary)
	if err != nil {
		return err
	}
	defer func() {
		for _, c := range all {
			c.End()
		}
	}()
	b := &bench{modules: modules, logs: *logs}
	for _, c := range all {
		if *who == "" || c.Name == *who {
			b.all = append(b.all, c)
		}
	}
	t := newTable(b.all)
	for _, app := range []app{nodeRED, tiddlyWiki, cloudCommander} {
		for _, job := range app.jobs {
			if !strings.Contains(app.name+": "+job.name, *only) {
				continue
			}
			for _, c := range b.all {
				r, err := b.job(ctx, app, job, c)
				if err != nil {
					return fmt.Errorf("%s: %s: %s: %w", app.name, job.name, c.Name, err)
				}
				t.add(app.name, job.name, c, r)
			}
		}
		t.total(app.name)
	}
	return t.verdict()
}

// bench is what all jobs need.
type bench struct {
	modules, logs string
	all           []*contender
}

// result is what came of a job.
type result struct {
	tally
	undone error // nil if the application says that it was done
}

// job does a job with one contender in a fresh application and a fresh session.
func (b *bench) job(ctx context.Context, app app, job job, c *contender) (result, error) {
	dir, err := os.MkdirTemp("", "bench-apps-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(dir)
	site, err := app.start(ctx, b.modules, dir)
	if err != nil {
		return result{}, err
	}
	defer site.stop()
	if job.prepare != nil {
		if err := job.prepare(site); err != nil {
			return result{}, fmt.Errorf("prepare: %w", err)
		}
	}
	log, err := b.log(app, job, c)
	if err != nil {
		return result{}, err
	}
	defer log.Close()
	c, err = c.again() // a browser that knows nothing of the jobs before
	if err != nil {
		return result{}, err
	}
	defer c.End()
	session, err := c.Connect(ctx, dir)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = session.Close() }() // how it ends is not what is measured
	a := &agent{contender: c, session: session, log: log}
	stopped := a.do(ctx, job.steps(site))
	if ctx.Err() != nil {
		return result{}, ctx.Err()
	}
	undone := within(5*time.Second, func() error { return job.done(site) })
	if undone != nil {
		undone = errors.Join(stopped, undone)
	}
	fmt.Fprintf(log, "== calls %d, looks %d, errors %d, bytes %d; stopped by: %v; undone: %v\n", a.calls, a.looks, a.errors, a.read, stopped, undone)
	return result{a.tally, undone}, nil
}

func (b *bench) log(app app, job job, c *contender) (io.WriteCloser, error) {
	if b.logs == "" {
		return os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	}
	if err := os.MkdirAll(b.logs, 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join(b.logs, strings.ReplaceAll(app.name+"-"+job.name+"-"+c.Name, " ", "-")+".txt"))
}
