// Package verb is the table of usher's commands: their names, their arguments and flags, what each does to a page, its
// help, its examples and its next steps. It is data. Parsing, help, completion, MCP schemas, script bindings, batch,
// the guard on refs, policy and the reference in docs are derived from it, and no other package lists commands.
//
// The entry point is [Table.Parse], which turns the words of a command line into a [Call]. Everything is built on first
// use; importing the package costs nothing at start.
package verb

import (
	"strings"

	"github.com/go-json-experiment/json"
)

// Verb is one command. A sub-command is a verb of its own with a name of two words ("get text").
type Verb struct {
	Name     string   `json:"name"`              // "click", "get text"; the key by which other packages register handlers
	Synonyms []string `json:"synonyms,omitzero"` // other first words that mean the same, in the spelling a user types
	Summary  string   `json:"summary"`           // one line without a full stop, for lists
	Help     string   `json:"help,omitzero"`     // paragraphs for `help <verb>`; may be empty when Summary is sufficient
	Args     []Arg    `json:"args,omitzero"`     // positional arguments in order
	Flags    []Flag   `json:"flags,omitzero"`    // flags of this verb; the global ones are in Globals
	Examples []string `json:"examples"`          // command lines without the program name; every one parses
	Next     []string `json:"next,omitzero"`     // hints: what one usually does after this, as command lines or short sentences
	Group    Group    `json:"group"`             // the heading under which help lists it
	Category Category `json:"category"`          // the class by which policy allows, denies or asks
	Marks    Marks    `json:"marks"`             // requirements and effects
	// Capability is that for which it uses the plugin that an argument or flag of kind PluginName names; policies judge it.
	Capability string `json:"capability,omitzero"`
	// Check checks which arguments and flags go together, and sets Form and values that may be given in two ways; nil
	// if the kinds of the values are sufficient.
	Check func(*Call) *Error `json:"-"`
	// Act returns what a call does, as policies judge it, if its arguments decide that; nil for the category and the name
	// of the verb. It is called after Check.
	Act func(*Call) Act `json:"-"`
	// Also returns the names of commands that a policy judges besides, if the arguments decide that; nil for none. It is
	// called after Check.
	Also func(*Call) []string `json:"-"`
	// Prepares reports whether a call sets something for the first page, so that it starts a browser when the session has
	// none, as verbs that are marked with Starts do; nil if no call does. It is called after Check.
	Prepares func(*Call) bool `json:"-"`
}

// Is reports whether the verb has every one of the marks.
func (v *Verb) Is(m Marks) bool { return v.Marks&m == m }

// Marks are the requirements and effects of a verb. Sessions, guards and frontends decide by them, never by name.
type Marks uint32

const (
	// Local verbs run in the client's process: no daemon, no session.
	Local Marks = 1 << iota
	// Starts verbs start a browser when the session has none.
	Starts
	// NeedsBrowser verbs fail when the session has no browser and there is no option for attaching to one; they never
	// start a blank one.
	NeedsBrowser
	// NeedsTab verbs act on the active tab. Always together with NeedsBrowser.
	NeedsTab
	// Control verbs never wait behind a blocked command: they read the model or release what blocks.
	Control
	// TakesRefs verbs accept an element ref such as @e4.
	TakesRefs
	// InvalidatesRefs verbs may replace the document, so earlier refs may be invalid afterwards.
	InvalidatesRefs
	// ChangesPage verbs may change the page or data on a server; without it a verb only reads.
	ChangesPage
	// SavesFiles verbs write a file.
	SavesFiles
	// ReadsFiles verbs give a local file to a page.
	ReadsFiles
	// ReadsStdin verbs may read standard input, depending on their flags.
	ReadsStdin
	// TakesFrame verbs can work in a frame; each gets the flag --frame.
	TakesFrame
	// Background verbs only observe, perhaps for long: they do not count as use of the session, which may end of
	// idleness meanwhile. Always together with Control.
	Background
	// WorksOffline verbs read the model or the journal, also while the connection to the browser is lost.
	WorksOffline
	// ReportsChanges verbs can report the changes of the page after an action; each gets the flag --changes.
	ReportsChanges
	// TellsPages verbs may print text of pages: their results get boundaries (--content-boundaries) and are cut
	// (--max-output). NewTable sets it for every verb that works with a browser or the web.
	TellsPages
	// DaemonOptional verbs have an answer while no daemon runs, and start none.
	DaemonOptional
	// AnyProcess verbs have the same result in every process of this build, change nothing and return soon: a running
	// daemon answers them, which saves the client most of its start. Always together with Local.
	AnyProcess
	// OpensBehind verbs work in a tab behind the others, which is kept a while for another of them. Every other verb that works
	// with the browser closes it.
	OpensBehind
)

var markNames = [...]string{"local", "starts", "needsBrowser", "needsTab", "control", "takesRefs", "invalidatesRefs",
	"changesPage", "savesFiles", "readsFiles", "readsStdin", "takesFrame", "watches", "remembers", "tellsChanges",
	"tellsPages", "daemonOptional", "anyProcess", "opensBehind"}

