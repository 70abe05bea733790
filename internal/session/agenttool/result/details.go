package result

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/session/agenttool/input"
)

// Details is the result of a call for programs. Members of what did not happen are absent.
type Details struct {
	// Success is false if resultCategory is failure.
	Success bool `json:"success"`

	// Args are the arguments without secrets, EffectiveArgs what was run.
	Args          []string `json:"args,omitzero"`
	EffectiveArgs []string `json:"effectiveArgs,omitzero"`
	Command       string   `json:"command,omitzero"`
	Subcommand    string   `json:"subcommand,omitzero"`
	// The compiled forms of the modes.
	CompiledSemanticAction      *input.CompiledSemanticAction `json:"compiledSemanticAction,omitzero"`
	CompiledJob                 *input.CompiledJob            `json:"compiledJob,omitzero"`
	CompiledQaPreset            *input.CompiledQA             `json:"compiledQaPreset,omitzero"`
	CompiledSourceLookup        *input.CompiledCommand        `json:"compiledSourceLookup,omitzero"`
	CompiledNetworkSourceLookup *input.CompiledCommand        `json:"compiledNetworkSourceLookup,omitzero"`
	CompiledElectron            *input.CompiledCommand        `json:"compiledElectron,omitzero"`

	// ResultCategory is success or failure; SuccessCategory or FailureCategory says more.
	ResultCategory  string `json:"resultCategory"`
	SuccessCategory string `json:"successCategory,omitzero"`
	FailureCategory string `json:"failureCategory,omitzero"`
	Summary         string `json:"summary,omitzero"`
	// Error is the error in words, and ErrorCode its code (docs/ERRORS.md).
	Error     string `json:"error,omitzero"`
	ErrorCode string `json:"errorCode,omitzero"`
	// ValidationError is an error of the input: nothing was done.
	ValidationError  string            `json:"validationError,omitzero"`
	InvalidValueFlag *InvalidValueFlag `json:"invalidValueFlag,omitzero"`
	TimedOut         bool              `json:"timedOut,omitzero"`
	TimeoutMs        int64             `json:"timeoutMs,omitzero"`
	// Inspection marks the text of help or version, which Stdout has.
	Inspection bool   `json:"inspection,omitzero"`
	Stdout     string `json:"stdout,omitzero"`
	Warning    string `json:"warning,omitzero"`

	// Data is the command's own data, as its --json prints them (docs/results.md), or a [Compacted] in place of large ones.
	Data jsontext.Value `json:"data,omitempty"`

	SessionMode           string                 `json:"sessionMode,omitzero"`
	SessionName           string                 `json:"sessionName,omitzero"`
	Namespace             string                 `json:"namespace,omitzero"`
	UsedImplicitSession   bool                   `json:"usedImplicitSession,omitzero"`
	ManagedSessionOutcome *ManagedSessionOutcome `json:"managedSessionOutcome,omitzero"`
	SessionRecoveryHint   *SessionRecoveryHint   `json:"sessionRecoveryHint,omitzero"`
	SessionTabTarget      *Target                `json:"sessionTabTarget,omitzero"`
	CloseAllApplied       bool                   `json:"closeAllApplied,omitzero"`

	// RefSnapshot are the refs of the last snapshot, sent when they have changed; RefSnapshotRevision numbers these changes.
	RefSnapshot             *RefSnapshot             `json:"refSnapshot,omitzero"`
	RefSnapshotRevision     int                      `json:"refSnapshotRevision,omitzero"`
	RefSnapshotInvalidation *RefSnapshotInvalidation `json:"refSnapshotInvalidation,omitzero"`
	// RefIDs are the refs for which a call was refused before anything was done.
	RefIDs []string `json:"refIds,omitzero"`

	PageChangeSummary *PageChangeSummary `json:"pageChangeSummary,omitzero"`
	NavigationSummary *Target            `json:"navigationSummary,omitzero"`

	BatchSteps   []*BatchStep  `json:"batchSteps,omitzero"`
	BatchFailure *BatchFailure `json:"batchFailure,omitzero"`

	Artifacts            []Artifact            `json:"artifacts,omitzero"`
	ArtifactVerification *ArtifactVerification `json:"artifactVerification,omitzero"`
	// ArtifactManifest are the files of the session, sent when they have changed; ArtifactManifestRevision numbers these changes.
	ArtifactManifest         *ArtifactManifest `json:"artifactManifest,omitzero"`
	ArtifactManifestRevision int               `json:"artifactManifestRevision,omitzero"`
	ArtifactRetentionSummary string            `json:"artifactRetentionSummary,omitzero"`
	ArtifactCleanup          *ArtifactCleanup  `json:"artifactCleanup,omitzero"`
	SavedFile                *SavedFile        `json:"savedFile,omitzero"`
	SavedFilePath            string            `json:"savedFilePath,omitzero"`
	ImagePath                string            `json:"imagePath,omitzero"`
	ImagePaths               []string          `json:"imagePaths,omitzero"`
	FullOutputPath           string            `json:"fullOutputPath,omitzero"`
	FullOutputPaths          []string          `json:"fullOutputPaths,omitzero"`
	FullOutputUnavailable    string            `json:"fullOutputUnavailable,omitzero"`
	OutputFile               *OutputFile       `json:"outputFile,omitzero"`
	DownloadRecovery         *DownloadRecovery `json:"downloadRecovery,omitzero"`

	ClickDispatch             *ClickDispatch             `json:"clickDispatch,omitzero"`
	OverlayBlockers           *OverlayBlockers           `json:"overlayBlockers,omitzero"`
	PromptGuard               *PromptGuard               `json:"promptGuard,omitzero"`
	VisibleRefFallback        *VisibleRefFallback        `json:"visibleRefFallback,omitzero"`
	RichInputRecovery         *RichInputRecovery         `json:"richInputRecovery,omitzero"`
	FillVerification          *FillVerification          `json:"fillVerification,omitzero"`
	ScrollNoop                *ScrollNoop                `json:"scrollNoop,omitzero"`
	ComboboxFocus             *ComboboxFocus             `json:"comboboxFocus,omitzero"`
	SelectorTextVisibility    *SelectorTextVisibility    `json:"selectorTextVisibility,omitzero"`
	SelectorTextVisibilityAll []*SelectorTextVisibility  `json:"selectorTextVisibilityAll,omitzero"`
	EvalStdinHint             *Hint                      `json:"evalStdinHint,omitzero"`
	EvalResultWarning         *Hint                      `json:"evalResultWarning,omitzero"`
	TimeoutPartialProgress    *TimeoutPartialProgress    `json:"timeoutPartialProgress,omitzero"`
	RecordingWarning          *RecordingDependencyNotice `json:"recordingDependencyWarning,omitzero"`

	SnapshotFilter            *SnapshotFilter       `json:"snapshotFilter,omitzero"`
	SnapshotViewport          *SnapshotViewport     `json:"snapshotViewport,omitzero"`
	NetworkRequestsPageFilter *RequestsPageFilter   `json:"networkRequestsPageFilter,omitzero"`
	NetworkRouteDiagnostics   []RouteDiagnostic     `json:"networkRouteDiagnostics,omitzero"`
	SessionTabCorrection      *TabCorrection        `json:"sessionTabCorrection,omitzero"`
	AboutBlankSessionMismatch *AboutBlankMismatch   `json:"aboutBlankSessionMismatch,omitzero"`
	ElectronPostCommandHealth *ElectronHealth       `json:"electronPostCommandHealth,omitzero"`
	ElectronRefFreshness      *ElectronRefFreshness `json:"electronRefFreshness,omitzero"`

	ElectronGetTextScopeWarning  *ElectronTextScope       `json:"electronGetTextScopeWarning,omitzero"`
	ElectronGetTextScopeWarnings []*ElectronTextScope     `json:"electronGetTextScopeWarnings,omitzero"`
	ElectronSessionMismatch      *ElectronSessionMismatch `json:"electronSessionMismatch,omitzero"`

	QAPreset            *QAVerdict     `json:"qaPreset,omitzero"`
	QAAttachedTarget    *QATarget      `json:"qaAttachedTarget,omitzero"`
	Electron            jsontext.Value `json:"electron,omitempty"`
	SourceLookup        jsontext.Value `json:"sourceLookup,omitempty"`
	NetworkSourceLookup jsontext.Value `json:"networkSourceLookup,omitempty"`
	ScriptRun           *ScriptRun     `json:"scriptRun,omitzero"`
	ScriptSteps         []ScriptStep   `json:"scriptSteps,omitzero"`
	ScriptSession       *ScriptSession `json:"scriptSession,omitzero"`

	NextActions []NextAction `json:"nextActions,omitzero"`
}

