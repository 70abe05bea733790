package budget

import (
	"strconv"
	"strings"

	"github.com/usher-browser/usher/internal/view/outline"
)

// missing is what is omitted from a container.
type missing struct {
	lines, refs int32
	tops        int32  // of them, those not inside another missing one
	role        string // of all tops
	mixed       bool   // they differ in role
}

// add counts what another container leaves to this one.
func (m *missing) add(other missing) {
	m.mixed = m.mixed || other.mixed || m.tops > 0 && m.role != other.role
	m.lines, m.refs, m.tops, m.role = m.lines+other.lines, m.refs+other.refs, m.tops+other.tops, other.role
}

// lost is what is not shown and has no container that states it.
type lost struct {
	short    int // texts that are shortened
	wrappers int // rows that only grouped others
}

// text states what is missing:
//
//	… 194 more listitem (582 lines, 194 with refs), 3 texts shortened, 40 wrappers left out: how to see them
func (m *missing) text(lost lost, how string) string {
	var all []string
	if m.lines > 0 {
		what, details := outline.Plural(int(m.lines), "more line"), []string{}
		if !m.mixed && m.role != "…" {
			what = strconv.Itoa(int(m.tops)) + " more " + m.role
			if m.lines > m.tops {
				details = append(details, outline.Plural(int(m.lines), "line"))
			}
		}
		if m.refs > 0 {
			details = append(details, strconv.Itoa(int(m.refs))+" with refs")
		}
		if len(details) > 0 {
			what += " (" + strings.Join(details, ", ") + ")"
		}
		all = append(all, what)
	}
	if lost.short > 0 {
		all = append(all, outline.Plural(lost.short, "text")+" shortened")
	}
	if lost.wrappers > 0 {
		all = append(all, outline.Plural(lost.wrappers, "wrapper")+" left out")
	}
	return "… " + strings.Join(all, ", ") + ": " + how
}
