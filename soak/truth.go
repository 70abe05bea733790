package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdp"
	"github.com/usher-browser/usher/internal/supervisor"
	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/wire"
)

// lastWords are the end of what Chromium wrote to its standard error. "bad_variant_access was thrown" is version 156 at
// the end of a connection while a page that is being replaced has a dialog open: see dropWithItsPage in the supervisor.
func (c *chaos) lastWords() string {
	const most = 4000
	said, err := os.ReadFile(filepath.Join(c.browser.Profile, "stderr"))
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(said[max(0, len(said)-most):]))
}

// compare asks Chromium for its tabs and frames and holds every supervisor's model against them, until they agree or time
// is up.
func (c *chaos) compare(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	w, err := wire.Dial(ctx, c.browser.WebSocketURL, nil)
	if err != nil {
		c.report.violation("", "Chromium cannot be asked: "+err.Error()+"; the end of its log:\n"+c.lastWords(), "", nil)
		return
	}
	direct := cdp.New(w, deaf{})
	defer func() { _ = direct.Close() }() // it was only for asking
	browsers := c.registry.Browsers()
	if len(browsers) == 0 {
		c.report.violation("", "no session has a browser", "", nil)
	}
	for _, b := range browsers {
		wrong := "the time was up before"
		for wrong != "" && ctx.Err() == nil {
			if wrong = c.differs(ctx, direct, b); wrong != "" {
				c.sleep(ctx, 200*time.Millisecond)
			}
		}
		if wrong != "" {
			c.report.violation("", "the model is not as Chromium says: "+wrong, "", nil)
		}
	}
}

// deaf hears nothing: only replies matter.
type deaf struct{}

func (deaf) Event(cdp.Event) {}
func (deaf) Flush()          {}
func (deaf) Overflow(string) {}
func (deaf) Closed(error)    {}

// differs says what a model has wrong, "" for nothing. It frees tabs from dialogs first: a page that waits names no frames.
func (c *chaos) differs(ctx context.Context, direct *cdp.Conn, b *supervisor.Browser) string {
	short, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	for _, d := range b.State().Dialogs {
		if _, err := b.Answer(short, d.ID, false, ""); err != nil {
			return fmt.Sprintf("dismiss %s: %v", d.ID, err)
		}
	}
	s := b.State()
	if err := s.Unreachable(); err != nil {
		return err.Error()
	}
	for _, id := range s.Order {
		if t := s.Tabs[id]; !t.Ready {
			_, err := b.DismissUnreported(short, id)
			return fmt.Sprintf("tab %s (%s) is not ready: %v", id, t.URL, err)
		}
	}
	got, err := cdp.Do(short, direct.Browser(), target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}, {Type: "iframe"}}})
	if err != nil {
		return err.Error()
	}
	var have, want []string
	for _, t := range got.TargetInfos {
		want = append(want, t.Type+" "+string(t.TargetID)+" "+t.URL)
	}
	for id, t := range s.Tabs {
		have = append(have, "page "+string(id)+" "+t.URL)
		for fid, f := range t.Frames {
			if f.OOPIF {
				have = append(have, "iframe "+string(fid)+" "+f.URL)
			}
		}
	}
	if wrong := unlike("targets", have, want); wrong != "" {
		return wrong
	}
	for _, t := range s.Tabs {
		if wrong := c.framesDiffer(short, b, t); wrong != "" {
			return wrong
		}
	}
	for _, t := range s.Tabs {
		c.report.trees(len(t.Frames))
	}
	return ""
}

// framesDiffer compares a tab's frames with those that each of its processes names.
func (c *chaos) framesDiffer(ctx context.Context, b *supervisor.Browser, t *model.Tab) string {
	var have, want []string
	sessions := map[string]bool{}
	for id, f := range t.Frames {
		sessions[f.Session] = true
		have = append(have, string(id)+" in "+string(f.Parent)+" "+f.URL)
	}
	var walk func(*page.FrameTree)
	walk = func(f *page.FrameTree) {
		parent := string(f.Frame.ParentID)
		if known := t.Frames[model.FrameID(f.Frame.ID)]; parent == "" && known != nil {
			parent = string(known.Parent) // the top frame of a process does not say
		}
		want = append(want, string(f.Frame.ID)+" in "+parent+" "+f.Frame.URL+f.Frame.URLFragment)
		for _, child := range f.ChildFrames {
			walk(child)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(sessions)) {
		got, err := cdp.Do(ctx, b.Session(id), page.GetFrameTree, struct{}{})
		if err != nil {
			return fmt.Sprintf("frame tree of session %q: %v", id, err)
		}
		walk(got.FrameTree)
	}
	return unlike("frames of "+t.URL, have, want)
}

func unlike(what string, have, want []string) string {
	slices.Sort(have)
	slices.Sort(want)
	if slices.Equal(have, want) {
		return ""
	}
	return fmt.Sprintf("%s: the model has\n  %s\nand Chromium\n  %s", what, strings.Join(have, "\n  "), strings.Join(want, "\n  "))
}
