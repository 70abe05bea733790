// Package artifact knows the files that commands save: where a command will write, whether the file is there, and which files a session has
// saved.
package artifact

import (
	"mime"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/session/agenttool/result"
	"github.com/usher-browser/usher/internal/session/agenttool/step"
	"github.com/usher-browser/usher/internal/verb"
)

// kinds are the kinds of the files that commands save, by the first word that matches.
var kinds = []struct{ verb, kind string }{
	{"screenshot", "image"}, {"diff screenshot", "image"}, {"pdf", "pdf"}, {"download", "download"}, {"wait", "download"}, {"network har", "har"},
	{"profiler", "profile"}, {"trace", "trace"}, {"record", "video"},
}

// Of returns the files of a step that succeeded: those that the command says it has written.
func Of(s *step.Step, cwd string) []result.Artifact {
	call := s.Row.Call
	if call == nil || s.Status != step.Completed || !call.Verb.Is(verb.SavesFiles) && !step.WaitsForDownload(call) && !strings.HasPrefix(call.Verb.Name, "record") {
		return nil
	}
	var data struct {
		Path     string `json:"path"`
		DiffPath string `json:"diffPath"`
		Started  bool   `json:"started"`
	}
	result.Read(s.Data, &data)
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
			a.RequestedPath, a.Explicit = call.Str(arg.Name), true
		}
	}
	if call.Verb.Name == "wait" {
		a.RequestedPath, a.Explicit = call.Str("download"), call.Str("download") != ""
	}
	a.Inline = call.Verb.Name == "screenshot"
	if data.Started && !a.Exists {
		a.Status, a.RecordingState, a.WillExistOnStop = "pending", "openRecording", true
	} else if data.Started && strings.HasPrefix(call.Verb.Name, "record") {
		a.Status, a.RecordingState, a.WillExistOnStop = "pending", "openRecording", true
	}
	return []result.Artifact{a}
}

// describe looks a file up.
func describe(path, kind, cwd string) result.Artifact {
	a := result.Artifact{Path: path, AbsolutePath: path, Kind: kind, ArtifactType: kind, Cwd: cwd, Status: "missing", Extension: strings.TrimPrefix(filepath.Ext(path), ".")}
	if !filepath.IsAbs(path) {
		a.AbsolutePath = filepath.Join(cwd, path)
	}
	a.MediaType, _, _ = strings.Cut(mime.TypeByExtension(filepath.Ext(path)), ";")
	if info, err := os.Stat(a.AbsolutePath); err == nil && info.Mode().IsRegular() {
		a.Exists, a.SizeBytes, a.UpdatedAtMs, a.Status = true, info.Size(), info.ModTime().UnixMilli(), "saved"
	}
	return a
}

// Verify counts the files.
func Verify(files []result.Artifact) *result.ArtifactVerification {
	if len(files) == 0 {
		return nil
	}
	v := &result.ArtifactVerification{}
	for _, a := range files {
		one := result.VerifiedArtifact{Path: a.AbsolutePath, Kind: a.Kind, SizeBytes: a.SizeBytes, StorageScope: scopeOf(&a), RetentionState: "live"}
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

func scopeOf(a *result.Artifact) string {
	if a.Explicit {
		return "explicit-path"
	}
	return "persistent-session"
}

// maxManifest bounds the files of a manifest.
const maxManifest = 100

// Manifest are the files of an agent.
type Manifest struct {
	entries  []result.ManifestEntry
	evicted  int
	revision int
	sent     int // the revision that the agent has
}

// Add adds the files of a call.
func (m *Manifest) Add(files []result.Artifact) {
	for _, a := range files {
		m.entries = slices.DeleteFunc(m.entries, func(e result.ManifestEntry) bool { return e.Path == a.AbsolutePath })
		m.entries = append(m.entries, result.ManifestEntry{Path: a.AbsolutePath, Kind: a.Kind, Command: strings.TrimSpace(a.Command + " " + a.Subcommand), StorageScope: scopeOf(&a), RetentionState: "live", CreatedAtMs: time.Now().UnixMilli()})
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

// Report sets the manifest if it has changed since the agent got it, and its revision.
func (m *Manifest) Report(d *result.Details) {
	d.ArtifactManifestRevision = m.revision
	if m.revision == m.sent {
		return
	}
	m.sent = m.revision
	d.ArtifactManifest = m.snapshot()
	d.ArtifactRetentionSummary = d.ArtifactManifest.Summary()
}

// Forget makes Report set the manifest again.
func (m *Manifest) Forget() { m.sent = 0 }

func (m *Manifest) snapshot() *result.ArtifactManifest {
	out := &result.ArtifactManifest{Version: 1, MaxEntries: maxManifest, EvictedCount: m.evicted, UpdatedAtMs: time.Now().UnixMilli()}
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

// Has reports whether a file of the manifest exists.
func (m *Manifest) Has(path string) bool {
	return slices.ContainsFunc(m.entries, func(e result.ManifestEntry) bool {
		if e.Path != path {
			return false
		}
		info, err := os.Stat(path)
		return err == nil && info.Size() > 0
	})
}

// Cleanup is reported after a close, if there are files.
func (m *Manifest) Cleanup() *result.ArtifactCleanup {
	if len(m.entries) == 0 {
		return nil
	}
	c := &result.ArtifactCleanup{Owner: "host-file-tools", Summary: m.snapshot().Summary(), ExplicitArtifactPaths: []string{},
		Note: "Closing the browser deletes no file that was saved to a path you gave. Delete such files with your own file tools."}
	for _, e := range m.entries {
		if _, err := os.Stat(e.Path); err == nil && e.StorageScope == "explicit-path" && len(c.ExplicitArtifactPaths) < 10 {
			c.ExplicitArtifactPaths = append(c.ExplicitArtifactPaths, e.Path)
		}
	}
	return c
}

// Destinations returns the absolute paths to which a command was told to write.
func Destinations(s *step.Step, cwd string) (paths []string) {
	call := s.Row.Call
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
	if step.WaitsForDownload(call) && call.Verb.Name == "wait" {
		add(call.Str("download"))
	}
	return paths
}

// SameFile reports whether two paths are the same file, whatever links lead to it.
func SameFile(a, b string) bool {
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

// Conflicts returns an error if two commands write the same file.
func Conflicts(steps []*step.Step, cwd string) error {
	var all []string
	for _, s := range steps {
		for _, path := range Destinations(s, cwd) {
			if slices.ContainsFunc(all, func(other string) bool { return SameFile(other, path) }) {
				return api.Errorf(api.InvalidArgument, "Step %d: another step writes to %s, too. Give each its own path.", s.Number(), path)
			}
			all = append(all, path)
		}
	}
	return nil
}
