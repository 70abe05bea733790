package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Change is one change of a browser, as the streams of its contexts carry it. Which of the fields are set depends on
// the kind. Texts are page content, shortened.
type Change struct {
	// Seq counts the changes of a context from 1.
	Seq  uint64     `json:"seq"`
	At   time.Time  `json:"time"`
	Kind ChangeKind `json:"type"`
	// Context is empty for a change of the whole browser.
	Context ContextID `json:"-"`
	// Number is the tab's; 0 for a change that belongs to no tab.
	Number int `json:"-"`
	// Record numbers the journal's record of a console message, an error or a step of a request.
	Record uint64   `json:"-"`
	Tab    TargetID `json:"targetId,omitzero"`
	Frame  FrameID  `json:"frameId,omitzero"`
	// ID is that of a dialog, a download or a request.
	ID   string `json:"id,omitzero"`
	URL  string `json:"url,omitzero"`
	Text string `json:"text,omitzero"`
	// Detail is the property that distinguishes events of the kind: the type of a dialog, the level of a console line,
	// the load state, how a renderer ended, the HTTP method.
	Detail string   `json:"detail,omitzero"`
	By     ClosedBy `json:"closedBy,omitzero"`
	Status int      `json:"status,omitzero"`
	// Received and Total are the bytes of a download.
	Received int64 `json:"received,omitzero"`
	Total    int64 `json:"total,omitzero"`
}

// ChangeKind is the kind of a change. The word before the underscore is the family, which selects several kinds at
// once.
type ChangeKind string

// The kinds of changes. A new kind needs its line here and one in changeKinds.
const (
	TabOpened          ChangeKind = "tab_opened"
	TabClosed          ChangeKind = "tab_closed"
	TabNavigated       ChangeKind = "tab_navigated"
	TabTitle           ChangeKind = "tab_title"
	TabCrashed         ChangeKind = "tab_crashed"
	TabUnresponsive    ChangeKind = "tab_unresponsive"
	TabAnswers         ChangeKind = "tab_answers"
	FrameAttached      ChangeKind = "frame_attached"
	FrameNavigated     ChangeKind = "frame_navigated"
	FrameDetached      ChangeKind = "frame_detached"
	FrameCrashed       ChangeKind = "frame_crashed"
	LoadStarted        ChangeKind = "load_started"
	LoadStopped        ChangeKind = "load_stopped"
	LoadState          ChangeKind = "load_state"
	DialogOpened       ChangeKind = "dialog_opened"
	DialogClosed       ChangeKind = "dialog_closed"
	DownloadStarted    ChangeKind = "download_started"
	DownloadProgressed ChangeKind = "download_progress"
	DownloadEnded      ChangeKind = "download_ended"
	InterruptionOpened ChangeKind = "interruption_opened"
	InterruptionClosed ChangeKind = "interruption_closed"
	EventsLost         ChangeKind = "browser_lost"
	BrowserOutage      ChangeKind = "browser_unreachable"
	BrowserBack        ChangeKind = "browser_reconnected"
	BrowserClosed      ChangeKind = "browser_closed"

	ConsoleMessage ChangeKind = "console_message"
	PageError      ChangeKind = "error_thrown"
	RequestSent    ChangeKind = "request_sent"
	RequestDone    ChangeKind = "request_answered"
	RequestFailed  ChangeKind = "request_failed"
)

