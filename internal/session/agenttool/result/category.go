package result

// The categories of results. A failure's category follows from its code, never from its text.
const (
	Completed          = "completed"
	Inspection         = "inspection"
	ArtifactSaved      = "artifact-saved"
	artifactUnverified = "artifact-unverified"
	ArtifactPending    = "artifact-pending"

	Aborted              = "aborted"
	ArtifactMissing      = "artifact-missing"
	CleanupFailed        = "cleanup-failed"
	ConfirmationRequired = "confirmation-required"
	DownloadNotVerified  = "download-not-verified"
	MissingBinary        = "missing-binary"
	ParseFailure         = "parse-failure"
	PolicyBlocked        = "policy-blocked"
	QaFailure            = "qa-failure"
	ScriptError          = "script-error"
	SelectorNotFound     = "selector-not-found"
	SelectorUnsupported  = "selector-unsupported"
	StaleRef             = "stale-ref"
	TabDrift             = "tab-drift"
	TabGone              = "tab-gone"
	Timeout              = "timeout"
	UpstreamError        = "upstream-error"
	ValidationError      = "validation-error"
)
