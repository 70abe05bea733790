package frames

import (
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands about frames.
func grammar() verb.Set {
	return verb.Set{Families: []verb.Family{
		{Name: "frame", Summary: "list frames, choose one", Bare: "frame list", Fallback: "frame switch"},
	}, Verbs: []verb.Verb{
		{Name: "frame switch", Summary: "choose the frame that selectors refer to",
			Help: "The word switch may be left out: frame @e7. The choice holds until the page navigates. If the frame is removed before that,\n" +
				"commands fail rather than use the page around it. For a single command use --frame. A selector is searched in the chosen frame,\n" +
				"then in the whole page, so that frame '#two' follows frame '#one'.",
			Args:     []verb.Arg{{Name: "frame", Kind: verb.Selector, Required: true, Doc: "the iframe element; or the id, name or address of a frame from frame list; or main for the whole page"}},
			Examples: []string{"frame @e7", "frame 'iframe[name=pay]'", "frame main"}, Next: []string{"snapshot -i"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.OnTab | verb.TakesRefs},
		{Name: "frame list", Synonyms: []string{"frame tree"}, Summary: "list the frames of the page as a tree, with ids, names and addresses",
			Help:     "Marks frames in separate processes, and the frame that selectors refer to. The word frame alone does the same.",
			Examples: []string{"frame list", "frame"}, Next: []string{"frame <id>", "eval --frame <id> document.title"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.NeedsBrowser | verb.Control},
	}}
}
