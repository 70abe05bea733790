package view

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/view/budget"
)

// marker opens the answer of the in-page walk; its number changes with the format.
const marker = "usher1"

// unreadable is the role of a line with the reason why a part could not be read.
const unreadable = "!"

// Page is the result of the page script's walk of one document.
type Page struct {
	URL string
	// Title is set if it was requested.
	Title string
	// Listening encodes which elements are known to listen for clicks and the like, as last sent to the page; "?" if
	// that does not fit the page any more.
	Listening string
	// Suspects counts elements that may have a closed shadow root.
	Suspects int
	// Hosts counts custom elements whose role and states have to be read from the accessibility tree, because they may
	// have changed; NewHosts those that were not read before.
	Hosts, NewHosts int
	// Gone holds the local ids of elements that left the document since the last walk of all of it.
	Gone []uint32
	// Failed is the reason why this is the browser's accessibility tree and not the walk's answer; empty if the walk
	// did not fail.
	Failed string
	// Nodes in reading order.
	Nodes []Node
}

// Node is one line of the outline before refs are assigned.
type Node struct {
	// Depth counts the ancestors of this node in the outline, from 0. Level counts the ancestor elements with a role,
	// shown or not.
	Depth, Level int
	// ID is the local id of an element that gets a ref, 0 for the others.
	ID uint32
	// Handle is the local id of a container without a ref, sent with the marks of how much a node matters.
	Handle uint32
	Marks  budget.Marks
	// Covers reports whether a press on a clickable ancestor arrives here.
	Covers bool
	Role   string
	Name   string
	// States as they are shown: "level=2", "checked=mixed", "selected".
	States []string
	Value  string
	URL    string
	// Kind is clickable, draggable, focusable or editable for an element that can be acted on without having such a
	// role; Hints are the reasons: "cursor:pointer, onclick". A control has hints alone: "dblclick".
	Kind, Hints string
	// Edits reports whether the document is edited as a whole: this is its body.
	Edits bool
	// Label is a substitute for the missing name of an element: its tooltip or placeholder.
	Label string
	// Options is the number of options of a list that are not shown.
	Options string
	// Error is the error message of an invalid field.
	Error string
	// Said is the text of an element that has another name, if it may be part of what stands for a name in a line above.
	Said string
	// Note replaces what could not be read, and is the reason; then only Depth is set besides.
	Note string
}

// PageError is the refusal of a walk.
type PageError struct {
	Code    string // one of the table in package api: element_not_found, invalid_selector, stale_ref
	Message string
}

func (e *PageError) Error() string { return e.Message }

// ParsePage parses the answer of the page script's function snapshot. It returns *PageError if that is a refusal. The
// strings of the result share the memory of text.
func ParsePage(text string) (*Page, error) {
	header, rest, more := strings.Cut(text, "\n")
	if code, ok := strings.CutPrefix(header, "!\t"); ok {
		code, message, _ := strings.Cut(code, "\t")
		return nil, &PageError{Code: code, Message: message}
	}
	page, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	if !more {
		return page, nil
	}
	page.Nodes = make([]Node, 0, strings.Count(rest, "\n")+1)
	for number := 2; more; number++ {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		node, err := parseNode(line)
		if err != nil {
			return nil, fmt.Errorf("read line %d of a page's outline: %w", number, err)
		}
		page.Nodes = append(page.Nodes, node)
	}
	return page, nil
}