// InvalidValueFlag is a flag without the value that it needs.
type InvalidValueFlag struct {
	Flag          string `json:"flag"`
	Index         int    `json:"index"`  // in args
	Reason        string `json:"reason"` // missing-value or unexpected-flag
	ReceivedToken string `json:"receivedToken,omitzero"`
}

// Target is a page.
type Target struct {
	Title string `json:"title,omitzero"`
	URL   string `json:"url,omitzero"`
}

// QATarget is the page that qa.attached examined.
type QATarget struct {
	SessionName string `json:"sessionName"`
	Target
}

// RefSnapshot are the refs of a snapshot.
type RefSnapshot struct {
	RefIDs []string           `json:"refIds"`
	Refs   map[string]RefInfo `json:"refs"`
	Target Target             `json:"target"`
}

// RefInfo is the element of a ref.
type RefInfo struct {
	Role string `json:"role"`
	Name string `json:"name"`
}

// RefSnapshotInvalidation says why the refs of earlier snapshots cannot be used.
type RefSnapshotInvalidation struct {
	Reason  string `json:"reason"` // no-active-page or page-transition
	Summary string `json:"summary"`
}

// PageChangeSummary is what a call changed.
type PageChangeSummary struct {
	// ChangeType is navigation (one was committed), mutation, artifact or confirmation.
	ChangeType    string   `json:"changeType"`
	Command       string   `json:"command"`
	Summary       string   `json:"summary"`
	Title         string   `json:"title,omitzero"`
	URL           string   `json:"url,omitzero"`
	ArtifactCount int      `json:"artifactCount,omitzero"`
	SavedFilePath string   `json:"savedFilePath,omitzero"`
	NextActionIDs []string `json:"nextActionIds,omitzero"`
}

