package main

import (
	"errors"
	"fmt"
)

// table prints a line per job, and judges.
type table struct {
	all    []*contender
	apps   map[string]map[*contender]*tally
	jobs   map[string]map[*contender]result
	missed []error
}

func newTable(all []*contender) *table {
	fmt.Printf("%-59s", "")
	for _, c := range all {
		fmt.Printf("  %-38s", c.Name)
	}
	fmt.Printf("\n%-59s", "application: job")
	for range all {
		fmt.Printf("  %-4s %6s %6s %8s %6s    ", "done", "calls", "looks", "KB read", "errors")
	}
	fmt.Println()
	return &table{all: all, apps: map[string]map[*contender]*tally{}, jobs: map[string]map[*contender]result{}}
}

// add takes a result; when it has one of every contender it prints the line.
func (t *table) add(app, job string, c *contender, r result) {
	name := app + ": " + job
	if t.jobs[name] == nil {
		t.jobs[name] = map[*contender]result{}
	}
	t.jobs[name][c] = r
	if t.apps[app] == nil {
		t.apps[app] = map[*contender]*tally{}
	}
	if t.apps[app][c] == nil {
		t.apps[app][c] = &tally{}
	}
	t.apps[app][c].add(r.tally)
	if r.undone != nil && c.Name == "usher" {
		t.missed = append(t.missed, fmt.Errorf("%s is not done", name))
	}
	if len(t.jobs[name]) < len(t.all) {
		return
	}
	fmt.Printf("%-59s", name)
	for _, c := range t.all {
		done := "yes"
		if t.jobs[name][c].undone != nil {
			done = "NO"
		}
		cells(done, t.jobs[name][c].tally)
	}
	fmt.Println()
	for _, c := range t.all {
		if err := t.jobs[name][c].undone; err != nil {
			fmt.Printf("    %s: %v\n", c.Name, err)
		}
	}
}

func cells(done string, r tally) {
	fmt.Printf("  %-4s %6d %6d %8.1f %6d    ", done, r.calls, r.looks, float64(r.read)/1024, r.errors)
}

// total prints the sums of an application, and judges them.
func (t *table) total(app string) {
	sums := t.apps[app]
	if sums == nil {
		return
	}
	t.row(app+": all jobs", sums)
	if len(t.all) < 2 {
		return
	}
	if ours, theirs := sums[t.all[0]], sums[t.all[1]]; ours.calls > theirs.calls {
		t.missed = append(t.missed, fmt.Errorf("%s: %d calls, %s needs %d", app, ours.calls, t.all[1].Name, theirs.calls))
	}
}

// row prints sums, with the ratio of ours to the other's.
func (t *table) row(name string, sums map[*contender]*tally) {
	fmt.Printf("%-59s", name)
	for _, c := range t.all {
		cells("", *sums[c])
	}
	if len(t.all) == 2 {
		ours, theirs := sums[t.all[0]], sums[t.all[1]]
		fmt.Printf("  ratio: calls %.2f, KB %.2f", float64(ours.calls)/float64(theirs.calls), float64(ours.read)/float64(theirs.read))
	}
	fmt.Println()
}

// verdict prints the sums of everything, and is an error if a bar was missed.
func (t *table) verdict() error {
	sums := map[*contender]*tally{}
	for _, c := range t.all {
		sums[c] = &tally{}
		for _, app := range t.apps {
			sums[c].add(*app[c])
		}
	}
	t.row("everything", sums)
	return errors.Join(t.missed...)
}
