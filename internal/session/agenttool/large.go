package agenttool

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/plain"
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

// Compacted stands in place of large data.
type Compacted struct {
	Compacted      bool   `json:"compacted"`
	FullOutputPath string `json:"fullOutputPath,omitzero"`
	SpillError     string `json:"spillError,omitzero"`

	// of a snapshot
	Origin                 string           `json:"origin,omitzero"`
	PreviewMode            string           `json:"previewMode,omitzero"` // structured
	ViewportOrdering       string           `json:"viewportOrdering,omitzero"`
	StructuredPreviewUsed  bool             `json:"structuredPreviewUsed,omitzero"`
	PreviewRefIDs          []string         `json:"previewRefIds,omitzero"`
	PreviewSections        []PreviewSection `json:"previewSections,omitzero"`
	HighValueControlRefIDs []string         `json:"highValueControlRefIds,omitzero"`
	RefCount               int              `json:"refCount,omitzero"`
	RoleCounts             map[string]int   `json:"roleCounts,omitzero"`
	SnapshotLineCount      int              `json:"snapshotLineCount,omitzero"`

	// of anything else
	OutputCharCount  int `json:"outputCharCount,omitzero"`
	OutputLineCount  int `json:"outputLineCount,omitzero"`
	PreviewCharCount int `json:"previewCharCount,omitzero"`
	PreviewLineCount int `json:"previewLineCount,omitzero"`
}

// PreviewSection is a part of a page in a shortened outline: a dialog, a landmark or a heading.
type PreviewSection struct {
	Role         string `json:"role"`
	Title        string `json:"title,omitzero"`
	LinesShown   int    `json:"linesShown"`
	OmittedLines int    `json:"omittedLines"`
}

// snapshotData are the data of a snapshot.
type snapshotData struct {
	Origin   string             `json:"origin"`
	Refs     map[string]RefInfo `json:"refs"`
	Snapshot string             `json:"snapshot"`
	Title    string             `json:"title"`
	URL      string             `json:"url"`
}