// BatchStep is a row of a batch that has begun.
type BatchStep struct {
	// Index is the number of the row; of a job the number of the step that the row is a part of, also when several are.
	Index             int                `json:"index"`
	GeneratedFrom     string             `json:"generatedFrom,omitzero"` // the field of the step that the row was made from, if it is an addition
	Command           []string           `json:"command"`
	Success           bool               `json:"success"`
	ResultCategory    string             `json:"resultCategory"`
	SuccessCategory   string             `json:"successCategory,omitzero"`
	FailureCategory   string             `json:"failureCategory,omitzero"`
	Data              jsontext.Value     `json:"data,omitempty"`
	Error             string             `json:"error,omitzero"`
	ErrorCode         string             `json:"errorCode,omitzero"`
	Warning           string             `json:"warning,omitzero"`
	PageChangeSummary *PageChangeSummary `json:"pageChangeSummary,omitzero"`
	Artifacts         []Artifact         `json:"artifacts,omitzero"`
	FullOutputPath    string             `json:"fullOutputPath,omitzero"`
	NextActions       []NextAction       `json:"nextActions,omitzero"`
}

// BatchFailure is the first row of a batch that failed, and how many of its rows, or steps of its job, succeeded.
type BatchFailure struct {
	FailedStep *BatchStep `json:"failedStep"`
	Succeeded  int        `json:"succeeded"`
	Total      int        `json:"total"`
}

// ManagedSessionOutcome is what a call did to the session that the tool manages.
type ManagedSessionOutcome struct {
	// Status is created, replaced, unchanged, closed, preserved or abandoned.
	Status                string `json:"status"`
	SessionMode           string `json:"sessionMode"`
	ActiveBefore          bool   `json:"activeBefore"`
	ActiveAfter           bool   `json:"activeAfter"`
	Succeeded             bool   `json:"succeeded"`
	Summary               string `json:"summary"`
	AttemptedSessionName  string `json:"attemptedSessionName,omitzero"`
	PreviousSessionName   string `json:"previousSessionName,omitzero"`
	CurrentSessionName    string `json:"currentSessionName,omitzero"`
	ReplacedSessionName   string `json:"replacedSessionName,omitzero"`
	ReplacedSessionClosed *bool  `json:"replacedSessionClosed,omitempty"`
}

// SessionRecoveryHint says how to use options that need another browser.
type SessionRecoveryHint struct {
	Reason                 string       `json:"reason"`
	RecommendedSessionMode string       `json:"recommendedSessionMode"`
	ExampleArgs            []string     `json:"exampleArgs"`
	ExampleParams          ActionParams `json:"exampleParams"`
}

// OutputFile is the file of outputPath.
type OutputFile struct {
	Path   string `json:"path"`
	Bytes  int    `json:"bytes"`
	Source string `json:"source"` // data or text
}
