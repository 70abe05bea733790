// Command mcp measures usher's MCP server beside those of agent-browser, Playwright and Chrome DevTools from npm: the same
// client, the same pages, the same Chromium, one run of each in turn.
//
//	make bench-mcp                       everything
//	make bench-mcp BENCH='-n 5'          fewer runs
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() { program.Main("bench", run) }

func run(ctx context.Context) error {
	n := flag.Int("n", 10, "runs of each side per row; the median counts")
	binary := flag.String("binary", "bin/usher", "the usher to measure")
	flag.Parse()
	site, err := cdptest.Open()
	if err != nil {
		return err
	}
	defer site.Close()
	all, err := contenders(ctx, *binary)
	if err != nil {
		return err
	}
	defer func() {
		for _, c := range all {
			c.End()
		}
	}()
	t := newTable(all)
	if err := starts(ctx, t, all, *n); err != nil {
		return err
	}
	return works(ctx, t, all, site, *n)
}

// starts measures from making the server's process to the list of its tools.
func starts(ctx context.Context, t *table, all []*contender, n int) error {
	took := map[*contender][]float64{}
	for range n {
		for _, c := range all {
			began := time.Now()
			s, err := c.Connect(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", c.Name, err)
			}
			if _, err = s.ListTools(ctx, nil); err != nil {
				return fmt.Errorf("%s: list its tools: %w", c.Name, err)
			}
			took[c] = append(took[c], milliseconds(time.Since(began)))
			if err := s.Close(); err != nil {
				return fmt.Errorf("%s: end the server: %w", c.Name, err)
			}
		}
	}
	t.row("start to list of tools", "ms", 0.3, nodeOnly, median(took))
	t.row("the same, beside agent-browser", "ms", 1, agentBrowser, median(took))
	return nil
}

// works measures a session: pages opened, read, clicked; then a form, by what the model reads; then memory.
func works(ctx context.Context, t *table, all []*contender, site *cdptest.Site, n int) error {
	navigate, snapshot, click := map[*contender][]float64{}, map[*contender][]float64{}, map[*contender][]float64{}
	read := map[*contender][]float64{} // until the model has the page: some show it when they navigate, others when asked
	bytes, memory := map[*contender][]float64{}, map[*contender][]float64{}
	sessions := map[*contender]*session{}
	for _, c := range all {
		s, err := c.open(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		defer s.close()
		sessions[c] = s
		if err := s.do(ctx, step{verb: "navigate", value: site.URL("/")}, step{verb: "snapshot"}); err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
	}
	for i := range n {
		for _, c := range all {
			s := sessions[c]
			s.last = ""
			untilRead := 0.0
			for _, timed := range []struct {
				step
				into map[*contender][]float64
			}{
				{step{verb: "navigate", value: site.URL(fmt.Sprintf("/?%d", i))}, navigate},
				{step{verb: "snapshot"}, snapshot},
				{step{verb: "click", name: "Bold"}, click},
			} {
				began := time.Now()
				if err := s.do(ctx, timed.step); err != nil {
					return fmt.Errorf("%s: %w", c.Name, err)
				}
				took := milliseconds(time.Since(began))
				timed.into[c] = append(timed.into[c], took)
				if len(read[c]) == i {
					if untilRead += took; s.last != "" {
						read[c] = append(read[c], untilRead)
					}
				}
			}
		}
	}
	job := map[*contender][]float64{}
	for _, c := range all {
		for _, task := range []struct {
			name  string
			steps []step
			into  map[*contender][]float64
		}{{"form", formTask(site), bytes}, {"job", jobTask(site), job}} {
			total, err := c.carryOut(ctx, site, task.steps)
			if err != nil {
				return fmt.Errorf("%s: the %s: %w", c.Name, task.name, err)
			}
			task.into[c] = []float64{float64(total) / 1024}
		}
		resident, err := c.resident()
		if err != nil {
			return fmt.Errorf("%s: its memory: %w", c.Name, err)
		}
		memory[c] = []float64{float64(resident) / (1 << 20)}
	}
	t.row("navigate, 47 elements", "ms", 0.7, anyPeer, median(navigate))
	t.row("navigate until the model has read the page", "ms", 0.7, anyPeer, median(read))
	t.row("snapshot, 47 elements", "ms", 0.7, anyPeer, median(snapshot))
	t.row("click; ours tells what changed", "ms", 0.6, anyPeer, median(click))
	t.row("list + form in 10 steps, text for the model", "KB", 1, anyPeer, median(bytes))
	t.row("list + 20 steps in a list and a form, the same", "KB", 1, anyPeer, median(job))
	t.row("memory of the server, without browsers", "MB", 0.3, nodeOnly, median(memory))
	return t.verdict()
}

// formTask are ten steps that a model would take.
func formTask(site *cdptest.Site) []step {
	return []step{
		{verb: "navigate", value: site.URL("/forms")}, {verb: "snapshot"},
		{verb: "type", name: "Text", value: "Ada Lovelace"}, {verb: "type", name: "E-mail", value: "ada@example.org"},
		{verb: "type", name: "Telephone", value: "555 0100"}, {verb: "type", name: "City", value: "Bern"},
		{verb: "click", name: "Checkbox"}, {verb: "click", name: "One"}, {verb: "click", name: "Send"}, {verb: "snapshot"},
	}
}

// jobTask are twenty steps on two pages, the first of which changes with most of them.
func jobTask(site *cdptest.Site) []step {
	const field = "What needs to be done?"
	return []step{
		{verb: "navigate", value: site.URL("/todo")}, {verb: "see", name: field},
		{verb: "type", name: field, value: "Ink"}, {verb: "press", value: "Enter"}, {verb: "see", name: "Ink"}, {verb: "click", name: "Ink"},
		{verb: "type", name: field, value: "Oil"}, {verb: "press", value: "Enter"}, {verb: "see", name: "Delete Oil"}, {verb: "click", name: "Delete Oil"},
		{verb: "click", name: "Milk"}, {verb: "click", name: "Bread"}, {verb: "click", name: "Delete Tea"}, {verb: "click", name: "Delete Butter"},
		{verb: "navigate", value: site.URL("/forms")}, {verb: "see", name: "Text"},
		{verb: "type", name: "Text", value: "Ada Lovelace"}, {verb: "type", name: "E-mail", value: "ada@example.org"}, {verb: "type", name: "City", value: "Bern"},
		{verb: "click", name: "Checkbox"}, {verb: "click", name: "Two"}, {verb: "click", name: "One"}, {verb: "click", name: "Send"}, {verb: "snapshot"},
	}
}

var errUnsent = errors.New("the form did not arrive as it was filled in")

// carryOut does a task that ends with the form sent, and counts the bytes that the model reads for it, the list of
// tools included.
func (c *contender) carryOut(ctx context.Context, site *cdptest.Site, task []step) (int, error) {
	s, err := c.open(ctx)
	if err != nil {
		return 0, err
	}
	defer s.close()
	before := len(site.Requests("/echo"))
	if err := s.do(ctx, task...); err != nil {
		return 0, err
	}
	sent := site.Requests("/echo")[before:]
	if !slices.ContainsFunc(sent, func(r cdptest.Request) bool {
		q, err := url.ParseQuery(r.Query)
		return err == nil && q.Get("text") == "Ada Lovelace" && q.Get("email") == "ada@example.org" && q.Get("city") == "Bern" && q.Get("check") == "on" && q.Get("radio") == "one"
	}) {
		return 0, fmt.Errorf("%w: %+v", errUnsent, sent)
	}
	return s.read + s.listed, nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
