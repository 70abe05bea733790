package view

import (
	"flag"
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view/outline"
)

// rewrite is the flag -update, as in package view_test.
var rewrite = flag.Bool("rewrite", false, "write the golden files of budgets anew")

// controls are the roles that InteractiveLines counts.
var controls = []string{
	"link", "button", "checkbox", "radio", "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider",
	"ColorWell", "Date", "DateTime", "InputTime",
}

// InteractiveLines counts the rows of an outline with a ref, without landmarks and texts, by roles, which a page's text
// cannot change.
func InteractiveLines(text string) int {
	n := 0
	rows, _ := outline.Parse(text)
	for i := range rows {
		switch role := outline.Role(rows[i].Text); {
		case rows[i].Ref == 0:
		case slices.Contains(controls, role):
			n++
		}
	}
	return n
}

// LastReported returns the whole outline that was last reported, or on which the last delta was based.
func (v *Viewer) LastReported(tab model.TargetID, opt Options) string {
	v.reported.mu.Lock()
	defer v.reported.mu.Unlock()
	return v.reported.reported[keyOf(tab, opt)].text
}
