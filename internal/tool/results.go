package tool

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
)

// success is the first member of every result. It is true unless the call failed.
type success struct {
	Success bool `json:"success"`
}

var succeeded = success{true}

// failure is the result of a call that failed.
type failure struct {
	success
	Error string   `json:"error"`
	Code  api.Code `json:"code"` // see docs/ERRORS.md
	// Blocked is the rule that refused a URL.
	Blocked *blocked `json:"blocked_by_policy,omitzero"`
	// For an image that no model could be asked about: the path of its file, the annotations, and the warning of the
	// screenshot.
	Screenshot  string         `json:"screenshot_path,omitzero"`
	Image       string         `json:"image_path,omitzero"`
	Annotations jsontext.Value `json:"annotations,omitempty"`
	Warning     string         `json:"warning,omitzero"`
}

// blocked is a rule that refused a URL. Its members are null if the error does not have them.
type blocked struct {
	Host   any `json:"host"`
	Rule   any `json:"rule"`
	Source any `json:"source"` // "built in", or file and line of the blocklist
}

// outcome is the observed outcome of an action.
type outcome struct {
	api.Outcome `schema:"-"`
	Warning     string `json:"warning,omitzero" schema:"-"`
	Title       string `json:"title,omitzero" schema:"-"` // of the page, if it has a new document
	// Changes is the outline of what changed in the page. It replaces the member changes of Outcome.
	Changes   string `json:"changes,omitzero"`
	Why       string `json:"why_whole,omitzero" schema:"-"` // why changes is the whole outline though a delta was requested
	Truncated bool   `json:"truncated,omitzero" schema:"-"` // rows were omitted from changes; their places have the counts
}

// led returns the embedded outcome, so that act can complete every result type.
func (o *outcome) led() *outcome { return o }

// acted is a pointer to a result that embeds an outcome.
type acted interface{ led() *outcome }

// clickResult is the result of browser_click.
type clickResult struct {
	success
	Clicked string `json:"clicked"` // the element, or the point as x,y
	outcome
}

// typeResult is the result of browser_type.
type typeResult struct {
	success
	Typed   string `json:"typed"`            // the text; probable secrets are shortened
	Element string `json:"element,omitzero"` // the field
	outcome
}

// pressResult is the result of browser_press.
type pressResult struct {
	success
	Pressed string `json:"pressed"` // the key or chord
	outcome
}

// selectResult is the result of browser_select.
type selectResult struct {
	success
	Selected []string `json:"selected"` // the requested values
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
	Filled int `json:"filled"` // number of fields
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
	Uploaded int `json:"uploaded"` // number of files
	outcome
}

// scrollResult is the result of browser_scroll.
type scrollResult struct {
	success
	Scrolled string `json:"scrolled"` // up or down
	AtEnd    bool   `json:"at_end"`   // it cannot scroll further
	Warning  string `json:"warning,omitzero" schema:"-"`
}

// backResult is the result of browser_back. url is the URL after going back.
type backResult struct {
	success
	outcome `schema:"url,changes"`
}

// waitResult is the result of browser_wait.
type waitResult struct {
	success
	Waited string `json:"waited"` // the condition: text, ref, url, load or seconds
	outcome
}

// dialogResult is the result of browser_dialog.
type dialogResult struct {
	success
	Action string         `json:"action"` // accept or dismiss
	Dialog answeredDialog `json:"dialog"` // replaces the member dialog of Outcome
	// The outcome of the page after the dialog was closed.
	outcome `schema:"-"`
}

// answeredDialog is a dialog that the call closed.
type answeredDialog struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Message  string `json:"message"`
	Accepted bool   `json:"accepted"`
}

// outline is a page as text with refs.
type outline struct {
	Snapshot  string `json:"snapshot"`
	Elements  int    `json:"element_count"` // number of elements with refs
	Delta     bool   `json:"delta,omitzero"`
	Why       string `json:"why_whole,omitzero" schema:"-"`    // why it is the whole outline though a delta was requested
	Truncated bool   `json:"truncated,omitzero"`               // it was cut to a budget
	Total     int    `json:"total_tokens,omitzero" schema:"-"` // of the whole outline, if it was cut
}

// navigateResult is the result of browser_navigate.
type navigateResult struct {
	success
	URL    string `json:"url"`
	Title  string `json:"title"`
	Status int    `json:"status,omitzero"` // the HTTP status, if 400 or higher
	// Bot and Login describe a bot check or login page that was shown in place of the requested page.
	Bot   string `json:"bot_detection_warning,omitzero"`
	Login string `json:"auth_wall_warning,omitzero"`
	// Dialog is a dialog that the page opened while loading. It blocks the page, so there is no snapshot.
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
	// Pending are the open dialogs; Recent are those closed since the last call. Both have the form of `usher status`.
	// Tree is present if there is more than one frame and the tree differs from the last one reported.
	Pending []jsontext.Value `json:"pending_dialogs,omitzero"`
	Recent  []jsontext.Value `json:"recent_dialogs,omitzero"`
	Tree    *frameTree       `json:"frame_tree,omitzero"`
}

// frameTree is the frame tree of the page, in the form of `usher status`.
type frameTree struct {
	Top       jsontext.Value   `json:"top"`
	Children  []jsontext.Value `json:"children"`
	Truncated bool             `json:"truncated"`
}

