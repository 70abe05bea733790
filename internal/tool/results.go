package tool

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// success is the first member of every result of a call that succeeded.
type success struct {
	Success bool `json:"success"`
}

var succeeded = success{true}

// failure is the result of a call that failed.
type failure struct {
	success
	Error string   `json:"error"`
	Code  api.Code `json:"code"` // of docs/ERRORS.md
	// Blocked names the rule that refused an address.
	Blocked *blocked `json:"blocked_by_policy,omitzero"`
	// Of an image that no model could be asked about: where it is kept, and what is known of it.
	Screenshot  string         `json:"screenshot_path,omitzero"`
	Image       string         `json:"image_path,omitzero"`
	Annotations jsontext.Value `json:"annotations,omitempty"`
	Warning     string         `json:"warning,omitzero"`
}

// blocked is a rule that refused an address. Its members are null where the error does not tell them.
type blocked struct {
	Host   any `json:"host"`
	Rule   any `json:"rule"`
	Source any `json:"source"` // the configuration or the program itself
}

// outcome is what an action was seen to do, as tools tell it.
type outcome struct {
	api.Outcome `schema:"-"`
	Warning     string `json:"warning,omitzero" schema:"-"`
	Title       string `json:"title,omitzero" schema:"-"` // of a new document
	// Changes is the outline of what changed in the page, in the place of that member of Outcome.
	Changes   string `json:"changes,omitzero"`
	Why       string `json:"why_whole,omitzero" schema:"-"` // why changes is the whole outline though a delta was asked for
	Truncated bool   `json:"truncated,omitzero" schema:"-"` // rows were left out of changes; they are counted in their places
}

// led returns the outcome itself: the result of an action embeds one.
func (o *outcome) led() *outcome { return o }

// acted is a pointer to the result of an action.
type acted interface{ led() *outcome }

// clickResult is the result of browser_click.
type clickResult struct {
	success
	Clicked string `json:"clicked"` // the element or the point, x,y
	outcome
}

// typeResult is the result of browser_type.
type typeResult struct {
	success
	Typed   string `json:"typed"`            // the text; what looks like a secret is shortened
	Element string `json:"element,omitzero"` // the field
	outcome
}

// pressResult is the result of browser_press.
type pressResult struct {
	success
	Pressed string `json:"pressed"` // the key
	outcome
}

// selectResult is the result of browser_select.
type selectResult struct {
	success
	Selected []string `json:"selected"` // the values that were asked for
	outcome
}

// checkResult is the result of browser_check.
type checkResult struct {
	success
	Checked bool `json:"checked"`
	outcome
}

// fillFormResult is the result of browser_fill_form.
type fillFormResult struct {
	success
	Filled int `json:"filled"` // how many fields
	outcome
}

// hoverResult is the result of browser_hover.
type hoverResult struct {
	success
	Hovered string `json:"hovered"` // the element
	outcome
}

// dragResult is the result of browser_drag.
type dragResult struct {
	success
	Dragged bool `json:"dragged"`
	outcome
}

// uploadResult is the result of browser_upload.
type uploadResult struct {
	success
	Uploaded int `json:"uploaded"` // how many files
	outcome
}

// scrollResult is the result of browser_scroll.
type scrollResult struct {
	success
	Scrolled string `json:"scrolled"` // up or down
	AtEnd    bool   `json:"at_end"`   // it cannot be scrolled further
	Warning  string `json:"warning,omitzero" schema:"-"`
}

// backResult is the result of browser_back; url is the address shown then.
type backResult struct {
	success
	outcome `schema:"url,changes"`
}

// waitResult is the result of browser_wait.
type waitResult struct {
	success
	Waited string `json:"waited"` // what for: text, ref, url, load or seconds
	outcome
}

// dialogResult is the result of browser_dialog.
type dialogResult struct {
	success
	Action string         `json:"action"` // accept or dismiss
	Dialog answeredDialog `json:"dialog"` // in the place of that member of Outcome
	// The rest tells what the page did then.
	outcome `schema:"-"`
}

// answeredDialog is a dialog that was answered.
type answeredDialog struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
}

