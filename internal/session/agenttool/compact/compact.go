// Package compact shortens large results. All of a shortened result is in a file.
package compact

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/snapshot"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// The sizes above which a result is shortened, and how much of it is left.
const (
	snapshotChars = 6000
	snapshotLines = 80
	snapshotRefs  = 60
	// snapshotBudget is the size of the shortened outline, in tokens.
	snapshotBudget = 1200

	outputChars  = 8000
	outputLines  = 120
	previewChars = 2500
	previewLines = 40
	previewWidth = 240

	maxKeyControls = 10
)

// Shorten replaces a large result of a step by its most important part, and keeps all of it in a file.
func Shorten(ctx context.Context, h step.Host, s *step.Step) {
	text := s.Result.Text
	if s.Status != step.Completed {
		return
	}
	if s.Name() == "snapshot" {
		var shot snapshot.Data
		result.Read(s.Data, &shot)
		if shot.Snapshot != "" && (utf8.RuneCountInString(shot.Snapshot) > snapshotChars || strings.Count(shot.Snapshot, "\n") >= snapshotLines || len(shot.Refs) > snapshotRefs) {
			shortenSnapshot(ctx, h, s, &shot)
			return
		}
	}
	lines := strings.Count(text, "\n") + 1
	if utf8.RuneCountInString(text) <= outputChars && lines <= outputLines && len(s.Data) <= 2*outputChars {
		return
	}
	if isArtifact(s) {
		return
	}
	preview := cutLines(text, previewLines, previewWidth)
	if cut := []rune(preview); len(cut) > previewChars {
		preview = string(cut[:previewChars]) + "…"
	}
	if len([]rune(text)) > outputChars && lines < 5 { // one long line: its beginning says more than 240 characters of it
		preview = string([]rune(text)[:previewChars]) + "…"
	}
	c := &result.Compacted{Compacted: true, OutputCharCount: utf8.RuneCountInString(text), OutputLineCount: lines,
		PreviewCharCount: utf8.RuneCountInString(preview), PreviewLineCount: strings.Count(preview, "\n") + 1}
	spill(h, s, c, "output", []byte(whole(s)))
	s.Data = result.Encode(c)
	s.Result.Text = preview + "\n" + c.Note(fmt.Sprintf("%d of %d characters", c.PreviewCharCount, c.OutputCharCount))
}

// whole returns the output that is kept in a file: the text, or the data if the text does not have all of it.
func whole(s *step.Step) string {
	if len(s.Result.Text) > outputChars {
		return s.Result.Text
	}
	return string(s.Data)
}

func isArtifact(s *step.Step) bool { return len(s.Artifacts) > 0 }

func cutLines(text string, most, width int) string {
	lines := strings.Split(text, "\n")
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	for i, l := range lines {
		lines[i] = plain.Cut(l, width)
	}
	return strings.Join(lines, "\n")
}

// spill keeps content in a file of the session.
func spill(h step.Host, s *step.Step, c *result.Compacted, what string, content []byte) {
	sum := sha256.Sum256(content)
	path := filepath.Join(h.Artifacts(), fmt.Sprintf("%s-%x.txt", what, sum[:6]))
	err := dirs.MakePrivate(h.Artifacts())
	if err == nil {
		err = dirs.WriteSecret(path, content)
	}
	if err != nil {
		c.SpillError = err.Error()
		return
	}
	c.FullOutputPath, s.Spilled = path, path
	if err := trim(h.Artifacts(), path); err != nil {
		c.SpillError = "older files were not removed: " + err.Error()
	}
}

// shortenSnapshot replaces the outline of a large page. What stays is chosen by the engine, which knows what is in view, focused, modal
// or invalid.
func shortenSnapshot(ctx context.Context, h step.Host, s *step.Step, shot *snapshot.Data) {
	c := &result.Compacted{Compacted: true, Origin: shot.Origin, PreviewMode: "structured", ViewportOrdering: "dom-signal-prioritized", StructuredPreviewUsed: true,
		RefCount: len(shot.Refs), RoleCounts: map[string]int{}, SnapshotLineCount: strings.Count(shot.Snapshot, "\n") + 1}
	for _, r := range shot.Refs {
		c.RoleCounts[r.Role]++
	}
	spill(h, s, c, "snapshot", []byte(shot.Snapshot))
	preview := cutLines(shot.Snapshot, previewLines, previewWidth)
	if short, err := budgeted(ctx, h, s); err == nil {
		preview = short
	} else {
		c.PreviewMode, c.StructuredPreviewUsed = "outline", false
	}
	for id := range shot.Refs {
		if strings.Contains(preview, "ref="+id+"]") || strings.Contains(preview, "ref="+id+",") {
			c.PreviewRefIDs = append(c.PreviewRefIDs, id)
		}
	}
	slices.SortFunc(c.PreviewRefIDs, snapshot.ByNumber)
	c.PreviewSections = sections(shot.Snapshot, preview)
	c.HighValueControlRefIDs = keyControls(shot.Refs, c.PreviewRefIDs)
	var b strings.Builder
	if shot.URL != "" {
		fmt.Fprintf(&b, "%s\n%s\n", shot.Title, shot.URL)
	}
	b.WriteString(preview)
	if len(c.HighValueControlRefIDs) > 0 {
		b.WriteString("\nOmitted high-value controls:")
		for _, id := range c.HighValueControlRefIDs {
			fmt.Fprintf(&b, "\n- %s %q @%s", shot.Refs[id].Role, plain.Cut(shot.Refs[id].Name, 96), id)
		}
	}
	fmt.Fprintf(&b, "\n%s", c.Note(fmt.Sprintf("%d of %d refs (%s)", len(c.PreviewRefIDs), len(shot.Refs), topRoles(c.RoleCounts))))
	s.Result.Text, s.Data = b.String(), result.Encode(c)
}

