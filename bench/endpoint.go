package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/cdptest/peer"
)

// endpointRow is a figure of one client of CDP, in the unit that show prints.
type endpointRow struct {
	name string
	runs int // of the n that were asked for: large results take long
	one  func(*cdpClient) (float64, error)
	unit string
}

// bar is what a figure of a way is judged by; the zero value by nothing.
type bar struct {
	ratio float64 // the most: ours over direct
	more  float64 // the most: ours minus direct
	least float64 // ours, of a rate
	most  float64 // ours
}

func endpointRows() []endpointRow {
	result := func(mb, runs int) endpointRow {
		return endpointRow{name: strconv.Itoa(mb) + " MB result", runs: runs, unit: "ms", one: func(c *cdpClient) (float64, error) {
			return c.timed(fmt.Sprintf("'x'.repeat(%d)", mb*1_000_000), mb*1_000_000)
		}}
	}
	return []endpointRow{
		{name: rowEvaluate, runs: 400, unit: "ms", one: func(c *cdpClient) (float64, error) { return c.timed("1+1", 1) }},
		{name: rowPipelined, runs: 7, unit: "/s", one: (*cdpClient).pipelined},
		result(1, 15), result(5, 15), result(20, 9),
		{name: "5 MB expression", runs: 15, unit: "ms", one: func(c *cdpClient) (float64, error) {
			return c.timed("'"+strings.Repeat("x", 5_000_000)+"'.length", 1)
		}},
	}
}

// Names of rows that bars are for.
const (
	rowEvaluate  = "Runtime.evaluate"
	rowPipelined = "1,000 pipelined evaluates"
	rowMemory    = "memory 1 s after 50 x 20 MB"
	rowFloor     = "floor of Runtime.evaluate"
)

func rowConnect(tabs int) string { return fmt.Sprintf("connectOverCDP, %d tabs", tabs) }

func rowAttach(tabs int) string { return fmt.Sprintf("attach and use %d tabs", tabs) }

// proxyBars are those of the endpoint of a browser that usher launched, relayBars those of the user's browser.
var (
	proxyBars = map[string]bar{rowEvaluate: {more: 0.1}, "1 MB result": {ratio: 1.15}, "5 MB result": {ratio: 1.15}, "20 MB result": {ratio: 1.15}}
	relayBars = map[string]bar{
		rowEvaluate: {more: 0.55}, rowPipelined: {least: 6000}, "5 MB result": {ratio: 1.6},
		rowConnect(1): {ratio: 0.5}, rowConnect(10): {ratio: 0.5}, rowConnect(50): {ratio: 0.5}, rowMemory: {most: 60},
	}
)

// measureEndpoint prints the table of `make bench BENCH=-cdp`: a client of the endpoint of `get cdp-url` beside one of the browser's own port, in the same tab,
// interleaved. The browser has a port only for that. In the first part usher has launched the browser and drives it over its pipe; in the
// second usher is connected to the same port as the client; in the third it reaches the browser through the extension.
func measureEndpoint(ctx context.Context, binary string, wanted *regexp.Regexp) error {
	for _, open := range []func(context.Context, string) (*way, error){launchedWay, attachedWay, relayWay} {
		w, err := open(ctx, binary)
		if err != nil {
			return err
		}
		err = w.measure(ctx, wanted)
		w.close()
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
	}
	return nil
}

