package supervisor_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/usher-browser/usher/internal/cdptest"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestFramesComeAndGo adds, removes and navigates frames at any depth and moves them between processes, at random, and
// compares the model with the browser's frame tree after each step. USHER_LONG makes 500 steps; USHER_SEED repeats an
// earlier run.
func TestFramesComeAndGo(t *testing.T) {
	steps, seed := 50, uint64(time.Now().UnixNano())
	if os.Getenv("USHER_LONG") != "" {
		steps = 500
	}
	if text := os.Getenv("USHER_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal("USHER_SEED: ", err)
		}
	}
	t.Logf("USHER_SEED=%d walks the same way again", seed)
	b := watch(t)
	site := cdptest.NewSite(t)
	tab := openTab(t, b, site.URL("/small"))
	w := &randomChanges{t: t, b: b, tab: tab.ID, random: rand.New(rand.NewPCG(seed, 0)), hosts: []string{
		site.URL("/small"), site.Cross("/small"),
		strings.Replace(site.Cross("/small"), "localhost", "a.localhost", 1), strings.Replace(site.Cross("/small"), "localhost", "b.localhost", 1),
	}}
	for i := range steps {
		what := fmt.Sprintf("step %d: %s", i, w.step())
		w.settled(what)
		sameTree(t, b, tab.ID, what)
		if t.Failed() {
			return
		}
	}
}

// randomChanges changes the frames of a tab at random.
type randomChanges struct {
	t      *testing.T
	b      *supervisor.Browser
	tab    model.TargetID
	random *rand.Rand
	hosts  []string
	made   int
	want   int // expected number of frames, including the main frame
}

func (w *randomChanges) now() *model.Tab { return w.b.State().Tabs[w.tab] }

// below returns the frames below the main frame in order; some returns a random one.
func (w *randomChanges) below() []*model.Frame {
	tab := w.now()
	var out []*model.Frame
	for list := tab.Children(tab.Main); len(list) > 0; list = list[1:] {
		out = append(out, list[0])
		list = append(list, tab.Children(list[0].ID)...)
	}
	return out
}

// address returns a new URL on a random site.
func (w *randomChanges) address() string {
	w.made++
	return fmt.Sprintf("%s?walk=%d", w.hosts[w.random.IntN(len(w.hosts))], w.made)
}

// step makes one random change and describes it.
func (w *randomChanges) step() string {
	tab, frames := w.now(), w.below()
	any := func() *model.Frame { return frames[w.random.IntN(len(frames))] }
	act := w.random.IntN(10)
	switch {
	case len(frames) == 0 || act < 4 && len(frames) < 12:
		parent := tab.MainFrame()
		if len(frames) > 0 && w.random.IntN(2) == 0 {
			parent = any()
		}
		w.want = len(tab.Frames) + 1
		if w.random.IntN(4) == 0 {
			w.in(parent, `document.body.append(Object.assign(document.createElement("iframe"), {srcdoc: "<p>inside"}))`)
			return "a frame with its document in an attribute below " + parent.URL
		}
		url := w.address()
		w.in(parent, fmt.Sprintf(`document.body.append(Object.assign(document.createElement("iframe"), {src: %q}))`, url))
		return url + " below " + parent.URL
	case act < 6:
		f := any()
		w.want = len(tab.Frames) - size(tab, f)
		w.in(tab.Frames[f.Parent], fmt.Sprintf(`document.querySelectorAll("iframe")[%d].remove()`, siblingIndex(tab, f)))
		return "without " + f.URL
	case act < 9:
		f, url := any(), w.address()
		w.want = len(tab.Frames) - size(tab, f) + 1
		w.in(tab.Frames[f.Parent], fmt.Sprintf(`document.querySelectorAll("iframe")[%d].src = %q, document.querySelectorAll("iframe")[%d].removeAttribute("srcdoc")`, siblingIndex(tab, f), url, siblingIndex(tab, f)))
		w.committed(f.ID, url)
		return f.URL + " goes to " + url
	default:
		url := w.address()
		w.want = 1
		w.in(tab.MainFrame(), fmt.Sprintf(`void setTimeout(() => location.href = %q)`, url))
		w.committed(tab.Main, url)
		return "the page goes to " + url
	}
}

// in evaluates in the main world of a frame.
func (w *randomChanges) in(f *model.Frame, script string) {
	w.t.Helper()
	if f.OOPIF || f.Parent == "" {
		eval(w.t, w.b, f.Session, "void ("+strings.TrimPrefix(script, "void ")+")")
		return
	}
	call(w.t, w.b, f, "void ("+strings.TrimPrefix(script, "void ")+")")
}

func (w *randomChanges) committed(frame model.FrameID, url string) {
	w.t.Helper()
	wait(w.t, w.b, url+" is there", func(s *model.State) bool {
		f := s.Frame(frame)
		return f != nil && f.URL == url
	})
}

// settled waits until all documents have loaded and the number of frames is as expected.
func (w *randomChanges) settled(what string) {
	w.t.Helper()
	wait(w.t, w.b, what+": all frames have loaded", func(s *model.State) bool {
		tab := s.Tabs[w.tab]
		for _, f := range tab.Frames {
			if !f.Loaded || f.MainContext == "" {
				return false
			}
		}
		return len(tab.Frames) == w.want
	})
}

// size counts a frame and all below it.
func size(tab *model.Tab, f *model.Frame) int {
	n := 1
	for _, c := range tab.Children(f.ID) {
		n += size(tab, c)
	}
	return n
}

// siblingIndex returns the index of a frame among its siblings. The walk only appends, so the order of the model is the
// document's.
func siblingIndex(tab *model.Tab, f *model.Frame) int {
	for i, c := range tab.Children(f.Parent) {
		if c.ID == f.ID {
			return i
		}
	}
	return -1
}