// budgeted takes the same snapshot with a budget, for another reader, so that deltas of the agent's own are not disturbed.
func budgeted(ctx context.Context, h step.Host, s *step.Step) (string, error) {
	values := verb.Values{}
	call := s.Row.Call
	for i := range call.Verb.Flags {
		if name := call.Verb.Flags[i].Name; call.Has(name) {
			values[name] = call.List(name)
		}
	}
	for name, list := range call.Globals.Values() {
		values[name] = list
	}
	values.Set("budget", snapshotBudget)
	values.Set("reader", snapshot.Reader)
	made, err := h.Table().NewCall("snapshot", values, verb.Usher)
	if err != nil {
		return "", err
	}
	res, err := h.Run(ctx, step.Row{Call: made})
	if err != nil {
		return "", err
	}
	var shot snapshot.Data
	result.Read(result.Encode(res.Data), &shot)
	return shot.Snapshot, nil
}

// sectionRoles are the roles of parts of a page.
var sectionRoles = []string{"alertdialog", "dialog", "article", "main", "menu", "navigation", "banner", "contentinfo", "form", "region", "heading"}

// sections counts the lines of the parts of an outline, and how many of them a shortened one has.
func sections(outline, preview string) (out []result.PreviewSection) {
	shown := map[string]int{}
	for line := range strings.Lines(preview) {
		shown[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(outline) {
		text := strings.TrimSpace(line)
		role, title, _ := strings.Cut(strings.TrimPrefix(text, "- "), " ")
		role = strings.TrimSuffix(role, ":")
		if slices.Contains(sectionRoles, role) {
			if i := strings.IndexByte(title, '"'); i >= 0 {
				title, _, _ = strings.Cut(title[i+1:], `"`)
			} else {
				title = ""
			}
			out = append(out, result.PreviewSection{Role: role, Title: plain.Cut(title, 96)})
		}
		if len(out) == 0 {
			continue
		}
		at := &out[len(out)-1]
		if shown[text] > 0 {
			shown[text]--
			at.LinesShown++
		} else {
			at.OmittedLines++
		}
	}
	slices.SortStableFunc(out, func(a, b result.PreviewSection) int { return b.LinesShown - a.LinesShown })
	return out[:min(len(out), 8)]
}

// controlBuckets are the roles of controls that matter most, and how many of each are named at least.
var controlBuckets = [][]string{{"textbox", "searchbox", "combobox"}, {"button"}, {"tab", "menuitem"}, {"checkbox", "radio", "switch"}, {"link"}, {"option"}}

// keyControls returns the refs of controls that the preview omits: one of each bucket in turn.
func keyControls(refs map[string]result.RefInfo, shown []string) (ids []string) {
	buckets := make([][]string, len(controlBuckets))
	for _, id := range slices.SortedFunc(maps.Keys(refs), snapshot.ByNumber) {
		r := refs[id]
		for i, roles := range controlBuckets {
			if slices.Contains(roles, r.Role) && r.Name != "" && len(r.Name) <= 80 && !slices.Contains(shown, id) {
				buckets[i] = append(buckets[i], id)
			}
		}
	}
	for more := true; more && len(ids) < maxKeyControls; {
		more = false
		for i := range buckets {
			if len(buckets[i]) > 0 && len(ids) < maxKeyControls {
				ids, buckets[i], more = append(ids, buckets[i][0]), buckets[i][1:], true
			}
		}
	}
	return ids
}

// topRoles names the most frequent roles.
func topRoles(counts map[string]int) string {
	roles := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, r := range roles[:min(len(roles), 4)] {
		parts = append(parts, fmt.Sprintf("%d %s", counts[r], r))
	}
	return strings.Join(parts, ", ")
}
