package tabs

import (
	"strconv"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands about tabs and windows.
func grammar() verb.Set {
	label := verb.Flag{Name: "label", Kind: verb.String, Value: "name", Doc: "a name by which to switch to the tab"}
	return verb.Set{Families: []verb.Family{
		{Name: "tab", Summary: "list, open, switch and close tabs", Bare: "tab list", Fallback: "tab switch"},
		{Name: "window", Summary: "open windows"},
	}, Verbs: []verb.Verb{
		{Name: "tab list", Summary: "list the tabs", Help: "The word tab alone does the same. Stable tab ids: t2 is never used for another tab of the session. Labels and CDP target\n" +
			"ids name tabs, too. Under --pin-tab commands fail with tab_gone when the tab was closed; data.targetId and data.lastUrl of the\n" +
			"error tell which it was.", Examples: []string{"tab", "tab list"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.NeedsBrowser | verb.Control},
		{Name: "tab new", Check: tabNewRules, Summary: "open a tab", Args: []verb.Arg{{Name: "url", Kind: verb.URL, Doc: "the address; default: a blank page"}}, Flags: []verb.Flag{label, verb.LoadLimitFlag()},
			Examples: []string{"tab new", "tab new example.com --label docs"}, Next: []string{"snapshot -i"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.Starts | verb.ChangesPage | verb.ReportsChanges},
		{Name: "tab switch", Summary: "make another tab the active one", Help: "The word switch may be left out: tab t2.",
			Args:     []verb.Arg{{Name: "tab", Required: true, Doc: "id (t2), label or target id of the tab"}},
			Examples: []string{"tab t2", "tab docs", "tab switch t2"}, Next: []string{"snapshot -i"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.NeedsBrowser | verb.Control | verb.ReportsChanges},
		{Name: "tab label", Check: tabLabelRules, Summary: "name a tab", Help: "The label replaces an earlier one. Commands take it in place of the tab's id.",
			Flags: []verb.Flag{{Name: "remove", Kind: verb.Bool, Doc: "take the label away from its tab"}},
			Args: []verb.Arg{{Name: "label", Required: true, Doc: "the name: a letter, then letters, digits, - and _"},
				{Name: "tab", Doc: "id, label or target id; default: the active tab"}},
			Examples: []string{"tab label docs", "tab label docs t2", "tab label docs --remove"}, Next: []string{"tab docs"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.NeedsBrowser | verb.Control},
		{Name: "tab interrupt", Summary: "terminate the script that blocks a tab",
			Help: "Terminates scripts that block the page or its frames, and names them. A responsive tab is left unchanged. Does not wait for\n" +
				"other commands.",
			Args:     []verb.Arg{{Name: "tab", Doc: "id, label or target id; default: the active tab"}},
			Examples: []string{"tab interrupt", "tab interrupt t2"}, Next: []string{"snapshot -i"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.NeedsBrowser | verb.Control | verb.ChangesPage},
		{Name: "tab close", Summary: "close a tab", Args: []verb.Arg{{Name: "tab", Doc: "id, label or target id; default: the active tab"}},
			Examples: []string{"tab close", "tab close t2"}, Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.NeedsBrowser | verb.Control | verb.ChangesPage | verb.InvalidatesRefs | verb.ReportsChanges},
		{Name: "window new", Summary: "open a new window of the same session", Examples: []string{"window new"},
			Group: verb.GroupTabs, Category: verb.CatTab, Marks: verb.Starts | verb.ChangesPage},
	}}
}

func tabNewRules(c *verb.Call) *verb.Error {
	if c.Has("label") {
		return checkLabel(c.Str("label"))
	}
	return nil
}

func tabLabelRules(c *verb.Call) *verb.Error { return checkLabel(c.Str("label")) }

// longestLabel bounds a label, which stands in every list of tabs.
const longestLabel = 100

// checkLabel distinguishes labels from tab ids: they begin with a letter and are not t and a number.
func checkLabel(s string) *verb.Error {
	bad := s == "" || len(s) > longestLabel
	for i := 0; i < len(s); i++ {
		ch := s[i]
		letter := 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z'
		later := '0' <= ch && ch <= '9' || ch == '-' || ch == '_'
		if !letter && (i == 0 || !later) {
			bad = true
		}
	}
	if !bad && s[0]|0x20 == 't' && len(s) > 1 {
		if _, err := strconv.Atoi(s[1:]); err == nil && s[1] != '-' {
			bad = true
		}
	}
	if bad {
		return verb.Invalid("--label: "+plain.Quote(s)+" cannot be a label", "Use a letter, then letters, digits, - and _, at most 100 of them, and not the form of an id such as t2.").About("--label", s)
	}
	return nil
}