func parseHeader(header string) (*Page, error) {
	fields := strings.Split(header, "\t")
	title, listening := "", ""
	if len(fields) == 6 {
		listening, fields = fields[5], fields[:5]
	}
	if len(fields) == 5 {
		title, fields = unescape(fields[4]), fields[:4]
	}
	if len(fields) != 4 || fields[0] != marker {
		return nil, fmt.Errorf("read a page's outline: it does not begin with %q and four to six fields: %.80q", marker, header)
	}
	var counts [3]int // suspects, and with them known and new hosts
	for i, one := range strings.SplitN(fields[2], "+", len(counts)) {
		n, err := strconv.ParseUint(one, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("read a page's outline: %q is no number of suspects", fields[2])
		}
		counts[i] = int(n)
	}
	page := &Page{URL: plain.Text(unescape(fields[1])), Title: plain.Line(title), Listening: listening, Suspects: counts[0], Hosts: counts[1], NewHosts: counts[2]}
	if fields[3] == "" {
		return page, nil
	}
	for id := range strings.SplitSeq(fields[3], ",") {
		n, err := strconv.ParseUint(id, 10, 32)
		if err != nil {
			return nil, fmt.Errorf("read a page's outline: %q is no local id", id)
		}
		page.Gone = append(page.Gone, uint32(n))
	}
	return page, nil
}

func parseNode(line string) (Node, error) {
	var fields [13]string
	n := 0
	for more := true; more; n++ {
		if n == len(fields) {
			return Node{}, fmt.Errorf("more than %d fields", len(fields))
		}
		fields[n], line, more = strings.Cut(line, "\t")
	}
	if n < 2 || fields[1] == "" {
		return Node{}, fmt.Errorf("no role in %.80q", fields[0])
	}
	where, marks := fields[0], ""
	if at := strings.IndexAny(where, "kvfmiacos#"); at >= 0 {
		where, marks = where[:at], where[at:]
	}
	first, second, both := strings.Cut(where, "/")
	depth, err := strconv.ParseUint(first, 10, 16)
	level := depth
	if err == nil && both {
		level, err = strconv.ParseUint(second, 10, 16)
	}
	if err != nil {
		return Node{}, fmt.Errorf("%q is no depth", fields[0])
	}
	node := Node{
		Depth: int(depth), Level: int(level), Role: fields[1], Name: plain.Line(fields[3]), Value: plain.Text(unescape(fields[5])),
		URL: plain.Text(unescape(fields[6])), Kind: fields[7], Hints: fields[8], Label: plain.Line(fields[9]), Error: plain.Line(fields[10]), Said: plain.Line(fields[12]),
	}
	if node.Role == unreadable {
		return Node{Depth: node.Depth, Level: node.Level, Note: oneLine(node.Name)}, nil
	}
	if node.Kind == "editor" {
		node.Kind, node.Edits = "editable", true
	}
	if err := node.mark(marks); err != nil {
		return Node{}, err
	}
	if fields[2] != "" {
		id, err := strconv.ParseUint(fields[2], 10, 32)
		if err != nil || id == 0 {
			return Node{}, fmt.Errorf("%q is no local id", fields[2])
		}
		node.ID = uint32(id)
	}
	if fields[11] != "" {
		if _, err := strconv.ParseUint(fields[11], 10, 32); err != nil {
			return Node{}, fmt.Errorf("%q is no number of options", fields[11])
		}
		node.Options = fields[11]
	}
	if fields[4] != "" {
		node.States = strings.Split(fields[4], ",")
	}
	return node, nil
}

// mark reads the marks of a node.
func (n *Node) mark(marks string) error {
	for i, c := range marks {
		switch c {
		case 'k':
			n.Covers = true
		case 'v':
			n.Marks |= budget.InView
		case 'f':
			n.Marks |= budget.Focused
		case 'm':
			n.Marks |= budget.Modal
		case 'i':
			n.Marks |= budget.Invalid
		case 'a':
			n.Marks |= budget.Acts
		case 'c':
			n.Marks |= budget.Central
		case 'o':
			n.Marks |= budget.InForm
		case 's':
			n.Marks |= budget.Peripheral
		case '#':
			id, err := strconv.ParseUint(marks[i+1:], 10, 32)
			if err != nil || id == 0 {
				return fmt.Errorf("%q is no local id", marks[i+1:])
			}
			n.Handle = uint32(id)
			return nil
		default:
			return fmt.Errorf("%q is no mark", c)
		}
	}
	return nil
}

func unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}
