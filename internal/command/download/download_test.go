package download_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

func TestDownload(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/download"))
	res := s.Run(t, "download", "#attachment", "r.csv")
	if want := filepath.Join(s.Dir, "r.csv"); res.Text != "✓ Download saved to "+want || commandtest.Data[map[string]any](t, res)["path"] != want {
		t.Errorf("the result is %q %v", res.Text, res.Data)
	}
	s.Holds(t, "r.csv", cdptest.Attachment)
	// A path that exists is replaced. In a directory a free name is chosen.
	if err := os.WriteFile(filepath.Join(s.Dir, "r.csv"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "download", "#attachment", "r.csv")
	s.Holds(t, "r.csv", cdptest.Attachment)
	for _, name := range []string{"report.csv", "report (1).csv"} {
		if res := s.Run(t, "download", "#attachment", "."); commandtest.Data[map[string]any](t, res)["path"] != filepath.Join(s.Dir, name) {
			t.Errorf("the second file is %v, want %s", res.Data, name)
		}
		s.Holds(t, name, cdptest.Attachment)
	}
	s.Run(t, "download", "#blob", "made.txt")
	s.Holds(t, "made.txt", "made in the page\n")
	s.Run(t, "download", "#cross", "cross.csv")
	s.Holds(t, "cross.csv", cdptest.Attachment)
	s.Run(t, "download", "#attribute", "small.html")
	s.Run(t, "download", "#slow", "slow.bin")
	s.Holds(t, "slow.bin", strings.Repeat("u", 20<<10))
	if !slices.ContainsFunc(s.Notes, func(n string) bool {
		return strings.HasPrefix(n, "slow.bin: ") && strings.HasSuffix(n, " of 20480 bytes")
	}) {
		t.Errorf("the notes of a slow download are %q", s.Notes)
	}
	if left, err := os.ReadDir(s.Context.Downloads.Dir()); err != nil || len(left) != 0 {
		t.Errorf("the session's directory still holds %v (%v)", left, err)
	}
}

// A page that asks where to save with the File System Access API starts no download: the command says so at once.
func TestDownloadThroughAFilePicker(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/small"))
	s.Run(t, "eval", `document.body.innerHTML = '<button id=b>Export</button>'; b.onclick = () => showSaveFilePicker().catch(e => document.title = e.name); 0`)
	begin := time.Now()
	_, err := s.Try(t, "download", "#b", "a.txt")
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.Unsupported || !strings.Contains(refused.Hint, "delete window.showSaveFilePicker") {
		t.Errorf("error %v after %v, want one that says what to do without the API", err, time.Since(begin))
	}
}

// The result of a click that starts a download has it, however the page starts it.
func TestClickTellsOfItsDownload(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	for id, name := range map[string]string{
		"attachment": "report.csv", "attribute": "saved-page.html", "blob": "made.txt", "cross": "report.csv",
		"blank": "report.csv", "window": "report.csv", "frame": "report.csv",
	} {
		s.Run(t, "open", site.URL("/download"))
		res := s.Run(t, "click", "#"+id)
		list, _ := commandtest.Data[map[string]any](t, res)["downloads"].([]any)
		if len(list) != 1 {
			t.Errorf("%s: the downloads are %v in %q", id, list, res.Text)
			continue
		}
		one := list[0].(map[string]any)
		path, _ := one["path"].(string)
		if one["suggestedFilename"] != name || filepath.Dir(path) != s.Context.Downloads.Dir() || !strings.Contains(res.Text, name+" to "+path) {
			t.Errorf("%s: the download is %v, told as %q; want %s", id, one, res.Text, name)
		}
		s.Run(t, "wait", "--download", name)
	}
	if res := s.Run(t, "click", "#none"); commandtest.Data[map[string]any](t, res)["downloads"] != nil {
		t.Errorf("a click that starts none tells of %v", res.Data)
	}
}

func TestDownloadThatFails(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/download"))
	for id, says := range map[string]string{"#failing": "failing.bin was", "#missing": "404.html was canceled"} {
		_, err := s.Try(t, "download", id, "f")
		if api.CodeOf(err) != api.DownloadFailed || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", id, err)
		} else if hint := api.AsError(err).Hint; !strings.Contains(hint, "space") { // a full disk looks the same
			t.Errorf("%s: hint %q", id, hint)
		} else if reason := api.AsError(err).Data["reason"]; reason != "canceled" && reason != "interrupted" {
			t.Errorf("%s: the reason is %v", id, reason)
		}
	}
	_, err := s.Try(t, "download", "#never", "n", "--timeout", "1500ms")
	if api.CodeOf(err) != api.Timeout || !strings.Contains(err.Error(), "4096 of 1048576 bytes") || api.AsError(err).Data["receivedBytes"] != int64(4096) {
		t.Errorf("a download without end: %v", err)
	}
	_, err = s.Try(t, "download", "#none", "n", "--timeout", "700ms")
	if api.CodeOf(err) != api.Timeout || !strings.Contains(err.Error(), "started no download") {
		t.Errorf("no download: %v", err)
	}
	_, err = s.Try(t, "download", "#nowhere", "n", "--timeout", "300ms")
	if api.CodeOf(err) != api.ElementNotFound {
		t.Errorf("no element: %v", err)
	}
	if got := s.Names(t); got != "" {
		t.Errorf("something was left: %s", got)
	}
}

