package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/usher-browser/usher/internal/cdptest/program"
)

// begin starts the daemon, lets it use a browser once, and notes what it has when nothing is open: what it has to come
// back to. The Go runtime itself is asked to write down its goroutines, into the daemon's log.
func (s *soak) begin(context.Context) error {
	a, err := s.execute([]string{schedTrace}, 0, 0, "--session", "first", "--json", "open", s.site.URL("/small"))
	if err == nil && !a.ok() {
		err = errors.New(a.words)
	}
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if s.health, err = newHealth(s); err != nil {
		return err
	}
	s.report.health = s.health
	if err := s.closeAll(); err != nil {
		return err
	}
	s.untilBare()
	time.Sleep(5 * time.Second) // two traces
	s.health.base = s.health.look()
	s.health.samples = append(s.health.samples, s.health.base)
	return nil
}

func (s *soak) closeAll() error {
	a, err := s.execute(nil, 0, 0, "--json", "close", "--all")
	if err == nil && !a.ok() {
		err = errors.New(a.words)
	}
	if err != nil {
		return fmt.Errorf("close all sessions: %w", err)
	}
	return nil
}

// lookAround lets everybody pause, compares frames, closes everything and looks whether all of it is given back.
func (s *soak) lookAround(ctx context.Context) {
	s.calm.Lock()
	defer s.calm.Unlock()
	if ctx.Err() != nil {
		return
	}
	for _, w := range s.workers {
		w.compareFrames()
	}
	s.bare()
}

// bare closes every session and complains about what is left of them.
func (s *soak) bare() {
	for _, w := range s.workers {
		w.suffer("all sessions were closed", closed...)
		w.broken = "browser_not_running"
	}
	if err := s.closeAll(); err != nil {
		s.report.violation("", err.Error(), "", nil)
	}
	for _, w := range s.workers {
		w.renew()
	}
	for _, complaint := range s.untilBare() {
		s.report.violation("", "with all sessions closed, "+complaint, "", nil)
	}
}

// untilBare waits until nothing of a session is left, and says what is there still after some seconds.
func (s *soak) untilBare() (complaints []string) {
	for deadline := time.Now().Add(8 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		complaints = s.leftovers(1)
		if s.health.base.threads > 0 {
			complaints = append(complaints, s.health.grown()...)
		}
		if len(complaints) == 0 || time.Now().After(deadline) {
			return complaints
		}
	}
}

// leftovers are processes beyond those that may be there, and temporary profiles.
func (s *soak) leftovers(processes int) []string {
	complaints := s.processes(processes)
	profiles, err := filepath.Glob(filepath.Join(s.program.Home, "t", "*", "*"))
	if err != nil {
		return append(complaints, err.Error())
	}
	if len(profiles) > 0 {
		complaints = append(complaints, fmt.Sprintf("temporary files are there: %s", strings.Join(profiles, ", ")))
	}
	return complaints
}

func (s *soak) processes(most int) []string {
	living, err := s.program.Processes()
	if err != nil {
		return []string{err.Error()}
	}
	if len(living) > most {
		return []string{fmt.Sprintf("%d processes are there: %s", len(living), describe(living))}
	}
	return nil
}

func describe(list []program.Process) string {
	var names []string
	for _, p := range list {
		names = append(names, fmt.Sprintf("%d %.90s", p.PID, p.Command))
	}
	return strings.Join(names, "; ")
}

// leaveNothing keeps the daemon's log if it may be needed, and removes everything else.
func (s *soak) leaveNothing() {
	if s.report.failed() {
		s.keepLog()
	}
	if _, err := s.program.End(); err != nil {
		s.report.violation("", "clean up: "+err.Error(), "", nil)
	}
}

// compareFrames holds the frames of an outline against those that Chromium tells another client of.
func (w *worker) compareFrames() {
	for range 3 { // dialogs left open, and pages that ask before they are left
		if !w.do("dialog", "dismiss").ok() {
			break
		}
	}
	if w.broken != "" {
		w.reopen()
	}
	w.open("/forest?grow=2")
	if w.page != "/forest?grow=2" || w.broken != "" {
		return // told already, or a fault that will be made up for
	}
	for range 4 + w.rand.IntN(4) {
		w.do("click", one(w.rand, "#same", "#cross", "#cross", "#swap", "#drop"))
	}
	var seen, real []string
	var err error
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		a := w.do("snapshot")
		if !a.ok() {
			return
		}
		if seen, err = outlined(a); err != nil {
			break
		}
		if real, err = w.framesOfChromium(); err != nil {
			break
		}
		if slices.Equal(seen, real) {
			w.s.report.trees(len(real))
			return
		}
	}
	if err != nil {
		w.complain("compare frames: %v", err)
		return
	}
	w.complain("the outline has the frames %q, Chromium has %q", seen, real)
}

