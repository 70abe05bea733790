// Package settle waits until a page has settled: until what an action or a navigation started is over, as far as the browser and
// the page tell.
package settle

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/supervisor"
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
	// ActionLimit bounds the whole wait after an action. LoadLimit is the bound for a page that has just loaded:
	// applications load their parts one after another.
	ActionLimit = 4 * time.Second
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

// Page is a page to wait for.
type Page struct {
	Browser *supervisor.Browser
	Worlds  *world.Worlds
	Journal *journal.Journal
	Tab     model.TargetID
	// Acted is the document of the element that was acted on; zero for none.
	Acted world.Document
}

// Result is the result of waiting for a page.
type Result struct {
	Busy      string        // what is still in progress; "" for nothing
	Invalid   []api.Invalid // the fields that failed a form's validation
	Asked     bool          // asked was called
	Unchanged bool          // and nothing in the page's document changed after that
}

// Wait waits for what the page started after since: documents, requests, changes of its DOM, busy signs. It waits at most
// all. It calls asked once, unless that is nil, after the page has begun to wait, if no server has responded to the page
// and it has only one frame.
func (p Page) Wait(ctx context.Context, since time.Time, all time.Duration, asked func()) (st Result, err error) {
	end := time.Now().Add(all)
	gap := time.Duration(0)
	seen := map[string]bool{}
	for round := 1; ; round++ {
		if err := p.documentReady(ctx, end); err != nil {
			return st, err
		}
		answered, slow, err := p.Journal.WaitAnswered(ctx, p.Tab, since)
		if err != nil {
			return st, err
		}
		last, looked := p.Journal.LastScriptRequest(p.Tab), time.Now()
		if last.Began.Add(-last.Gap).After(since) {
			gap = max(gap, last.Gap)
		}
		behind := answered || last.Ended.After(since)
		alongside := asked
		if behind || st.Asked {
			alongside = nil
		}
		page, err := p.awaitFrames(ctx, last, alongside, &st, map[string]any{
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
		st.Invalid = append(st.Invalid, page.Invalid...)
		if next := p.requestedSince(looked, since); next != "" {
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
				slow = p.Journal.PendingRequest(p.Tab, since)
			}
		}
		st.Busy, st.Unchanged = busyWith(page.Busy, page.Changing, slow), alongside != nil && !page.Touched
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
func (p Page) requestedSince(looked, since time.Time) string {
	last := p.Journal.LastScriptRequest(p.Tab)
	if last.Began.After(looked) || last.Ended.After(looked) {
		return kindOf(last.URL) + " " + wordsOf(last.PostData)
	}
	return kindOf(p.Journal.PendingRequest(p.Tab, since))
}

// awaitFrames waits for the page, the frame of the action, and the frame that sent the last request. The page
// cannot observe frames of other origins, so these are waited for separately.
func (p Page) awaitFrames(ctx context.Context, last journal.ScriptRequest, asked func(), st *Result, timeout map[string]any) (*frameStability, error) {
	s := p.Browser.State()
	var main model.FrameID
	if f := s.MainFrame(p.Tab); f != nil {
		main = f.ID
	}
	frames := []model.FrameID{p.Acted.Frame}
	if last.Frame != p.Acted.Frame {
		frames = append(frames, last.Frame)
	}
	var others []*world.Pending
	for _, id := range frames {
		f := s.Frame(id)
		if id == main || f == nil || f.Tab != p.Tab || f.Crash != nil || f.Unresponsive != nil {
			continue
		}
		if reply, err := p.Worlds.Start(ctx, id, "settle", timeout); err == nil { // otherwise the frame is gone
			others = append(others, reply)
		}
	}
	page := &frameStability{}
	if tab := s.Tabs[p.Tab]; asked != nil && tab != nil && len(tab.Frames) == 1 { // the page does not see changes in other frames
		reply, err := p.Worlds.Start(ctx, main, "settle", timeout)
		if err != nil {
			return nil, err
		}
		st.Asked = true
		asked()
		if err := reply.Wait(ctx, page); err != nil {
			return nil, err
		}
	} else if err := p.Worlds.Call(ctx, main, "settle", timeout, page); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, changeLimit+busyLimit+frameGrace)
	defer cancel()
	for _, reply := range others {
		var frame frameStability
		if err := reply.Wait(ctx, &frame); err != nil {
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
func (p Page) documentReady(ctx context.Context, end time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	err := p.Browser.Wait(ctx, func(s *model.State) (bool, error) {
		f, acted := s.MainFrame(p.Tab), s.Frame(p.Acted.Frame)
		ready := f != nil && f.PendingURL == "" && f.Ready()
		if ready && acted != nil && acted.Tab == p.Tab && acted.Crash == nil {
			ready = acted.PendingURL == "" && (acted.Ready() || acted.Loader == p.Acted.Loader)
		}
		return ready, s.TabLost(p.Tab)
	})
	if errors.Is(err, context.DeadlineExceeded) {
		return nil // its absence is reported
	}
	return err
}

// Working reports whether a request of the tab since a moment is in flight, or had its response so late that the page
// may still handle it.
func (p Page) Working(since time.Time) bool {
	last := p.Journal.LastScriptRequest(p.Tab)
	return p.Journal.PendingRequest(p.Tab, since) != "" || last.Ended.After(since) && time.Since(last.Ended) < quietAfterResponse
}
