package main

import (
	"fmt"
	"slices"
)

// whose says which peers a bar speaks of.
type whose int

const (
	anyPeer whose = iota
	nodeOnly
	agentBrowser
)

// table prints a line per row.
type table struct {
	all    []*contender
	missed []string
}

func newTable(all []*contender) *table {
	fmt.Printf("%-44s", "")
	for _, c := range all {
		fmt.Printf(" %15s", c.Name)
	}
	fmt.Printf("  %5s %6s\n", "ratio", "bar")
	return &table{all: all}
}

// row prints the values and judges ours against the best peer's.
func (t *table) row(name, unit string, bar float64, against whose, values map[*contender]float64) {
	fmt.Printf("%-44s", name)
	best := 0.0
	for _, c := range t.all {
		fmt.Printf(" %12.1f %s", values[c], unit)
		if c.Name != "usher" && (against == anyPeer || against == nodeOnly && c.node || against == agentBrowser && c.Name == "agent-browser") && (best == 0 || values[c] < best) {
			best = values[c]
		}
	}
	ratio := values[t.all[0]] / best
	word := "ok"
	if ratio > bar {
		word = "FAIL"
		t.missed = append(t.missed, name)
	}
	fmt.Printf("  %5.2f %6.2f  %s\n", ratio, bar, word)
}

func (t *table) verdict() error {
	if len(t.missed) > 0 {
		return fmt.Errorf("bars missed: %q", t.missed)
	}
	return nil
}

func median(all map[*contender][]float64) map[*contender]float64 {
	out := map[*contender]float64{}
	for c, list := range all {
		slices.Sort(list)
		out[c] = list[len(list)/2]
	}
	return out
}
