package debug

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/navigate"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/command/run/settle"
	"github.com/usher-browser/usher/internal/journal"
	"github.com/usher-browser/usher/internal/verb"
)

// Vitals is the result of `vitals`. Times are in milliseconds since the navigation began; null for what the browser has not
// measured.
type Vitals struct {
	CLS CLS `json:"cls"` // cumulative layout shift
	// FCP is the first contentful paint.
	FCP *float64 `json:"fcp"`
	// INP is the interaction to next paint: the longest time from an input to the next frame.
	INP *float64 `json:"inp"`
	LCP *LCP     `json:"lcp"` // largest contentful paint
	// TTFB is the time to the first byte.
	TTFB *float64 `json:"ttfb"`
	URL  string   `json:"url"`
}

// CLS is the largest sum of layout shifts in a session window.
type CLS struct {
	Entries []Shift `json:"entries"` // every shift without an input before it, up to 50
	Score   float64 `json:"score"`
}

// Shift is one layout shift.
type Shift struct {
	Sources   []string `json:"sources"` // the elements that moved
	StartTime float64  `json:"startTime"`
	Value     float64  `json:"value"`
}

// LCP is the largest contentful paint.
type LCP struct {
	Element   *string `json:"element"`
	Size      float64 `json:"size"` // in square pixels
	StartTime float64 `json:"startTime"`
	URL       *string `json:"url"` // of the picture
}

func vitals(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Vitals], error) {
	fresh := c.Has("url") || c.Bool("reload")
	warning, err := load(ctx, e, c, c.Bool("reload"))
	if err != nil {
		return run.Reply[*Vitals]{}, err
	}
	ctx, stop := e.Guard(ctx)
	defer stop()
	tab, err := e.CurrentTab()
	if err != nil {
		return run.Reply[*Vitals]{}, err
	}
	if fresh { // what is largest, and what moves, is known when nothing more arrives
		quiet, cancel := context.WithTimeout(ctx, settle.LoadLimit)
		err := e.Journal.WaitIdle(quiet, tab.ID, journal.Quiet)
		cancel()
		if err != nil && ctx.Err() != nil {
			return run.Reply[*Vitals]{}, e.Explain(err, "vitals")
		}
		if err != nil {
			warning = api.JoinWarnings(warning, "the page still requests something")
		}
		if tab, err = e.CurrentTab(); err != nil {
			return run.Reply[*Vitals]{}, err
		}
	}
	var got struct {
		Vitals
		Loaded       bool `json:"loaded"`
		Hidden       bool `json:"hidden"`
		Interactions int  `json:"interactions"`
	}
	if err := e.Worlds.Call(ctx, tab.Main, "vitals", map[string]any{"loaded": fresh}, &got); err != nil {
		return run.Reply[*Vitals]{}, e.Explain(err, "vitals")
	}
	var notes []string
	if !got.Loaded {
		notes = append(notes, "the page is still loading")
	}
	if got.LCP == nil || got.FCP == nil {
		why := "the page has painted nothing"
		if got.Hidden {
			why += " or was hidden, as in a background tab"
		}
		if !fresh {
			why += "; `vitals --reload` measures it again"
		}
		notes = append(notes, why)
	}
	if got.INP == nil && got.Interactions > 0 {
		notes = append(notes, "no INP: the browser keeps only interactions of 104 ms and more, and none took that long")
	}
	return run.Reply[*Vitals]{Data: &got.Vitals, Text: got.text(), Warning: api.JoinWarnings(warning, strings.Join(notes, "; "))}, nil
}

// load opens the address of a call, or else reloads the page, if that is asked for.
func load(ctx context.Context, e *run.Env, c *verb.Call, reload bool) (warning string, err error) {
	switch {
	case c.Has("url"):
		opened, err := navigate.Navigate(ctx, e, c.Str("url"))
		return opened.Warning, err
	case reload:
		moved, err := navigate.Reload(ctx, e, c)
		return moved.Warning, err
	}
	return "", nil
}

func (v *Vitals) text() string {
	ms := func(f *float64) string {
		if f == nil {
			return "-"
		}
		return strconv.FormatFloat(*f, 'f', -1, 64) + "ms"
	}
	var lcp *float64
	if v.LCP != nil {
		lcp = &v.LCP.StartTime
	}
	text := fmt.Sprintf("url: %s\nttfb: %s  fcp: %s  lcp: %s  cls: %s  inp: %s", v.URL, ms(v.TTFB), ms(v.FCP), ms(lcp), strconv.FormatFloat(v.CLS.Score, 'g', 4, 64), ms(v.INP))
	if v.LCP != nil && v.LCP.Element != nil {
		text += "\nlcp: element: " + run.OneLine(*v.LCP.Element)
	}
	return text
}
