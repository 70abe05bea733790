package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// With -tabs nothing breaks: tabs, frames, documents and sessions come and go, thousands of them, in one daemon. After each kind
// its memory has to be what it was when the first thousand had gone, or half of fewer: by then what is kept in certain numbers (changes, refs of pages
// that are gone) is kept. The log of requests of a tab holds 20,000 and is emptied all along.

// gcTrace has the runtime write a line for each of its collections, with the memory in use after it.
const gcTrace = "GODEBUG=gctrace=1"

// slackHeap is how much more memory may be in use at the end, in MB. The trace tells whole ones.
const slackHeap = 3

// kind is something that comes and goes.
type kind struct {
	name  string
	count int
	// each is how many come and go in one command; do makes the rows of its batch.
	each int
	do   func(s *soak, i int) [][]string
}

func kinds(n int) []kind {
	forget := []string{"network", "requests", "--clear"}
	small := func(s *soak, i int) string { return s.site.URL("/small?" + strconv.Itoa(i)) }
	return []kind{
		{"tabs", n, 10, func(s *soak, i int) (rows [][]string) {
			for k := range 10 {
				rows = append(rows, []string{"tab", "new", "--label", fmt.Sprintf("l%d", i+k), small(s, i+k)}, []string{"snapshot", "-i"},
					[]string{"find", "role", "button", "click"}, []string{"tab", "close"})
			}
			return rows
		}},
		{"frames", n, 10, func(s *soak, i int) (rows [][]string) {
			if i%1000 == 0 {
				rows = append(rows, []string{"open", small(s, i)})
			}
			rows = append(rows, forget)
			for k := range 5 {
				rows = append(rows, []string{"eval", fmt.Sprintf(`Promise.all([%q, %q].map(u => new Promise(ok => {
					const f = document.createElement("iframe"); f.src = u; f.onload = ok; document.body.append(f)}))).then(() => 1)`, small(s, i+k), s.site.Cross("/small"))},
					[]string{"snapshot", "-i"}, []string{"eval", `document.querySelectorAll("iframe").forEach(f => f.remove()), 1`})
			}
			return rows
		}},
		{"documents", n, 10, func(s *soak, i int) (rows [][]string) {
			rows = append(rows, forget)
			for k := range 10 {
				rows = append(rows, []string{"open", small(s, i+k)}, []string{"snapshot", "-i"}, []string{"eval", "--on-dialog", "accept", "confirm('on?')"})
			}
			return rows
		}},
		{"sessions", max(n/20, 20), 2, func(s *soak, i int) (rows [][]string) {
			for k := range 2 {
				name := fmt.Sprintf("s%d", i+k)
				rows = append(rows, []string{"--session", name, "open", small(s, i), "--permissions", "camera=allow,geolocation=ask", "--dialog-bridge", "on"},
					[]string{"--session", name, "snapshot", "-i"}, []string{"--session", name, "close"})
			}
			return rows
		}},
	}
}

func runChurn(ctx context.Context, o options, n int, only string) (err error) {
	wanted, err := regexp.Compile(only)
	if err != nil {
		return fmt.Errorf("read -kinds: %w", err)
	}
	s, err := newSoak(o)
	if err != nil {
		return err
	}
	defer s.site.Close()
	s.program.Env = append(s.program.Env, gcTrace)
	fmt.Printf("soak: %d tabs, frames and documents come and go, home %s\n", n, s.program.Home)
	err = s.churn(ctx, n, wanted)
	s.leaveNothing()
	return errors.Join(err, s.report.verdict())
}

func (s *soak) churn(ctx context.Context, n int, wanted *regexp.Regexp) error {
	if a, err := s.execute(nil, 0, 0, "--json", "open", s.site.URL("/small"), "--share", "8"); err != nil || !a.ok() {
		return fmt.Errorf("begin: %w %s", err, a.words)
	}
	h, err := newHealth(s)
	if err != nil {
		return err
	}
	var complaints []error
	for _, k := range kinds(n) {
		if wanted.MatchString(k.name) {
			complaints = append(complaints, s.come(ctx, h, k))
		}
	}
	a, err := s.execute(nil, 0, 0, "--json", "close", "--all")
	if err == nil && !a.ok() {
		err = errors.New(a.words)
	}
	return errors.Join(append(complaints, err, s.stop())...)
}

// come lets one kind come and go, and compares.
func (s *soak) come(ctx context.Context, h *health, k kind) error {
	var first, last churned
	began := time.Now()
	for i, tenth := 0, 0; i < k.count; i += k.each {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rows, err := json.Marshal(k.do(s, i))
		if err != nil {
			return err
		}
		out, err := s.program.RunInput(ctx, rows, "--json", "batch", "--bail", "--omit-command")
		if err == nil {
			err = out.Failed()
		}
		if err != nil {
			return fmt.Errorf("%s, from %d on: %w: %.300s", k.name, i, err, out.Stdout)
		}
		if done := (i + k.each) * 10 / k.count; done > tenth {
			tenth, last = done, h.churned()
			if first.heap == 0 && i+k.each >= min(1000, k.count/2) {
				first = last
			}
			fmt.Printf("  %-10s %6d after %5.0fs: %2d MB in use, %3d MB resident, %d threads, %d files\n",
				k.name, i+k.each, time.Since(began).Seconds(), last.heap, last.memory>>20, last.threads, last.files)
		}
	}
	if last.heap > first.heap+slackHeap || last.files > first.files+3 {
		return fmt.Errorf("%s: at first %d MB were in use and %d files open, at the end %d and %d", k.name, first.heap, first.files, last.heap, last.files)
	}
	return nil
}

// churned is a look at the daemon, with the least memory in use after its last collections, in MB.
type churned struct {
	vitals
	heap int
}

var collection = regexp.MustCompile(`(?m)^gc \d+ @.* \d+->\d+->(\d+) MB`)

// collections is how many of the last collections count.
const collections = 12

func (h *health) churned() churned {
	c := churned{vitals: h.look()}
	var log []byte
	for _, path := range []string{h.log + ".old", h.log} {
		part, err := os.ReadFile(path)
		if err == nil {
			log = append(log, part...)
		}
	}
	all := collection.FindAllStringSubmatch(strings.ToValidUTF8(string(log), ""), -1)
	for _, m := range all[max(0, len(all)-collections):] {
		if n, err := strconv.Atoi(m[1]); err == nil && (c.heap == 0 || n < c.heap) {
			c.heap = n
		}
	}
	return c
}
