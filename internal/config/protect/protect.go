// Package protect determines the files that agents must not write, whatever the user opened to them: usher's own state
// and configuration, and files that make other programs start something. Agents must not read usher's private files, or
// give them to pages, either.
//
// A file is judged by its real path: links are followed, and directories are compared as the file system compares them,
// so that another notation or case of a name does not circumvent a rule.
package protect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/usher-browser/usher/internal/config/dirs"
)

// Paths are the protected files of one user.
type Paths struct {
	own    []protectedPath // usher's directories
	output []protectedPath // directories in those that contain only files made for the caller
	files  []protectedPath // single files, which may lie anywhere
	homes  []protectedPath // of people
	opened []string

	lookLinks sync.Once
	links     []fs.FileInfo // usher's files that have several names
}

// protectedPath is a directory or file with its state when it was checked.
type protectedPath struct {
	path string
	info fs.FileInfo // nil where it is not there
}

// Extra are the paths of one run of the program.
type Extra struct {
	// Own are further directories and files of usher, such as its profile or configuration file from a flag.
	Own []string
	// Output are directories of files made for the caller.
	Output []string
	// Files are single files that grant permissions, or that are executed: lists of blocked sites, programs of plugins.
	Files []string
	// Opened are directories that the person opened by name. Hidden entries of a home directory may be read if one of
	// them is inside; they must not be written.
	Opened []string
}

// New determines the protected paths. env is the environment of the caller; that of this process counts besides.
func New(env func(string) string, x Extra) *Paths {
	p := &Paths{}
	// The environments name mostly the same paths.
	seen := map[string]protectedPath{}
	once := func(path string) protectedPath {
		at, ok := seen[path]
		if !ok {
			at = look(path)
			seen[path] = at
		}
		return at
	}
	for _, env := range []func(string) string{env, os.Getenv} {
		home := env(homeVariable())
		if home != "" {
			p.homes = append(p.homes, once(home))
			p.own = append(p.own, once(filepath.Join(home, ".agent-browser")), once(dirs.SnapProfiles(home)))
			p.output = append(p.output, once(filepath.Join(home, ".agent-browser", "tmp")))
		}
		for _, agentBrowser := range []bool{false, true} {
			d, err := dirs.Of(env, "", agentBrowser)
			if err != nil {
				continue // there is no such path
			}
			for _, dir := range []string{d.Home, d.Run, filepath.Dir(d.Socket), d.Cache} {
				p.own = append(p.own, once(dir))
			}
			p.output = append(p.output, once(d.Artifacts))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		p.homes = append(p.homes, once(home))
	}
	p.own = append(p.own, once(dirs.Profiles()), once(filepath.Join("/tmp", filepath.Base(dirs.Profiles()))))
	for _, dir := range x.Own {
		p.own = append(p.own, once(dir))
	}
	for _, dir := range x.Output {
		p.output = append(p.output, once(dir))
	}
	for _, file := range x.Files {
		p.files = append(p.files, once(file))
	}
	for _, dir := range x.Opened {
		if real, err := Resolve(dir); err == nil {
			p.opened = append(p.opened, real)
		}
	}
	return p
}

func homeVariable() string {
	if runtime.GOOS == "windows" {
		return "USERPROFILE"
	}
	return "HOME"
}

func look(path string) protectedPath {
	if real, err := Resolve(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return protectedPath{path: path}
	}
	return protectedPath{path, info}
}

// is reports whether a path is this protected path. Names are compared without regard to case, because a file that does
// not exist yet may be created by another notation.
func (p protectedPath) is(path string, info fs.FileInfo) bool {
	return strings.EqualFold(p.path, path) || p.info != nil && info != nil && os.SameFile(p.info, info)
}

func among(paths []protectedPath, path string, info fs.FileInfo) bool {
	for _, p := range paths {
		if p.is(path, info) {
			return true
		}
	}
	return false
}

// maxLinks bounds how many links to what is not there are followed.
const maxLinks = 40

// Resolve returns the real path of a path: links are followed, dangling ones included; a file that does not exist yet
// is resolved by its directory.
func Resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	at, rest := path, ""
	for links := 0; ; {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		if info, gone := os.Lstat(at); gone == nil && info.Mode()&fs.ModeSymlink != 0 && errors.Is(err, fs.ErrNotExist) {
			to, err := os.Readlink(at)
			if links++; err != nil || links > maxLinks {
				return "", fmt.Errorf("resolve the link %s: %w", at, err)
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(at), to)
			}
			at = to
			continue
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		up := filepath.Dir(at)
		if up == at {
			return "", err
		}
		at, rest = up, filepath.Join(filepath.Base(at), rest)
	}
}

