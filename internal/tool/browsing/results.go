package browsing

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/tool"
)

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

// actionOutcome returns the embedded outcome, so that act can complete every result type.
func (o *outcome) actionOutcome() *outcome { return o }

// actionResult is a pointer to a result that embeds an outcome.
type actionResult interface{ actionOutcome() *outcome }

// clickResult is the result of browser_click.
type clickResult struct {
	tool.Success
	Clicked string `json:"clicked"` // the element, or the point as x,y
	outcome
}

// typeResult is the result of browser_type.
type typeResult struct {
	tool.Success
	Typed   string `json:"typed"`            // the text; probable secrets are shortened
	Element string `json:"element,omitzero"` // the field
	outcome
}

// pressResult is the result of browser_press.
type pressResult struct {
	tool.Success
	Pressed string `json:"pressed"` // the key or chord
	outcome
}

// selectResult is the result of browser_select.
type selectResult struct {
	tool.Success
	Selected []string `json:"selected"` // the requested values
	outcome
}

// checkResult is the result of browser_check.
type checkResult struct {
	tool.Success
	Checked bool `json:"checked"`
	outcome
}

// fillFormResult is the result of browser_fill_form.
type fillFormResult struct {
	tool.Success
	Filled int `json:"filled"` // number of fields
	outcome
}

// hoverResult is the result of browser_hover.
type hoverResult struct {
	tool.Success
	Hovered string `json:"hovered"` // the element
	outcome
}

// dragResult is the result of browser_drag.
type dragResult struct {
	tool.Success
	Dragged bool `json:"dragged"`
	outcome
}

// uploadResult is the result of browser_upload.
type uploadResult struct {
	tool.Success
	Uploaded int `json:"uploaded"` // number of files
	outcome
}

// scrollResult is the result of browser_scroll.
type scrollResult struct {
	tool.Success
	Scrolled string `json:"scrolled"` // up or down
	AtEnd    bool   `json:"at_end"`   // it cannot scroll further
	Warning  string `json:"warning,omitzero" schema:"-"`
}

// backResult is the result of browser_back. url is the URL after going back.
type backResult struct {
	tool.Success
	outcome `schema:"url,changes"`
}

// waitResult is the result of browser_wait.
type waitResult struct {
	tool.Success
	Waited string `json:"waited"` // the condition: text, ref, url, load or seconds
	outcome
}

// dialogResult is the result of browser_dialog.
type dialogResult struct {
	tool.Success
	Action string         `json:"action"` // accept or dismiss
	Dialog answeredDialog `json:"dialog"` // replaces the member dialog of Outcome
	// Next is a dialog that the page opened then. It blocks the page until it is answered.
	Next *api.Dialog `json:"next_dialog,omitempty" schema:"-"`
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
	tool.Success
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
	tool.Success
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
	tool.Success
	Matches int `json:"matches"` // number of matching lines
	outline
}

// imagesResult is the result of browser_get_images.
type imagesResult struct {
	tool.Success
	Images []jsontext.Value `json:"images"` // src, alt, width and height of each, as reported by the page
	Count  int              `json:"count"`  // of all images, listed or not
}

// visionResult is the result of browser_vision.
type visionResult struct {
	tool.Success
	Analysis    *string        `json:"analysis,omitzero"` // absent if the result contains the image itself
	Screenshot  string         `json:"screenshot_path"`
	Annotations jsontext.Value `json:"annotations,omitempty" schema:"array"` // the numbered elements
	Warning     string         `json:"warning,omitzero" schema:"-"`
}

// consoleResult is the result of browser_console: the console, or the value of the expression.
type consoleResult struct {
	tool.Success
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
	tool.Success
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
	tool.Success
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
	tool.Success
	Downloads []api.Download `json:"downloads"`
	Warning   string         `json:"warning,omitzero"`
}
