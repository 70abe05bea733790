package record_test

import (
	"bytes"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/cdptest/commandtest"
	"github.com/usher-browser/usher/internal/command/record"
)

func TestMain(m *testing.M) { cdptest.Run(m) }

const moving = `<title>Moving</title><body style="margin:0;background:#fff"><div id=box style="position:absolute;width:99px;height:99px;background:#00f"></div>
	<button style="position:absolute;top:300px" onclick="document.body.style.background = '#fc0'; this.remove()">Colour</button>
	<script>let x = 0; setInterval(() => { x = (x + 5) % 800; box.style.left = x + 'px' }, 20)</script>`

// serve serves the page at / and the files of a directory below /files/.
func serve(t *testing.T, dir string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html>"+moving)
	})
	mux.Handle("/files/", http.StripPrefix("/files/", http.FileServer(http.Dir(dir))))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// video is what a WebM file says of itself.
type video struct {
	Segment struct {
		Info    webm.Info      `ebml:"Info"`
		Tracks  webm.Tracks    `ebml:"Tracks"`
		Cluster []webm.Cluster `ebml:"Cluster"`
	} `ebml:"Segment"`
}

func read(t *testing.T, content []byte) (v video, frames int) {
	t.Helper()
	if err := ebml.Unmarshal(bytes.NewReader(content), &v, ebml.WithIgnoreUnknown(true)); err != nil {
		t.Fatal(err)
	}
	for _, c := range v.Segment.Cluster {
		frames += len(c.SimpleBlock)
	}
	return v, frames
}

// plays checks that Chromium plays a file to its end, and returns its duration in seconds and the colour of its last picture.
func plays(t *testing.T, s *commandtest.Session, address string) (duration float64, colour string) {
	t.Helper()
	s.Run(t, "open", address[:strings.Index(address, "/files/")]+"/")
	got := commandtest.Data[struct {
		Result struct {
			Error    string  `json:"error"`
			Colour   string  `json:"colour"`
			Duration float64 `json:"duration"`
		} `json:"result"`
	}](t, s.Run(t, "eval", `new Promise(resolve => {
		const v = document.createElement('video');
		v.muted = true;
		v.onerror = () => resolve({error: v.error.message});
		v.onended = () => {
			const c = new OffscreenCanvas(1, 1).getContext('2d');
			c.drawImage(v, 10, v.videoHeight - 9, 1, 1, 0, 0, 1, 1);
			resolve({duration: v.duration, colour: Array.from(c.getImageData(0, 0, 1, 1).data).map(x => x >> 5).join()});
		};
		v.src = `+"`"+address+"`"+`;
		document.body.append(v);
		v.play();
	})`)).Result
	if got.Error != "" {
		t.Fatalf("%s does not play: %s", address, got.Error)
	}
	return got.Duration, got.Colour
}

