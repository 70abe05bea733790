package api

import (
	"fmt"
	"strings"
)

// Outcome is the observed outcome of an action. The command line, --json and agents' tools share it: its members are
// members of the action's data, and [Outcome.Lines] has them in words. Members of what did not happen are absent.
type Outcome struct {
	// Navigation is the navigation of the main frame, with or without a new document.
	Navigation *Navigation `json:"navigation,omitempty"`
	// DialogOpened and Dialog report a dialog that the action opened and that blocks the page until it is answered.
	DialogOpened bool    `json:"dialogOpened,omitzero"`
	Dialog       *Dialog `json:"dialog,omitempty"`
	// Dialogs are dialogs that the action opened and that a rule or the policy closed.
	Dialogs []ClosedDialog `json:"dialogs,omitempty"`
	// NewTab reports that the action opened a tab, which is now active. URL and TabID ("t2") are those of the tab.
	NewTab bool   `json:"newTab,omitzero"`
	URL    string `json:"url,omitzero"`
	TabID  string `json:"tabId,omitzero"`
	// Opened are the other tabs that the action opened. None of them is active.
	Opened []Tab `json:"opened,omitempty"`
	// Downloads are the downloads that the action started.
	Downloads []Download `json:"downloads,omitempty"`
	// Interruption is what else the browser waits for: files for a file chooser, a permission, a login. Waits has it in
	// words.
	Interruption *Interruption `json:"interruption,omitempty"`
	Waits        string        `json:"waits,omitzero"`
	// TabClosed reports that the action closed its own tab.
	TabClosed bool `json:"tabClosed,omitzero"`
	// Value is the field's value, if it differs from the requested one. The result's warning has it in words.
	Value *string `json:"value,omitempty"`
	// Files are the names of the files in a file input. Most file inputs are hidden, so outlines do not show them.
	Files []string `json:"files,omitempty"`
	// Invalid are the fields that failed the browser's validation, which prevents the form from being submitted.
	Invalid []Invalid `json:"invalid,omitempty"`
	// Unsettled is what the page was still busy with when the result was made.
	Unsettled string `json:"unsettled,omitzero"`
	// Changes are the changes of the page, if they were requested.
	Changes *Changes `json:"changes,omitempty"`
}

// Base returns the outcome itself, so that callers can reach it in a result that embeds one.
func (o *Outcome) Base() *Outcome { return o }

// Add merges a later outcome into o. Closed dialogs are appended; other members are replaced if later has them.
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

// set replaces *at by later unless that is nil.
func set[T any](at **T, later *T) {
	if later != nil {
		*at = later
	}
}

// Navigation is a navigation of a tab.
type Navigation struct {
	URL string `json:"url"`
	// Committed reports that the new document was committed. If false, the server has not answered yet.
	Committed bool `json:"committed"`
	// SameDocument reports a same-document navigation: only the URL changed (#fragment, history.pushState).
	SameDocument bool `json:"sameDocument"`
}

// Tab is a tab that an action opened.
type Tab struct {
	TabID string `json:"tabId"`
	URL   string `json:"url"`
}

// Download is a download that an action started.
type Download struct {
	URL           string `json:"url"`
	SuggestedName string `json:"suggestedFilename"`
	// Path is where the file is written, and where it is when State is completed.
	Path  string `json:"path,omitzero"`
	State string `json:"state,omitzero"` // inProgress, completed or canceled, as CDP calls them
	Bytes int64  `json:"bytes,omitzero"`
}

// line describes the download in words.
func (d *Download) line() string {
	switch d.State {
	case "completed":
		return "downloaded " + d.SuggestedName + " to " + d.Path
	case "canceled":
		return "started the download of " + d.SuggestedName + ", which failed or was canceled"
	}
	return "started the download of " + d.SuggestedName + " to " + d.Path + "; save it with `wait --download PATH`"
}

// Invalid is a field that failed validation, with the browser's message.
type Invalid struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Changes are the changes of a page since the reader last saw it, as an outline.
type Changes struct {
	// Text is the delta or, if Delta is false, the whole outline; Why is then the reason.
	Text  string `json:"text"`
	Delta bool   `json:"delta"`
	Why   string `json:"why,omitzero"`
	// Truncated reports that rows were omitted to fit a budget. Their places have the counts.
	Truncated bool `json:"truncated,omitzero"`
	// Title is the title of a new document.
	Title string `json:"title,omitzero"`
	// Error is why there are no changes.
	Error string `json:"error,omitzero"`
}

// Lines describes an outcome in words, one line per event, without the changes of the page.
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

// shortList returns the first of many names.
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
