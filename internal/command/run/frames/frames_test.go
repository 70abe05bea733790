package frames

import (
	"slices"
	"strings"
	"testing"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// TestMatch selects frames in every way, including names that match several or none.
func TestMatch(t *testing.T) {
	tab := &model.Tab{ID: "T", Main: "T", Frames: map[model.FrameID]*model.Frame{
		"T": {ID: "T", URL: "https://top/"},
		"A": {ID: "A", Parent: "T", Name: "pay", URL: "https://pay/one?x"},
		"B": {ID: "B", Parent: "T", Name: "same", URL: "https://pay/two"},
		"C": {ID: "C", Parent: "B", Name: "same", URL: "about:srcdoc"},
		"D": {ID: "D", Parent: "C", Name: "A", URL: "https://top/below"},
	}}
	for spec, want := range map[string]string{
		"main": "T", "T": "T", "A": "A", "pay": "A", "same": "B C", "https://pay/two": "B", "https://pay/": "A B",
		"https://pay/o": "A", "about:srcdoc": "C", "*two": "B", "*/below": "D", "https://top/": "T", "https://top": "D",
		"*": "A B C D", "pa": "", "https": "", "http:": "", "": "", "nothing:": "",
	} {
		var got []string
		for _, f := range Match(tab, spec) {
			got = append(got, string(f.ID))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %v, wanted %s", spec, got, want)
		}
	}
}