func TestDownloadThatCannotBeKept(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Log("this system has no /dev/full; a directory in the way does as well")
	}
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/download"))
	target := "/dev/full"
	if _, err := os.Stat(target); err != nil {
		target = filepath.Join(s.Dir, "way", "x")
	}
	_, err := s.Try(t, "download", "#attachment", target)
	if api.CodeOf(err) != api.FileWriteFailed {
		t.Fatalf("a full disk: %v", err)
	}
	if kept, ok := api.AsError(err).Data["downloaded"].(string); ok {
		b, err := os.ReadFile(kept)
		if err != nil || string(b) != cdptest.Attachment {
			t.Errorf("the file that was to be kept at %s: %q (%v)", kept, b, err)
		}
	} else if target == "/dev/full" {
		t.Errorf("it does not say where the file is: %v", api.AsError(err).Data)
	}
}

// TestWaitDownload checks the rule of downloads.Session.
func TestWaitDownload(t *testing.T) {
	site := cdptest.NewSite(t)
	s := commandtest.New(t)
	s.Run(t, "open", site.URL("/download"))

	// A download from before the wait.
	s.Run(t, "click", "#attachment")
	finished(t, s, 1)
	res := s.Run(t, "wait", "--download")
	if want := filepath.Join(s.Context.Downloads.Dir(), "report.csv"); commandtest.Data[map[string]any](t, res)["path"] != want {
		t.Errorf("it is kept at %v, want %s", res.Data, want)
	}
	// Each download is returned once.
	if _, err := s.Try(t, "wait", "--download", "again.csv", "--timeout", "300ms"); api.CodeOf(err) != api.Timeout || !strings.Contains(err.Error(), "no download began") {
		t.Errorf("a download was given twice: %v", err)
	}
	// Two downloads at once, the second still in progress.
	s.Run(t, "click", "#two")
	s.Run(t, "wait", "--download", "one.csv")
	s.Holds(t, "one.csv", cdptest.Attachment)
	_, err := s.Try(t, "wait", "--download", "two.bin", "--timeout", "500ms")
	if api.CodeOf(err) != api.Timeout || !strings.Contains(err.Error(), "slow.bin is not complete after 500ms") {
		t.Errorf("too little time: %v", err)
	}
	s.Run(t, "wait", "--download", "two.bin") // continues after the last one timed out
	s.Holds(t, "two.bin", strings.Repeat("u", 20<<10))
	// A download that no command waited for is dropped by the next action.
	s.Run(t, "click", "#attachment")
	finished(t, s, 4)
	s.Run(t, "click", "#blob")
	s.Run(t, "wait", "--download", "made.txt")
	s.Holds(t, "made.txt", "made in the page\n")
	// A download that fails during the wait.
	s.Run(t, "click", "#failing")
	if _, err := s.Try(t, "wait", "--download", "f.bin"); api.CodeOf(err) != api.DownloadFailed {
		t.Errorf("a download that fails: %v", err)
	}
}

// finished waits until the browser has ended n downloads of the session.
func finished(t *testing.T, s *commandtest.Session, n int) {
	t.Helper()
	err := s.Context.Browser.Wait(t.Context(), func(st *model.State) (bool, error) {
		ended := 0
		for _, d := range st.Downloads {
			if d.State != model.DownloadInProgress {
				ended++
			}
		}
		return ended >= n, st.Closed
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDownloadInAWindowOfItsOwn has pages that open a window for the file, which Chromium closes or leaves blank.
func TestDownloadInAWindowOfItsOwn(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>Windows</title><a id="blank" href="/file" target="_blank">Link</a>
			<button id="script" onclick="window.open('/file')">Script</button>
			<button id="window" onclick="window.open('/file', '_blank', 'width=200,height=200')">Window</button>
			<button id="later" onclick="setTimeout(() => { location = '/file' }, 400)">Later</button>`))
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="window.txt"`)
		_, _ = w.Write([]byte("from a window"))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s := commandtest.New(t)
	s.Run(t, "open", server.URL)
	for _, id := range []string{"blank", "script", "window", "later"} {
		s.Run(t, "download", "#"+id, id+".txt")
		s.Holds(t, id+".txt", "from a window")
		tabs := s.Context.Tabs()
		s.Context.SetActive(tabs[0].ID)
	}
}

// TestDownloadsOfTwoSessions: downloads of two sessions of one browser are separate.
func TestDownloadsOfTwoSessions(t *testing.T) {
	site := cdptest.NewSite(t)
	a, b := commandtest.New(t), commandtest.New(t)
	a.Run(t, "open", site.URL("/download"))
	b.Run(t, "open", site.URL("/download"))
	a.Run(t, "click", "#attachment")
	finished(t, a, 1)
	if _, err := b.Try(t, "wait", "--download", "x", "--timeout", "300ms"); api.CodeOf(err) != api.Timeout {
		t.Errorf("the other session's download was given: %v", err)
	}
	var wg sync.WaitGroup
	for _, s := range []*commandtest.Session{a, b} {
		wg.Go(func() {
			if _, err := s.Try(t, "download", "#slow", "slow.bin"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, s := range []*commandtest.Session{a, b} {
		s.Holds(t, "slow.bin", strings.Repeat("u", 20<<10))
	}
}
