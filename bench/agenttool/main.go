// Command agenttool measures the tool agent_browser beside pi-agent-browser-native 0.5.0, whose interface it has: the same calls on the
// same pages in the same Chromium, in turn.
//
//	make bench-agent-tool REFERENCE=DIR               DIR is a checkout of pi-agent-browser-native, or its package from npm
//	make bench-agent-tool REFERENCE=DIR BENCH='-n 5'  fewer runs
//
// Times of usher include the transport over MCP; those of the reference begin and end inside of its process.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() { program.Main("bench", run) }

func run(ctx context.Context) error {
	n := flag.Int("n", 9, "runs of each side per row; the median counts")
	binary := flag.String("binary", "bin/usher", "the usher to measure")
	reference := flag.String("reference", "", "a checkout of pi-agent-browser-native, or its package from npm")
	flag.Parse()
	if *reference == "" {
		return errors.New("-reference is missing: give the directory of pi-agent-browser-native 0.5.0, as in make bench-agent-tool REFERENCE=DIR")
	}
	site, err := cdptest.Open()
	if err != nil {
		return err
	}
	defer site.Close()
	ours, err := openUsher(ctx, *binary)
	if err != nil {
		return err
	}
	defer ours.end()
	theirs, err := openReference(ctx, *reference)
	if err != nil {
		return err
	}
	defer theirs.end()
	sides := []side{ours, theirs}
	var t table
	if err := times(ctx, &t, sides, site, *n); err != nil {
		return err
	}
	if err := session(ctx, &t, sides, site); err != nil {
		return err
	}
	return t.verdict()
}

// times measures a click and a job of ten steps.
func times(ctx context.Context, t *table, sides []side, site *cdptest.Site, n int) error {
	clicks, jobs := make([][]float64, len(sides)), make([][]float64, len(sides))
	refs := make([]string, len(sides))
	for i, s := range sides {
		if _, err := must(ctx, s, args("open", site.URL("/"))); err != nil {
			return err
		}
		if _, err := must(ctx, s, args("snapshot", "-i")); err != nil {
			return err
		}
		ref, err := s.ref("Bold")
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(), err)
		}
		refs[i] = ref
	}
	for range n {
		for i, s := range sides {
			a, err := must(ctx, s, args("click", refs[i]))
			if err != nil {
				return err
			}
			clicks[i] = append(clicks[i], a.ms)
		}
	}
	for range n {
		for i, s := range sides {
			a, err := must(ctx, s, map[string]any{"job": map[string]any{"steps": jobSteps(site)}})
			if err != nil {
				return err
			}
			jobs[i] = append(jobs[i], a.ms)
		}
	}
	t.row("click on a button's ref", "ms", 0.2, medians(clicks))
	raw, err := overRawCDP(ctx, site, n)
	if err != nil {
		return err
	}
	t.row("job of 10 steps on a form", "ms", 0.3, medians(jobs))
	fmt.Printf("%-36s raw   %8.1f ms  call by call over raw CDP, without a tool: ratio %.2f\n", "the same steps", raw, raw/medians(jobs)[1])
	return nil
}

func jobSteps(site *cdptest.Site) []map[string]any {
	field := func(label, text string) map[string]any {
		return map[string]any{"action": "fill", "locator": "label", "value": label, "text": text}
	}
	return []map[string]any{
		{"action": "open", "url": site.URL("/forms")}, field("Text", "Ada Lovelace"), field("E-mail", "ada@example.org"), field("Telephone", "555 0100"),
		field("City", "Bern"), {"action": "click", "locator": "label", "value": "Checkbox"}, {"action": "click", "locator": "label", "value": "One"},
		{"action": "assertUrl", "url": "**/forms"}, {"action": "snapshot"}, {"action": "wait", "milliseconds": 1},
	}
}

// session makes thirty calls as an agent would, and counts the bytes of details and the processes.
func session(ctx context.Context, t *table, sides []side, site *cdptest.Site) error {
	sums, started := make([]float64, len(sides)), make([]float64, len(sides))
	for i, s := range sides {
		before, err := s.started()
		if err != nil {
			return err
		}
		calls := 0
		call := func(words ...string) error {
			a, err := must(ctx, s, args(words...))
			if err != nil {
				return err
			}
			calls++
			sums[i] += float64(a.bytes) / 1024
			return nil
		}
		on := func(name string, words ...string) func() error {
			return func() error {
				ref, err := s.ref(name)
				if err != nil {
					return err
				}
				at := slices.Index(words, "REF")
				return call(slices.Replace(slices.Clone(words), at, at+1, ref)...)
			}
		}
		run := func(words ...string) func() error { return func() error { return call(words...) } }
		look := run("snapshot", "-i")
		steps := []func() error{
			run("open", site.URL("/forms")), look,
			on("Text", "fill", "REF", "Ada Lovelace"), on("E-mail", "fill", "REF", "ada@example.org"), on("Telephone", "fill", "REF", "555 0100"), on("City", "fill", "REF", "Bern"),
			on("Checkbox", "click", "REF"), on("One", "click", "REF"), look, on("Text", "get", "value", "REF"),
			run("get", "title"), run("get", "url"), run("console"), run("errors"), run("network", "requests"), run("get", "text", "body"), run("eval", "1 + 1"), run("tab", "list"),
			run("get", "count", "input"),
			run("open", site.URL("/")), look, on("Bold", "click", "REF"), on("Italic", "click", "REF"), look, on("Bold", "click", "REF"),
			run("get", "title"), run("back"), run("get", "url"), run("wait", "100"), run("get", "text", "body"),
		}
		for _, step := range steps {
			if err := step(); err != nil {
				return fmt.Errorf("%s, call %d: %w", s.name(), calls+1, err)
			}
		}
		after, err := s.started()
		if err != nil {
			return err
		}
		started[i] = float64(after-before) / float64(calls)
		if calls != 30 {
			return fmt.Errorf("the session has %d calls", calls)
		}
	}
	t.row("details of a session of 30 calls", "KB", 0.25, sums)
	t.row("processes started per call", "", 0, started)
	return nil
}

func args(words ...string) map[string]any { return map[string]any{"args": words} }

// must makes a call that has to succeed.
func must(ctx context.Context, s side, in map[string]any) (*answer, error) {
	a, err := s.call(ctx, in)
	if err != nil {
		return nil, fmt.Errorf("%s: %v: %w", s.name(), in, err)
	}
	if a.failed {
		return nil, fmt.Errorf("%s: %v: %s", s.name(), in, a.text)
	}
	return a, nil
}

// table prints a line per row.
type table struct{ missed []string }

func (t *table) row(name, unit string, bar float64, values []float64) {
	ratio, word := 0.0, "ok"
	if values[1] > 0 {
		ratio = values[0] / values[1]
	}
	if ratio > bar {
		word = "FAIL"
		t.missed = append(t.missed, name)
	}
	fmt.Printf("%-36s usher %8.1f %-2s  reference %8.1f %-2s  ratio %5.2f  bar %5.2f  %s\n", name, values[0], unit, values[1], unit, ratio, bar, word)
}

func (t *table) verdict() error {
	if len(t.missed) > 0 {
		return fmt.Errorf("bars missed: %s", strings.Join(t.missed, "; "))
	}
	return nil
}

func medians(all [][]float64) (out []float64) {
	for _, list := range all {
		slices.Sort(list)
		out = append(out, list[len(list)/2])
	}
	return out
}
