// Package loadavg tells how much slower a loaded machine is than a quiet one.
package loadavg

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"time"
)

// Max is how many times longer than on a quiet machine [Scale] allows at most: a page that loops must be reported on an
// overloaded machine, too.
const Max = 8

// Scale returns a time limit that was measured on a quiet machine for one with the load of this moment. With more threads
// to run than CPUs each of them has to wait for its turn, so that a page, and the browser, take as many times longer.
// Only Linux tells; elsewhere the limit stays the same.
func Scale(limit time.Duration) time.Duration {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return limit
	}
	return time.Duration(float64(limit) * factor(data, runtime.NumCPU()))
}

// factor returns the runnable threads for each CPU, from 1 to [Max]. The text has three averages, which tell of the past,
// then the runnable threads and all threads as "3/110" (proc_loadavg(5)); the thread that reads it is a runnable one.
func factor(loadavg []byte, cpus int) float64 {
	fields := bytes.Fields(loadavg)
	if len(fields) < 4 {
		return 1
	}
	running, _, _ := bytes.Cut(fields[3], []byte("/"))
	n, err := strconv.Atoi(string(running))
	if err != nil {
		return 1
	}
	return min(max(1, float64(n-1)/float64(cpus)), Max)
}
