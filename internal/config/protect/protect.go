// Package protect knows the files that no agent may write, whatever was opened to it: usher's own state and configuration,
// and files that make other programs start something. What usher keeps to itself, no agent may read or give away either.
//
// A file is judged by where it really lies: links are followed, and directories are compared as the file system compares
// them, so that neither another spelling nor another case leads around a rule.
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

// Places are the protected files of one user.
type Places struct {
	own    []place // usher's directories
	output []place // directories in those that hold nothing but what was made for the caller
	files  []place // single files, which may lie anywhere
	homes  []place // of people
	opened []string

	lookLinks sync.Once
	links     []fs.FileInfo // usher's files that have several names
}

// place is a directory or file as it was when it was looked at.
type place struct {
	path string
	info fs.FileInfo // nil where it is not there
}

// Extra are places that belong to one run of the program.
type Extra struct {
	// Own are further directories and files of usher, such as a profile or a configuration file that it was given.
	Own []string
	// Output are directories that hold what was made for the caller.
	Output []string
	// Files are single files that say what is allowed, or that are started: lists of blocked sites, programs of plugins.
	Files []string
	// Opened are directories that the person opened by name. What is hidden in a home may be read where one of them is
	// inside of it; it is not written all the same.
	Opened []string
}

// New looks where things are. env is the environment of whoever asks; that of this process counts besides.
func New(env func(string) string, x Extra) *Places {
	p := &Places{}
	for _, env := range []func(string) string{env, os.Getenv} {
		home := env(homeVariable())
		if home != "" {
			p.homes = append(p.homes, look(home))
			p.own = append(p.own, look(filepath.Join(home, ".agent-browser")), look(dirs.SnapProfiles(home)))
			p.output = append(p.output, look(filepath.Join(home, ".agent-browser", "tmp")))
		}
		for _, agentBrowser := range []bool{false, true} {
			d, err := dirs.Of(env, "", agentBrowser)
			if err != nil {
				continue // there is no such place
			}
			for _, dir := range []string{d.Home, d.Run, filepath.Dir(d.Socket), d.Cache} {
				p.own = append(p.own, look(dir))
			}
			p.output = append(p.output, look(d.Artifacts))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		p.homes = append(p.homes, look(home))
	}
	p.own = append(p.own, look(dirs.Profiles()), look(filepath.Join("/tmp", filepath.Base(dirs.Profiles()))))
	for _, dir := range x.Own {
		p.own = append(p.own, look(dir))
	}
	for _, dir := range x.Output {
		p.output = append(p.output, look(dir))
	}
	for _, file := range x.Files {
		p.files = append(p.files, look(file))
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

func look(path string) place {
	if real, err := Resolve(path); err == nil {
		path = real
	}
	info, err := os.Stat(path)
	if err != nil {
		return place{path: path}
	}
	return place{path, info}
}

// is says whether a path with what is there is this place. Names count without regard to case, for a place that is not there
// yet may come to be by another spelling.
func (p place) is(path string, info fs.FileInfo) bool {
	return strings.EqualFold(p.path, path) || p.info != nil && info != nil && os.SameFile(p.info, info)
}

func among(places []place, path string, info fs.FileInfo) bool {
	for _, p := range places {
		if p.is(path, info) {
			return true
		}
	}
	return false
}

// maxLinks bounds how many links to what is not there are followed.
const maxLinks = 40

// Resolve is where a path really leads: links are followed, those to what is not there included, and what is not there yet
// stands behind the directory in which it would be.
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

// Refused says why a file is not for agents.
type Refused struct {
	Path string // as it was given
	Real string // where it leads
	Why  string // goes behind the path
	Own  bool   // it is usher's own, which nothing allows
}

func (r *Refused) Error() string { return r.Path + " " + r.Why }

// Coded gives the error its place among those of package api.
func (r *Refused) Coded() (code, message, hint string, data map[string]any) {
	data = map[string]any{"path": r.Path}
	if r.Real != "" && r.Real != r.Path {
		data["resolved"] = r.Real
	}
	return "file_protected", r.Error() + "; nothing was done", "Ask the person you work for to do it, or choose another path.", data
}

// Write judges a file that an agent wants to write. The error is a *Refused, or says why the path cannot be followed.
func (p *Places) Write(path string) error { return p.judge(path, true) }

// Read judges a file that an agent wants to read or give away. The error is that of [Places.Write].
func (p *Places) Read(path string) error { return p.judge(path, false) }

func (p *Places) judge(path string, write bool) error {
	real, err := Resolve(path)
	if err != nil {
		return &Refused{Path: path, Why: "cannot be resolved: " + err.Error()}
	}
	if why := p.why(real, write); why != "" {
		return &Refused{Path: path, Real: real, Why: why, Own: why == belongs || why == linked}
	}
	return nil
}

// What is said of usher's own files.
const (
	belongs = "belongs to usher"
	linked  = "is another name of a private file of usher"
)

// why judges a resolved path, from the file up to the root: the innermost directory that a rule knows decides.
func (p *Places) why(real string, write bool) string {
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
		case write && starts(filepath.Base(at)) && !worktree(filepath.Base(at), below):
			return "is, or is in, " + filepath.Base(at) + ", which can start programs"
		case write && isRepository(at, below):
			return "is in a Git repository's own directory, which can start programs"
		case up != at && p.isHome(up) && homely(filepath.Base(at), write) && !worktree(filepath.Base(at), below) && (write || !p.inside(at)):
			return "is, or is in, a hidden file or directory of a home, such as settings, keys or programs started at login"
		case system(at, write):
			return "is the system's"
		case up == at:
			return ""
		}
		at, below = up, append([]string{filepath.Base(at)}, below...)
	}
}

// inside says that the person opened a directory in this one, or this one itself.
func (p *Places) inside(dir string) bool {
	for _, opened := range p.opened {
		if rel, err := filepath.Rel(dir, opened); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// isHome says whether a directory is somebody's home.
func (p *Places) isHome(dir string) bool {
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

// linked says whether a file with several names is one that usher keeps to itself. Nearly every file has one.
func (p *Places) linked(path string, info fs.FileInfo) bool {
	if !info.Mode().IsRegular() || names(path, info) < 2 {
		return false
	}
	p.lookLinks.Do(p.findLinks)
	return slices.ContainsFunc(p.links, func(mine fs.FileInfo) bool { return os.SameFile(mine, info) })
}

// findLinks finds those files of usher's own that have several names.
func (p *Places) findLinks() {
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
