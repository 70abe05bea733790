package result

import (
	"github.com/go-json-experiment/json/jsontext"
)

// ClickDispatch is a click of which the page received no event.
type ClickDispatch struct {
	Reason           string         `json:"reason"`
	Status           string         `json:"status"`
	NativeEventCount int            `json:"nativeEventCount"`
	Target           DispatchTarget `json:"target"`
	Summary          string         `json:"summary"`
}

// DispatchTarget is what was to be clicked.
type DispatchTarget struct {
	Kind     string `json:"kind"` // accessible, xpath or selector
	Role     string `json:"role,omitzero"`
	Name     string `json:"name,omitzero"`
	RefID    string `json:"refId,omitzero"`
	Selector string `json:"selector,omitzero"`
}

// OverlayBlockers is what covers the target of an action, with ways to close it.
type OverlayBlockers struct {
	// CoveredBy describes the element that the hit test found.
	CoveredBy  string             `json:"coveredBy,omitzero"`
	Candidates []OverlayCandidate `json:"candidates"`
	Summary    string             `json:"summary"`
}

// OverlayCandidate is a control that may close the cover.
type OverlayCandidate struct {
	Ref    string   `json:"ref"`
	Role   string   `json:"role"`
	Name   string   `json:"name"`
	Args   []string `json:"args"`
	Reason string   `json:"reason"`
}

// VisibleRefFallback are elements of the page that have the role and the name that were looked for in vain.
type VisibleRefFallback struct {
	Candidates []RefCandidate `json:"candidates"`
	Target     RefTarget      `json:"target"`
	Summary    string         `json:"summary"`
}

// RefCandidate is such an element.
type RefCandidate struct {
	Ref       string   `json:"ref"`
	Role      string   `json:"role"`
	Name      string   `json:"name"`
	Reason    string   `json:"reason"`
	Action    string   `json:"action,omitzero"`
	Args      []string `json:"args,omitzero"`
	FocusArgs []string `json:"focusArgs,omitzero"`
	ClickArgs []string `json:"clickArgs,omitzero"`
}

// RefTarget is what was looked for.
type RefTarget struct {
	Action     string   `json:"action"`
	Roles      []string `json:"roles"`
	TargetName string   `json:"targetName"`
}

// RichInputRecovery are fields that may be the one that a fill did not find.
type RichInputRecovery struct {
	Candidates      []RefCandidate `json:"candidates"`
	InputMethodHint string         `json:"inputMethodHint"`
	NextActionIDs   []string       `json:"nextActionIds"`
	Target          RefTarget      `json:"target"`
	Summary         string         `json:"summary"`
}