// outline is a page as text.
type outline struct {
	Snapshot  string `json:"snapshot"`
	Elements  int    `json:"element_count"` // how many of it have refs
	Delta     bool   `json:"delta,omitzero"`
	Why       string `json:"why_whole,omitzero" schema:"-"`    // it is no delta though one was asked for
	Truncated bool   `json:"truncated,omitzero"`               // it was cut to a budget
	Total     int    `json:"total_tokens,omitzero" schema:"-"` // of the whole, where it was cut
}

// navigateResult is the result of browser_navigate.
type navigateResult struct {
	success
	URL    string `json:"url"`
	Title  string `json:"title"`
	Status int    `json:"status,omitzero"` // of HTTP, from 400 on
	// Bot and Login tell what stands in the place of the page that was asked for.
	Bot   string `json:"bot_detection_warning,omitzero"`
	Login string `json:"auth_wall_warning,omitzero"`
	// Dialog is one that the page opened and that holds it; there is no snapshot then.
	Dialog  *api.Dialog `json:"dialog,omitzero" schema:"-"`
	Warning string      `json:"warning,omitzero" schema:"-"`
	Shot    *outline    `json:",embed" schema:"snapshot,element_count"`
}

// snapshotResult is the result of browser_snapshot.
type snapshotResult struct {
	success
	outline
	Warning string `json:"warning,omitzero" schema:"-"`
	URL     string `json:"url,omitzero" schema:"-"`
	Title   string `json:"title,omitzero" schema:"-"`
	// Pending are the dialogs that the page waits for, Recent those closed since the last call, both as `usher status` tells
	// them. Tree are the frames, if there is more than the page itself and it is not as it was told last.
	Pending []jsontext.Value `json:"pending_dialogs,omitzero"`
	Recent  []jsontext.Value `json:"recent_dialogs,omitzero"`
	Tree    *frameTree       `json:"frame_tree,omitzero"`
}

// frameTree are the frames of a page, as `usher status` tells them.
type frameTree struct {
	Top       jsontext.Value   `json:"top"`
	Children  []jsontext.Value `json:"children"`
	Truncated bool             `json:"truncated"`
}

// findResult is the result of browser_find.
type findResult struct {
	success
	Matches int `json:"matches"` // how many lines
	outline
}

// imagesResult is the result of browser_get_images.
type imagesResult struct {
	success
	Images []jsontext.Value `json:"images"` // src, alt, width and height of each, as the page tells them
	Count  int              `json:"count"`  // of all, listed or not
}

// visionResult is the result of browser_vision.
type visionResult struct {
	success
	Analysis    *string        `json:"analysis,omitzero"` // absent where the picture itself is in the result
	Screenshot  string         `json:"screenshot_path"`
	Annotations jsontext.Value `json:"annotations,omitempty" schema:"array"` // the elements that were numbered
	Warning     string         `json:"warning,omitzero" schema:"-"`
}

// lookResult is the result of vision_analyze.
type lookResult struct {
	success
	Analysis *string `json:"analysis,omitzero"` // absent where the image itself is in the result
	Image    string  `json:"image_path"`
}

// consoleResult is the result of browser_console: what was logged, or the value of an expression.
type consoleResult struct {
	success
	Logged *logged     `json:",embed"`
	Value  *evaluation `json:",embed"`
}

// logged is what the page wrote to its console.
type logged struct {
	Messages      []consoleMessage `json:"console_messages"` // the newest
	Errors        []consoleError   `json:"js_errors"`        // the newest
	TotalMessages int              `json:"total_messages"`
	TotalErrors   int              `json:"total_errors"`
}

// consoleMessage is a line of the console.
type consoleMessage struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source string `json:"source"`
}

// consoleError is an error that no script of the page caught.
type consoleError struct {
	Message string `json:"message"`
	Source  string `json:"source"` // address:line, or exception
}

// evaluation is the value of an expression.
type evaluation struct {
	Result jsontext.Value `json:"result"`
	Type   string         `json:"result_type"` // string, number, boolean, array, object, null or unserializable
}

// cdpResult is the result of browser_cdp.
type cdpResult struct {
	success
	Method   string         `json:"method"`
	Result   jsontext.Value `json:"result" schema:"object"`
	Artifact string         `json:"artifact,omitzero" schema:"-"` // the file of what is too long for a result
	Target   string         `json:"target_id,omitzero"`
	Frame    string         `json:"frame_id,omitzero"`
	Warning  string         `json:"warning,omitzero" schema:"-"`
}

