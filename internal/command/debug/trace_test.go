package debug_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/debug"
)

func serve(t *testing.T, pages map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html>"+pages[r.URL.Path])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// saved reads a trace and counts the events of each name.
func saved(t *testing.T, path string) (names map[string]int, total int) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("%s can be read by others: %v", path, info.Mode())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var trace struct {
		TraceEvents []struct{ Name, Cat string }
	}
	if err := json.Unmarshal(data, &trace); err != nil {
		t.Fatal(err)
	}
	names = map[string]int{}
	for _, e := range trace.TraceEvents {
		names[e.Name]++
	}
	return names, len(trace.TraceEvents)
}

// A browser of its own: a browser records one trace at a time.
func TestTraces(t *testing.T) {
	s := commandtest.NewIn(t, cdptest.Launch(t))
	s.Run(t, "open", serve(t, map[string]string{"/": "<title>Traced</title><script>performance.mark('our mark'); for (let i = 0; i < 1e6; i++);</script>"}))
	if _, err := s.Try(t, "trace", "stop"); api.CodeOf(err) != api.NoTrace {
		t.Errorf("stop before start: %v", err)
	}
	s.Run(t, "trace", "start")
	for _, again := range []string{"trace", "profiler"} {
		if _, err := s.Try(t, again, "start"); api.CodeOf(err) != api.TraceActive {
			t.Errorf("%s start again: %v", again, err)
		}
	}
	if _, err := s.Try(t, "profiler", "stop"); api.CodeOf(err) != api.NoTrace {
		t.Errorf("the other stop: %v", err)
	}
	if _, err := s.Try(t, "trace", "stop", "none/trace.json"); api.CodeOf(err) != api.FileWriteFailed {
		t.Errorf("no directory: %v", err)
	}
	s.Run(t, "reload")
	got := commandtest.Data[debug.TraceSaved](t, s.Run(t, "trace", "stop", "trace.json"))
	names, n := saved(t, filepath.Join(s.Dir, "trace.json"))
	if n != got.EventCount || n == 0 || names["our mark"] == 0 || names["ParseHTML"] == 0 {
		t.Errorf("%+v, %d events, %d of our mark", got, n, names["our mark"])
	}

	s.Run(t, "profiler", "start")
	s.Run(t, "reload")
	got = commandtest.Data[debug.TraceSaved](t, s.Run(t, "profiler", "stop"))
	names, n = saved(t, got.Path)
	if n != got.EventCount || names["our mark"] == 0 || names["Profile"] == 0 {
		t.Errorf("%+v, %d events: %v", got, n, names)
	}
	s.Run(t, "profiler", "start", "--categories", "blink.user_timing")
	s.Run(t, "reload")
	got = commandtest.Data[debug.TraceSaved](t, s.Run(t, "profiler", "stop"))
	if names, n = saved(t, got.Path); names["our mark"] == 0 || names["ParseHTML"] != 0 {
		t.Errorf("one category: %d events: %v", n, names)
	}

	unsaved(t, s)

	// The trace goes with its tab.
	s.Run(t, "tab", "new")
	s.Run(t, "trace", "start")
	s.Run(t, "tab", "close")
	if _, err := s.Try(t, "trace", "stop"); api.CodeOf(err) != api.NoTrace {
		t.Errorf("the tab is closed: %v", err)
	}
	s.Run(t, "trace", "start")
	s.Run(t, "trace", "stop")
}

// unsaved: the browser gives the events once, so a recording that cannot be written where it should is kept elsewhere.
func unsaved(t *testing.T, s *commandtest.Session) {
	t.Helper()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("this system has no /dev/full")
		return
	}
	for _, kind := range []string{"trace", "profiler"} {
		s.Run(t, kind, "start")
		s.Run(t, "reload")
		_, err := s.Try(t, kind, "stop", "/dev/full")
		if api.CodeOf(err) != api.FileWriteFailed {
			t.Errorf("%s: a full disk: %v", kind, err)
		}
		_, kept, _ := strings.Cut(err.Error(), " is in ")
		if names, _ := saved(t, kept); names["our mark"] == 0 {
			t.Errorf("%s: what is kept in %s has %v", kind, kept, names)
		}
	}
}
