package session_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
)

// blinking changes the page in each frame, so that the browser sends pictures of it.
const blinking = "eval window.n=0;(window.f=()=>{document.documentElement.style.background=n++%2?'red':'blue';requestAnimationFrame(f)})()"

// TestFilmOfRefusedPages: pages that the allowed domains or the site guard refuse are not in a recording, also if they were
// there before they were refused.
func TestFilmOfRefusedPages(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	film := func(refuse, back string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), "film.webm")
		c.must(t, "record start "+path)
		c.must(t, "open "+site.Cross("/small"))
		c.must(t, blinking)
		_, _ = c.run(t.Context(), refuse) // it says that the page is refused
		c.must(t, "wait 500")
		c.must(t, "open "+back)
		res := c.must(t, "record stop")
		data := fields(t, res)
		if n, _ := data["withheldFrames"].(float64); n == 0 || !strings.Contains(res.Warning, "pictures are not in the recording") {
			t.Errorf("%s: %+v, %q", refuse, data, res.Warning)
		}
	}
	c.must(t, "--allowed-domains 127.0.0.1,localhost open "+site.URL("/small"))
	film("--allowed-domains 127.0.0.1 get url", site.URL("/small"))
	if _, err := c.run(t.Context(), "record start "+filepath.Join(t.TempDir(), "a.webm")+" "+site.Cross("/small")); api.CodeOf(err) != api.DomainNotAllowed {
		t.Errorf("to record a refused page: %v", err)
	}
	c.must(t, "close")
	c.must(t, "open "+site.URL("/small"))
	film("--site-guard --blocked-sites localhost get url", site.URL("/small"))
}

// TestFilmAsMP4: ffmpeg makes an MP4 file that every player can show, with the frame rate that was asked for.
func TestFilmAsMP4(t *testing.T) {
	site := cdptest.NewSite(t)
	c := connect(t)
	c.must(t, "open "+site.URL("/small"))
	path := filepath.Join(t.TempDir(), "film.mp4")
	_, missing := exec.LookPath("ffmpeg")
	_, err := c.run(t.Context(), "record start "+path+" --fps 24")
	if missing != nil {
		if api.CodeOf(err) != api.InvalidArgument || !strings.Contains(err.Error(), "needs ffmpeg") {
			t.Errorf("without ffmpeg: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	c.must(t, blinking)
	c.must(t, "wait 1000")
	data := fields(t, c.must(t, "record stop"))
	out, err := exec.Command("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name,pix_fmt,color_range,avg_frame_rate", "-of", "csv=p=0", path).CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "h264,yuv420p,tv,24/1" {
		t.Errorf("the file is %s (%v); stop answers %v", got, err, data)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".usher-*")); len(left) > 0 {
		t.Errorf("there are %v", left)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Error(fmt.Sprint(info, err))
	}
}
