package main

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

// throughputRows are the time for many commands; the bars are ratios of times.
func throughputRows(site *cdptest.Site) []row {
	const shells, each, lines = 8, 50, 1000
	small := []string{"open", site.URL("/small")}
	return []row{
		{
			name: fmt.Sprintf("%d shells, %d times `get text`", shells, each), bar: 1 / 1.3, slow: true,
			prepare: func(at *round) error { return at.do(small) },
			measure: func(at *round) (float64, error) {
				var group errgroup.Group
				began := time.Now()
				for range shells {
					group.Go(func() error {
						for range each {
							if _, err := at.timed(nil, "get", "text", "h1"); err != nil {
								return err
							}
						}
						return nil
					})
				}
				err := group.Wait()
				return float64(time.Since(began).Microseconds()) / 1000, err
			},
		},
		{
			name: fmt.Sprintf("batch of %d `get text`", lines), bar: 1 / 3.0, slow: true,
			prepare: func(at *round) error { return at.do(small) },
			measure: func(at *round) (float64, error) {
				args := []string{"batch"}
				for range lines {
					args = append(args, "get text h1")
				}
				return at.timed(func(o program.Outcome) error {
					if n := strings.Count(o.Stdout, "Small"); n < lines {
						return fmt.Errorf("the batch printed %d texts, want %d", n, lines)
					}
					return nil
				}, args...)
			},
		},
	}
}
