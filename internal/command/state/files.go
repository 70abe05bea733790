package state

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/command/run"
	"github.com/usher-browser/usher/internal/config/dirs"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/sealed"
	"github.com/usher-browser/usher/internal/verb"
)

// File is a saved state in usher's own directory.
type File struct {
	Filename  string `json:"filename"`
	Path      string `json:"path"`
	Size      int64  `json:"size"`     // in bytes
	Modified  int64  `json:"modified"` // in seconds since 1970
	Encrypted bool   `json:"encrypted"`
}

// Listed is the result of `state list`.
type Listed struct {
	Directory string `json:"directory"`
	Files     []File `json:"files"`
}

// Shown is the result of `state show`.
type Shown struct {
	File
	Summary string `json:"summary"`
	State   *Saved `json:"state,omitempty"` // absent under the site guard: it contains logins
}

// Renamed is the result of `state rename`.
type Renamed struct {
	Renamed bool   `json:"renamed"`
	Path    string `json:"path"` // the new one
}

// Deleted is the result of `state clear`.
type Deleted struct {
	Deleted int `json:"deleted"` // how many files
}

// Cleaned is the result of `state clean`.
type Cleaned struct {
	Cleaned   int `json:"cleaned"` // how many files were deleted
	KeptCount int `json:"keptCount"`
	Days      int `json:"days"`
}

// extensions are those of saved states.
var extensions = []string{".json.enc", ".json", ".enc"}

// stem returns a file name without the extension of saved states, and that.
func stem(name string) (base, extension string) {
	for _, x := range extensions {
		if base, ok := strings.CutSuffix(name, x); ok {
			return base, x
		}
	}
	return name, ""
}

// isName reports whether a file is named without a path: it is then in usher's own directory.
func isName(text string) bool {
	return !strings.ContainsAny(text, `/\:`) && filepath.Ext(text) == "" && text != "." && text != ".."
}

func keysOf(e *run.Env) sealed.Keys {
	return sealed.KeysOf(e.Settings.StateEncryption, func(name string) (string, bool) {
		if e.Getenv == nil {
			return "", false
		}
		return e.Getenv(name)
	})
}

// guardPath refuses, under the site guard, files outside of usher's own directory: an agent could read them, and has to
// ask the person for those of others.
func guardPath(e *run.Env, doing, text string) error {
	if e.Sites == nil || isName(text) {
		return nil
	}
	return guardRefused(doing, text)
}

func guardRefused(doing, path string) error {
	return api.Errorf(api.GuardRefused, "%s %s: under the site guard, saved states are in usher's own directory only, because they contain logins", doing, path).
		WithHint("Use a name without a path and an extension, such as `%s login`.", doing)
}

// OwnPath returns the path of a saved state in usher's own directory: that of an existing file, or of a new one.
func OwnPath(dir, name string, keys sealed.Keys) string {
	var newest string
	var at time.Time
	for _, x := range extensions {
		path := filepath.Join(dir, name+x)
		if info, err := os.Stat(path); err == nil && info.ModTime().After(at) {
			newest, at = path, info.ModTime()
		}
	}
	return cmp.Or(newest, filepath.Join(dir, name+keys.Extension()))
}