// Refused is the error for a file that agents must not use.
type Refused struct {
	Path string // as given
	Real string // the real path
	Why  string // the reason, which follows the path
	Own  bool   // it is usher's own, which no setting allows
}

func (r *Refused) Error() string { return r.Path + " " + r.Why }

// Coded returns the error with its code of package api.
func (r *Refused) Coded() (code, message, hint string, data map[string]any) {
	data = map[string]any{"path": r.Path}
	if r.Real != "" && r.Real != r.Path {
		data["resolved"] = r.Real
	}
	return "file_protected", r.Error() + "; nothing was done", "Ask the person you work for to do it, or choose another path.", data
}

// Write judges a file that an agent is to write. The error is a *Refused, or why the path cannot be resolved.
func (p *Paths) Write(path string) error { return p.judge(path, true) }

// Read judges a file that an agent is to read or give to a page. The error is that of [Paths.Write].
func (p *Paths) Read(path string) error { return p.judge(path, false) }

func (p *Paths) judge(path string, write bool) error {
	real, err := Resolve(path)
	if err != nil {
		return &Refused{Path: path, Why: "cannot be resolved: " + err.Error()}
	}
	if why := p.why(real, write); why != "" {
		return &Refused{Path: path, Real: real, Why: why, Own: why == belongs || why == linked}
	}
	return nil
}

// The reasons for usher's own files.
const (
	belongs = "belongs to usher"
	linked  = "is another name of a private file of usher"
)

// why judges a resolved path, from the file up to the root: the innermost directory with a rule decides.
func (p *Paths) why(real string, write bool) string {
	var below []string // what is between at and the file, the nearest first
	for at := real; ; {
		leaf := len(below) == 0
		info, err := os.Stat(at)
		if err != nil {
			info = nil // it is not there yet
		}
		up := filepath.Dir(at)
		switch {
		case leaf && write && among(p.files, at, info):
			return "controls what agents may do, or is a program that is started for them"
		case leaf && info != nil && p.linked(at, info):
			return linked
		case !leaf && among(p.output, at, info), at == "/dev/shm": // what lies there is files like others
			return ""
		case among(p.own, at, info):
			return belongs
		case write && startsPrograms(filepath.Base(at)) && !worktree(filepath.Base(at), below):
			return "is, or is in, " + filepath.Base(at) + ", which can start programs"
		case write && isRepository(at, below):
			return "is in a Git repository's own directory, which can start programs"
		case up != at && p.isHome(up) && sensitiveInHome(filepath.Base(at), write) && !worktree(filepath.Base(at), below) && (write || !p.inside(at)):
			return "is, or is in, a hidden file or directory of a home, such as settings, keys or programs started at login"
		case system(at, write):
			return "is the system's"
		case up == at:
			return ""
		}
		at, below = up, append([]string{filepath.Base(at)}, below...)
	}
}

// inside reports whether the person opened a directory in this one, or this one itself.
func (p *Paths) inside(dir string) bool {
	for _, opened := range p.opened {
		if rel, err := filepath.Rel(dir, opened); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// isHome reports whether a directory is a user's home directory.
func (p *Paths) isHome(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil {
		info = nil
	}
	if among(p.homes, dir, info) {
		return true
	}
	switch strings.ToLower(filepath.ToSlash(strings.TrimPrefix(filepath.Dir(dir), filepath.VolumeName(dir)))) {
	case "/home", "/users":
		return true
	}
	return dir == "/root" || dir == "/var/root"
}

// linked reports whether a file with several hard links is one of usher's private files. Nearly every file has one.
func (p *Paths) linked(path string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || names(path, info) < 2 {
		return false
	}
	p.lookLinks.Do(p.findLinks)
	return slices.ContainsFunc(p.links, func(mine fs.FileInfo) bool { return os.SameFile(mine, info) })
}

// findLinks finds those files of usher's own that have several names.
func (p *Paths) findLinks() {
	for _, own := range p.own {
		_ = filepath.WalkDir(own.path, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil //nolint:nilerr // what cannot be looked into cannot be read by another name either
			case d.IsDir() && among(p.output, path, nil):
				return fs.SkipDir
			case d.Type().IsRegular():
				if info, err := d.Info(); err == nil && names(path, info) > 1 {
					p.links = append(p.links, info)
				}
			}
			return nil
		})
	}
}
