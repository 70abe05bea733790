// Command snippets runs the same scripts under Playwright and Puppeteer in Node and with usher run, and compares what they
// return. It prints a line per script, and where the results differ.
//
//	make snippets                                all of them
//	make snippets SNIPPETS='-only frames'        those whose "dialect/name" contains this
//	make snippets SNIPPETS='-node -out FILE'     the libraries alone; their results as JSON
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/bench/scripts"
	"github.com/usher-browser/usher/internal/cdptest/peer"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

func main() { program.Main("snippets", run) }

func run(ctx context.Context) error {
	n := flag.Int("n", 3, "runs under the library; a script whose results differ there is not compared, and is an error")
	only := flag.String("only", "", "only scripts whose \"dialect/name\" contains this")
	tasks := flag.Bool("tasks", false, "the tasks of the bench instead of the snippets")
	node := flag.Bool("node", false, "run the libraries alone")
	out := flag.String("out", "", "write the results of the libraries to this file, as JSON")
	binary := flag.String("binary", "bin/usher", "the usher to compare")
	flag.Parse()
	modules, err := peer.Modules(ctx, "bench/scripts/package.json", ".cache/scripts")
	if err != nil {
		return err
	}
	site, err := scripts.OpenSite()
	if err != nil {
		return err
	}
	defer site.Close()
	c := &comparison{site: site, runs: *n, results: map[string]scripts.Result{}}
	if !*node {
		if c.usher, err = scripts.OpenUsher(*binary); err != nil {
			return err
		}
		defer c.usher.Close()
	}
	list := scripts.Snippets
	if *tasks {
		list = scripts.Tasks
	}
	for _, dialect := range scripts.Dialects {
		all, err := list(dialect)
		if err != nil {
			return err
		}
		if err := c.dialect(ctx, dialect, modules, all, *only); err != nil {
			return err
		}
	}
	return errors.Join(c.write(*out), c.verdict())
}

// comparison counts what came out.
type comparison struct {
	site  *scripts.Site
	usher *scripts.Usher // nil if the libraries run alone
	runs  int

	results               map[string]scripts.Result // of the libraries, by the script
	equal, differ, broken int
}

func (c *comparison) dialect(ctx context.Context, d scripts.Dialect, modules string, all []scripts.Script, only string) error {
	library, err := scripts.OpenLibrary(d, modules)
	if err != nil {
		return err
	}
	defer library.Close()
	for _, s := range all {
		if !strings.Contains(s.String(), only) {
			continue
		}
		want, unsteady, err := c.expected(ctx, library, s)
		if err != nil {
			return err
		}
		c.results[s.String()] = want
		if len(unsteady) > 0 || want.Error != nil {
			c.broken++
			c.line(s, "broken", unsteady)
			if want.Error != nil {
				fmt.Printf("    under the library: %s\n", want)
			}
			continue
		}
		if c.usher == nil {
			c.line(s, fmt.Sprintf("%.0f ms", float64(want.Took.Microseconds())/1000), nil)
			continue
		}
		if err := c.compare(ctx, s, want); err != nil {
			return err
		}
	}
	return nil
}

// expected runs a script under its library, and lists where its results differ from run to run.
func (c *comparison) expected(ctx context.Context, library *scripts.Library, s scripts.Script) (first scripts.Result, unsteady []string, err error) {
	for i := range c.runs {
		result, err := library.Run(ctx, c.site, s, "")
		if err != nil {
			return first, nil, err
		}
		if i == 0 {
			first = result
			continue
		}
		found, err := first.Differences(result)
		if err != nil {
			return first, nil, err
		}
		unsteady = append(unsteady, found...)
	}
	return first, unsteady, nil
}

func (c *comparison) compare(ctx context.Context, s scripts.Script, want scripts.Result) error {
	got, err := c.usher.Run(ctx, c.site, s, "")
	if errors.Is(err, scripts.ErrNoRun) {
		return err
	}
	var found []string
	if err != nil {
		found = []string{err.Error()}
	} else if found, err = want.Differences(got); err != nil {
		return err
	}
	if len(found) == 0 {
		c.equal++
		c.line(s, "equal", nil)
		return nil
	}
	c.differ++
	c.line(s, "DIFFERENT", found)
	return nil
}

func (c *comparison) line(s scripts.Script, verdict string, details []string) {
	fmt.Printf("%-28s %s\n", s, verdict)
	for _, detail := range details {
		fmt.Printf("    %s\n", detail)
	}
}

// write writes the results of the libraries to a file, unless it has no name.
func (c *comparison) write(file string) error {
	if file == "" {
		return nil
	}
	values := map[string]jsontext.Value{}
	for name, result := range c.results {
		values[name] = result.Value
		if result.Error != nil {
			text, err := json.Marshal(map[string]any{"error": result.Error})
			if err != nil {
				return err
			}
			values[name] = text
		}
	}
	text, err := json.Marshal(values, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("write the results: %w", err)
	}
	return os.WriteFile(file, append(text, '\n'), 0o644)
}

func (c *comparison) verdict() error {
	if c.usher != nil {
		fmt.Printf("\n%d equal, %d different\n", c.equal, c.differ)
	}
	switch {
	case c.broken > 0:
		return fmt.Errorf("%d scripts fail under their library, or return something else every time", c.broken)
	case c.differ > 0:
		return fmt.Errorf("%d scripts return something else with usher run", c.differ)
	}
	return nil
}