// shorten replaces a large result of a step by its most important part, and keeps all of it in a file.
func shorten(ctx context.Context, h Host, s *step) {
	text := s.res.Text
	if s.status != statusCompleted {
		return
	}
	if s.name() == "snapshot" {
		var shot snapshotData
		read(s.data, &shot)
		if shot.Snapshot != "" && (utf8.RuneCountInString(shot.Snapshot) > snapshotChars || strings.Count(shot.Snapshot, "\n") >= snapshotLines || len(shot.Refs) > snapshotRefs) {
			shortenSnapshot(ctx, h, s, &shot)
			return
		}
	}
	lines := strings.Count(text, "\n") + 1
	if utf8.RuneCountInString(text) <= outputChars && lines <= outputLines && len(s.data) <= 2*outputChars {
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
	c := &Compacted{Compacted: true, OutputCharCount: utf8.RuneCountInString(text), OutputLineCount: lines,
		PreviewCharCount: utf8.RuneCountInString(preview), PreviewLineCount: strings.Count(preview, "\n") + 1}
	s.spill(h, c, "output", []byte(whole(s)))
	s.data = encode(c)
	s.res.Text = preview + "\n" + c.note(fmt.Sprintf("%d of %d characters", c.PreviewCharCount, c.OutputCharCount))
}

// whole returns the output that is kept in a file: the text, or the data if the text does not have all of it.
func whole(s *step) string {
	if len(s.res.Text) > outputChars {
		return s.res.Text
	}
	return string(s.data)
}

func isArtifact(s *step) bool { return len(s.artifacts) > 0 }

func (c *Compacted) note(shown string) string {
	if c.FullOutputPath == "" {
		return "Shown: " + shown + ". The rest was not kept: " + c.SpillError
	}
	return "Shown: " + shown + ". All of it: " + c.FullOutputPath
}

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
func (s *step) spill(h Host, c *Compacted, what string, content []byte) {
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
	c.FullOutputPath, s.spilled = path, path
}

// shortenSnapshot replaces the outline of a large page. What stays is chosen by the engine, which knows what is in view, focused, modal
// or invalid.
func shortenSnapshot(ctx context.Context, h Host, s *step, shot *snapshotData) {
	c := &Compacted{Compacted: true, Origin: shot.Origin, PreviewMode: "structured", ViewportOrdering: "dom-signal-prioritized", StructuredPreviewUsed: true,
		RefCount: len(shot.Refs), RoleCounts: map[string]int{}, SnapshotLineCount: strings.Count(shot.Snapshot, "\n") + 1}
	for _, r := range shot.Refs {
		c.RoleCounts[r.Role]++
	}
	s.spill(h, c, "snapshot", []byte(shot.Snapshot))
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
	slices.SortFunc(c.PreviewRefIDs, byNumber)
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
	fmt.Fprintf(&b, "\n%s", c.note(fmt.Sprintf("%d of %d refs (%s)", len(c.PreviewRefIDs), len(shot.Refs), topRoles(c.RoleCounts))))
	s.res.Text, s.data = b.String(), encode(c)
}

// budgeted takes the same snapshot with a budget, for another reader, so that deltas of the agent's own are not disturbed.
func budgeted(ctx context.Context, h Host, s *step) (string, error) {
	values := verb.Values{}
	call := s.row.Call
	for i := range call.Verb.Flags {
		if name := call.Verb.Flags[i].Name; call.Has(name) {
			values[name] = call.List(name)
		}
	}
	for name, list := range call.Globals.Values() {
		values[name] = list
	}
	values.Set("budget", snapshotBudget)
	values.Set("reader", previewReader)
	made, err := h.Table().NewCall("snapshot", values, verb.Usher)
	if err != nil {
		return "", err
	}
	res, err := h.Run(ctx, Row{Call: made})
	if err != nil {
		return "", err
	}
	var shot snapshotData
	read(encode(res.Data), &shot)
	return shot.Snapshot, nil
}

// previewReader is the reader of snapshots that the tool takes for itself.
const previewReader = "agent-tool"

// sectionRoles are the roles of parts of a page.
var sectionRoles = []string{"alertdialog", "dialog", "article", "main", "menu", "navigation", "banner", "contentinfo", "form", "region", "heading"}

// sections counts the lines of the parts of an outline, and how many of them a shortened one has.
func sections(outline, preview string) (out []PreviewSection) {
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
			out = append(out, PreviewSection{Role: role, Title: plain.Cut(title, 96)})
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
	slices.SortStableFunc(out, func(a, b PreviewSection) int { return b.LinesShown - a.LinesShown })
	return out[:min(len(out), 8)]
}

// controlBuckets are the roles of controls that matter most, and how many of each are named at least.
var controlBuckets = [][]string{{"textbox", "searchbox", "combobox"}, {"button"}, {"tab", "menuitem"}, {"checkbox", "radio", "switch"}, {"link"}, {"option"}}

// keyControls returns the refs of controls that the preview omits: one of each bucket in turn.
func keyControls(refs map[string]RefInfo, shown []string) (ids []string) {
	buckets := make([][]string, len(controlBuckets))
	for _, id := range slices.SortedFunc(maps.Keys(refs), byNumber) {
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

// byNumber compares refs by their numbers.
func byNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
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

// told is what an agent has been told of its session's refs.
type told struct {
	refs     *RefSnapshot
	sum      [32]byte
	revision int
	sent     int
}

// note records the refs of a snapshot.
func (t *told) note(data jsontext.Value) {
	var shot snapshotData
	read(data, &shot)
	if shot.Refs == nil {
		return
	}
	s := &RefSnapshot{Refs: shot.Refs, RefIDs: slices.SortedFunc(maps.Keys(shot.Refs), byNumber), Target: Target{shot.Title, shot.Origin}}
	if s.RefIDs == nil {
		s.RefIDs = []string{}
	}
	sum := sha256.Sum256(encode(s))
	if t.refs == nil || sum != t.sum {
		t.refs, t.sum = s, sum
		t.revision++
	}
}

// report sets the refs if they have changed since the agent got them, and their revision.
func (t *told) report(d *Details) {
	d.RefSnapshotRevision = t.revision
	if t.revision != t.sent {
		t.sent, d.RefSnapshot = t.revision, t.refs
	}
}