// findResult is the result of browser_find.
type findResult struct {
	success
	Matches int `json:"matches"` // number of matching lines
	outline
}

// imagesResult is the result of browser_get_images.
type imagesResult struct {
	success
	Images []jsontext.Value `json:"images"` // src, alt, width and height of each, as reported by the page
	Count  int              `json:"count"`  // of all images, listed or not
}

// visionResult is the result of browser_vision.
type visionResult struct {
	success
	Analysis    *string        `json:"analysis,omitzero"` // absent if the result contains the image itself
	Screenshot  string         `json:"screenshot_path"`
	Annotations jsontext.Value `json:"annotations,omitempty" schema:"array"` // the numbered elements
	Warning     string         `json:"warning,omitzero" schema:"-"`
}

// lookResult is the result of vision_analyze.
type lookResult struct {
	success
	Analysis *string `json:"analysis,omitzero"` // absent if the result contains the image itself
	Image    string  `json:"image_path"`
}

// consoleResult is the result of browser_console: the console, or the value of the expression.
type consoleResult struct {
	success
	Logged *logged     `json:",embed"`
	Value  *evaluation `json:",embed"`
}

// logged is the console of the page.
type logged struct {
	Messages      []consoleMessage `json:"console_messages"` // the newest 50
	Errors        []consoleError   `json:"js_errors"`        // the newest 50
	TotalMessages int              `json:"total_messages"`
	TotalErrors   int              `json:"total_errors"`
}

// consoleMessage is a line of the console. source is "console".
type consoleMessage struct {
	Type   string `json:"type"`
	Text   string `json:"text"`
	Source string `json:"source"`
}

// consoleError is an uncaught error of the page.
type consoleError struct {
	Message string `json:"message"`
	Source  string `json:"source"` // URL:line, or "exception"
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
	Artifact string         `json:"artifact,omitzero" schema:"-"` // path of the file with a result that is too long
	Target   string         `json:"target_id,omitzero"`
	Frame    string         `json:"frame_id,omitzero"`
	Warning  string         `json:"warning,omitzero" schema:"-"`
}

// tooLong replaces a CDP result that was saved to a file.
type tooLong struct {
	Truncated bool `json:"truncated"`
	Bytes     int  `json:"bytes"`
}

// tabsResult is the result of browser_tabs: for list the tabs, for interrupt the terminated scripts, for other actions
// the outcome.
type tabsResult struct {
	success
	Tabs    []tabRow         `json:"tabs,omitzero"`
	Tab     string           `json:"tab,omitzero"`     // the tab whose scripts were terminated
	Stopped []jsontext.Value `json:"stopped,omitzero"` // the scripts, in the form of `usher tab interrupt`
	Going   string           `json:"going_to,omitzero"`
	outcome
}

// tabRow is one tab.
type tabRow struct {
	ID      string         `json:"tab"`
	Title   string         `json:"title"`
	URL     string         `json:"url"`
	Active  bool           `json:"active,omitzero"`
	Crashed string         `json:"crashed,omitzero"`
	Dialog  jsontext.Value `json:"dialog,omitzero"` // the dialog that is open in it
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

// webHitList are the hits of a web search.
type webHitList struct {
	Web jsontext.Value `json:"web"` // in the form of `usher web search`
}

// extractResult is the result of web_extract.
type extractResult struct {
	success
	Results []extracted `json:"results"`
	Warning string      `json:"warning,omitzero" schema:"-"`
}

// extracted is one page.
type extracted struct {
	pageText
	Policy jsontext.Value `json:"blocked_by_policy,omitzero"` // the rule that refused the URL
}

// readFileResult is the result of read_file.
type readFileResult struct {
	success
	Content string `json:"content"`
	Lines   int    `json:"total_lines"`
	Next    int    `json:"next_offset,omitzero"` // the first line that was not returned
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
	Replaced int    `json:"replaced"` // number of replacements
}

// searchFilesResult is the result of search_files.
type searchFilesResult struct {
	success
	Matches   []fileMatch `json:"matches"`
	Truncated bool        `json:"truncated"` // there are more matches, or not all files were searched
}

// fileMatch is a matching file, or a matching line of one.
type fileMatch struct {
	File string     `json:"file"`
	Line *lineMatch `json:",embed"` // nil if names were searched
}

// lineMatch is a line of a file.
type lineMatch struct {
	Number int    `json:"line"`
	Text   string `json:"text"` // trimmed and cut to 300 bytes
}

// todoResult is the result of todo.
type todoResult struct {
	success
	Tasks []task `json:"todos"`
	Open  int    `json:"open"` // number of pending and in_progress entries
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
	Entries []string `json:"entries"` // all notes after the call
}

// clarifyResult is the result of clarify.
type clarifyResult struct {
	success
	Answer   *string `json:"answer,omitzero"`
	Declined bool    `json:"declined,omitzero"` // the person declined to answer
}

// sessionSearchResult is the result of session_search.
type sessionSearchResult struct {
	success
	Results   []sessionEvent `json:"results"`
	Truncated bool           `json:"truncated"` // there are more matches
}

// sessionEvent is an event of a browser session.
type sessionEvent struct {
	Session string         `json:"session"`
	Event   map[string]any `json:"event"` // in the form of `usher events`
}
