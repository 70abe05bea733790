package agentbrowser

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/usher-browser/usher/internal/tool"
)

// details is the result of the tool; docs/agent-tool.md explains the members.
type details struct {
	// As result.Details of package session/agenttool has them: a test in package program compares the names.
	tool.Success
	Args                        []string       `json:"args,omitzero"`
	EffectiveArgs               []string       `json:"effectiveArgs,omitzero"`
	Command                     string         `json:"command,omitzero"`
	Subcommand                  string         `json:"subcommand,omitzero"`
	CompiledSemanticAction      jsontext.Value `json:"compiledSemanticAction,omitempty" schema:"object"`
	CompiledJob                 jsontext.Value `json:"compiledJob,omitempty" schema:"object"`
	CompiledQaPreset            jsontext.Value `json:"compiledQaPreset,omitempty" schema:"object"`
	CompiledSourceLookup        jsontext.Value `json:"compiledSourceLookup,omitempty" schema:"object"`
	CompiledNetworkSourceLookup jsontext.Value `json:"compiledNetworkSourceLookup,omitempty" schema:"object"`
	CompiledElectron            jsontext.Value `json:"compiledElectron,omitempty" schema:"object"`
	ResultCategory              string         `json:"resultCategory,omitzero"`
	SuccessCategory             string         `json:"successCategory,omitzero"`
	FailureCategory             string         `json:"failureCategory,omitzero"`
	Summary                     string         `json:"summary,omitzero"`
	Error                       string         `json:"error,omitzero"`
	ErrorCode                   string         `json:"errorCode,omitzero"`
	ValidationError             string         `json:"validationError,omitzero"`
	InvalidValueFlag            jsontext.Value `json:"invalidValueFlag,omitempty" schema:"object"`
	TimedOut                    bool           `json:"timedOut,omitzero"`
	TimeoutMs                   int            `json:"timeoutMs,omitzero"`
	Inspection                  bool           `json:"inspection,omitzero"`
	Stdout                      string         `json:"stdout,omitzero"`
	Warning                     string         `json:"warning,omitzero"`
	Data                        jsontext.Value `json:"data,omitempty"`
	SessionMode                 string         `json:"sessionMode,omitzero"`
	SessionName                 string         `json:"sessionName,omitzero"`
	Namespace                   string         `json:"namespace,omitzero"`
	UsedImplicitSession         bool           `json:"usedImplicitSession,omitzero"`
	ManagedSessionOutcome       jsontext.Value `json:"managedSessionOutcome,omitempty" schema:"object"`
	SessionRecoveryHint         jsontext.Value `json:"sessionRecoveryHint,omitempty" schema:"object"`
	SessionTabTarget            jsontext.Value `json:"sessionTabTarget,omitempty" schema:"object"`
	CloseAllApplied             bool           `json:"closeAllApplied,omitzero"`
	RefSnapshot                 jsontext.Value `json:"refSnapshot,omitempty" schema:"object"`
	RefSnapshotRevision         int            `json:"refSnapshotRevision,omitzero"`
	RefSnapshotInvalidation     jsontext.Value `json:"refSnapshotInvalidation,omitempty" schema:"object"`
	RefIDs                      []string       `json:"refIds,omitzero"`
	PageChangeSummary           jsontext.Value `json:"pageChangeSummary,omitempty" schema:"object"`
	NavigationSummary           jsontext.Value `json:"navigationSummary,omitempty" schema:"object"`
	BatchSteps                  jsontext.Value `json:"batchSteps,omitempty" schema:"array"`
	BatchFailure                jsontext.Value `json:"batchFailure,omitempty" schema:"object"`
	Artifacts                   jsontext.Value `json:"artifacts,omitempty" schema:"array"`
	ArtifactVerification        jsontext.Value `json:"artifactVerification,omitempty" schema:"object"`
	ArtifactManifest            jsontext.Value `json:"artifactManifest,omitempty" schema:"object"`
	ArtifactManifestRevision    int            `json:"artifactManifestRevision,omitzero"`
	ArtifactRetentionSummary    string         `json:"artifactRetentionSummary,omitzero"`
	ArtifactCleanup             jsontext.Value `json:"artifactCleanup,omitempty" schema:"object"`
	SavedFile                   jsontext.Value `json:"savedFile,omitempty" schema:"object"`
	SavedFilePath               string         `json:"savedFilePath,omitzero"`
	ImagePath                   string         `json:"imagePath,omitzero"`
	ImagePaths                  []string       `json:"imagePaths,omitzero"`
	FullOutputPath              string         `json:"fullOutputPath,omitzero"`
	FullOutputPaths             []string       `json:"fullOutputPaths,omitzero"`
	FullOutputUnavailable       string         `json:"fullOutputUnavailable,omitzero"`
	OutputFile                  jsontext.Value `json:"outputFile,omitempty" schema:"object"`
	DownloadRecovery            jsontext.Value `json:"downloadRecovery,omitempty" schema:"object"`
	ClickDispatch               jsontext.Value `json:"clickDispatch,omitempty" schema:"object"`
	OverlayBlockers             jsontext.Value `json:"overlayBlockers,omitempty" schema:"object"`
	PromptGuard                 jsontext.Value `json:"promptGuard,omitempty" schema:"object"`
	VisibleRefFallback          jsontext.Value `json:"visibleRefFallback,omitempty" schema:"object"`
	RichInputRecovery           jsontext.Value `json:"richInputRecovery,omitempty" schema:"object"`
	FillVerification            jsontext.Value `json:"fillVerification,omitempty" schema:"object"`
	ScrollNoop                  jsontext.Value `json:"scrollNoop,omitempty" schema:"object"`
	ComboboxFocus               jsontext.Value `json:"comboboxFocus,omitempty" schema:"object"`
	SelectorTextVisibility      jsontext.Value `json:"selectorTextVisibility,omitempty" schema:"object"`
	SelectorTextVisibilityAll   jsontext.Value `json:"selectorTextVisibilityAll,omitempty" schema:"array"`
	EvalStdinHint               jsontext.Value `json:"evalStdinHint,omitempty" schema:"object"`
	EvalResultWarning           jsontext.Value `json:"evalResultWarning,omitempty" schema:"object"`
	TimeoutPartialProgress      jsontext.Value `json:"timeoutPartialProgress,omitempty" schema:"object"`
	RecordingWarning            jsontext.Value `json:"recordingDependencyWarning,omitempty" schema:"object"`
	SnapshotFilter              jsontext.Value `json:"snapshotFilter,omitempty" schema:"object"`
	SnapshotViewport            jsontext.Value `json:"snapshotViewport,omitempty" schema:"object"`
	NetworkRequestsPageFilter   jsontext.Value `json:"networkRequestsPageFilter,omitempty" schema:"object"`
	NetworkRouteDiagnostics     jsontext.Value `json:"networkRouteDiagnostics,omitempty" schema:"array"`
	SessionTabCorrection        jsontext.Value `json:"sessionTabCorrection,omitempty" schema:"object"`
	AboutBlankSessionMismatch   jsontext.Value `json:"aboutBlankSessionMismatch,omitempty" schema:"object"`
	ElectronPostCommandHealth   jsontext.Value `json:"electronPostCommandHealth,omitempty" schema:"object"`
	ElectronRefFreshness        jsontext.Value `json:"electronRefFreshness,omitempty" schema:"object"`
	ElectronTextScope           jsontext.Value `json:"electronGetTextScopeWarning,omitempty" schema:"object"`
	ElectronTextScopes          jsontext.Value `json:"electronGetTextScopeWarnings,omitempty" schema:"array"`
	ElectronSessionMismatch     jsontext.Value `json:"electronSessionMismatch,omitempty" schema:"object"`
	QAPreset                    jsontext.Value `json:"qaPreset,omitempty" schema:"object"`
	QAAttachedTarget            jsontext.Value `json:"qaAttachedTarget,omitempty" schema:"object"`
	Electron                    jsontext.Value `json:"electron,omitempty"`
	SourceLookup                jsontext.Value `json:"sourceLookup,omitempty"`
	NetworkSourceLookup         jsontext.Value `json:"networkSourceLookup,omitempty"`
	ScriptRun                   jsontext.Value `json:"scriptRun,omitempty" schema:"object"`
	ScriptSteps                 jsontext.Value `json:"scriptSteps,omitempty" schema:"array"`
	ScriptSession               jsontext.Value `json:"scriptSession,omitempty" schema:"object"`
	NextActions                 jsontext.Value `json:"nextActions,omitempty" schema:"array"`
}
