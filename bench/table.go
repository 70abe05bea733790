package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// sample is what one side gave for a row.
type sample struct {
	side   string
	values []float64
	err    error
	left   bool // nothing is measured of this side
}

// median of the values; there is at least one.
func (s *sample) median() float64 {
	sorted := slices.Clone(s.values)
	slices.Sort(sorted)
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

func (s *sample) missing() bool { return s == nil || s.err != nil || len(s.values) == 0 }

// table prints a line per row as it is measured, so that a long run shows where it is.
type table struct {
	out    io.Writer
	missed int
	judged int
	faults []string
	ratios []float64 // of the rows of commands
}

func newTable(out io.Writer) *table {
	t := &table{out: out}
	t.line("", "usher", "agent-browser", "ratio", "bar", "")
	t.line(strings.Repeat("-", 44), "------------", "-------------", "-----", "----------", "----")
	return t
}

func (t *table) line(name, ours, theirs, ratio, bar, verdict string) {
	fmt.Fprintf(t.out, "%-44s %12s %13s %6s %10s  %s\n", name, ours, theirs, ratio, bar, verdict)
}

func (t *table) add(r row, samples []*sample) {
	var ours, theirs *sample
	for _, s := range samples {
		if s.side == "usher" {
			ours = s
		} else {
			theirs = s
		}
		if s.err != nil {
			t.faults = append(t.faults, fmt.Sprintf("%s, %s: %v", r.name, s.side, s.err))
		}
	}
	ratio, verdict := "", ""
	switch {
	case ours.missing():
		if ours != nil {
			verdict = "FAIL" // asked for, and gave no figure
		}
	case r.absolute:
		verdict = judge(ours.median(), r.bar)
	case !theirs.missing():
		verdict = judge(ours.median()/theirs.median(), r.bar)
	}
	if !ours.missing() && !theirs.missing() {
		ratio = fmt.Sprintf("%.2f", ours.median()/theirs.median())
		if r.command {
			t.ratios = append(t.ratios, ours.median()/theirs.median())
		}
	}
	if verdict != "" {
		t.judged++
	}
	if verdict == "FAIL" {
		t.missed++
	}
	bar := fmt.Sprintf("%.2f", r.bar)
	if r.absolute {
		bar = r.show(r.bar)
	}
	t.line(r.name, cell(r, ours), cell(r, theirs), ratio, bar, verdict)
}

func judge(value, bar float64) string {
	if value <= bar {
		return "ok"
	}
	return "FAIL"
}

func cell(r row, s *sample) string {
	switch {
	case s == nil, s.left:
		return "-"
	case s.missing():
		return "error"
	}
	return r.show(s.median())
}

// commandsMean is the highest geometric mean of the ratios of all commands that is good enough.
const commandsMean = 0.6

func (t *table) end() {
	if len(t.ratios) > 0 {
		sum := 0.0
		for _, ratio := range t.ratios {
			sum += math.Log(ratio)
		}
		mean := math.Exp(sum / float64(len(t.ratios)))
		t.line(fmt.Sprintf("geometric mean of %d commands", len(t.ratios)), "", "", fmt.Sprintf("%.2f", mean), fmt.Sprintf("%.2f", commandsMean), judge(mean, commandsMean))
	}
	fmt.Fprintf(t.out, "\n%d bars judged, %d missed\n", t.judged, t.missed)
	for _, fault := range t.faults {
		fmt.Fprintln(t.out, "no figure:", fault)
	}
}
