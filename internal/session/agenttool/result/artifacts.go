package result

import (
	"fmt"
)

// Artifact is a file that a command saved.
type Artifact struct {
	Path            string `json:"path"`
	AbsolutePath    string `json:"absolutePath"`
	RequestedPath   string `json:"requestedPath,omitzero"`
	Kind            string `json:"kind"` // download, file, har, image, pdf, profile, trace or video
	ArtifactType    string `json:"artifactType"`
	MediaType       string `json:"mediaType,omitzero"`
	Extension       string `json:"extension,omitzero"`
	Exists          bool   `json:"exists"`
	SizeBytes       int64  `json:"sizeBytes,omitzero"`
	UpdatedAtMs     int64  `json:"updatedAtMs,omitzero"`
	Status          string `json:"status"` // saved, missing or pending
	Command         string `json:"command"`
	Subcommand      string `json:"subcommand,omitzero"`
	Cwd             string `json:"cwd,omitzero"`
	Session         string `json:"session,omitzero"`
	RecordingState  string `json:"recordingState,omitzero"` // openRecording
	WillExistOnStop bool   `json:"willExistOnStop,omitzero"`
	// Explicit says that the caller named the path, Inline that the picture is part of the result.
	Explicit bool `json:"-"`
	Inline   bool `json:"-"`
}

// ArtifactVerification says which files are proven to exist.
type ArtifactVerification struct {
	Artifacts       []VerifiedArtifact `json:"artifacts"`
	Verified        bool               `json:"verified"` // all of them
	VerifiedCount   int                `json:"verifiedCount"`
	MissingCount    int                `json:"missingCount"`
	PendingCount    int                `json:"pendingCount"`
	UnverifiedCount int                `json:"unverifiedCount"`
}

// VerifiedArtifact is a file and whether it exists.
type VerifiedArtifact struct {
	Path           string `json:"path"`
	Kind           string `json:"kind"`
	State          string `json:"state"` // verified, missing, pending or unverified
	SizeBytes      int64  `json:"sizeBytes,omitzero"`
	Limitation     string `json:"limitation,omitzero"`
	RetentionState string `json:"retentionState,omitzero"` // live, missing
	StorageScope   string `json:"storageScope,omitzero"`   // explicit-path or persistent-session
}

// SavedFile is the file of download, pdf or wait --download.
type SavedFile struct {
	Command string `json:"command"`
	Kind    string `json:"kind"`
	Path    string `json:"path"`
}

// DownloadRecovery says that a file was fetched because clicking its link started no download.
type DownloadRecovery struct {
	Method   string `json:"method"` // direct-anchor-fetch
	Href     string `json:"href"`
	Selector string `json:"selector"`
}

// ArtifactManifest are the last files of the session.
type ArtifactManifest struct {
	Version      int             `json:"version"`
	Entries      []ManifestEntry `json:"entries"`
	LiveCount    int             `json:"liveCount"`
	EvictedCount int             `json:"evictedCount"`
	MaxEntries   int             `json:"maxEntries"`
	UpdatedAtMs  int64           `json:"updatedAtMs"`
}

// ManifestEntry is a file, without its contents.
type ManifestEntry struct {
	Path           string `json:"path"`
	Kind           string `json:"kind"`
	Command        string `json:"command"`
	StorageScope   string `json:"storageScope"`
	RetentionState string `json:"retentionState"`
	CreatedAtMs    int64  `json:"createdAtMs"`
}

// ArtifactCleanup says after closing which files are left.
type ArtifactCleanup struct {
	Owner                 string   `json:"owner"` // host-file-tools
	Summary               string   `json:"summary"`
	Note                  string   `json:"note"`
	ExplicitArtifactPaths []string `json:"explicitArtifactPaths"`
}

// Summary returns the counts in words.
func (m *ArtifactManifest) Summary() string {
	return fmt.Sprintf("%d files, %d live, %d missing, %d evicted", len(m.Entries), m.LiveCount, len(m.Entries)-m.LiveCount, m.EvictedCount)
}

// Compacted stands in place of large data.
type Compacted struct {
	Compacted      bool   `json:"compacted"`
	FullOutputPath string `json:"fullOutputPath,omitzero"`
	SpillError     string `json:"spillError,omitzero"`

	// of a snapshot
	Origin                 string           `json:"origin,omitzero"`
	PreviewMode            string           `json:"previewMode,omitzero"` // structured
	ViewportOrdering       string           `json:"viewportOrdering,omitzero"`
	StructuredPreviewUsed  bool             `json:"structuredPreviewUsed,omitzero"`
	PreviewRefIDs          []string         `json:"previewRefIds,omitzero"`
	PreviewSections        []PreviewSection `json:"previewSections,omitzero"`
	HighValueControlRefIDs []string         `json:"highValueControlRefIds,omitzero"`
	RefCount               int              `json:"refCount,omitzero"`
	RoleCounts             map[string]int   `json:"roleCounts,omitzero"`
	SnapshotLineCount      int              `json:"snapshotLineCount,omitzero"`

	// of anything else
	OutputCharCount  int `json:"outputCharCount,omitzero"`
	OutputLineCount  int `json:"outputLineCount,omitzero"`
	PreviewCharCount int `json:"previewCharCount,omitzero"`
	PreviewLineCount int `json:"previewLineCount,omitzero"`
}

// PreviewSection is a part of a page in a shortened outline: a dialog, a landmark or a heading.
type PreviewSection struct {
	Role         string `json:"role"`
	Title        string `json:"title,omitzero"`
	LinesShown   int    `json:"linesShown"`
	OmittedLines int    `json:"omittedLines"`
}

// Note says how much is shown, and where the rest is.
func (c *Compacted) Note(shown string) string {
	if c.FullOutputPath == "" {
		return "Shown: " + shown + ". The rest was not kept: " + c.SpillError
	}
	return "Shown: " + shown + ". All of it: " + c.FullOutputPath
}
