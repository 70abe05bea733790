package state

import (
	"strings"

	"github.com/usher-browser/usher/internal/plain"
	"github.com/usher-browser/usher/internal/verb"
)

// grammar returns the commands about what pages store.
func grammar() verb.Set {
	set := verb.Set{Families: []verb.Family{
		{Name: "cookies", Summary: "read and change cookies", Bare: "cookies get"},
		{Name: "storage", Summary: "read and change the storage of the page"},
		{Name: "state", Summary: "save and load cookies and storage"},
	}}
	set.Verbs = append(set.Verbs, cookieVerbs()...)
	set.Verbs = append(set.Verbs, storageVerb(local, "local storage"), storageVerb(session, "session storage"))
	set.Verbs = append(set.Verbs, stateVerbs()...)
	return set
}

func cookieVerbs() []verb.Verb {
	url := verb.Flag{Name: "url", Kind: verb.URL, Value: "url", Doc: "the address instead of that of the page"}
	domain := verb.Flag{Name: "domain", Kind: verb.String, Value: "domain", Doc: "the domain; with a dot before it, subdomains get the cookie, too"}
	path := verb.Flag{Name: "path", Kind: verb.String, Value: "path", Doc: "only for addresses that begin with this path"}
	return []verb.Verb{
		{Name: "cookies get", Synonyms: []string{"cookies list"}, Summary: "cookies of the page, with their values",
			Help: "Lists the cookies that requests to the page's address get, HttpOnly ones included. --all lists those of every site in the session.\n" +
				"The word cookies alone does the same.",
			Args:     []verb.Arg{{Name: "name", Doc: "only the cookies of this name"}},
			Flags:    []verb.Flag{url, {Name: "all", Kind: verb.Bool, Doc: "the cookies of all sites"}},
			Examples: []string{"cookies", "cookies get sid", "cookies get --all --json", "cookies get --url https://example.com/api"},
			Group:    verb.GroupState, Category: verb.CatSiteData, Marks: verb.OnTab},
		{Name: "cookies set", Check: cookiesSetRules, Prepares: namesSite, Summary: "set a cookie, or import cookies from a file",
			Help: "Without --url and --domain, the cookie is set for the page's address. A cookie that the browser does not keep is an error.\n" +
				"--curl imports a file: a JSON array of cookies (as browser extensions export) or a saved state, a cURL command (\"Copy as cURL\"),\n" +
				"a Netscape cookies.txt, or the text of a Cookie header. Cookies without a domain of their own are set for --domain, --url, the URL\n" +
				"of the cURL command, or the page's address. All are set, or none. With one of these flags, a browser is started if there is none.",
			Args: []verb.Arg{{Name: "name", Raw: true, Doc: "name of the cookie"}, {Name: "value", Raw: true, Doc: "value of the cookie"}},
			Flags: []verb.Flag{url, domain, path,
				{Name: "http-only", Aliases: []string{"httpOnly"}, Kind: verb.Bool, Doc: "hide it from scripts"},
				{Name: "secure", Kind: verb.Bool, Doc: "send it over https only"},
				{Name: "same-site", Aliases: []string{"sameSite"}, Kind: verb.String, Value: "rule", Choices: []string{"Strict", "Lax", "None"}, Doc: "which requests from other sites get it"},
				{Name: "expires", Kind: verb.Float, Value: "seconds", Doc: "when it expires, in seconds since 1970; default: with the session"},
				{Name: "partition-key", Kind: verb.String, Value: "site", Doc: "keep it apart (CHIPS) for pages of this site, such as https://example.com"},
				{Name: "curl", Kind: verb.Path, Value: "file", Doc: "import the cookies of this file"}},
			Examples: []string{"cookies set theme dark", "cookies set sid 8f2c --url https://example.com --http-only --secure --same-site Lax --expires 1893456000",
				"cookies set --curl request.txt"},
			Group: verb.GroupState, Category: verb.CatState, Marks: verb.OnTab | verb.ChangesPage},
		{Name: "cookies delete", Summary: "delete cookies by name",
			Help:     "Deletes the cookies of that name that the page's address gets, or those of --url or --domain. It is an error if there is none.",
			Args:     []verb.Arg{{Name: "name", Required: true, Raw: true, Doc: "name of the cookie"}},
			Flags:    []verb.Flag{url, domain, path},
			Examples: []string{"cookies delete sid", "cookies delete sid --domain .example.com"},
			Group:    verb.GroupState, Category: verb.CatState, Marks: verb.OnTab | verb.ChangesPage},
		{Name: "cookies clear", Prepares: verb.Always, Summary: "delete all cookies of the session",
			Help:     "A session without a browser gets one.",
			Examples: []string{"cookies clear"},
			Group:    verb.GroupState, Category: verb.CatState, Marks: verb.NeedsBrowser | verb.ChangesPage},
	}
}