// changeKinds is every kind, with its sentence for people: words in braces are the fields.
var changeKinds = [...]struct {
	kind     ChangeKind
	sentence string
}{
	{TabOpened, "opened {url}"},
	{TabClosed, "closed {url}"},
	{TabNavigated, "navigated to {url}"},
	{TabTitle, "title is now {text}"},
	{TabCrashed, "renderer crashed: {detail}"},
	{TabUnresponsive, "renderer of {url} is unresponsive ({detail})"},
	{TabAnswers, "renderer of {url} is responsive again"},
	{FrameAttached, "frame {frame} attached {url}"},
	{FrameNavigated, "frame {frame} navigated to {url}"},
	{FrameDetached, "frame {frame} detached {url}"},
	{FrameCrashed, "renderer of frame {frame} crashed: {detail}"},
	{LoadStarted, "navigation to {url} started"},
	{LoadStopped, "navigation to {url} ended without a new document"},
	{LoadState, "{detail} of {url}"},
	{DialogOpened, "{detail} dialog {id} opened: {text}"},
	{DialogClosed, "dialog {id} {detail} by {by} {text}"},
	{DownloadStarted, "download {id} of {text} started: {url}"},
	{DownloadProgressed, "download {id} has {bytes}"},
	{DownloadEnded, "download {id} of {text} {detail}: {bytes}"},
	{InterruptionOpened, "{detail} {id}: {text}"},
	{InterruptionClosed, "{detail} {id} closed by {by}: {text}"},
	{EventsLost, "events were lost: they arrived faster than they could be read"},
	{BrowserOutage, "connection to the browser lost: {text}"},
	{BrowserBack, "connected to the browser again"},
	{BrowserClosed, "browser ended: {text}"},
	{ConsoleMessage, "console {detail}: {text}"},
	{PageError, "uncaught: {text}"},
	{RequestSent, "request {id} {detail} {url}"},
	{RequestDone, "request {id} answered {status} {url}"},
	{RequestFailed, "request {id} failed: {text} {url}"},
}

// ChangeKinds lists every kind.
func ChangeKinds() []ChangeKind {
	kinds := make([]ChangeKind, len(changeKinds))
	for i := range changeKinds {
		kinds[i] = changeKinds[i].kind
	}
	return kinds
}

// ConcernsBrowser reports whether a change concerns every context of the browser.
func (k ChangeKind) ConcernsBrowser() bool {
	return k == BrowserClosed || k == BrowserOutage || k == BrowserBack
}

// Family returns the first word of a kind.
func (k ChangeKind) Family() string {
	family, _, _ := strings.Cut(string(k), "_")
	return family
}

// Sentence returns the change as a sentence for people, without the time and the tab. clean makes a text of the page
// harmless.
func (c *Change) Sentence(clean func(string) string) string {
	i := slices.IndexFunc(changeKinds[:], func(k struct {
		kind     ChangeKind
		sentence string
	}) bool {
		return k.kind == c.Kind
	})
	if i < 0 {
		return string(c.Kind)
	}
	quoted := func(s string) string {
		if s == "" {
			return ""
		}
		return "“" + clean(s) + "”"
	}
	return strings.TrimRight(strings.NewReplacer(
		"{url}", clean(c.URL), "{text}", quoted(c.Text), "{detail}", clean(c.Detail), "{id}", clean(c.ID), "{frame}", string(c.Frame),
		"{by}", string(c.By), "{status}", fmt.Sprint(c.Status), "{bytes}", c.bytes(),
	).Replace(changeKinds[i].sentence), ": ")
}

func (c *Change) bytes() string {
	if c.Total > 0 {
		return fmt.Sprintf("%d of %d bytes", c.Received, c.Total)
	}
	return fmt.Sprintf("%d bytes", c.Received)
}

// The limits of the texts of a change.
const (
	changeText = 200
	changeURL  = 2000
)

// Shorten bounds the texts of a change, whose length a page controls.
func (c *Change) Shorten() {
	c.Text, c.URL = shortened(c.Text, changeText), shortened(c.URL, changeURL)
	c.Detail, c.ID = shortened(c.Detail, changeText), shortened(c.ID, changeText)
}

// shortened cuts a text after n characters. The result does not share memory with the text.
func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n {
			return strings.Clone(s[:i]) + "…"
		}
		count++
	}
	return s
}

// Weight returns the size of a change in memory besides its struct, in bytes.
func (c *Change) Weight() int {
	return len(c.Text) + len(c.URL) + len(c.Detail) + len(c.ID)
}