func (w *way) measure(ctx context.Context, wanted *regexp.Regexp) error {
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("\n%s; load %s%-28s %12s %12s %8s %8s  %s\n", w.name, load, "", "direct", "endpoint", "ratio", "more", "bar")
	var clients [2]*cdpClient
	for i, address := range []string{w.direct, w.endpoint} {
		c, err := dialCDP(ctx, address)
		if err != nil {
			return err
		}
		defer c.wire.Close() //nolint:errcheck // the measuring is over
		if err := c.attach(); err != nil {
			return err
		}
		clients[i] = c
	}
	for _, r := range endpointRows() {
		if !wanted.MatchString(r.name) {
			continue
		}
		samples := [2]sample{}
		for run := -1; run < r.runs; run++ { // the first is for warmth
			for k := range clients {
				i := k ^ (run & 1)
				value, err := r.one(clients[i])
				if err != nil {
					return fmt.Errorf("%s: %w", r.name, err)
				}
				if run >= 0 {
					samples[i].values = append(samples[i].values, value)
				}
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		w.print(r.name, r.unit, samples[0].median(), samples[1].median())
	}
	if wanted.MatchString(rowFloor) && w.extension {
		if err := w.floor(ctx, clients[0]); err != nil {
			return err
		}
	}
	for _, tabs := range []int{1, 10, 50} {
		attach, connect := wanted.MatchString(rowAttach(tabs)), wanted.MatchString(rowConnect(tabs)) && w.bars[rowConnect(tabs)] != bar{}
		if !attach && !connect {
			continue
		}
		if err := openTabs(tabs, clients[0]); err != nil {
			return err
		}
		if connect {
			if err := w.connectsPlaywright(ctx, tabs); err != nil {
				return err
			}
		}
		if attach {
			if err := w.attaches(ctx, tabs); err != nil {
				return err
			}
		}
	}
	if wanted.MatchString(rowMemory) {
		return w.memory(clients[1])
	}
	return nil
}

// memory measures what the process that serves the endpoint keeps of large results: its memory a second after the last. It also
// prints the memory at the moment of the last.
func (w *way) memory(c *cdpClient) error {
	before := resident(w.server)
	for range 50 {
		if _, err := c.timed("'x'.repeat(20000000)", 20_000_000); err != nil {
			return err
		}
	}
	last := resident(w.server)
	time.Sleep(time.Second)
	after, verdict := resident(w.server), ""
	if most := w.bars[rowMemory].most; most > 0 {
		verdict = fmt.Sprintf("%.0f MB  %s", most, judge(after, most))
	}
	fmt.Printf("%-28s %12s %9.0f MB %8s %+8.0f  %s; before %.0f MB, with the last %.0f MB\n", rowMemory, "", after, "", after-before, verdict, before, last)
	return nil
}

// print prints a row, and judges it by the bar of the way.
func (w *way) print(name, unit string, direct, ours float64) {
	verdict, b := "", w.bars[name]
	switch {
	case b.ratio > 0:
		verdict = fmt.Sprintf("%.2f x  %s", b.ratio, judge(ours/direct, b.ratio))
	case b.more > 0:
		verdict = fmt.Sprintf("+%.2f %s  %s", b.more, unit, judge(ours-direct, b.more))
	case b.least > 0:
		verdict = fmt.Sprintf("%.0f %s at least  %s", b.least, unit, judge(b.least, ours))
	}
	fmt.Printf("%-28s %9.2f %-2s %9.2f %-2s %8.2f %+8.2f  %s\n", name, direct, unit, ours, unit, ours/direct, ours-direct, verdict)
}

// openTabs opens tabs until there are so many.
func openTabs(tabs int, opener *cdpClient) error {
	have, err := opener.pages()
	if err != nil {
		return err
	}
	for range tabs - len(have) {
		params := map[string]any{"url": "about:blank"}
		if opener.context != "" {
			params["browserContextId"] = opener.context
		}
		if err := opener.call("", "Target.createTarget", params, nil); err != nil {
			return err
		}
	}
	return nil
}

// connectsPlaywright measures Playwright's connectOverCDP, as the reference did.
func (w *way) connectsPlaywright(ctx context.Context, tabs int) error {
	modules, err := peer.Modules(ctx, "bench/scripts/package.json", ".cache/scripts")
	if err != nil {
		return err
	}
	node := exec.CommandContext(ctx, "node", "bench/connect.mjs", modules, w.direct, w.endpoint, strconv.Itoa(tabs), "25")
	node.Stderr = os.Stderr
	out, err := node.Output()
	if err != nil {
		return fmt.Errorf("%s: %w", rowConnect(tabs), err)
	}
	var took struct{ Direct, Endpoint []float64 }
	if err := json.Unmarshal(out, &took, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fmt.Errorf("%s: %w", rowConnect(tabs), err)
	}
	direct, ours := sample{values: took.Direct}, sample{values: took.Endpoint}
	w.print(rowConnect(tabs), "ms", direct.median(), ours.median())
	return nil
}

// attaches measures how long a bare client takes until it has evaluated in all of some tabs, from before its WebSocket is opened.
func (w *way) attaches(ctx context.Context, tabs int) error {
	samples := [2]sample{}
	for run := range 7 {
		for k, address := range []string{w.direct, w.endpoint} {
			if run%2 == 1 {
				k, address = 1-k, []string{w.direct, w.endpoint}[1-k]
			}
			began := time.Now()
			c, err := dialCDP(ctx, address)
			if err != nil {
				return err
			}
			if err := c.useAll(tabs); err != nil {
				return err
			}
			samples[k].values = append(samples[k].values, float64(time.Since(began).Microseconds())/1000)
			_ = c.wire.Close() // nothing is to be told
		}
	}
	w.print(rowAttach(tabs), "ms", samples[0].median(), samples[1].median())
	return nil
}
