package upload

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the command that gives files to pages.
func grammar() verb.Set {
	const acts = verb.OnTab | verb.TakesRefs | verb.ChangesPage | verb.InvalidatesRefs | verb.TakesFrame | verb.ReportsChanges
	return verb.Set{Verbs: []verb.Verb{
		{Name: "upload", Summary: "select files in a file field",
			Args:     []verb.Arg{verb.SelectorArg(), {Name: "files", Kind: verb.Path, Required: true, Variadic: true, Doc: "the files, which must exist"}},
			Examples: []string{"upload @e4 photo.jpg", "upload '#docs' a.pdf b.pdf"},
			Group:    verb.GroupAct, Category: verb.CatUpload, Marks: acts | verb.ReadsFiles},
		{Name: "drop", Summary: "drop files onto an element",
			Help:     "Drags files from outside of the browser onto a drop zone. Fails if nothing there accepts files.",
			Args:     []verb.Arg{verb.SelectorArg(), {Name: "files", Kind: verb.Path, Required: true, Variadic: true, Doc: "the files, which must exist"}},
			Examples: []string{"drop @e4 photo.jpg", "drop '#zone' a.pdf b.pdf"}, Next: []string{"snapshot -i"},
			Group: verb.GroupAct, Category: verb.CatUpload, Marks: acts | verb.ReadsFiles},
	}}
}
