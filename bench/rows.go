package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// row is one line of the table.
type row struct {
	name     string
	bar      float64 // our figure over theirs, at most; or our figure itself
	absolute bool
	unit     string // "ms" (default) or "MB"
	alone    bool   // measured once per side, with the other side not running
	ours     bool   // of us alone: the other side has nothing to hold against
	command  bool   // its ratio counts in the geometric mean of all commands
	slow     bool   // takes seconds: measured three times
	prepare  func(*round) error
	measure  func(*round) (float64, error)
}

func (r row) show(value float64) string {
	if r.unit == "" {
		return fmt.Sprintf("%.1f ms", value)
	}
	return fmt.Sprintf("%.1f %s", value, r.unit)
}

func rows(site *cdptest.Site) []row {
	all := []row{
		command("get title", 1.3, site.URL("/small"), says("Small"), "get", "title"),
		command("eval 1", 1.3, site.URL("/small"), says("1"), "eval", "1"),
		command("click", 0.6, site.URL("/small"), nil, "click", "#b"),
		hover(site),
		command("snapshot -i, 47 elements", 0.7, site.URL("/"), holds(`"Broken page"`), "snapshot", "-i"),
		command("snapshot -i, 5,000 buttons", 0.12, site.URL("/buttons?n=5000"), holds(`"Button 5000"`), "snapshot", "-i"),
		command("snapshot -i, 50,000 buttons", 0.15, site.URL("/buttons?n=50000"), holds(`"Button 50000"`), "snapshot", "-i"),
		openWarm(site), screenshot(site), back(site), openCold(site), batch(site), secondSession(site),
	}
	all = append(append(all, throughputRows(site)...), dialogRows(site)...)
	return append(append(all, memoryRows(site)...), commandRows(site)...)
}

// command is a row that runs the same command again and again on one page.
func command(name string, bar float64, page string, check func(program.Outcome) error, args ...string) row {
	return row{
		name: name, bar: bar,
		prepare: func(at *round) error { return at.do([]string{"open", page}) },
		measure: func(at *round) (float64, error) { return at.timed(check, args...) },
	}
}

// hover comes from another element each time: moving the mouse to where it is
// already makes the page do nothing.
func hover(site *cdptest.Site) row {
	onto := command("hover", 0.6, site.URL("/small"), nil, "hover", "#b")
	over := onto.measure
	onto.measure = func(at *round) (float64, error) {
		if err := at.do([]string{"hover", "h1"}); err != nil {
			return 0, err
		}
		return over(at)
	}
	return onto
}

// says wants the output to be exactly this.
func says(want string) func(program.Outcome) error {
	return func(o program.Outcome) error {
		if got := strings.TrimSpace(o.Stdout); got != want {
			return fmt.Errorf("%s printed %.200q, want %q", strings.Join(o.Args, " "), got, want)
		}
		return nil
	}
}

// holds wants the output to contain this, which stands at the end of the page.
func holds(want string) func(program.Outcome) error {
	return func(o program.Outcome) error {
		if !strings.Contains(o.Stdout, want) {
			return fmt.Errorf("%s printed %d bytes without %s, starting %.200q", strings.Join(o.Args, " "), len(o.Stdout), want, o.Stdout)
		}
		return nil
	}
}

func openWarm(site *cdptest.Site) row {
	return row{
		name: "open, warm", bar: 1.0,
		prepare: func(at *round) error { return at.do([]string{"open", site.URL("/small")}) },
		measure: func(at *round) (float64, error) {
			return at.timed(holds("Small"), "open", site.URL(fmt.Sprintf("/small?visit=%d", at.number)))
		},
	}
}

func screenshot(site *cdptest.Site) row {
	return row{
		name: "screenshot", bar: 1.0,
		prepare: func(at *round) error { return at.do([]string{"open", site.URL("/")}) },
		measure: func(at *round) (float64, error) {
			path := filepath.Join(at.program.Home, fmt.Sprintf("shot-%d.png", at.number))
			return at.timed(func(program.Outcome) error { return isPNG(path) }, "screenshot", path)
		},
	}
}

func isPNG(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the screenshot: %w", err)
	}
	if !strings.HasPrefix(string(content), "\x89PNG\r\n\x1a\n") || len(content) < 1000 {
		return fmt.Errorf("%s is no picture: %d bytes", path, len(content))
	}
	return nil
}

func back(site *cdptest.Site) row {
	return row{
		name: "back", bar: 1.0,
		measure: func(at *round) (float64, error) {
			first := site.URL(fmt.Sprintf("/small?first=%d", at.number))
			if err := at.do([]string{"open", first}, []string{"open", site.URL("/forms")}); err != nil {
				return 0, err
			}
			value, err := at.timed(nil, "back")
			if err != nil {
				return 0, err
			}
			_, err = at.timed(says(first), "get", "url")
			return value, err
		},
	}
}

// openCold starts from nothing: no daemon, no browser, no home.
func openCold(site *cdptest.Site) row {
	return row{
		name: "open, cold", bar: 1.0,
		measure: func(at *round) (float64, error) {
			cold, err := at.program.Again()
			if err != nil {
				return 0, err
			}
			defer end(cold)
			return (&round{ctx: at.ctx, program: cold}).timed(holds("Small"), "open", site.URL("/small"))
		},
	}
}

func batch(site *cdptest.Site) row {
	args := []string{"batch"}
	for range 20 {
		args = append(args, "get title")
	}
	twenty := func(o program.Outcome) error {
		if n := strings.Count(o.Stdout, "Small"); n != 20 {
			return fmt.Errorf("the batch printed %d titles, want 20: %.200q", n, o.Stdout)
		}
		return nil
	}
	return command("batch of 20 gets", 0.7, site.URL("/small"), twenty, args...)
}

// secondSession is our second session against their cold open: they have no other way to a second session.
func secondSession(site *cdptest.Site) row {
	return row{
		name: "second session (theirs: cold open)", bar: 0.4,
		prepare: func(at *round) error {
			if at.program.Name != "usher" {
				return nil
			}
			return at.do([]string{"open", site.URL("/small")})
		},
		measure: func(at *round) (float64, error) {
			if at.program.Name != "usher" {
				return openCold(site).measure(at)
			}
			name := fmt.Sprintf("second%d", at.number)
			value, err := at.timed(holds("Small"), "--session", name, "open", site.URL("/small"))
			if err != nil {
				return 0, err
			}
			return value, at.do([]string{"--session", name, "close"})
		},
	}
}

// memoryDelay is how long a browser is left alone before its memory is read: it drops start-up garbage in that time.
const memoryDelay = 4 * time.Second
