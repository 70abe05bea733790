package verb

import (
	"slices"
	"strings"
)

// CategoryInfo describes a category of commands.
type CategoryInfo struct {
	Category Category
	Doc      string
	// Free reports whether a policy never refuses the commands of the category.
	Free bool
}

// Categories returns the categories by which a policy allows, denies or confirms commands, in the order of the reference.
func Categories() []CategoryInfo {
	return []CategoryInfo{
		{CatNavigate, "opening addresses; also every other command that is given one", false},
		{CatSnapshot, "reading the page as a whole", false},
		{CatGet, "reading one fact of the page", false},
		{CatClick, "clicking", false},
		{CatFill, "filling in: entering text, checking, selecting", false},
		{CatInteract, "every other input: keys, mouse, hovering, dragging", false},
		{CatScroll, "scrolling", false},
		{CatWait, "waiting", false},
		{CatEval, "running scripts and raw CDP calls, which can do anything that other categories do; also wait --fn, --init-script, --restore-check-fn, --extension, --cdp-port, and what starts a program: --executable-path, connect --app, app launch", false},
		{CatUpload, "giving files to pages", false},
		{CatDownload, "saving files from pages; also wait --download", false},
		{CatNetwork, "requests: listing, answering, recording, throttling", false},
		{CatSiteData, "reading cookies and storage, which may contain logins; setting and deleting them is state", false},
		{CatState, "saved states and logins; setting and deleting cookies and storage, also storage local set, remove and clear, and what brings the logins of another browser: connect, --cdp, --auto-connect, --browser, --profile, --restore", false},
		{CatLogs, "console, errors, events, status", false},
		{CatDialog, "dialogs and other interruptions", false},
		{CatTab, "tabs, windows and frames", false},
		{CatWeb, "searching and reading the web without the browser", false},
		{CatPlugin, "plugins of the configuration; plugin:NAME:CAPABILITY is one use of one of them (see help plugin)", false},
		{CatSession, "ending and listing sessions, batch (its commands are judged one by one), confirm and deny", true},
		{CatTool, "the program itself", true},
	}
}

// Act is something that a call does, as policies judge it.
type Act struct {
	Category Category
	Name     string // of the command
	Synonyms []string
}

// Acts returns what the call does: the command itself; the command that its argument action names (find); navigating, if
// it is given an address to open; running a script, if that address contains one; and the commands that its flags and
// arguments stand for ([Flag].Runs, [Verb].Also).
func (c *Call) Acts() []Act {
	acts := c.actsOfArgs()
	for _, arg := range c.Verb.Args {
		if arg.Kind == URL && c.Has(arg.Name) && hasScript(c.Str(arg.Name)) {
			acts = append(acts, c.table.Act("eval"))
		}
	}
	return append(acts, c.ActsBesides()...)
}

// ActsBesides returns the acts of the commands that the call's flags and arguments stand for ([Flag].Runs, [Verb].Also).
func (c *Call) ActsBesides() []Act {
	var acts []Act
	if c.Verb.Also != nil {
		for _, name := range c.Verb.Also(c) {
			acts = append(acts, c.table.Act(name))
		}
	}
	for _, f := range c.Verb.Flags {
		if f.Runs != "" && c.Has(f.Name) {
			acts = append(acts, c.table.Act(f.Runs))
		}
	}
	return acts
}

// hasScript reports whether an address contains a document of a type that can run scripts: HTML, SVG, XML and unknown ones.
func hasScript(address string) bool {
	scheme, rest, _ := strings.Cut(address, ":")
	if !strings.EqualFold(scheme, "data") {
		return false
	}
	mediaType, _, _ := strings.Cut(rest, ",")
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	kind, _, _ := strings.Cut(mediaType, "/")
	switch {
	case mediaType == "", mediaType == "text/plain", mediaType == "text/css", mediaType == "text/csv", mediaType == "application/json", mediaType == "application/pdf":
		return false
	case kind == "audio", kind == "video", kind == "font":
		return false
	}
	return kind != "image" || strings.Contains(mediaType, "xml")
}

// Act returns the act of the command of this name.
func (t *Table) Act(name string) Act {
	if v := t.Find(name); v != nil {
		return Act{v.Category, v.Name, v.Synonyms}
	}
	return Act{CatEval, name, nil} // the strictest, for a name that the table lacks
}

func (c *Call) actsOfArgs() []Act {
	own := Act{c.Verb.Category, c.Verb.Name, c.Verb.Synonyms}
	if c.Verb.Act != nil {
		own = c.Verb.Act(c)
	}
	for _, arg := range c.Verb.Args {
		switch {
		case arg.Kind == URL && c.Has(arg.Name) && own.Category != CatNavigate && c.Verb.Is(Starts):
			return []Act{own, {Category: CatNavigate, Name: "open"}}
		case arg.Name == "action" && slices.Contains(arg.Choices, "click"):
			if does := c.named(arg); does != nil {
				own.Category = does.Category
				return []Act{own, *does}
			}
		}
	}
	return []Act{own}
}

// named returns the act of the command that an argument names; click, if it is missing.
func (c *Call) named(arg Arg) *Act {
	name := "click"
	if c.Has(arg.Name) {
		name = c.Str(arg.Name)
	}
	if v := c.table.Find(name); v != nil {
		return &Act{v.Category, v.Name, v.Synonyms}
	}
	if v := c.table.Find("get " + name); v != nil {
		return &Act{v.Category, v.Name, v.Synonyms}
	}
	return nil
}
