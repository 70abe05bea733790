package agenttool

import (
	"fmt"
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/verb"
)

// Artifact is a file that a command saved.
type Artifact struct {
	Path              string `json:"path"`
	AbsolutePath      string `json:"absolutePath"`
	RequestedPath     string `json:"requestedPath,omitzero"`
	Kind              string `json:"kind"` // download, file, har, image, pdf, profile, trace or video
	ArtifactType      string `json:"artifactType"`
	MediaType         string `json:"mediaType,omitzero"`
	Extension         string `json:"extension,omitzero"`
	Exists            bool   `json:"exists"`
	SizeBytes         int64  `json:"sizeBytes,omitzero"`
	UpdatedAtMs       int64  `json:"updatedAtMs,omitzero"`
	Status            string `json:"status"` // saved, missing or pending
	Command           string `json:"command"`
	Subcommand        string `json:"subcommand,omitzero"`
	Cwd               string `json:"cwd,omitzero"`
	Session           string `json:"session,omitzero"`
	RecordingState    string `json:"recordingState,omitzero"` // openRecording
	WillExistOnStop   bool   `json:"willExistOnStop,omitzero"`
	isExplicit, image bool
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

// kinds are the kinds of the files that commands save, by the first word that matches.
var kinds = []struct{ verb, kind string }{
	{"screenshot", "image"}, {"diff screenshot", "image"}, {"pdf", "pdf"}, {"download", "download"}, {"wait", "download"}, {"network har", "har"},
	{"profiler", "profile"}, {"trace", "trace"}, {"record", "video"},
}

// artifactsOf returns the files of a step that succeeded: those that the command says it has written.
func artifactsOf(s *step, cwd string) []Artifact {
	call := s.row.Call
	if call == nil || s.status != statusCompleted || !call.Verb.Is(verb.SavesFiles) && !waitsForDownload(call) && !strings.HasPrefix(call.Verb.Name, "record") {
		return nil
	}
	var data struct {
		Path     string `json:"path"`
		DiffPath string `json:"diffPath"`
		Started  bool   `json:"started"`
	}
	read(s.data, &data)
	path := data.Path
	if path == "" {
		path = data.DiffPath
	}
	if path == "" {
		return nil
	}
	kind := "file"
	for _, k := range kinds {
		if strings.HasPrefix(call.Verb.Name, k.verb) {
			kind = k.kind
			break
		}
	}
	a := describe(path, kind, cwd)
	command, sub, _ := strings.Cut(call.Verb.Name, " ")
	a.Command, a.Subcommand, a.Session = command, sub, call.Globals.List("session")[0]
	for i := range call.Verb.Args {
		if arg := &call.Verb.Args[i]; arg.Kind == verb.Path && call.Has(arg.Name) {
			a.RequestedPath, a.isExplicit = call.Str(arg.Name), true
		}
	}
	if call.Verb.Name == "wait" {
		a.RequestedPath, a.isExplicit = call.Str("download"), call.Str("download") != ""
	}
	a.image = call.Verb.Name == "screenshot"
	if data.Started && !a.Exists {
		a.Status, a.RecordingState, a.WillExistOnStop = "pending", "openRecording", true
	} else if data.Started && strings.HasPrefix(call.Verb.Name, "record") {
		a.Status, a.RecordingState, a.WillExistOnStop = "pending", "openRecording", true
	}
	return []Artifact{a}
}

// describe looks a file up.
func describe(path, kind, cwd string) Artifact {
	a := Artifact{Path: path, AbsolutePath: path, Kind: kind, ArtifactType: kind, Cwd: cwd, Status: "missing", Extension: strings.TrimPrefix(filepath.Ext(path), ".")}
	if !filepath.IsAbs(path) {
		a.AbsolutePath = filepath.Join(cwd, path)
	}
	a.MediaType, _, _ = strings.Cut(mime.TypeByExtension(filepath.Ext(path)), ";")
	if info, err := os.Stat(a.AbsolutePath); err == nil && info.Mode().IsRegular() {
		a.Exists, a.SizeBytes, a.UpdatedAtMs, a.Status = true, info.Size(), info.ModTime().UnixMilli(), "saved"
	}
	return a
}

// verify counts the files.
func verify(files []Artifact) *ArtifactVerification {
	if len(files) == 0 {
		return nil
	}
	v := &ArtifactVerification{}
	for _, a := range files {
		one := VerifiedArtifact{Path: a.AbsolutePath, Kind: a.Kind, SizeBytes: a.SizeBytes, StorageScope: scopeOf(&a), RetentionState: "live"}
		switch {
		case a.Status == "pending":
			one.State, one.Limitation = "pending", "the recording is still open; record stop completes it"
			v.PendingCount++
		case !a.Exists:
			one.State, one.RetentionState = "missing", "missing"
			v.MissingCount++
		default:
			one.State = "verified"
			v.VerifiedCount++
		}
		v.Artifacts = append(v.Artifacts, one)
	}
	v.Verified = v.VerifiedCount == len(files)
	return v
}

func scopeOf(a *Artifact) string {
	if a.isExplicit {
		return "explicit-path"
	}
	return "persistent-session"
}

// maxManifest bounds the files of a manifest.
const maxManifest = 100

// manifest are the files of an agent.
type manifest struct {
	entries  []ManifestEntry
	evicted  int
	revision int
	sent     int // the revision that the agent has
}

// add adds the files of a call.
func (m *manifest) add(files []Artifact) {
	for _, a := range files {
		m.entries = slices.DeleteFunc(m.entries, func(e ManifestEntry) bool { return e.Path == a.AbsolutePath })
		m.entries = append(m.entries, ManifestEntry{a.AbsolutePath, a.Kind, strings.TrimSpace(a.Command + " " + a.Subcommand), scopeOf(&a), "live", time.Now().UnixMilli()})
	}
	if len(files) == 0 {
		return
	}
	m.revision++
	if over := len(m.entries) - maxManifest; over > 0 {
		m.entries = m.entries[over:]
		m.evicted += over
	}
}

// report sets the manifest if it has changed since the agent got it, and its revision.
func (m *manifest) report(d *Details) {
	d.ArtifactManifestRevision = m.revision
	if m.revision == m.sent {
		return
	}
	m.sent = m.revision
	d.ArtifactManifest = m.snapshot()
	d.ArtifactRetentionSummary = d.ArtifactManifest.summary()
}

func (m *manifest) snapshot() *ArtifactManifest {
	out := &ArtifactManifest{Version: 1, MaxEntries: maxManifest, EvictedCount: m.evicted, UpdatedAtMs: time.Now().UnixMilli()}
	for _, e := range m.entries {
		if _, err := os.Stat(e.Path); err != nil {
			e.RetentionState = "missing"
		} else {
			out.LiveCount++
		}
		out.Entries = append(out.Entries, e)
	}
	return out
}

func (m *ArtifactManifest) summary() string {
	return fmt.Sprintf("%d files, %d live, %d missing, %d evicted", len(m.Entries), m.LiveCount, len(m.Entries)-m.LiveCount, m.EvictedCount)
}

// has reports whether a file of the manifest exists.
func (m *manifest) has(path string) bool {
	return slices.ContainsFunc(m.entries, func(e ManifestEntry) bool {
		if e.Path != path {
			return false
		}
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0
	})
}

// cleanup is reported after a close, if there are files.
func (m *manifest) cleanup() *ArtifactCleanup {
	if len(m.entries) == 0 {
		return nil
	}
	c := &ArtifactCleanup{Owner: "host-file-tools", Summary: m.snapshot().summary(), ExplicitArtifactPaths: []string{},
		Note: "Closing the browser deletes no file that was saved to a path you gave. Delete such files with your own file tools."}
	for _, e := range m.entries {
		if _, err := os.Stat(e.Path); err == nil && e.StorageScope == "explicit-path" && len(c.ExplicitArtifactPaths) < 10 {
			c.ExplicitArtifactPaths = append(c.ExplicitArtifactPaths, e.Path)
		}
	}
	return c
}

// destinations returns the absolute paths to which a command was told to write.
func destinations(s *step, cwd string) (paths []string) {
	call := s.row.Call
	if call == nil {
		return nil
	}
	add := func(path string) {
		if path == "" {
			return
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(cwd, path)
		}
		paths = append(paths, filepath.Clean(path))
	}
	if call.Verb.Is(verb.SavesFiles) || strings.HasPrefix(call.Verb.Name, "record") {
		for i := range call.Verb.Args {
			if a := &call.Verb.Args[i]; a.Kind == verb.Path {
				add(call.Str(a.Name))
			}
		}
	}
	if waitsForDownload(call) && call.Verb.Name == "wait" {
		add(call.Str("download"))
	}
	return paths
}

// sameFile reports whether two paths are the same file, whatever links lead to it.
func sameFile(a, b string) bool {
	if a == b || strings.EqualFold(a, b) || resolved(a) == resolved(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// resolved follows the links of a path whose end may not exist.
func resolved(path string) string {
	for range 20 {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}

// conflicts returns an error if two commands write the same file.
func conflicts(steps []*step, cwd string) error {
	var all []string
	for _, s := range steps {
		for _, path := range destinations(s, cwd) {
			if slices.ContainsFunc(all, func(other string) bool { return sameFile(other, path) }) {
				return api.Errorf(api.InvalidArgument, "Step %d: another step writes to %s, too. Give each its own path.", s.index, path)
			}
			all = append(all, path)
		}
	}
	return nil
}