// Names returns the names of the marks, for dumps and documents.
func (m Marks) Names() []string {
	out := []string{}
	for i, n := range markNames {
		if m&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Category is the class of a verb in a policy.
type Category string

// The categories of a policy.
const (
	CatNavigate Category = "navigate"
	CatSnapshot Category = "snapshot" // reading the page: snapshot, screenshot, pdf
	CatGet      Category = "get"      // reading one fact of the page
	CatClick    Category = "click"
	CatFill     Category = "fill"     // filling in forms: text, check, select
	CatInteract Category = "interact" // every other input: hover, keys, mouse, drag
	CatScroll   Category = "scroll"
	CatWait     Category = "wait"
	CatEval     Category = "eval"
	CatUpload   Category = "upload"
	CatDownload Category = "download"
	CatNetwork  Category = "network"
	CatSiteData Category = "sitedata" // reading cookies and storage
	CatState    Category = "state"    // saved states, logins; changing cookies and storage
	CatLogs     Category = "logs"
	CatDialog   Category = "dialog"
	CatTab      Category = "tab"
	CatWeb      Category = "web" // no browser: searching, reading by plain HTTP
	CatSession  Category = "session"
	CatPlugin   Category = "plugin"
	CatTool     Category = "tool" // the program itself: help, doctor, install
)

// Group is a heading of the help text.
type Group string

// The headings, in the order in which help prints them.
const (
	GroupNavigate Group = "Go somewhere"
	GroupLook     Group = "Look at the page"
	GroupAct      Group = "Act on it"
	GroupFind     Group = "Find by meaning, then act"
	GroupRead     Group = "Read one thing"
	GroupWait     Group = "Wait"
	GroupKeys     Group = "Keyboard, mouse, touch, clipboard"
	GroupTabs     Group = "Tabs and frames"
	GroupWatch    Group = "Dialogs, console, network"
	GroupDevice   Group = "Imitate a device"
	GroupWeb      Group = "Web, no browser"
	GroupRun      Group = "Run several"
	GroupSession  Group = "Sessions and agents"
	GroupState    Group = "Cookies, storage, saved states"
	GroupDebug    Group = "Record and debug"
	GroupTool     Group = "This program"
)

// Groups returns the headings in order.
func Groups() []Group {
	return []Group{GroupNavigate, GroupLook, GroupAct, GroupFind, GroupRead, GroupWait, GroupKeys, GroupTabs, GroupWatch, GroupDevice,
		GroupWeb, GroupRun, GroupSession, GroupState, GroupDebug, GroupTool}
}

// Kind is the type of an argument or flag. Parse checks every value against it.
type Kind uint8

const (
	String       Kind = iota
	Bool              // flags only: bare means true, a literal true or false may follow
	Int               // a whole number
	Float             // any finite number
	Duration          // milliseconds as a bare number, or with a unit: 500ms 30s 5m 1h
	URL               // an address, completed by NormalizeURL
	Selector          // what ParseSelector accepts
	Key               // a key or chord such as Enter or Control+a; the names are checked when keys are pressed
	Path              // a local file or directory
	JSON              // a JSON object whose values are strings
	Endpoint          // a port, or a ws, wss, http or https address of a running browser
	Size              // a viewport: WIDTHxHEIGHT or WIDTHxHEIGHT@SCALE
	Name              // a session name: Unicode letters and digits, "-" and "_"
	DialogRule        // a rule for dialogs, as policy.ParseDialogRule parses it, in one line
	DialogAnswer      // the answer to any dialog: accept, accept=text, dismiss or ask
	Permission        // the answer to requests for a permission, or for all, as policy.ParsePermissions parses it
	Domain            // a host or hosts, as policy.ParseDomains parses it
	Credential        // a name, a password and an origin, as policy.ParseCredential parses it; never shown
	Device            // the name of a device of package device
	Geolocation       // LATITUDE,LONGITUDE or LATITUDE,LONGITUDE,ACCURACY
	Timezone          // a name of the IANA time zone database
	Locale            // a language tag (BCP 47)
	Plugin            // the definition of a plugin, as ParsePlugin parses it
	PluginName        // the name of a plugin of the configuration
)

// String returns the name of the kind for dumps.
func (k Kind) String() string {
	return [...]string{"string", "bool", "int", "float", "duration", "url", "selector", "key", "path", "json", "endpoint",
		"size", "name", "dialogRule", "dialogAnswer", "permission", "domain", "credential", "device", "geolocation", "timezone", "locale",
		"plugin", "pluginName"}[k]
}

// Arg is one positional argument.
type Arg struct {
	Name     string   `json:"name"`
	Kind     Kind     `json:"kind"`
	Doc      string   `json:"doc,omitzero"`
	Required bool     `json:"required,omitzero"`
	Variadic bool     `json:"variadic,omitzero"` // takes every remaining word as a list
	Rest     bool     `json:"rest,omitzero"`     // takes every remaining word, joined by single spaces
	Raw      bool     `json:"raw,omitzero"`      // words that begin with a dash and are no known flag are values, not mistakes
	Choices  []string `json:"choices,omitzero"`  // when given, the only accepted values
}

// Multi is how several values of one flag are combined.
type Multi uint8

const (
	Once   Multi = iota // the last one applies
	Repeat              // all apply
	CSV                 // all apply, and each is split at commas
	Lines               // browser switches: split at line ends, and at a comma only where another switch follows
	Items               // all apply; a value may be a JSON list of them
)

// Flag is one flag of a verb or one global flag.
type Flag struct {
	Name     string   `json:"name"`           // without dashes: "full"
	Short    string   `json:"short,omitzero"` // one letter, or empty
	Aliases  []string `json:"aliases,omitzero"`
	Kind     Kind     `json:"kind"`
	Value    string   `json:"value,omitzero"`   // the value's name in help: "path"
	Default  string   `json:"default,omitzero"` // the default; empty when there is none
	Choices  []string `json:"choices,omitzero"` // when given, the only accepted values
	Multi    Multi    `json:"multi,omitzero"`
	Min      int      `json:"min,omitzero"`      // of an Int; with Max 0 too, any number will do
	Max      int      `json:"max,omitzero"`      // of an Int; 0 when there is no greatest
	Optional bool     `json:"optional,omitzero"` // the value may be left out
	Empty    bool     `json:"empty,omitzero"`    // the empty value is accepted; it stands for the default
	Raw      bool     `json:"raw,omitzero"`      // the value may look like a flag itself
	Hidden   bool     `json:"hidden,omitzero"`   // accepted for old scripts, not listed
	Secret   bool     `json:"secret,omitzero"`   // no message shows the value
	Doc      string   `json:"doc,omitzero"`
	// Runs names the command that a policy judges besides, when the flag is given: eval, for a flag that has a script, or download, for
	// one that saves a download.
	Runs string `json:"runs,omitzero"`
	// Restricts reports whether the flag restricts its session from the command on that gives it, until the session is
	// closed.
	Restricts bool `json:"restricts,omitzero"`

	// The rest is for global flags only.
	Scope Scope  `json:"scope"`        // when a change takes effect
	Env   string `json:"env,omitzero"` // what follows AGENT_BROWSER_ in that tool's environment variable; empty when it has none
	Key   string `json:"key,omitzero"` // the key in agent-browser.json; empty when that tool has none
	// Section is a second name for it in usher's own configuration files, with a dot for each level of indentation:
	// security.allow_private_urls.
	Section string `json:"section,omitzero"`
	// Own reports whether only the user's own configuration file may set it: neither a project's, nor the environment,
	// nor a command line.
	Own bool `json:"own,omitzero"`
	// NotOnLine reports whether it is no flag of command lines: only the user's own configuration file, one named with
	// --config, or the environment may set it.
	NotOnLine     bool `json:"notOnLine,omitzero"`
	ProjectMaySet bool `json:"projectMaySet,omitzero"` // a project file may set it: it can neither reach other data nor weaken a protection
	// Example is a value in YAML for the list of settings; a switch needs none. Unset describes the default where
	// Default is empty.
	Example string `json:"example,omitzero"`
	Unset   string `json:"unset,omitzero"`
}

// UsherEnv returns the name of usher's own environment variable for the flag: USHER_ and the flag's name in capitals.
func (f *Flag) UsherEnv() string {
	return "USHER_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// Scope is when a changed global option takes effect on a session that already runs.
type Scope uint8

const (
	PerCall    Scope = iota // this command only
	PerContext              // applied live to the session
	AtLaunch                // fixed when the browser process starts; a change needs a new browser and is an error
	PerSession              // the session itself: its name, its lifetime
	ForTheTool              // the program itself: configuration, logs
)

// String returns the name of the scope for dumps.
func (s Scope) String() string {
	return [...]string{"call", "context", "launch", "session", "tool"}[s]
}

// Family is the first word shared by verbs with two-word names.
type Family struct {
	Name     string `json:"name"`
	Alias    string `json:"alias,omitzero"` // another spelling of the word
	Summary  string `json:"summary,omitzero"`
	Bare     string `json:"bare,omitzero"`     // the verb of the word alone; empty when a second word is needed
	Fallback string `json:"fallback,omitzero"` // the verb if the second word is none of the known; it gets that word as its first argument
}

// MarshalText writes the kind as its name.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// MarshalText writes the scope as its name.
func (s Scope) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String returns the name of the rule for dumps; Once is empty.
func (m Multi) String() string { return [...]string{"", "repeat", "csv", "lines", "items"}[m] }

// MarshalText writes the rule as its name.
func (m Multi) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// MarshalJSON writes the marks as a list of words.
func (m Marks) MarshalJSON() ([]byte, error) { return json.Marshal(m.Names()) }
