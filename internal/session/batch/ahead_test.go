package batch_test

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/session/batch"
)

// TestAhead: rows that look run together, at most so many and none before an action that precedes it; results come in order.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 3
		var log []string
		var mu sync.Mutex
		running, peak, acting := 0, 0, false
		begin := time.Now()
		words := strings.Fields("look look look look click look look fail look click")
		var rows []batch.Row
		for _, w := range words {
			rows = append(rows, batch.Row{Words: []string{w}})
		}
		ahead := batch.NewAhead(rows, most, func(r batch.Row) (func() (run.Result, error), bool) {
			word := r.Words[0]
			return func() (run.Result, error) {
				mu.Lock()
				running++
				peak = max(peak, running)
				if acting || word == "click" && running > 1 {
					t.Errorf("%s runs beside others", word)
				}
				acting = word == "click"
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				running--
				acting = false
				if word == "fail" {
					return run.Result{}, errors.New("refused")
				}
				return run.Result{Text: word}, nil
			}, word != "click"
		})
		for range rows {
			res, err := ahead.Next()
			if err != nil {
				res.Text = "fail"
			}
			log = append(log, res.Text)
		}
		ahead.Wait()
		if got := strings.Join(log, " "); got != strings.Join(words, " ") || peak != most {
			t.Errorf("%q, %d at once", got, peak)
		}
		if took := time.Since(begin); took != 6*time.Second { // 3 and 1 look, click, 3 and 1 look, click
			t.Errorf("it took %s", took)
		}
	})
}

// TestAheadIsLeft: whoever stops early waits for what runs.
func TestAheadIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended atomic.Int32
		ahead := batch.NewAhead(make([]batch.Row, 9), 3, func(batch.Row) (func() (run.Result, error), bool) {
			return func() (run.Result, error) { time.Sleep(time.Second); ended.Add(1); return run.Result{}, nil }, true
		})
		if _, err := ahead.Next(); err != nil {
			t.Error(err)
		}
		if ahead.Wait(); ended.Load() != 3 {
			t.Errorf("%d rows ran", ended.Load())
		}
	})
}
