package session_test

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/session/results"
)

// TestBatchOrder: rows that read run at once, and yet each tells of the page between the actions before it and after it.
func TestBatchOrder(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	batch := func(line string, rows ...[]string) *results.Batch {
		t.Helper()
		in, err := json.Marshal(rows)
		if err != nil {
			t.Fatal(err)
		}
		c.stdin = string(in)
		return c.must(t, line).Data.(*results.Batch)
	}
	c.must(t, "open "+site.URL("/small"))
	c.must(t, `eval document.body.innerHTML="<button>0</button>";document.querySelector("button").onclick=e=>e.target.textContent++`)
	text, missing, click := []string{"get", "text", "button"}, []string{"get", "text", "nosuch"}, []string{"click", "button"}
	group := [][]string{text, {"get", "count", "button"}, missing, text, click, text}
	var rows [][]string
	for range 20 {
		rows = append(rows, group...)
	}
	out := batch("batch", rows...)
	if len(out.Rows) != len(rows) || out.Failed != 20 {
		t.Fatalf("%d rows, %d failed", len(out.Rows), out.Failed)
	}
	for i, row := range out.Rows {
		clicks := i / len(group)
		switch i % len(group) {
		case 2:
			if row.Code != string(api.ElementNotFound) {
				t.Errorf("row %d: %+v", i, row)
			}
			continue
		case 1, 4:
			if !row.Success {
				t.Errorf("row %d: %+v", i, row)
			}
			continue
		case 5:
			clicks++
		}
		data, err := json.Marshal(row.Result, json.Deterministic(true))
		var got struct {
			Text int `json:"text,string"`
		}
		if err == nil {
			err = json.Unmarshal(data, &got)
		}
		if err != nil || got.Text != clicks {
			t.Errorf("row %d: %s %v, want %d", i, data, err, clicks)
		}
	}
	if out := batch("batch --bail", text, missing, text, click); len(out.Rows) != 2 {
		t.Errorf("%+v", out)
	}
	c.stdin = ""
	if got := c.must(t, "get text button").Text; got != "20" {
		t.Errorf("after a row failed: %s", got)
	}
}