// outlined are the frames of an outline of the forest page, each as the names on the way to it.
func outlined(a answer) ([]string, error) {
	var data struct {
		Snapshot string `json:"snapshot"`
	}
	if err := a.into(&data); err != nil {
		return nil, err
	}
	var paths []string
	var within []string // by level of indentation, the name of the frame on that level or ""
	for line := range strings.Lines(data.Snapshot) {
		text := strings.TrimLeft(line, " ")
		level := (len(line) - len(text)) / 2
		within = within[:min(level, len(within))]
		for len(within) < level {
			within = append(within, "")
		}
		name := ""
		if rest, is := strings.CutPrefix(text, `- Iframe "Frame `); is {
			name, _, _ = strings.Cut(rest, `"`)
		}
		within = append(within, name)
		if rest, is := strings.CutPrefix(text, `- heading "Tree `); is {
			own, _, _ := strings.Cut(rest, `"`)
			path := strings.Join(slices.DeleteFunc(slices.Clone(within), func(s string) bool { return s == "" }), "/")
			if own != "root" && !strings.HasSuffix(path, own) {
				path += " holds " + own
			}
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

// framesOfChromium asks the browser itself for the frames of the session's active tab, in calls of the protocol by hand.
func (w *worker) framesOfChromium() ([]string, error) {
	var list struct {
		Tabs []struct {
			Active bool   `json:"active"`
			Target string `json:"targetId"`
		} `json:"tabs"`
	}
	if a := w.do("tab", "list"); !a.ok() {
		return nil, errors.New(a.words)
	} else if err := a.into(&list); err != nil {
		return nil, err
	}
	for _, t := range list.Tabs {
		if t.Active {
			return w.frameTree(t.Target)
		}
	}
	return nil, errors.New("no tab is active")
}

// byHand calls a method of the protocol and decodes its result.
func (w *worker) byHand(result any, method string, flags ...string) error {
	a := w.do(append([]string{"cdp", method}, flags...)...)
	if !a.ok() {
		return errors.New(a.words)
	}
	return a.into(&struct {
		Result any `json:"result"`
	}{result})
}

// frameTree collects the frames of a page from its own process and from every process that holds frames of it.
func (w *worker) frameTree(tab string) ([]string, error) {
	var targets target.GetTargetsResult
	if err := w.byHand(&targets, "Target.getTargets", "--browser-target"); err != nil {
		return nil, err
	}
	names, parents := map[string]string{}, map[string]string{}
	// From the page down, frames whose parent is known only: other tabs may be held by dialogs, and do not answer.
	for rest := targets.TargetInfos; ; {
		next := slices.IndexFunc(rest, func(t *target.Info) bool {
			_, known := names[string(t.ParentFrameID)]
			return string(t.TargetID) == tab || t.Type == "iframe" && known
		})
		if next < 0 {
			break
		}
		t := rest[next]
		rest = slices.Delete(slices.Clone(rest), next, next+1)
		where := []string{"--tab", tab}
		if string(t.TargetID) != tab {
			where = append(where, "--frame", string(t.TargetID))
		}
		var tree page.GetFrameTreeResult
		if err := w.byHand(&tree, "Page.getFrameTree", where...); err != nil {
			return nil, err
		}
		if tree.FrameTree.Frame.ParentID == "" {
			tree.FrameTree.Frame.ParentID = t.ParentFrameID
		}
		collect(tree.FrameTree, names, parents)
	}
	var paths []string
	for id := range names {
		path, root := "", id
		for up := id; up != ""; up = parents[up] {
			root = up
			if up != tab {
				path = strings.TrimSuffix(names[up]+"/"+path, "/")
			}
		}
		if root == tab {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths, nil
}

func collect(tree *page.FrameTree, names, parents map[string]string) {
	id := string(tree.Frame.ID)
	names[id] = strconv.Quote(tree.Frame.URL)
	if u, err := url.Parse(tree.Frame.URL); err == nil && u.Query().Has("name") {
		names[id] = u.Query().Get("name")
	}
	parents[id] = string(tree.Frame.ParentID)
	for _, child := range tree.ChildFrames {
		collect(child, names, parents)
	}
}
