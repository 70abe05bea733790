package view

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/world"
)

// line is one node of the stitched outline.
type line struct {
	*Node
	part     *part  // the part that the node belongs to
	parent   int32  // index of the node around it, -1 at the top
	end      int32  // index after the last node below it
	level    int32  // how many nodes with a meaning are around it
	children int32  // how many lines will stand directly below it
	number   int    // ref number, 0 for none
	note     string // in place of a node: why a frame's content is missing
	full     string // the complete name, if the shown one is shorter
	drop     bool
}

// tree is the page's nodes in reading order, those of frames below the frames they are in.
type tree struct {
	lines []line
	stack []int32 // open nodes while stitching
	shown []int32 // line of each row of the text, -1 for a row that stands for others
}

// part is the answer of one frame, or the reason why there is none.
type part struct {
	page   *Page
	doc    world.Document
	reason string
}

// stitch puts the frames' parts together. child names the frame held by an element.
func stitch(root model.FrameID, parts map[model.FrameID]*part, child func(world.Document, uint32) model.FrameID) *tree {
	nodes := len(parts) // each may be a line with the reason why it is missing
	for _, p := range parts {
		if p.page != nil {
			nodes += len(p.page.Nodes)
		}
	}
	t := &tree{lines: make([]line, 0, nodes)}
	t.add(parts[root], parts, child, -1, 0, 0)
	return t
}

func (t *tree) add(p *part, parts map[model.FrameID]*part, child func(world.Document, uint32) model.FrameID, parent, level int32, nested int) {
	base := len(t.stack)
	for i := range p.page.Nodes {
		node := &p.page.Nodes[i]
		for len(t.stack) > base && t.lines[t.stack[len(t.stack)-1]].Depth >= node.Depth {
			t.pop()
		}
		at := parent
		if len(t.stack) > base {
			at = t.stack[len(t.stack)-1]
		}
		own := level + int32(node.Level)
		t.lines = append(t.lines, line{Node: node, part: p, parent: at, level: own, note: node.Note})
		t.stack = append(t.stack, int32(len(t.lines)-1))
		if node.Role != "Iframe" || node.ID == 0 || nested > 50 {
			continue
		}
		if inner := parts[child(p.doc, node.ID)]; inner != nil {
			if inner.page != nil && len(inner.page.Nodes) > 0 && inner.page.Nodes[0].Edits {
				node.Kind, node.Hints = "editable", inner.page.Nodes[0].Hints // its ref stands for the body
			}
			t.addFrame(inner, parts, child, int32(len(t.lines)-1), own+1, nested+1)
		}
	}
	for len(t.stack) > base {
		t.pop()
	}
}

func (t *tree) addFrame(p *part, parts map[model.FrameID]*part, child func(world.Document, uint32) model.FrameID, parent, level int32, nested int) {
	if p.page == nil {
		t.lines = append(t.lines, line{Node: &Node{}, parent: parent, level: level, note: p.reason})
		t.lines[len(t.lines)-1].end = int32(len(t.lines))
		return
	}
	// The nodes of the frame count their depth anew.
	outer := t.stack
	t.stack = nil
	t.add(p, parts, child, parent, level, nested)
	t.stack = outer
}

func (t *tree) pop() {
	t.lines[t.stack[len(t.stack)-1]].end = int32(len(t.lines))
	t.stack = t.stack[:len(t.stack)-1]
}

// isWrapper reports whether a node has no content of its own.
func (l *line) isWrapper() bool {
	return l.note == "" && l.ID == 0 && (l.Role == "generic" || l.Role == "none") && len(l.States) == 0
}

// tidy decides which nodes are omitted: texts that repeat the name above them, wrappers around at most one line, and
// what else the options request.
func (t *tree) tidy(opt Options) {
	t.relevel(opt)
	for i := len(t.lines) - 1; i >= 0; i-- {
		l := &t.lines[i]
		switch {
		case l.note != "":
		case l.Role == "StaticText":
			l.drop = l.parent >= 0 && t.lines[l.parent].Name == l.Name
		case l.isWrapper():
			l.drop = l.children < 2 || opt.Compact
		case l.isStructure() && l.children == 0 && l.isContainer():
			l.drop = true
		case (opt.Compact || opt.Interactive && l.Role == "row") && l.isStructure():
			l.drop = l.children < 2
		}
		if l.note == "" && !l.drop && l.children > 0 && l.holdsOthers() {
			if own := t.strip(i); own != l.Name {
				l.full, l.Name = l.Name, own
			}
			l.drop = l.Name == "" && opt.Interactive && l.isCell() && len(l.States) == 0
		}
		if l.children == 0 && l.note == "" && t.isSpacer(i) {
			l.drop = true
		}
		if l.note == "" && !l.drop {
			t.unwrap(i, opt)
		}
		if l.parent < 0 {
			continue
		}
		if l.drop {
			t.lines[l.parent].children += l.children
		} else {
			t.lines[l.parent].children++
		}
	}
	t.omitHints()
}

