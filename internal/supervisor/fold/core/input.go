package core

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/supervisor/model"
)

// Command is an input that is no event. Each feature has its own.
type Command interface {
	// InputName returns the name of the command in recordings, which is that of its type.
	InputName() string
}

// Reply is the outcome of a Send effect that carried a tag.
type Reply struct {
	Tag     Tag
	Session string
	Result  jsontext.Value
	Err     error
}

// InputName returns the name in recordings.
func (*Reply) InputName() string { return "Reply" }

// Tag is the purpose of a reply.
type Tag struct {
	Kind   TagKind
	Dialog string // for TagAnswer, TagSuspect, TagRelease, TagCheck
	// Frame and Loader name the document that TagIsolation, TagOwner and TagOwnerNode
	// are about.
	Frame  model.FrameID
	Loader string
	URL    string // for TagReload
	// Request is the paused request of TagFulfill.
	Request string
	// Script is the init script of TagScript.
	Script string
}

// TagKind is the purpose of a tagged call. New ones are added at the end: recordings contain the numbers.
type TagKind int

// Purposes of tagged calls.
const (
	TagNone         TagKind = iota
	TagTree                 // Page.getFrameTree
	TagRun                  // Runtime.runIfWaitingForDebugger, the last of the set-up
	TagAnswer               // Page.handleJavaScriptDialog, Debugger.setVariableValue
	TagProbe                // of a liveness probe: is the main thread free
	TagScriptProbe          // of a liveness probe: does it run a script
	TagBrowserProbe         // of a liveness probe: does the browser answer
	TagBridge               // Page.addScriptToEvaluateOnNewDocument
	TagSuspect              // Runtime.evaluate, after a dialog was closed too soon
	TagIsolation            // Network.getSecurityIsolationStatus
	TagOwner                // DOM.getFrameOwner
	TagOwnerNode            // DOM.describeNode
	TagReload               // Page.reload of a navigation that a login stopped
	TagRelease              // Page.navigate, to dismiss a dialog
	TagEnable               // Page.enable
	TagChildren             // Target.setAutoAttach of a page or frame
	TagIdentity             // Target.getBrowserContexts
	TagDiscovered           // Target.setAutoAttach of the browser, the last of a connection's beginning
	TagStandby              // Page.enable on the standby connection
	TagCheck                // Page.getNavigationHistory, for a dialog of a page that is being left
	TagScriptBegins         // of an own script: it begins
	TagScriptEnded          // of an own script: it has ended
	TagFulfill              // Fetch.fulfillRequest
	TagScript               // Page.addScriptToEvaluateOnNewDocument of an init script
)
