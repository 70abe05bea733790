package download

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands that save and list downloads.
func grammar() verb.Set {
	const acts = verb.OnTab | verb.TakesRefs | verb.ChangesPage | verb.InvalidatesRefs | verb.TakesFrame | verb.ReportsChanges
	return verb.Set{Verbs: []verb.Verb{
		{Name: "download", Summary: "click an element and save the download",
			Help: "An existing file is replaced; in a directory the file gets the suggested name, or the next free one. Without --timeout it\n" +
				"waits 25 s; a longer download continues, and `wait --download` waits for the rest.",
			Args:     []verb.Arg{verb.SelectorArg(), {Name: "path", Kind: verb.Path, Required: true, Doc: "where to save"}},
			Examples: []string{"download @e4 report.csv"}, Group: verb.GroupAct, Category: verb.CatDownload, Marks: acts | verb.SavesFiles},
		{Name: "downloads", Summary: "list the downloads",
			Help:     "Downloads of the session, oldest first: state (inProgress, completed, canceled), size and path of each.",
			Examples: []string{"downloads", "downloads --json"}, Next: []string{"wait --download report.csv"},
			Group: verb.GroupAct, Category: verb.CatDownload, Marks: verb.NeedsBrowser | verb.Control},
	}}
}