func TestRecord(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, s.Dir)
	begun := time.Now()
	started := commandtest.Data[record.Started](t, s.Run(t, "record", "start", "take.webm", site, "--cursor", "--captions", "--contact-sheet"))
	if !started.Started || started.FPS != 30 || started.Path != filepath.Join(s.Dir, "take.webm") {
		t.Errorf("start answers %+v", started)
	}
	s.Run(t, "record", "chapter", "Before  the\nclick")
	s.Run(t, "wait", "700")
	s.Run(t, "click", "button")
	s.Run(t, "record", "chapter", "After <it>")
	s.Run(t, "wait", "500")
	stopped := commandtest.Data[record.Stopped](t, s.Run(t, "record", "stop"))
	took := time.Since(begun).Seconds()

	content, err := os.ReadFile(stopped.Path)
	if err != nil {
		t.Fatal(err)
	}
	v, frames := read(t, content)
	if frames != stopped.Frames || frames < 3 || stopped.CapturedFrames < 2 {
		t.Errorf("the file has %d frames; stop answers %d of %d", frames, stopped.Frames, stopped.CapturedFrames)
	}
	if d := v.Segment.Info.Duration / 1000; d < 1.2 || d > took || d-stopped.Duration > 0.001 || stopped.Duration-d > 0.001 {
		t.Errorf("the file takes %g s, stop answers %g, and it took %g", d, stopped.Duration, took)
	}
	if track := v.Segment.Tracks.TrackEntry[0]; int(track.Video.PixelWidth) != stopped.Width || int(track.Video.PixelHeight) != stopped.Height || stopped.Width%2 != 0 {
		t.Errorf("the track is %+v, stop answers %dx%d", track.Video, stopped.Width, stopped.Height)
	}
	sheet, err := os.ReadFile(stopped.ContactSheetPath)
	if err != nil {
		t.Fatal(err)
	}
	if picture, err := png.Decode(bytes.NewReader(sheet)); err != nil || stopped.ContactSheetPictures < 2 || picture.Bounds().Dx() != min(4, stopped.ContactSheetPictures)*320 {
		t.Errorf("the contact sheet is %v (%v) with %d pictures", picture.Bounds(), err, stopped.ContactSheetPictures)
	}
	chapters, err := os.ReadFile(stopped.ChaptersPath)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(chapters); !strings.HasPrefix(text, "WEBVTT\n\n00:00:0") || !strings.Contains(text, "\nBefore the click\n") || !strings.HasSuffix(text, "\nAfter &lt;it&gt;\n") {
		t.Errorf("the chapters are %q", text)
	}
	duration, colour := plays(t, s, site+"/files/take.webm")
	if duration < stopped.Duration-0.1 || duration > stopped.Duration+0.1 {
		t.Errorf("Chromium says it takes %g s, stop %g", duration, stopped.Duration)
	}
	if colour != "7,6,0,7" {
		t.Errorf("the last picture has the colour %s at the edge, not that after the click", colour)
	}
	if n := encoders(t, s); n != 1 {
		t.Errorf("%d encoders wait for another recording, want 1", n)
	}
}

// encoders returns how many pages of encoders are open.
func encoders(t *testing.T, s *commandtest.Session) int {
	t.Helper()
	return strings.Count(s.Run(t, "cdp", "--browser-target", "Target.getTargets").Text, `"chrome://version/"`)
}

// An encoder serves one recording after another, of any size and rate, and its page is closed when there is no other.
func TestEncoderIsKept(t *testing.T) {
	s := commandtest.New(t)
	s.Context.Video.Idle = time.Second
	site := serve(t, s.Dir)
	for i, c := range []struct{ fps, width string }{{"30", "800"}, {"30", "800"}, {"10", "800"}, {"10", "640"}} {
		name := "take" + strconv.Itoa(i) + ".webm"
		s.Run(t, "open", site)
		s.Run(t, "cdp", "Emulation.setDeviceMetricsOverride", `{"width":`+c.width+`,"height":480,"deviceScaleFactor":1,"mobile":false}`)
		s.Run(t, "record", "start", name, "--fps", c.fps, "--contact-sheet")
		if n := encoders(t, s); n != 1 {
			t.Fatalf("take %d: %d encoders", i, n)
		}
		s.Run(t, "click", "button")
		s.Run(t, "wait", "300")
		stopped := commandtest.Data[record.Stopped](t, s.Run(t, "record", "stop"))
		if strconv.Itoa(stopped.Width) != c.width || stopped.Frames < 2 {
			t.Errorf("take %d: %+v", i, stopped)
		}
		content, err := os.ReadFile(stopped.Path)
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := read(t, content); !v.Segment.Cluster[0].SimpleBlock[0].Keyframe {
			t.Errorf("take %d does not begin with a key frame", i)
		}
	}
	if lasts, _ := plays(t, s, site+"/files/take1.webm"); lasts < 0.3 {
		t.Errorf("the second take lasts %g s", lasts)
	}
	for end := time.Now().Add(20 * time.Second); encoders(t, s) != 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the encoder's page stays open")
		}
	}
}

