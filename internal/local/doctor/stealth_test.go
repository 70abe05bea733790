//go:build unix

package doctor

import (
	"runtime"
	"strings"
	"testing"
)

// TestWhatAPageSees has a real browser examined: as usual the watch is noticed, in
// stealth it is not, and the page is heard in both.
func TestWhatAPageSees(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	req, call := request(t, nil, "doctor", "--stealth")
	r, text, err := Examine(t.Context(), "1.2.3", req, call)
	if err != nil || !r.Success {
		t.Fatalf("the examination failed: %v\n%s", err, text)
	}
	found := map[string]map[string]Check{seenAsUsual: {}, seenInStealth: {}}
	for _, c := range r.Checks {
		if found[c.Category] != nil {
			found[c.Category][c.ID] = c
		} else if c.Category != configuration {
			t.Errorf("it looked at something else: %+v", c)
		}
	}
	usual, quiet := found[seenAsUsual], found[seenInStealth]
	if c := usual["runtime-stack"]; c.Status != Warn || !strings.Contains(c.Fix, "--stealth") {
		t.Errorf("a page did not notice an ordinary session: %+v", c)
	}
	for _, id := range []string{"webdriver", "user-agent", "brands", "debugger", "names", "heard"} {
		if usual[id].Status != Pass {
			t.Errorf("%+v", usual[id])
		}
	}
	for _, id := range []string{"runtime-stack", "runtime-getter", "webdriver", "user-agent", "debugger", "names", "heard"} {
		if quiet[id].Status != Pass {
			t.Errorf("in stealth: %+v", quiet[id])
		}
	}
	if runtime.GOOS == "linux" && (usual["hints"].Status != Warn || quiet["hints"].Status != Pass || quiet["timezone"].Status != Pass) {
		t.Errorf("%+v %+v %+v", usual["hints"], quiet["hints"], quiet["timezone"])
	}
	if len(usual) != len(quiet) || len(usual) < 18 {
		t.Errorf("%d and %d things were looked at\n%s", len(usual), len(quiet), text)
	}
}

// TestStealthOfTheEnvironment is about sessions, not about the doctor.
func TestStealthOfTheEnvironment(t *testing.T) {
	t.Parallel()
	d := machine(t, nil, []string{"USHER_STEALTH=true"}, "--quick", "--offline")
	d.configuration()
	if d.wantsStealth() {
		t.Error("a variable for sessions changed what the doctor examines")
	}
}
