package lane_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/session/code/lane"
)

// TestResult reads replies of Runtime.evaluate: what is no plain value is left to the usual way.
func TestResult(t *testing.T) {
	for reply, want := range map[string]string{
		`{"result":{"type":"number","value":1,"description":"1"}}`:                              `{"value":1}`,
		`{"result":{"type":"string","value":"a\"b"}}`:                                           `{"value":"a\"b"}`,
		`{"result":{"type":"object","subtype":"null","value":null}}`:                            `{"value":null}`,
		`{"result":{"type":"object","value":{"a":[1,{}]}}}`:                                     `{"value":{"a":[1,{}]}}`,
		`{"result":{"type":"number","unserializableValue":"-0","description":"-0"}}`:            `{"special":"-0"}`,
		`{"result":{"type":"undefined"}}`:                                                       `{"special":"undefined"}`,
		`{"result":{"type":"function","description":"f"}}`:                                      ``,
		`{"result":{"type":"object","subtype":"error"},"exceptionDetails":{"text":"Uncaught"}}`: ``,
		`[]`: ``,
	} {
		got, ok := lane.Result([]byte(reply))
		if string(got) != want || ok != (want != "") {
			t.Errorf("%s: %s %t, want %s", reply, got, ok, want)
		}
	}
}

// TestLane hands over what is not answered soon and what the end of the run finds, and nothing that was answered.
func TestLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		var l lane.Lane
		var late []string
		flight := func(name string) *lane.Flight {
			f := &lane.Flight{}
			f.Later = func() {
				if l.End(f) {
					late = append(late, name)
				}
			}
			if !l.Take(ctx, f) {
				t.Fatal("the run goes on, and the lane took nothing")
			}
			return f
		}
		quick := flight("quick")
		time.Sleep(time.Millisecond)
		if !l.End(quick) || l.End(quick) {
			t.Error("an evaluation did not end once")
		}
		began := time.Now()
		flight("slow")
		for len(late) == 0 {
			time.Sleep(time.Millisecond)
		}
		if took := time.Since(began); took > 25*time.Millisecond {
			t.Errorf("handed over after %s", took)
		}
		flight("last")
		end()
		l.Wait()
		if len(late) != 2 || late[0] != "slow" || late[1] != "last" {
			t.Errorf("handed over: %q", late)
		}
		if l.Take(ctx, &lane.Flight{}) {
			t.Error("the run has ended, and the lane took an evaluation")
		}
	})
}