// existing returns the path of a file to read: a name, a file name in usher's own directory, or a path.
func existing(e *run.Env, text string) string {
	if isName(text) {
		return OwnPath(e.Settings.StateDir, text, sealed.Keys{})
	}
	path := e.Path(text)
	if !strings.ContainsAny(text, `/\`) {
		if own := filepath.Join(e.Settings.StateDir, text); missing(path) && !missing(own) {
			return own
		}
	}
	return path
}

func missing(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// SaveAs writes a state as a file of that name in usher's own directory, and removes one of the name with another
// extension: it is older, or not encrypted.
func SaveAs(dir, name string, s *Saved, keys sealed.Keys) (string, error) {
	if err := dirs.MakePrivate(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, name+keys.Extension())
	if err := Write(path, s, keys); err != nil {
		return "", err
	}
	for _, x := range extensions {
		other := filepath.Join(dir, name+x)
		if other == path || missing(other) {
			continue
		}
		if err := os.Remove(other); err != nil {
			return path, api.Errorf(api.FileWriteFailed, "the state is saved as %s, but the older %s cannot be removed: %w", path, other, err)
		}
	}
	return path, nil
}

func list(ctx context.Context, e *run.Env, _ *verb.Call) (run.Reply[*Listed], error) {
	found, err := inDirectory(ctx, e.Settings.StateDir)
	if err != nil {
		return run.Reply[*Listed]{}, err
	}
	var lines []string
	for _, f := range found {
		line := fmt.Sprintf("%s  %s  %d bytes", f.Filename, time.Unix(f.Modified, 0).Format("2006-01-02 15:04"), f.Size)
		if f.Encrypted {
			line += "  encrypted"
		}
		lines = append(lines, line)
	}
	text := strings.Join(lines, "\n")
	if len(found) == 0 {
		text = "No saved states in " + e.Settings.StateDir
	}
	return run.Reply[*Listed]{Data: &Listed{e.Settings.StateDir, found}, Text: text}, nil
}

// inDirectory lists the saved states of a directory by name. There are none where the directory is missing.
func inDirectory(ctx context.Context, dir string) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, api.Errorf(api.FileNotFound, "list the saved states: %w", err)
	}
	out := []File{}
	for _, entry := range entries {
		if _, x := stem(entry.Name()); x == "" || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		f, err := fileAt(ctx, filepath.Join(dir, entry.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue // another command has deleted it
		}
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// fileAt describes a file.
func fileAt(ctx context.Context, path string) (File, error) {
	opened, err := files.Open(ctx, path)
	if err != nil {
		return File{}, err
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil {
		return File{}, err
	}
	head := make([]byte, sealed.Overhead)
	n, err := opened.ReadAt(head, 0)
	if n < len(head) {
		head = head[:n] // shorter than any that is encrypted
	} else if err != nil {
		return File{}, err
	}
	return File{Filename: filepath.Base(path), Path: path, Size: info.Size(), Modified: info.ModTime().Unix(), Encrypted: sealed.Encrypted(head)}, nil
}

func show(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Shown], error) {
	if err := guardPath(e, "state show", c.Str("file")); err != nil {
		return run.Reply[*Shown]{}, err
	}
	path := existing(e, c.Str("file"))
	s, err := Read(ctx, path, keysOf(e))
	if err != nil {
		return run.Reply[*Shown]{}, err
	}
	f, err := fileAt(ctx, path)
	if err != nil {
		return run.Reply[*Shown]{}, api.Errorf(api.FileNotFound, "read the saved state: %w", err)
	}
	data := &Shown{File: f, Summary: s.summary(), State: s}
	if e.Settings.Compatible {
		data.Summary = fmt.Sprintf("%d cookies, %d origins", len(s.Cookies), len(s.Origins))
	}
	if e.Sites != nil {
		data.State = nil
	}
	return run.Reply[*Shown]{Data: data, Text: s.outline(f)}, nil
}

// outline returns what a state contains, without values.
func (s *Saved) outline(f File) string {
	lines := []string{f.Path + ": " + s.summary()}
	if f.Encrypted {
		lines[0] += ", encrypted"
	}
	domains := map[string][]string{}
	for i := range s.Cookies {
		domains[s.Cookies[i].Domain] = append(domains[s.Cookies[i].Domain], s.Cookies[i].Name)
	}
	for _, d := range sortedKeys(domains) {
		lines = append(lines, "cookies of "+d+": "+strings.Join(domains[d], ", "))
	}
	for i := range s.Origins {
		o := &s.Origins[i]
		var parts []string
		for _, area := range []struct {
			name    string
			entries []Entry
		}{{"local storage", o.LocalStorage}, {"session storage", o.SessionStorage}} {
			var names []string
			for _, entry := range area.entries {
				names = append(names, entry.Name)
			}
			if len(names) > 0 {
				parts = append(parts, area.name+" "+strings.Join(names, ", "))
			}
		}
		if n := o.databases(); n > 0 {
			parts = append(parts, number(n, "database"))
		}
		lines = append(lines, o.Origin+": "+strings.Join(parts, "; "))
	}
	return strings.Join(lines, "\n")
}

func sortedKeys(m map[string][]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func rename(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[*Renamed], error) {
	if err := guardPath(e, "state rename", c.Str("file")); err != nil {
		return run.Reply[*Renamed]{}, err
	}
	from := existing(e, c.Str("file"))
	if _, err := fileAt(ctx, from); err != nil {
		return run.Reply[*Renamed]{}, api.Errorf(api.FileNotFound, "there is no saved state %s", from).With("path", from).WithHint("`state list` shows the saved states.")
	}
	name := c.Str("name")
	if strings.ContainsAny(name, `/\:`) || strings.HasPrefix(name, ".") {
		return run.Reply[*Renamed]{}, api.Errorf(api.InvalidArgument, "state rename: %q is not a name for a file in the same directory", name)
	}
	base, _ := stem(name)
	_, extension := stem(filepath.Base(from)) // it says whether the file is encrypted
	to := filepath.Join(filepath.Dir(from), base+extension)
	for _, x := range extensions {
		if other := filepath.Join(filepath.Dir(from), base+x); !missing(other) {
			return run.Reply[*Renamed]{}, api.Errorf(api.FileWriteFailed, "state rename: %s exists", other).With("path", other).
				WithHint("Choose another name, or delete it first: `state clear %s`.", base)
		}
	}
	if err := os.Rename(from, to); err != nil {
		return run.Reply[*Renamed]{}, api.Errorf(api.FileWriteFailed, "state rename: %w", err)
	}
	return run.Reply[*Renamed]{Data: &Renamed{true, to}, Text: "✓ Renamed to " + to}, nil
}

func clear(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Deleted], error) {
	name, _ := stem(c.Str("name"))
	deleted, err := deleteThose(ctx, e.Settings.StateDir, func(f File) bool {
		base, _ := stem(f.Filename)
		return c.Bool("all") || base == name || strings.HasSuffix(base, "-"+name)
	})
	if err != nil {
		return run.Reply[Deleted]{}, err
	}
	n := len(deleted)
	if n == 0 && !c.Bool("all") && !e.Settings.Compatible {
		return run.Reply[Deleted]{}, api.Errorf(api.FileNotFound, "there is no saved state %s", c.Str("name")).WithHint("`state list` shows the saved states.")
	}
	return run.Reply[Deleted]{Data: Deleted{n}, Text: "✓ " + number(n, "saved state") + " deleted"}, nil
}

func clean(ctx context.Context, e *run.Env, c *verb.Call) (run.Reply[Cleaned], error) {
	days := c.Int("older-than")
	deleted, err := DeleteOld(ctx, e.Settings.StateDir, days, "")
	if err != nil {
		return run.Reply[Cleaned]{}, err
	}
	left, err := inDirectory(ctx, e.Settings.StateDir)
	if err != nil {
		return run.Reply[Cleaned]{}, err
	}
	n := len(deleted)
	return run.Reply[Cleaned]{Data: Cleaned{n, len(left), days}, Text: "✓ " + number(n, "saved state") + " deleted, " + number(len(left), "state") + " kept"}, nil
}

// DeleteOld deletes the saved states of a directory that were not written for more than so many days, except the one at
// the path kept, and returns the names of their files. After an error it returns those that were deleted before.
func DeleteOld(ctx context.Context, dir string, days int, kept string) (deleted []string, err error) {
	before := time.Now().AddDate(0, 0, -days).Unix()
	return deleteThose(ctx, dir, func(f File) bool { return f.Modified < before && !same(f.Path, kept) })
}

// same reports whether two paths lead to the same file.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// deleteThose deletes saved states of a directory, and returns the names of their files.
func deleteThose(ctx context.Context, dir string, which func(File) bool) (deleted []string, err error) {
	found, err := inDirectory(ctx, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if !which(f) {
			continue
		}
		if err := os.Remove(f.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return deleted, api.Errorf(api.FileWriteFailed, "delete the saved state: %w", err)
		}
		deleted = append(deleted, f.Filename)
	}
	return deleted, nil
}