// relevel recounts the levels where the walk also returned wrappers.
func (t *tree) relevel(opt Options) {
	if opt.Interactive {
		return
	}
	for i := range t.lines {
		l := &t.lines[i]
		if l.parent < 0 {
			l.level = 0
			continue
		}
		above := &t.lines[l.parent]
		l.level = above.level
		if !above.isWrapper() {
			l.level++
		}
	}
}

// isStructure reports whether a node only groups others.
func (l *line) isStructure() bool {
	return l.ID == 0 && l.Name == "" && l.Value == "" && len(l.States) == 0
}

// isContainer reports whether a node has no meaning without its descendants. A drawing without a name counts: it is
// decoration.
func (l *line) isContainer() bool {
	switch l.Role {
	case "alert", "article", "blockquote", "caption", "cell", "columnheader", "complementary", "DescriptionList", "definition",
		"Figcaption", "figure", "form", "group", "LabelText", "Legend", "list", "listitem", "navigation", "paragraph", "Pre",
		"row", "rowgroup", "rowheader", "sectionfooter", "sectionheader", "status", "SvgRoot", "table":
		return true
	}
	return false
}

// holdsOthers reports whether the name of a node is the text of its descendants, which may have lines of their own.
func (l *line) holdsOthers() bool {
	switch l.Role {
	case "cell", "gridcell":
		return true
	case "Iframe":
		return false
	case "row", "columnheader", "rowheader": // they are looked for by their names
		return false
	}
	return l.Kind != ""
}

// isCell reports whether a node has a ref for being read, not for being acted on.
func (l *line) isCell() bool {
	if l.Kind != "" {
		return false
	}
	switch l.Role {
	case "cell", "gridcell", "columnheader", "rowheader", "listitem":
		return true
	}
	return false
}

// isSpacer reports whether a cell without content is the only one of its row: it shows in which column nothing is.
func (t *tree) isSpacer(i int) bool {
	l := &t.lines[i]
	if l.Role == "gridcell" || !l.inRow() || l.Kind != "" || l.shownName() != "" || l.Value != "" || len(l.States) > 0 || l.parent < 0 {
		return false
	}
	row := &t.lines[l.parent]
	return row.Role == "row" && int32(i) == l.parent+1 && l.end == row.end
}

// strip removes from the name of a node the text of the lines below it. The result is empty if the name has no other
// text.
func (t *tree) strip(i int) string {
	l := &t.lines[i]
	rest, tight := l.Name, squeeze(l.Name)
	var own []string
	for j := int32(i + 1); j < l.end; {
		inner := &t.lines[j]
		name := cmp.Or(inner.Said, inner.fullName(), inner.Label)
		at := -1
		if !inner.drop && name != "" {
			if end := squeeze(rest); len(own) > 0 && end != "" && len(end) < len(squeeze(name)) && strings.HasPrefix(squeeze(name), end) {
				tight, rest = strings.TrimSuffix(tight, end), "" // a long name may be cut anywhere
				break
			}
			tight = strings.Replace(tight, squeeze(name), "", 1)
			at = indexWords(rest, name)
		}
		if at < 0 {
			j++
			continue
		}
		own = append(own, strings.TrimSpace(rest[:at]))
		rest = rest[at+len(name):]
		j = inner.end
	}
	if l.children > 0 && (tight == "" || len(l.Name) >= shortName && t.beginsNext(i, tight)) {
		return ""
	}
	own = append(own, strings.TrimSpace(rest))
	left := strings.Join(slices.DeleteFunc(own, func(part string) bool { return part == "" }), " ")
	if l.Role == "generic" && len(l.Name) >= shortName && 2*len(left) < len(l.Name) {
		return "" // the beginning of a long text, of which the lines below have the larger part
	}
	return left
}

// shortName is from how many bytes on a name may have been cut by the walk.
const shortName = 90

// beginsNext reports whether the rest of a shortened name is the beginning of the text of a line below.
func (t *tree) beginsNext(i int, rest string) bool {
	for j := i + 1; j < int(t.lines[i].end); j++ {
		if inner := &t.lines[j]; !inner.drop && strings.HasPrefix(squeeze(inner.fullName()), rest) {
			return true
		}
	}
	return false
}

// indexWords returns the index of whole words in a text, -1 if they do not occur. The beginning of the text may be the
// end of a word.
func indexWords(text, words string) int {
	for from := 0; ; {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(words):])
		if (at == 0 || !isWordRune(before)) && (at+len(words) == len(text) || !isWordRune(after)) {
			return at
		}
		from = at + 1
	}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

func squeeze(s string) string { return strings.ReplaceAll(s, " ", "") }

// fullName returns the name of a node before anything was taken out of it.
func (l *line) fullName() string {
	if l.full != "" {
		return l.full
	}
	return l.Name
}

// refs returns the number of lines that will get a ref, at most.
func (t *tree) refs(opt Options) int {
	n := 0
	for i := range t.lines {
		if l := &t.lines[i]; l.note == "" && l.ID != 0 && !l.drop && (opt.Depth == 0 || int(l.level) <= opt.Depth) {
			n++
		}
	}
	return n
}
