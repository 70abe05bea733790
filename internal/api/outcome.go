package api

import (
	"fmt"
	"strings"
)

// Outcome is what the browser was seen to do in answer to an action. It is the one shape of that for the command line,
// --json and the tools of agents: its members are members of the action's data, and [Outcome.Lines] says them in words.
// What did not happen is absent.
type Outcome struct {
	// Navigation is the change of document, or of the address alone, in the main frame.
	Navigation *Navigation `json:"navigation,omitempty"`
	// DialogOpened and Dialog tell of a dialog that the action opened and that holds the page until it is answered.
	DialogOpened bool    `json:"dialogOpened,omitzero"`
	Dialog       *Dialog `json:"dialog,omitempty"`
	// Dialogs are those that it opened and that a rule or the policy closed.
	Dialogs []ClosedDialog `json:"dialogs,omitempty"`
	// NewTab says that the action opened a tab, which is active now; URL and TabID ("t2") are its.
	NewTab bool   `json:"newTab,omitzero"`
	URL    string `json:"url,omitzero"`
	TabID  string `json:"tabId,omitzero"`
	// Opened are tabs that the action opened later or in the background; none of them is active.
	Opened []Tab `json:"opened,omitempty"`
	// Downloads are those that the action began.
	Downloads []Download `json:"downloads,omitempty"`
	// Interruption is what else the browser waits for now: files for a file chooser, a permission, a login. Waits says it in words.
	Interruption *Interruption `json:"interruption,omitempty"`
	Waits        string        `json:"waits,omitzero"`
	// TabClosed says that the action closed its own tab.
	TabClosed bool `json:"tabClosed,omitzero"`
	// Value is what the field holds now, where that is not what was asked for; the result's warning says so in words.
	Value *string `json:"value,omitempty"`
	// Files are the names of the files that a file field holds now: it is mostly hidden, so that no outline shows them.
	Files []string `json:"files,omitempty"`
	// Invalid are the fields that the browser found invalid, which keeps a form from being sent.
	Invalid []Invalid `json:"invalid,omitempty"`
	// Unsettled says what the page was still busy with when it was last looked at.
	Unsettled string `json:"unsettled,omitzero"`
	// Changes is what became of the page, where that was asked for.
	Changes *Changes `json:"changes,omitempty"`
}

// Seen returns the outcome itself: whatever embeds one tells it.
func (o *Outcome) Seen() *Outcome { return o }

// Add adds what was seen later. Dialogs that were closed are added to those there; of the rest the later one holds.
func (o *Outcome) Add(later *Outcome) {
	set(&o.Navigation, later.Navigation)
	if later.DialogOpened {
		o.DialogOpened, o.Dialog = true, later.Dialog
	}
	o.Dialogs = append(o.Dialogs, later.Dialogs...)
	if later.NewTab {
		o.NewTab, o.URL, o.TabID = true, later.URL, later.TabID
	}
	if len(later.Downloads) > 0 {
		o.Downloads = later.Downloads
	}
	if later.Interruption != nil {
		o.Interruption, o.Waits = later.Interruption, later.Waits
	}
	if len(later.Files) > 0 {
		o.Files = later.Files
	}
	if len(later.Opened) > 0 {
		o.Opened = later.Opened
	}
	o.TabClosed = o.TabClosed || later.TabClosed
	set(&o.Value, later.Value)
	if len(later.Invalid) > 0 {
		o.Invalid = later.Invalid
	}
	if later.Unsettled != "" {
		o.Unsettled = later.Unsettled
	}
	set(&o.Changes, later.Changes)
}

// set takes a later value where there is one.
func set[T any](at **T, later *T) {
	if later != nil {
		*at = later
	}
}

// Navigation is a change of the document of a tab, or of its address.
type Navigation struct {
	URL string `json:"url"`
	// Committed says that the new document is there; else its server has not answered yet.
	Committed bool `json:"committed"`
	// SameDocument says that only the address changed (#fragment, history.pushState).
	SameDocument bool `json:"sameDocument"`
}

// Tab is a tab that an action opened.
type Tab struct {
	TabID string `json:"tabId"`
	URL   string `json:"url"`
}

// Download is a file that an action began to download.
type Download struct {
	URL           string `json:"url"`
	SuggestedName string `json:"suggestedFilename"`
	// Path is where the file is being written, and lies once State is completed.
	Path  string `json:"path,omitzero"`
	State string `json:"state,omitzero"` // inProgress, completed or canceled, as CDP calls them
	Bytes int64  `json:"bytes,omitzero"`
}

// line says in words how far a download is.
func (d *Download) line() string {
	switch d.State {
	case "completed":
		return "downloaded " + d.SuggestedName + " to " + d.Path
	case "canceled":
		return "started the download of " + d.SuggestedName + ", which failed or was canceled"
	}
	return "started the download of " + d.SuggestedName + " to " + d.Path + "; save it with `wait --download PATH`"
}

// Invalid is a field that a form's check found invalid, with the browser's message about it.
type Invalid struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Changes is what became of a page since the reader last saw it, as an outline.
type Changes struct {
	// Text is the delta, or, where Delta is false, the outline; Why says why it is no delta.
	Text  string `json:"text"`
	Delta bool   `json:"delta"`
	Why   string `json:"why,omitzero"`
	// Truncated says that a budget left rows out; they are counted in their places.
	Truncated bool `json:"truncated,omitzero"`
	// Title is that of a new document.
	Title string `json:"title,omitzero"`
	// Error says why there is none.
	Error string `json:"error,omitzero"`
}

// Lines says an outcome in words, a line for each thing that happened, without the changes of the page.
func (o *Outcome) Lines() []string {
	var lines []string
	add := func(parts ...string) { lines = append(lines, strings.Join(parts, "")) }
	if n := o.Navigation; n != nil {
		if n.Committed || n.SameDocument {
			add("went to ", n.URL)
		} else {
			add("is going to ", n.URL, " (no answer yet)")
		}
	}
	if d := o.Dialog; o.DialogOpened && d != nil {
		add("opened ", article(d.Type), " dialog: ", shortQuote(d.Message), "; answer with `dialog accept` or `dialog dismiss`")
	}
	for i := range o.Dialogs {
		d := &o.Dialogs[i]
		add("opened ", article(d.Type), " dialog, ", d.how(), ": ", shortQuote(d.Message))
	}
	if o.NewTab {
		add("opened tab [", o.TabID, "], now active: ", o.URL)
	}
	for _, t := range o.Opened {
		add("opened tab [", t.TabID, "]: ", t.URL)
	}
	for _, d := range o.Downloads {
		add(d.line())
	}
	if o.Waits != "" {
		add(o.Waits)
	}
	if o.TabClosed {
		add("closed its tab")
	}
	if len(o.Files) > 0 {
		add("chosen: ", shortList(o.Files))
	}
	for _, f := range o.Invalid {
		add("not sent: ", f.Field, ": ", f.Message)
	}
	if o.Unsettled != "" {
		add("not settled: ", o.Unsettled)
	}
	return lines
}

// shortList names the first of many files.
func shortList(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

func article(word string) string {
	if word != "" && strings.ContainsRune("aeiou", rune(word[0])) {
		return "an " + word
	}
	return "a " + word
}

func shortQuote(s string) string {
	const most = 200
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return `"` + s + `"`
}
