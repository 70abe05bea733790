package run

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// How long a command waits for the page after an action.
const (
	// minQuiet is how long nothing must change in the page: most handlers have finished when the dispatch of the event is
	// over.
	minQuiet = 2 * time.Millisecond
	// quietAfterResponse replaces minQuiet if a server has responded meanwhile: the page must still handle the
	// response, and may send another request. maxQuiet is for a page that has taken longer between a response and its
	// next request.
	quietAfterResponse = 40 * time.Millisecond
	maxQuiet           = 200 * time.Millisecond
	// changeLimit is how long continuing changes are waited for, busyLimit how long a sign that the page is busy.
	changeLimit = 400 * time.Millisecond
	busyLimit   = 2 * time.Second
	// stableLimit bounds the whole wait. LoadLimit is the bound for a page that has just loaded: applications load their
	// parts one after another.
	stableLimit = 4 * time.Second
	LoadLimit   = 8 * time.Second
	// maxRounds is how many requests in sequence, each sent after the response to the one before, are waited for, because
	// some pages repeat a request for ever. maxDistinctRounds is the number if each request is a different one.
	maxRounds         = 3
	maxDistinctRounds = 20
	// frameGrace is how much longer than its time limit the reply of a frame may take.
	frameGrace = 500 * time.Millisecond
)

// frameStability is the reply of a frame once it is stable, or its time limit is reached; see settle.ts.
type frameStability struct {
	Changing bool          `json:"changing"`
	Touched  bool          `json:"touched"` // something in its document has changed since the call
	Busy     string        `json:"busy"`
	Invalid  []api.Invalid `json:"invalid"`
}

// stability is the result of waiting for a page.
type stability struct {
	busy      string        // what is still in progress; "" for nothing
	invalid   []api.Invalid // the fields that failed a form's validation
	asked     bool          // asked was called
	unchanged bool          // and nothing in the page's document changed after that
}

// AwaitStable waits for what the page started after since: documents, requests, changes of its DOM, busy signs. It waits
// at most all. It returns what is still in progress, "" for nothing.
func (e *Env) AwaitStable(ctx context.Context, since time.Time, all time.Duration) (busy string, err error) {
	s, err := e.awaitStable(ctx, since, all, nil)
	return s.busy, err
}

// awaitStable is AwaitStable. It calls asked once, unless that is nil, after the page has begun to wait, if no server has
// responded to the page and it has only one frame.
func (e *Env) awaitStable(ctx context.Context, since time.Time, all time.Duration, asked func()) (st stability, err error) {
	end := time.Now().Add(all)
	gap := time.Duration(0)
	seen := map[string]bool{}
	for round := 1; ; round++ {
		if err := e.documentReady(ctx, end); err != nil {
			return st, err
		}
		answered, slow, err := e.Journal.WaitAnswered(ctx, e.Tab, since)
		if err != nil {
			return st, err
		}
		last, looked := e.Journal.LastScriptRequest(e.Tab), time.Now()
		if last.Began.Add(-last.Gap).After(since) {
			gap = max(gap, last.Gap)
		}
		behind := answered || last.Ended.After(since)
		alongside := asked
		if behind || st.asked {
			alongside = nil
		}
		page, err := e.awaitStableFrames(ctx, last, alongside, &st, map[string]any{
			"quiet": quietTime(behind, gap).Milliseconds(), "behind": behind,
			"changes": changeLimit.Milliseconds(), "busy": busyLimit.Milliseconds(),
			"most": min(all-busyLimit, max(0, time.Until(end))).Milliseconds(), "since": time.Since(since).Milliseconds(),
		})
		over := time.Now().After(end) || round == maxRounds
		switch {
		case err != nil && world.DocumentGone(err) && context.Cause(ctx) == nil && !over:
			continue // another document is loading
		case err != nil:
			return st, err
		}
		st.invalid = append(st.invalid, page.Invalid...)
		if next := e.requestedSince(looked, since); next != "" {
			// Handling the response, the page sent another request.
			fresh := !seen[next] && len(seen) < maxDistinctRounds
			seen[next] = true
			late := time.Now().After(end)
			switch {
			case fresh && !late:
				round--
				continue
			case !over:
				continue
			case fresh && slow == "":
				slow = e.Journal.PendingRequest(e.Tab, since)
			}
		}
		st.busy, st.unchanged = busyWith(page.Busy, page.Changing, slow), alongside != nil && !page.Touched
		return st, nil
	}
}

