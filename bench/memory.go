package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/program"
)

const megabyte = 1 << 20

func memoryRows(site *cdptest.Site) []row {
	return []row{
		{
			name: "memory of five sessions, browser included", bar: 0.45, unit: "MB", alone: true,
			measure: func(at *round) (float64, error) { return fiveSessions(at, site) },
		},
		{
			name: "daemon memory, fresh", bar: 25, absolute: true, unit: "MB", alone: true,
			prepare: func(at *round) error { return at.do([]string{"open", site.URL("/small")}) },
			measure: func(at *round) (float64, error) {
				time.Sleep(memoryDelay)
				return daemonMemory(at.program)
			},
		},
		{
			name: "daemon memory, 10 s after 50,000 buttons", bar: 80, absolute: true, unit: "MB", alone: true,
			prepare: func(at *round) error {
				return at.do([]string{"open", site.URL("/buttons?n=50000")}, []string{"snapshot", "-i"}, []string{"snapshot", "-i", "--json"})
			},
			measure: func(at *round) (float64, error) {
				time.Sleep(10 * time.Second)
				return daemonMemory(at.program)
			},
		},
		{
			name: "stripped binary", bar: 30, // 25 until the script engine came absolute: true, unit: "MB", alone: true,
			measure: func(at *round) (float64, error) {
				info, err := os.Stat(at.program.Path)
				if err != nil {
					return 0, err
				}
				return float64(info.Size()) / megabyte, nil
			},
		},
	}
}

// fiveSessions is the proportional memory of everything that five sessions on a small page keep running.
func fiveSessions(at *round, site *cdptest.Site) (float64, error) {
	for i := range 5 {
		if err := at.do([]string{"--session", fmt.Sprintf("five%d", i), "open", site.URL("/small")}); err != nil {
			return 0, err
		}
	}
	time.Sleep(memoryDelay)
	living, err := at.program.Processes()
	if err != nil {
		return 0, err
	}
	var total int64
	for _, process := range living {
		bytes, err := process.PSS()
		if err != nil {
			return 0, err
		}
		total += bytes
	}
	return float64(total) / megabyte, nil
}

// daemonMemory is the resident memory of the program's own processes: those that run its executable.
func daemonMemory(p *program.Program) (float64, error) {
	own, err := filepath.EvalSymlinks(p.Path)
	if err != nil {
		return 0, err
	}
	living, err := p.Processes()
	if err != nil {
		return 0, err
	}
	var total int64
	for _, process := range living {
		if process.Exe != own {
			continue
		}
		bytes, err := process.RSS()
		if err != nil {
			return 0, err
		}
		total += bytes
	}
	if total == 0 {
		return 0, errors.New("no daemon is running")
	}
	return float64(total) / megabyte, nil
}
