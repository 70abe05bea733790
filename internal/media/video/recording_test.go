package video

import (
	"image"
	"slices"
	"testing"
	"time"
)

// A command is not held up by the recording of its tab, whatever that waits for.
func TestCaptionsDoNotWait(t *testing.T) {
	rec := &Recording{captions: make(chan string, 1)} // nobody reads
	rec.Caption("click @e1")
	rec.Caption("click @e2")
	if got := <-rec.captions; got != "click @e1" {
		t.Errorf("the caption is %q", got)
	}
}

// How far ffmpeg is comes from what it prints, of which only the times count.
func TestProgressOfConversion(t *testing.T) {
	var said []string
	r := &progressReader{conversion{lasts: 20 * time.Second, doing: func(text string) { said = append(said, text) }}}
	for _, text := range []string{"frame=0\nout_time_us=N/A\nprogress=continue\n", "frame=90\nout_time_us=3000000\nout_time=00:00:03.0\n", "out_time_us=20033333\nprogress=end\n"} {
		if n, err := r.Write([]byte(text)); n != len(text) || err != nil {
			t.Error(n, err)
		}
	}
	if want := []string{"the MP4 file is made: 3 of 20 s", "the MP4 file is made: 20 of 20 s"}; !slices.Equal(said, want) {
		t.Errorf("%q", said)
	}
}

// The first picture of a page that was just resized is one of the page before, reduced to fit: it is not the size of the
// video. 758x480 was seen of a page of 800x480.
func TestPictureOfAResizedPage(t *testing.T) {
	page := picture{width: 800, height: 480}
	for size, fills := range map[image.Point]bool{{X: 758, Y: 480}: false, {X: 800, Y: 434}: false, {X: 800, Y: 480}: true, {X: 1600, Y: 960}: true, {X: 801, Y: 480}: true} {
		if page.fills(size) != fills {
			t.Errorf("%v fills: %t", size, !fills)
		}
	}
	if !(picture{}).fills(image.Pt(758, 480)) {
		t.Error("a picture of a page of unknown size does not fill")
	}
}