// namesSite reports whether cookies can be set without a page: the call, or its file, says for which site they are.
func namesSite(c *verb.Call) bool { return c.Has("url") || c.Has("domain") || c.Has("curl") }

func cookiesSetRules(c *verb.Call) *verb.Error {
	file := c.Has("curl")
	switch {
	case file && c.Has("name"):
		return verb.Invalid("cookies set takes a name and a value, or --curl and a file, not both")
	case !file && !c.Has("value"):
		return verb.Fail(verb.MissingArgument, "cookies set needs <name> and <value>, or --curl <file>")
	}
	if key := c.Str("partition-key"); c.Has("partition-key") && !strings.HasPrefix(key, "http") {
		return verb.Invalid("--partition-key: "+plain.Quote(key)+" is not a site", "Write it with its scheme: https://example.com.")
	}
	return nil
}

func storageVerb(kind area, what string) verb.Verb {
	name := "storage " + string(kind)
	return verb.Verb{Name: name, Check: storageRules, Act: storageAct, Summary: "read and change the " + what + " of the page",
		Help: "Without arguments, all entries of the page's origin; with a key, its value. --frame works in the origin of a frame.\n" +
			"set writes one entry, remove deletes one, clear deletes all.",
		Args: []verb.Arg{{Name: "operation", Raw: true, Doc: "get, set, remove or clear; get may be left out"}, {Name: "key", Raw: true, Doc: "the key"},
			{Name: "value", Rest: true, Raw: true, Doc: "with set: the value"}},
		Examples: []string{name, name + " get token", name + " set theme dark", name + " remove token", name + " clear"},
		Group:    verb.GroupState, Category: verb.CatSiteData, Marks: verb.OnTab | verb.TakesFrame | verb.ChangesPage}
}

// storageAct tells reading from writing. agent-browser's protocol has actions for them that say nothing of the area.
func storageAct(c *verb.Call) verb.Act {
	act := verb.Act{Category: verb.CatState, Name: c.Verb.Name}
	switch c.Form {
	case formAll, formGet:
		act.Category, act.Synonyms = verb.CatSiteData, []string{"storage_get"}
	case formSet:
		act.Synonyms = []string{"storage_set"}
	default:
		act.Synonyms = []string{"storage_clear"}
	}
	return act
}

// The forms of storage.
const (
	formAll    = "all"
	formGet    = "get"
	formSet    = "set"
	formRemove = "remove"
	formClear  = "clear"
)

// storageRules finds out which form it is, and moves a key that stands first to its place.
func storageRules(c *verb.Call) *verb.Error {
	op := c.Str("operation")
	switch op {
	case "":
		c.Form = formAll
		return nil
	case formGet, formSet, formRemove, formClear:
		c.Form = op
	default:
		if c.Has("key") {
			return verb.Invalid(plain.Quote(op)+" is not an operation of "+c.Verb.Name, "The operations are get, set, remove and clear.")
		}
		c.Form = formGet
		c.Move("operation", "key")
		c.Set("operation", formGet)
	}
	switch {
	case c.Form == formGet && !c.Has("key"):
		c.Form = formAll
	case c.Form == formSet && !c.Has("value"):
		return verb.Fail(verb.MissingArgument, c.Verb.Name+" set needs <key> and <value>")
	case c.Form == formRemove && !c.Has("key"):
		return verb.Fail(verb.MissingArgument, c.Verb.Name+" remove needs <key>")
	case c.Form == formClear && c.Has("key"):
		return verb.Invalid(c.Verb.Name+" clear takes no key", "To delete one entry, use "+c.Verb.Name+" remove.")
	case c.Form != formSet && c.Has("value"):
		return verb.Invalid(c.Verb.Name + " " + c.Form + " takes no value")
	}
	return nil
}

