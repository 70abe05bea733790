package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// The bars: no bot for BotD; for fpscanner and headless-detector nothing but what is true of the machine, which is software
// rendering where there is no GPU, and few fonts; and no contradiction.
const (
	softwareScore = 0.10 // what headless-detector adds for software rendering
	fontScore     = 0.08 // and for fewer than three of the eight fonts that it looks for
)

// software are the detections that are true of a machine without a GPU.
var software = []string{"hasSwiftshaderRenderer (low)", "software WebGL"}

// missed lists what is worse than the bars.
func (d *detections) missed() []string {
	if d.Failed != "" {
		return []string{"the page failed: " + d.Failed}
	}
	var out []string
	if d.BotD.Bot || len(d.BotD.Hits) > 0 {
		out = append(out, "BotD: "+strings.Join(d.BotD.Hits, ", "))
	}
	for _, hit := range slices.Concat(d.FPScanner.Hits, d.Tells) {
		if !slices.Contains(software, hit) {
			out = append(out, hit)
		}
	}
	limit := 0.0
	if d.Headless.Software {
		limit += softwareScore
	}
	if d.Headless.Fonts < 3 {
		limit += fontScore
	}
	if d.Headless.Score > limit+1e-9 {
		out = append(out, fmt.Sprintf("headless-detector: %.2f", d.Headless.Score))
	}
	return append(out, d.Lies...)
}

// print writes a row of the table.
func (d *detections) print(mode, when string) {
	fmt.Printf("%s, %s\n", mode, when)
	if d.Failed != "" {
		fmt.Printf("  failed: %s\n", d.Failed)
		return
	}
	verdict := map[bool]string{true: "BOT", false: "not a bot"}
	fmt.Printf("  %-18s %s%s\n", "BotD", verdict[d.BotD.Bot], list(d.BotD.Hits))
	fmt.Printf("  %-18s %d hits%s\n", "fpscanner", len(d.FPScanner.Hits), list(d.FPScanner.Hits))
	fmt.Printf("  %-18s %.2f%s\n", "headless-detector", d.Headless.Score, list(d.Headless.Hits))
	fmt.Printf("  %-18s %d%s\n", "contradictions", len(d.Lies), list(d.Lies))
	fmt.Printf("  %-18s %d%s\n", "signs of a driver", len(d.Tells), list(d.Tells))
}

func list(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return ": " + strings.Join(words, ", ")
}

func abs(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("find usher: %w", err)
	}
	return path, nil
}
