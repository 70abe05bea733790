package view

import (
	"flag"
	"slices"

	"github.com/usher-browser/usher/internal/supervisor/model"
	"github.com/usher-browser/usher/internal/view/outline"
)

// rewrite stands beside the flag of the same meaning in package view_test.
var rewrite = flag.Bool("rewrite", false, "write the golden files of budgets anew")

// controls are the roles that InteractiveLines counts.
var controls = []string{
	"link", "button", "checkbox", "radio", "textbox", "searchbox", "combobox", "listbox", "spinbutton", "slider",
	"ColorWell", "Date", "DateTime", "InputTime",
}

// InteractiveLines counts the lines of an outline with a ref, landmarks and texts left out, by the roles a page's own words
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

// LastReported is the whole outline that was told last, or that a delta was made of.
func (v *Viewer) LastReported(tab model.TargetID, opt Options) string {
	v.reported.mu.Lock()
	defer v.reported.mu.Unlock()
	return v.reported.reported[keyOf(tab, opt)].text
}