// FillVerification is a field that has another value than was entered.
type FillVerification struct {
	Selector string `json:"selector"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Method   string `json:"method"` // value
	Reason   string `json:"reason"` // value-fill-mismatch
	Status   string `json:"status"` // mismatch
}

// ScrollNoop is a scroll that moved nothing.
type ScrollNoop struct {
	Reason          string         `json:"reason"`
	Moved           jsontext.Value `json:"moved"` // pixels
	AtEnd           bool           `json:"atEnd"`
	Message         string         `json:"message"`
	Recommendations []string       `json:"recommendations"`
}

// Hint is advice on a result.
type Hint struct {
	Reason     string `json:"reason"`
	Suggestion string `json:"suggestion"`
}

// RecordingDependencyNotice is not sent: usher's recordings need no other program. The schema has it for clients that read it.
type RecordingDependencyNotice struct {
	Reason     string `json:"reason"`
	Dependency string `json:"dependency"`
	Command    string `json:"command"`
	Message    string `json:"message"`
}

// PromptGuard is why a call was not made: the user's words forbid it, or ask for files that are not there yet.
type PromptGuard struct {
	// Reason is explicit-user-stop-boundary or requested-artifacts-missing-before-close.
	Reason           string            `json:"reason"`
	Message          string            `json:"message"`
	MissingArtifacts []MissingArtifact `json:"missingArtifacts,omitzero"`
	BlockedTarget    string            `json:"blockedTarget,omitzero"`
}

// MissingArtifact is a file that the user asked for.
type MissingArtifact struct {
	Kind     string `json:"kind"`
	Path     string `json:"path"`
	Required bool   `json:"required"`
}

// ComboboxFocus is a combobox that has the focus and shows no options.
type ComboboxFocus struct {
	Reason              string        `json:"reason"`
	Message             string        `json:"message"`
	ActiveElement       ActiveElement `json:"activeElement"`
	VisibleListboxCount int           `json:"visibleListboxCount"`
	VisibleOptionCount  int           `json:"visibleOptionCount"`
	Recommendations     []string      `json:"recommendations"`
}

// ActiveElement is the element with the focus.
type ActiveElement struct {
	Role     string `json:"role,omitzero"`
	TagName  string `json:"tagName"`
	Expanded string `json:"expanded,omitzero"`
	HasPopup string `json:"hasPopup,omitzero"`
	Name     string `json:"name,omitzero"`
}

// SelectorTextVisibility is a selector whose first match may be another element than is visible.
type SelectorTextVisibility struct {
	Selector                string             `json:"selector"`
	MatchCount              int                `json:"matchCount"`
	VisibleCount            int                `json:"visibleCount"`
	FirstMatchVisible       bool               `json:"firstMatchVisible"`
	FirstVisibleTextPreview string             `json:"firstVisibleTextPreview,omitzero"`
	VisibleCandidates       []VisibleCandidate `json:"visibleCandidates"`
	Summary                 string             `json:"summary"`
}

// VisibleCandidate is a visible match of a selector.
type VisibleCandidate struct {
	Index       int    `json:"index"`
	TagName     string `json:"tagName"`
	Role        string `json:"role,omitzero"`
	TextPreview string `json:"textPreview,omitzero"`
}

// TimeoutPartialProgress is what a call had done when its time was over, from the journal of its steps.
type TimeoutPartialProgress struct {
	Summary   string         `json:"summary"`
	Steps     []ProgressStep `json:"steps"`
	RetryStep *ProgressStep  `json:"retryStep,omitzero"`
	// CurrentPage is the page that is open now.
	CurrentPage              *CurrentPage       `json:"currentPage,omitzero"`
	LiveURLRecovered         bool               `json:"liveUrlRecovered"`
	OpenedButPostOpenTimeout bool               `json:"openedButPostOpenTimedOut"`
	Artifacts                []ProgressArtifact `json:"artifacts"`
}

// ProgressStep is a step.
type ProgressStep struct {
	Index int      `json:"index"`
	Args  []string `json:"args"`
	// Status is completed, failed, running (it was interrupted, and may have had effects) or pending (it never started).
	Status        string `json:"status"`
	TookMs        int64  `json:"tookMs,omitzero"`
	Reason        string `json:"reason,omitzero"`
	GeneratedFrom string `json:"generatedFrom,omitzero"`
	Retry         bool   `json:"retry,omitzero"` // it can be repeated without harm
}

// CurrentPage is the page that is open.
type CurrentPage struct {
	Source string `json:"source"` // live
	Target
}

// ProgressArtifact is a file that a step was to write.
type ProgressArtifact struct {
	Path         string `json:"path"`
	AbsolutePath string `json:"absolutePath"`
	Exists       bool   `json:"exists"`
	State        string `json:"state"` // verified or missing
	SizeBytes    int64  `json:"sizeBytes,omitzero"`
	StepIndex    int    `json:"stepIndex"`
}

// SnapshotFilter counts what snapshot --filter role= or --search left.
type SnapshotFilter struct {
	Role         string `json:"role,omitzero"`
	Search       string `json:"search,omitzero"`
	MatchedRefs  int    `json:"matchedRefs"`
	TotalRefs    int    `json:"totalRefs"`
	VisibleLines int    `json:"visibleLines"`
	TotalLines   int    `json:"totalLines"`
}

// SnapshotViewport is how far the page is scrolled, for snapshot --viewport.
type SnapshotViewport struct {
	ScrollX         int               `json:"scrollX"`
	ScrollY         int               `json:"scrollY"`
	InnerWidth      int               `json:"innerWidth"`
	InnerHeight     int               `json:"innerHeight"`
	DocumentWidth   int               `json:"documentWidth"`
	DocumentHeight  int               `json:"documentHeight"`
	ScrollableCount int               `json:"scrollableCount"`
	Containers      []ScrollContainer `json:"containers"` // at most 5
}

// ScrollContainer is an element that scrolls.
type ScrollContainer struct {
	Element      string `json:"element"`
	ScrollTop    int    `json:"scrollTop"`
	ScrollLeft   int    `json:"scrollLeft"`
	ScrollHeight int    `json:"scrollHeight"`
	ClientHeight int    `json:"clientHeight"`
}

// RequestsPageFilter counts what network requests --current-page, --current-origin or --current-url left.
type RequestsPageFilter struct {
	Mode        string `json:"mode"`
	CurrentURL  string `json:"currentUrl,omitzero"`
	MatchedRows int    `json:"matchedRows"`
	TotalRows   int    `json:"totalRows"`
}

// RouteDiagnostic is a request to which a route of the session applies and which did not end well.
type RouteDiagnostic struct {
	Mode         string `json:"mode"`   // abort, body or handler
	Reason       string `json:"reason"` // pending-routed-request, cors-likely-routed-request or unfulfilled-routed-request
	RequestID    string `json:"requestId,omitzero"`
	RequestURL   string `json:"requestUrl,omitzero"`
	RoutePattern string `json:"routePattern"`
	Summary      string `json:"summary"`
}

// TabCorrection says that the tab of the calls before was made active again.
type TabCorrection struct {
	SelectedTab   string `json:"selectedTab"`
	SelectionKind string `json:"selectionKind"` // tabId
	TargetTitle   string `json:"targetTitle,omitzero"`
	TargetURL     string `json:"targetUrl"`
}

// AboutBlankMismatch says that the session shows a blank page although the calls before had another.
type AboutBlankMismatch struct {
	ActiveURL       string `json:"activeUrl"`
	TargetURL       string `json:"targetUrl"`
	TargetTitle     string `json:"targetTitle,omitzero"`
	RecoveryApplied bool   `json:"recoveryApplied"`
	RecoveryHint    string `json:"recoveryHint"`
}

// ElectronHealth is the state of an app in which a command failed.
type ElectronHealth struct {
	AppName       string         `json:"appName"`
	Command       string         `json:"command"`
	LaunchID      string         `json:"launchId"`
	Reason        string         `json:"reason"` // process-dead, debug-port-dead or about-blank-no-live-target
	Status        jsontext.Value `json:"status"`
	Summary       string         `json:"summary"`
	NextActionIDs []string       `json:"nextActionIds"`
}

// ElectronRefFreshness says after an action on a ref that the app may have replaced elements.
type ElectronRefFreshness struct {
	LaunchID      string   `json:"launchId"`
	Command       string   `json:"command"`
	Summary       string   `json:"summary"`
	NextActionIDs []string `json:"nextActionIds"`
}

// ElectronTextScope says that `get text` has read the whole window of an app.
type ElectronTextScope struct {
	Selector        string          `json:"selector"`
	Summary         string          `json:"summary"`
	ElectronContext ElectronContext `json:"electronContext"`
}

// ElectronContext is the app in which a command worked.
type ElectronContext struct {
	LaunchID    string `json:"launchId,omitzero"`
	SessionName string `json:"sessionName,omitzero"`
	URL         string `json:"url,omitzero"`
}

// ElectronSessionMismatch says that a launched app has a window with a page, and the session shows another, or none of it.
type ElectronSessionMismatch struct {
	LaunchID       string          `json:"launchId"`
	LiveTarget     *ElectronTarget `json:"liveTarget,omitzero"` // the first window with a page
	ManagedSession ElectronSession `json:"managedSession"`
	// Reason is launch-session-not-current or managed-session-about-blank-while-launch-target-live.
	Reason        string         `json:"reason"`
	StatusTargets jsontext.Value `json:"statusTargets"` // the app's windows
	NextActionIDs []string       `json:"nextActionIds"`
	Summary       string         `json:"summary"`
}

// ElectronTarget is a window of an app.
type ElectronTarget struct {
	ID    string `json:"id"`
	Type  string `json:"type"`
	Title string `json:"title"`
	URL   string `json:"url"`
}

// ElectronSession is a session and what it shows.
type ElectronSession struct {
	SessionName string `json:"sessionName"`
	Title       string `json:"title,omitzero"`
	URL         string `json:"url,omitzero"`
}
