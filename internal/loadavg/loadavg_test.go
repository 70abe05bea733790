package loadavg

import "testing"

func TestFactor(t *testing.T) {
	for _, c := range []struct {
		loadavg string
		cpus    int
		want    float64
	}{
		{"0.00 0.01 0.05 1/109 4711\n", 2, 1},
		{"9.99 9.99 9.99 3/109 4711\n", 2, 1},
		{"0.00 0.01 0.05 4/109 4711\n", 2, 1.5},
		{"0.00 0.01 0.05 9/109 4711\n", 2, 4},
		{"0.00 0.01 0.05 9/109 4711\n", 16, 1},
		{"0.00 0.01 0.05 900/1090 4711\n", 2, Max},
		{"", 2, 1},
		{"0.00 0.01 0.05 x/y 4711\n", 2, 1},
	} {
		if got := factor([]byte(c.loadavg), c.cpus); got != c.want {
			t.Errorf("factor(%q, %d) = %v, want %v", c.loadavg, c.cpus, got, c.want)
		}
	}
}