// quietTime returns how long nothing may change in a page until it counts as stable. behind reports whether a server has
// responded to it; gap is the time from a response to the next request before.
func quietTime(behind bool, gap time.Duration) time.Duration {
	if !behind {
		return minQuiet
	}
	return min(max(quietAfterResponse, 2*gap), maxQuiet)
}

// requestedSince identifies the tab's last request from a script: by URL and body, without the parts that vary, if it
// began or ended after looked. Otherwise it returns the URL of a request after since whose response is still waited for,
// "" if there is none.
func (e *Env) requestedSince(looked, since time.Time) string {
	last := e.Journal.LastScriptRequest(e.Tab)
	if last.Began.After(looked) || last.Ended.After(looked) {
		return kindOf(last.URL) + " " + wordsOf(last.PostData)
	}
	return kindOf(e.Journal.PendingRequest(e.Tab, since))
}

// awaitStableFrames waits for the page, the frame of the action, and the frame that sent the last request. The page
// cannot observe frames of other origins, so these are waited for separately.
func (e *Env) awaitStableFrames(ctx context.Context, last journal.ScriptRequest, asked func(), st *stability, timeout map[string]any) (*frameStability, error) {
	s := e.Browser.State()
	main := MainFrameOf(s, e.Tab)
	frames := []model.FrameID{e.acted.Frame}
	if last.Frame != e.acted.Frame {
		frames = append(frames, last.Frame)
	}
	var others []*world.Pending
	for _, id := range frames {
		f := s.Frame(id)
		if id == main || f == nil || f.Tab != e.Tab || f.Crash != nil || f.Unresponsive != nil {
			continue
		}
		if p, err := e.Worlds.Start(ctx, id, "settle", timeout); err == nil { // otherwise the frame is gone
			others = append(others, p)
		}
	}
	page := &frameStability{}
	if tab := s.Tabs[e.Tab]; asked != nil && tab != nil && len(tab.Frames) == 1 { // the page does not see changes in other frames
		p, err := e.Worlds.Start(ctx, main, "settle", timeout)
		if err != nil {
			return nil, err
		}
		st.asked = true
		asked()
		if err := p.Wait(ctx, page); err != nil {
			return nil, err
		}
	} else if err := e.Worlds.Call(ctx, main, "settle", timeout, page); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, changeLimit+busyLimit+frameGrace)
	defer cancel()
	for _, p := range others {
		var frame frameStability
		if err := p.Wait(ctx, &frame); err != nil {
			continue // its document was replaced, which is a change of the page, or it does not answer, which the snapshot reports
		}
		page.Changing = page.Changing || frame.Changing
		page.Invalid = append(page.Invalid, frame.Invalid...)
		if page.Busy == "" {
			page.Busy = frame.Busy
		}
	}
	return page, nil
}

// kindOf returns a URL without the parts that differ when a page repeats a request: the query, and numbers as long as a
// timestamp.
func kindOf(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return longNumber().ReplaceAllString(url, "")
}

var longNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]{6,}`) })

// wordsOf returns the body of a request without its numbers, which may be counters or timestamps.
func wordsOf(data string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, data)
}

// busyWith returns what a page is busy with, "" for nothing.
func busyWith(sign string, changing bool, slow string) string {
	switch {
	case sign != "":
		return sign
	case slow != "":
		return "no response yet from " + slow
	case changing:
		return "the page keeps changing"
	}
	return ""
}

// documentReady waits for a pending navigation of the tab or of the frame of the action, until the new document's scripts
// have run.
func (e *Env) documentReady(ctx context.Context, end time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	err := e.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f, acted := s.MainFrame(e.Tab), s.Frame(e.acted.Frame)
		ready := f != nil && f.PendingURL == "" && f.DOMReady
		if ready && acted != nil && acted.Tab == e.Tab && acted.Crash == nil {
			ready = acted.PendingURL == "" && (acted.DOMReady || acted.Loader == e.acted.Loader)
		}
		return ready, s.TabLost(e.Tab)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // its absence is reported
	}
	return err
}

// Working reports whether a request of the tab since a moment is in flight, or had its response so late that the page
// may still handle it.
func (e *Env) Working(since time.Time) bool {
	last := e.Journal.LastScriptRequest(e.Tab)
	return e.Journal.PendingRequest(e.Tab, since) != "" || last.Ended.After(since) && time.Since(last.Ended) < quietAfterResponse
}
