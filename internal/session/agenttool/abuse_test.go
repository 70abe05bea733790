package agenttool_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/session/agenttool/input"
)

// batchOf returns a batch of rows as the arguments of a call.
func batchOf(t *testing.T, rows [][]string, more ...string) string {
	t.Helper()
	stdin, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"args": append([]string{"batch"}, more...), "stdin": string(stdin)})
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestAbuse: large, hostile and unlucky input. Each call answers, and the next one works.
func TestAbuse(t *testing.T) {
	c := newCaller(t)
	sub := func(name string, f func(t *testing.T, c *caller)) {
		t.Run(name, func(t *testing.T) {
			c := *c
			c.t = t
			c.args("open", c.base+"/plain").ok()
			f(t, &c)
			if got := c.args("get", "title"); got.IsError {
				t.Errorf("afterwards: %s", got.Text())
			}
		})
	}
	sub("a script of 64 KB", func(t *testing.T, c *caller) {
		script := "return 1;" + strings.Repeat(" ", input.MaxScript-9)
		got := c.call(dump(map[string]any{"script": script})).ok()
		if string(got.Details.Data) != "1" {
			t.Errorf("%s", got.Text())
		}
		long := c.call(dump(map[string]any{"script": script + " "})).fails("validation-error")
		if !strings.Contains(long.Details.ValidationError, "65537 bytes") || long.Details.ScriptSession != nil {
			t.Errorf("%s", long.Text())
		}
	})
	sub("10 MB of standard input", func(t *testing.T, c *caller) {
		text := strings.Repeat("x", 10<<20-9)
		got := c.call(dump(map[string]any{"args": []string{"eval", "--stdin"}, "stdin": "'" + text + "'.length"})).ok()
		if string(got.Details.Data) == "" || !strings.Contains(got.Text(), "10485751") || len(dump(got.raw)) > 4000 {
			t.Errorf("%.300s", got.Text())
		}
		big := c.call(dump(map[string]any{"args": []string{"get", "title"}, "stdin": text})).fails("validation-error")
		if len(big.Text()) > 2000 {
			t.Errorf("the message has %d bytes", len(big.Text()))
		}
	})
	sub("a batch of 1,000 rows", func(t *testing.T, c *caller) {
		var rows [][]string
		for i := range 1000 {
			rows = append(rows, []string{"get", "count", fmt.Sprintf("#n%d", i)})
		}
		got := c.call(batchOf(t, rows)).ok()
		if len(got.Details.BatchSteps) != 1000 || got.Details.BatchSteps[999].Index != 1000 {
			t.Errorf("%d rows", len(got.Details.BatchSteps))
		}
	})
	sub("a row that kills the tab half-way", func(t *testing.T, c *caller) {
		got := c.call(batchOf(t, [][]string{{"get", "title"}, {"open", "chrome://crash"}, {"get", "title"}, {"get", "url"}}, "--bail"))
		if !got.IsError || len(got.Details.BatchSteps) != 2 || got.Details.BatchFailure == nil || got.Details.BatchFailure.FailedStep.Index != 2 || got.Details.BatchFailure.Succeeded != 1 {
			t.Errorf("%s\n%s", got.Text(), dump(got.raw["batchFailure"]))
		}
		c.args("open", c.base+"/plain").ok()
		closed := c.call(batchOf(t, [][]string{{"get", "title"}, {"tab", "close"}, {"get", "title"}}))
		if len(closed.Details.BatchSteps) != 3 || closed.Details.BatchSteps[0].Success != true {
			t.Errorf("%s", closed.Text())
		}
		c.args("open", c.base+"/plain").ok()
	})
	sub("outputPath onto an artifact, a link, and a full disk", func(t *testing.T, c *caller) {
		shot := filepath.Join(c.dir, "shot.png")
		c.call(dump(map[string]any{"args": []string{"screenshot", "shot.png"}, "outputPath": "SHOT.png"})).fails("validation-error")
		if _, err := os.Stat(shot); err == nil {
			t.Error("the refused call has written")
		}
		if err := os.Symlink(shot, filepath.Join(c.dir, "dangling")); err != nil {
			t.Fatal(err)
		}
		c.call(dump(map[string]any{"args": []string{"screenshot", "shot.png"}, "outputPath": "dangling"})).fails("validation-error")
		c.call(dump(map[string]any{"job": map[string]any{"steps": []any{map[string]any{"action": "screenshot", "path": "a.png"}, map[string]any{"action": "screenshot", "path": "./a.png"}}}})).fails("validation-error")
		full := c.call(dump(map[string]any{"args": []string{"get", "title"}, "outputPath": "/dev/full"}))
		if !full.IsError || full.Details.OutputFile != nil || full.Details.ErrorCode != "file_write_failed" {
			t.Errorf("%s", dump(full.raw))
		}
		dir := c.call(dump(map[string]any{"args": []string{"get", "title"}, "outputPath": c.dir}))
		if !dir.IsError || dir.Details.OutputFile != nil {
			t.Errorf("%s", dump(dir.raw))
		}
	})
	sub("concurrent calls with fresh", func(t *testing.T, c *caller) {
		var wait sync.WaitGroup
		results := make([]answer, 4)
		for i := range results {
			wait.Go(func() { results[i] = c.call(fmt.Sprintf(`{"args":["open","BASE/plain?%d"],"sessionMode":"fresh"}`, i)) })
		}
		wait.Wait()
		names := map[string]bool{}
		for _, r := range results {
			r.ok()
			names[r.Details.SessionName] = true
		}
		if len(names) != len(results) {
			t.Errorf("the sessions %v", names)
		}
		got := c.args("get", "url").ok()
		if !names[got.Details.SessionName] {
			t.Errorf("%s is none of %v", got.Details.SessionName, names)
		}
	})
}

// TestFullDisk: a file that cannot be written makes the call fail, names the reason, and leaves the session as it is.
func TestFullDisk(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/plain").ok()
	got := c.args("screenshot", "/dev/full")
	if !got.IsError || got.Details.SuccessCategory != "" {
		t.Errorf("%s", dump(got.raw))
	}
	c.args("get", "title").ok()
}

// TestSpillBudget: files of shortened results have 32 MiB together; the oldest are removed, and never a file that was asked for.
func TestSpillBudget(t *testing.T) {
	c := newCaller(t)
	c.args("open", c.base+"/big").ok()
	dir := filepath.Join(c.env["HOME"], "artifacts")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c.args("screenshot", filepath.Join(dir, "output-mine.txt")).ok()
	now := time.Now()
	for name, age := range map[string]time.Duration{"output-00000000000a.txt": 3, "snapshot-00000000000b.txt": 2, "output-00000000000c.txt": 1, "output-mine.txt": 9} {
		path, at := filepath.Join(dir, name), now.Add(-age*time.Hour)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
		if err == nil {
			err = errors.Join(f.Truncate(15<<20), f.Close(), os.Chtimes(path, at, at))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	got := c.args("snapshot", "-i").ok()
	for name, want := range map[string]bool{"output-00000000000a.txt": false, "snapshot-00000000000b.txt": true, "output-00000000000c.txt": true,
		"output-mine.txt": true, filepath.Base(got.Details.FullOutputPath): true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
}
