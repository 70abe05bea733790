// Package userprofile finds the profiles of the browsers that a user has, and copies them.
package userprofile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/usher-browser/usher/internal/files"
)

// Profile is a profile of a browser that the user has.
type Profile struct {
	// Browser names the browser: Chrome, Chromium, Edge, Brave, ...
	Browser string
	// Root is the browser's user data directory, Directory the profile in it ("Default", "Profile 1").
	Root, Directory string
	// Name is the name that the browser shows.
	Name string
	// Version is the version of the browser that used it last; empty if that is unknown.
	Version string
}

// localState is the file of a user data directory that lists its profiles, lastVersion that with the browser's version.
const (
	localState  = "Local State"
	lastVersion = "Last Version"
	maxState    = 16 << 20
)

// List lists the profiles of the browsers of a user, by the variables of their environment. Damaged lists are
// errors beside what can be read.
func List(ctx context.Context, getenv func(string) string) ([]Profile, error) {
	var out []Profile
	var errs []error
	for _, root := range Roots(runtime.GOOS, getenv) {
		found, err := profilesIn(ctx, root)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		out = append(out, found...)
	}
	return out, errors.Join(errs...)
}

// profilesIn lists the profiles of a user data directory.
func profilesIn(ctx context.Context, root string) ([]Profile, error) {
	text, err := files.Read(ctx, filepath.Join(root, localState), maxState)
	if err != nil {
		return nil, err
	}
	var state struct {
		Profile struct {
			InfoCache map[string]struct {
				Name string `json:"name"`
			} `json:"info_cache"`
		} `json:"profile"`
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Join(root, localState), err)
	}
	version, _ := files.Read(ctx, filepath.Join(root, lastVersion), 4<<10) // older browsers write none
	var out []Profile
	for dir, info := range state.Profile.InfoCache {
		if filepath.IsLocal(dir) && !strings.ContainsAny(dir, `/\`) {
			out = append(out, Profile{Browser: browserOf(root), Root: root, Directory: dir, Name: info.Name, Version: FindVersion(string(version))})
		}
	}
	slices.SortFunc(out, func(a, b Profile) int {
		return cmp.Or(len(a.Directory)-len(b.Directory), strings.Compare(a.Directory, b.Directory))
	})
	return out, nil
}

// browserOf returns the name of the browser of a user data directory, or of a program.
func browserOf(path string) string {
	path = strings.ToLower(filepath.ToSlash(path))
	at, name := -1, "Chrome"
	for word, browser := range map[string]string{"chromium": "Chromium", "chrome": "Chrome", "edge": "Edge", "brave": "Brave", "chrome-beta": "Chrome Beta", "chrome canary": "Chrome Canary"} {
		if i := strings.LastIndex(path, word); i > at || i == at && i >= 0 && len(browser) > len(name) {
			at, name = i, browser
		}
	}
	return name
}

// UnknownError is the error for a name that no profile has.
type UnknownError struct {
	Name  string
	Known []Profile
}

func (e *UnknownError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("no browser of this user has profiles, so there is no profile %q", e.Name)
	}
	var all []string
	for _, p := range e.Known {
		all = append(all, p.String())
	}
	return fmt.Sprintf("Chrome profile %q not found; the profiles are %s", e.Name, strings.Join(all, ", "))
}

// String returns the directory with the shown name and the browser.
func (p Profile) String() string {
	return fmt.Sprintf("%s (%s, %s)", p.Directory, p.Name, p.Browser)
}

// Find returns the profile with a directory or name, in any case, preferably of the browser that program is. The error may
// be an [*UnknownError].
func Find(ctx context.Context, getenv func(string) string, name, program string) (*Profile, error) {
	all, err := List(ctx, getenv)
	if len(all) == 0 && err != nil {
		return nil, err
	}
	own := browserOf(filepath.Base(program))
	var best *Profile
	score := 0
	for i := range all {
		p := &all[i]
		var n int
		switch {
		case strings.EqualFold(p.Directory, name):
			n = 2
		case strings.EqualFold(p.Name, name):
			n = 1
		default:
			continue
		}
		if p.Browser == own {
			n += 2
		}
		if n > score {
			best, score = p, n
		}
	}
	if best == nil {
		return nil, &UnknownError{Name: name, Known: all}
	}
	return best, nil
}

// ForeignError is the error for a profile that a newer browser has used: an older one would reset it.
type ForeignError struct {
	Profile    Profile
	Executable string
	Version    string // of Executable
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("use profile %s: %s %s used it last, and %s is the older version %s, which cannot read it; use a newer browser with --executable-path",
		e.Profile, e.Profile.Browser, e.Profile.Version, e.Executable, e.Version)
}

// CheckVersion checks that a browser of a version can read the profile.
func (p *Profile) CheckVersion(executable, version string) error {
	theirs, _, _ := strings.Cut(p.Version, ".")
	ours, _, _ := strings.Cut(version, ".")
	t, errT := strconv.Atoi(theirs)
	o, errO := strconv.Atoi(ours)
	if errT == nil && errO == nil && t > o {
		return &ForeignError{Profile: *p, Executable: executable, Version: version}
	}
	return nil
}

// left returns whether a part of a profile is not copied: what can be fetched again, the windows of the last run, which would
// open again, extensions, and what belongs to the process that has it open.
func left(name string) bool {
	switch name {
	case "Cache", "Code Cache", "GPUCache", "Media Cache", "DawnCache", "DawnGraphiteCache", "DawnWebGPUCache", "GrShaderCache", "ShaderCache",
		"GraphiteDawnCache", "CacheStorage", "ScriptCache", "Application Cache", "JumpListIcons", "JumpListIconsOld", "Crash Reports", "Crashpad",
		"blob_storage", "VideoDecodeStats", "optimization_guide_model_store", "Safe Browsing", "Safe Browsing Network",
		"Sessions", "Sessions_Encrypted", "Current Session", "Current Tabs", "Last Session", "Last Tabs",
		"Extensions", "Extension State", "Extension Rules", "Extension Scripts", "Local Extension Settings", "Sync Extension Settings", "Sync Data",
		"LOCK", "LOG", "LOG.old", "SingletonLock", "SingletonCookie", "SingletonSocket", "lockfile", "RunningChromeVersion":
		return true
	}
	return false
}

// CopyTo copies the profile into a user data directory, whose other users cannot read it. A file that is written meanwhile
// is copied again.
func (p *Profile) CopyTo(ctx context.Context, root string) error {
	from := filepath.Join(p.Root, p.Directory)
	failed := func(err error) error {
		return fmt.Errorf("copy profile %s from %s: %w; close %s, and try again", p, from, err, p.Browser)
	}
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return fmt.Errorf("copy profile %s: there is no directory %s", p, from)
	}
	if err := copyFile(filepath.Join(p.Root, localState), filepath.Join(root, localState)); err != nil {
		return failed(err)
	}
	to := filepath.Join(root, p.Directory)
	if err := os.RemoveAll(to); err != nil { // the Default of an empty profile
		return failed(err)
	}
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist): // it was removed meanwhile
			return nil
		case err != nil:
			return err
		case path != from && left(d.Name()) && d.IsDir():
			return filepath.SkipDir
		case left(d.Name()):
			return nil
		}
		rel, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o700)
		case d.Type().IsRegular(): // no symbolic links: they lead out of the profile
			return copyFile(path, filepath.Join(to, rel))
		}
		return nil
	})
	if err != nil {
		return failed(err)
	}
	return nil
}

// copies is how often a file that changes is copied.
const copies = 5

// copyFile copies a file that its owner may write meanwhile; one that has gone is left out.
func copyFile(from, to string) error {
	for range copies {
		before, err := os.Stat(from)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := copyOnce(from, to); errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		after, err := os.Stat(from)
		if err == nil && before.Size() == after.Size() && before.ModTime().Equal(after.ModTime()) {
			return nil
		}
	}
	return fmt.Errorf("%s keeps changing", from)
}

func copyOnce(from, to string) (err error) {
	r, err := os.Open(from)
	if err != nil {
		return err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	_, err = io.Copy(w, r)
	return err
}

// Roots returns the default user data directories of the browsers that people use on an operating system.
func Roots(goos string, getenv func(string) string) []string {
	base, names := getenv("XDG_CONFIG_HOME"), []string{
		"google-chrome", "google-chrome-beta", "chromium", "microsoft-edge", "BraveSoftware/Brave-Browser",
	}
	switch {
	case goos == "windows":
		base = getenv("LOCALAPPDATA")
		names = []string{
			`Google/Chrome/User Data`, `Chromium/User Data`, `Microsoft/Edge/User Data`, `BraveSoftware/Brave-Browser/User Data`,
		}
	case goos == "darwin":
		base = filepath.Join(getenv("HOME"), "Library", "Application Support")
		names = []string{"Google/Chrome", "Google/Chrome Canary", "Chromium", "Microsoft Edge", "BraveSoftware/Brave-Browser"}
	case base == "" && getenv("HOME") != "":
		base = filepath.Join(getenv("HOME"), ".config")
	}
	if base == "" {
		return nil
	}
	var dirs []string
	for _, n := range names {
		dirs = append(dirs, filepath.Join(base, filepath.FromSlash(n)))
	}
	if goos == "linux" && getenv("HOME") != "" {
		dirs = append(dirs, filepath.Join(getenv("HOME"), "snap", "chromium", "common", "chromium"))
	}
	return dirs
}

// FindVersion returns the first word of four numbers joined by dots.
func FindVersion(s string) string {
words:
	for _, w := range strings.Fields(s) {
		parts := strings.Split(w, ".")
		if len(parts) != 4 {
			continue
		}
		for _, p := range parts {
			if _, err := strconv.ParseUint(p, 10, 32); err != nil {
				continue words
			}
		}
		return w
	}
	return ""
}