// tooLong stands for a result of the protocol that is in a file.
type tooLong struct {
	Truncated bool `json:"truncated"`
	Bytes     int  `json:"bytes"`
}

// tabsResult is the result of browser_tabs: of list the tabs, of interrupt the scripts that were ended, of the other actions
// what they led to.
type tabsResult struct {
	success
	Tabs    []tabRow         `json:"tabs,omitzero"`
	Tab     string           `json:"tab,omitzero"`     // whose scripts were ended
	Stopped []jsontext.Value `json:"stopped,omitzero"` // the scripts, as `usher tab interrupt` tells them
	Going   string           `json:"going_to,omitzero"`
	outcome
}

// tabRow is a tab of a list.
type tabRow struct {
	ID      string         `json:"tab"`
	Title   string         `json:"title"`
	URL     string         `json:"url"`
	Active  bool           `json:"active,omitzero"`
	Crashed string         `json:"crashed,omitzero"`
	Dialog  jsontext.Value `json:"dialog,omitzero"` // that is open in it
}

// downloadsResult is the result of browser_downloads.
type downloadsResult struct {
	success
	Downloads []api.Download `json:"downloads"`
	Warning   string         `json:"warning,omitzero"`
}

// searchResult is the result of web_search.
type searchResult struct {
	success
	Data    webHitList `json:"data"`
	Warning string     `json:"warning,omitzero" schema:"-"`
}

// webHitList is what a search of the web found.
type webHitList struct {
	Web jsontext.Value `json:"web"` // as `usher web search` tells it
}

// extractResult is the result of web_extract.
type extractResult struct {
	success
	Results []extracted `json:"results"`
	Warning string      `json:"warning,omitzero" schema:"-"`
}

// extracted is a page that was read.
type extracted struct {
	pageText
	Policy jsontext.Value `json:"blocked_by_policy,omitzero"` // the rule that refused the address
}

// readFileResult is the result of read_file.
type readFileResult struct {
	success
	Content string `json:"content"`
	Lines   int    `json:"total_lines"`
	Next    int    `json:"next_offset,omitzero"` // the first line that was not read
}

// writeFileResult is the result of write_file.
type writeFileResult struct {
	success
	Path  string `json:"path"`
	Bytes int    `json:"bytes"`
}

// patchResult is the result of patch.
type patchResult struct {
	success
	Path     string `json:"path"`
	Replaced int    `json:"replaced"` // how many times
}

// searchFilesResult is the result of search_files.
type searchFilesResult struct {
	success
	Matches   []fileMatch `json:"matches"`
	Truncated bool        `json:"truncated"` // there are more, or not all was searched
}

// fileMatch is a file, or a line of one.
type fileMatch struct {
	File string     `json:"file"`
	Line *lineMatch `json:",embed"` // nil where names are searched
}

// lineMatch is a line of a file.
type lineMatch struct {
	Number int    `json:"line"`
	Text   string `json:"text"` // without the blanks around it, shortened
}

// todoResult is the result of todo.
type todoResult struct {
	success
	Tasks []task `json:"todos"`
	Open  int    `json:"open"` // how many are pending or in progress
}

// task is one entry of a task list.
type task struct {
	ID      string `json:"id"`
	Content string `json:"content"`
	Status  string `json:"status"`
}

// memoryResult is the result of memory.
type memoryResult struct {
	success
	Entries []string `json:"entries"` // all notes, as they are after the call
}

// clarifyResult is the result of clarify.
type clarifyResult struct {
	success
	Answer   *string `json:"answer,omitzero"`
	Declined bool    `json:"declined,omitzero"` // the person gave no answer
}

// sessionSearchResult is the result of session_search.
type sessionSearchResult struct {
	success
	Results   []sessionEvent `json:"results"`
	Truncated bool           `json:"truncated"` // there are more
}

// sessionEvent is an event of a browser session.
type sessionEvent struct {
	Session string         `json:"session"`
	Event   map[string]any `json:"event"` // as `usher events` tells it
}