func stateVerbs() []verb.Verb {
	file := verb.Arg{Name: "file", Kind: verb.Path, Required: true, Doc: "a name in usher's own directory (login), or a path (./login.json)"}
	const needed = verb.NeedsBrowser
	return []verb.Verb{
		{Name: "state save", Summary: "save cookies, local storage and IndexedDB to a file",
			Help: "The file has the format of Playwright's storageState, and can be used by both. It contains logins: its mode is 0600. A name\n" +
				"without a slash and an extension is a file in usher's own directory (state list). It is encrypted if USHER_ENCRYPTION_KEY is set\n" +
				"or with --state-encryption keyring.",
			Args: []verb.Arg{file}, Examples: []string{"state save login", "state save ./auth.json"}, Next: []string{"state list"},
			Group: verb.GroupState, Category: verb.CatState, Marks: needed | verb.SavesFiles},
		{Name: "state load", Summary: "load saved cookies and storage into the session",
			Help: "Adds what the file contains to what the session has; entries of the same name are replaced. Files of Playwright and\n" +
				"agent-browser can be loaded, too. No tab navigates: a page that is open shows the change after `reload`.",
			Args: []verb.Arg{file}, Examples: []string{"state load login", "state load ./auth.json"}, Next: []string{"reload"},
			Group: verb.GroupState, Category: verb.CatState, Marks: verb.Starts | verb.ChangesPage},
		{Name: "state list", Summary: "list the saved states", Examples: []string{"state list"}, Group: verb.GroupState, Category: verb.CatState},
		{Name: "state show", Summary: "what a saved state contains", Help: "Text lists names only; --json has the values, too.", Args: []verb.Arg{file},
			Examples: []string{"state show login", "state show ./auth.json"}, Group: verb.GroupState, Category: verb.CatState},
		{Name: "state rename", Summary: "rename a saved state", Help: "An existing file is not replaced.",
			Args:     []verb.Arg{file, {Name: "name", Required: true, Doc: "the new name"}},
			Examples: []string{"state rename login shop"}, Group: verb.GroupState, Category: verb.CatState},
		{Name: "state clear", Check: clearRules, Summary: "delete saved states",
			Help:     "Deletes the saved state of that name, and those that --restore saved for the session of that name.",
			Args:     []verb.Arg{{Name: "name", Doc: "a saved state, or a session"}},
			Flags:    []verb.Flag{{Name: "all", Short: "a", Kind: verb.Bool, Doc: "delete every saved state"}},
			Examples: []string{"state clear login", "state clear --all"}, Group: verb.GroupState, Category: verb.CatState},
		{Name: "state clean", Check: cleanRules, Summary: "delete old saved states",
			Flags:    []verb.Flag{{Name: "older-than", Kind: verb.Int, Value: "days", Doc: "delete those not written for more days than this"}},
			Examples: []string{"state clean --older-than 30"}, Group: verb.GroupState, Category: verb.CatState},
	}
}

func clearRules(c *verb.Call) *verb.Error {
	if c.Has("name") == c.Bool("all") {
		return verb.Fail(verb.MissingArgument, "state clear needs a <name>, or --all for every saved state")
	}
	return nil
}

func cleanRules(c *verb.Call) *verb.Error {
	if !c.Has("older-than") {
		return verb.Fail(verb.MissingArgument, "state clean needs --older-than and a number of days")
	}
	if c.Int("older-than") < 0 {
		return verb.Invalid("--older-than: a number of days cannot be negative")
	}
	return nil
}