// What a crash leaves of a file plays.
func TestRecordingCutOff(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, s.Dir)
	s.Run(t, "open", site)
	s.Run(t, "record", "start", "cut.webm")
	var content []byte
	for frames := 0; frames < 3; {
		s.Run(t, "wait", "100")
		var err error
		if content, err = os.ReadFile(filepath.Join(s.Dir, "cut.webm")); err != nil {
			t.Fatal(err)
		}
		_, frames = read(t, content)
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "crashed.webm"), content[:len(content)-7], 0o600); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "record", "stop")
	plays(t, s, site+"/files/crashed.webm")
}

// A recording is complete without a stop when its tab is closed, and stop says so.
func TestRecordingOfAClosedTab(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, s.Dir)
	s.Run(t, "tab", "new", site)
	s.Run(t, "record", "start", "closed.webm")
	s.Run(t, "wait", "300")
	s.Run(t, "tab", "close")
	res := s.Run(t, "record", "stop")
	if !strings.Contains(res.Warning, "the tab was closed") {
		t.Errorf("stop warns %q", res.Warning)
	}
	plays(t, s, site+"/files/closed.webm")
}

// A file is replaced when the next one is complete, not before.
func TestRecordingReplaces(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, s.Dir)
	path := filepath.Join(s.Dir, "old.webm")
	if err := os.WriteFile(path, []byte("precious"), 0o640); err != nil {
		t.Fatal(err)
	}
	s.Run(t, "open", site)
	s.Run(t, "record", "start", "old.webm")
	if b, err := os.ReadFile(path); err != nil || string(b) != "precious" {
		t.Errorf("while the next is recorded the file is %q (%v)", b, err)
	}
	res := commandtest.Data[record.Started](t, s.Run(t, "record", "restart", "new.webm"))
	if !res.Restarted || res.PreviousPath != path {
		t.Errorf("restart answers %+v", res)
	}
	s.Run(t, "record", "stop")
	for _, name := range []string{"old.webm", "new.webm"} {
		b, err := os.ReadFile(filepath.Join(s.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if _, frames := read(t, b); frames == 0 {
			t.Errorf("%s has no frames", name)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the replaced file has the mode %v (%v)", info.Mode(), err)
	}
}

func TestRecordErrors(t *testing.T) {
	s := commandtest.New(t)
	site := serve(t, s.Dir)
	s.Run(t, "open", site)
	t.Setenv("PATH", s.Dir) // no ffmpeg
	for _, c := range []struct {
		words []string
		code  api.Code
		text  string
	}{
		{[]string{"record", "stop"}, api.InvalidArgument, "no recording is in progress"},
		{[]string{"record", "chapter", "x"}, api.InvalidArgument, "no recording is in progress"},
		{[]string{"record", "start", "a.gif"}, api.InvalidArgument, "has to end in .webm or .mp4"},
		{[]string{"record", "start", "a.mp4"}, api.InvalidArgument, "needs ffmpeg"},
		{[]string{"record", "start", "none/a.webm"}, api.FileWriteFailed, "does not exist"},
		{[]string{"record", "start", "a.webm", "--contact-sheet-threshold", "2"}, api.InvalidArgument, "not above 0 and at most 1"},
	} {
		if _, err := s.Try(t, c.words...); api.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v: %v", c.words, err)
		}
	}
	s.Run(t, "record", "start", "a.webm")
	if _, err := s.Try(t, "record", "start", "b.webm"); err == nil || !strings.Contains(err.Error(), "is being recorded already") {
		t.Errorf("a second start: %v", err)
	}
	s.Run(t, "record", "stop")
	if entries, err := os.ReadDir(s.Dir); err != nil || len(entries) != 1 {
		t.Errorf("the directory has %v (%v)", entries, err)
	}
}
