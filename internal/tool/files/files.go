// Package files has the tools of agents that read and write files: the toolsets file and vision. It imports package
// internal/files, which opens files whose path someone else may have chosen.
package files

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/usher-browser/usher/internal/api"
	"github.com/usher-browser/usher/internal/config/protect"
	"github.com/usher-browser/usher/internal/files"
	"github.com/usher-browser/usher/internal/tool"
)

// Tools returns the tools of the toolset file. They reach files below Host.Roots only, also through links, and none of
// the paths that package protect lists: an agent that can write usher's configuration, or files that other programs
// execute, effectively has a shell.
func Tools() []tool.Tool {
	pathParam := tool.Param{Name: "path", Kind: tool.String, Required: true}
	return []tool.Tool{
		{Name: "read_file", Title: "Read a file", Doc: "Read a text file, or lines of it.",
			Params: []tool.Param{pathParam, {Name: "offset", Kind: tool.Integer, Default: 1.0, Min: 1, Max: 1e9, Doc: "first line"},
				{Name: "limit", Kind: tool.Integer, Default: 500.0, Min: 1, Max: 2000, Doc: "lines"}},
			Output: reflect.TypeFor[readFileResult](),
			Traits: tool.ReadOnly | tool.Idempotent | tool.UsesRoots, Unavailable: noRoots, Run: readFile},
		{Name: "write_file", Title: "Write a file", Doc: "Write a text file, replacing an existing one.",
			Params: []tool.Param{pathParam, {Name: "content", Kind: tool.String, Required: true}},
			Output: reflect.TypeFor[writeFileResult](),
			Traits: tool.Destructive | tool.Idempotent | tool.UsesRoots, Unavailable: noRoots, Run: writeFile},
		{Name: "patch", Title: "Change a file", Doc: "Replace text in a file; it must occur exactly once, unless replace_all is set.",
			Params: []tool.Param{pathParam, {Name: "old_string", Kind: tool.String, Required: true}, {Name: "new_string", Kind: tool.String, Required: true},
				{Name: "replace_all", Kind: tool.Boolean, Default: false}},
			Output: reflect.TypeFor[patchResult](),
			Traits: tool.Destructive | tool.UsesRoots, Unavailable: noRoots, Run: patchFile},
		{Name: "search_files", Title: "Search files", Doc: "Find lines that match a regular expression, or files whose name matches a glob.",
			Params: []tool.Param{{Name: "pattern", Kind: tool.String, Required: true}, {Name: "path", Kind: tool.String, Default: "."},
				{Name: "target", Kind: tool.String, Enum: []string{"content", "files"}, Default: "content"},
				{Name: "file_glob", Kind: tool.String}, {Name: "limit", Kind: tool.Integer, Default: 50.0, Min: 1, Max: 500}},
			Output: reflect.TypeFor[searchFilesResult](),
			Traits: tool.ReadOnly | tool.Idempotent | tool.UsesRoots, Unavailable: noRoots, Run: searchFiles},
	}
}

func noRoots(h *tool.Host) string {
	if len(h.Roots) == 0 {
		return "no directory is allowed"
	}
	return ""
}

// maxFile bounds a file that is read, in bytes.
const maxFile = 10 << 20

// openRoot opens the root that contains a path, and returns the path relative to it. Relative names are resolved
// against the first root. Paths outside all roots are refused with [api.PermissionDenied].
func openRoot(h *tool.Host, name string) (*os.Root, string, error) {
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(h.Roots[0], full)
	}
	full = filepath.Clean(full)
	for _, dir := range h.Roots {
		rel, err := filepath.Rel(dir, full)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			continue
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, "", api.Errorf(api.FileNotFound, "open %s: %w", dir, err)
		}
		return root, rel, nil
	}
	return nil, "", api.Errorf(api.PermissionDenied, "%s is outside the directories this tool may use: %s", name, strings.Join(h.Roots, ", "))
}

// closeRoot closes a root that was used for lookups only, where an error of Close has no consequence.
func closeRoot(root *os.Root) { _ = root.Close() }

// readError returns the error for a file that is missing, too large or not a regular file.
func readError(name string, err error) error {
	if irregular := (*files.IrregularError)(nil); errors.As(err, &irregular) {
		return api.Errorf(api.InvalidArgument, "read %s: %w; search_files with target files lists a directory", name, irregular)
	}
	if large := (*files.SizeError)(nil); errors.As(err, &large) {
		return api.Errorf(api.InvalidArgument, "read %s: %w", name, large)
	}
	return api.Errorf(api.FileNotFound, "read %s: %w", name, err)
}

// openFile opens a file for reading. It checks that the opened file is the one whose path was checked, and fails if
// another file replaced it meanwhile.
func openFile(ctx context.Context, h *tool.Host, name string) (*os.File, error) {
	root, rel, err := openRoot(h, name)
	if err != nil {
		return nil, err
	}
	defer closeRoot(root)
	full := filepath.Join(root.Name(), rel)
	real, err := protect.Resolve(full)
	if err != nil {
		return nil, api.Errorf(api.FileNotFound, "read %s: %w", name, err)
	}
	if err := protectedPaths(h).Read(full); err != nil {
		return nil, fmt.Errorf("read %w", err)
	}
	f, err := files.OpenIn(ctx, root, rel)
	if err != nil {
		return nil, readError(name, err)
	}
	info, err := f.Stat()
	if err == nil {
		err = checkUnmoved(real, info)
	}
	if err != nil {
		_ = f.Close() // nothing was written
		return nil, api.Errorf(api.FileNotFound, "read %s: %w", name, err)
	}
	return f, nil
}

// checkUnmoved returns an error unless the opened file is still at the path that was checked.
func checkUnmoved(real string, opened fs.FileInfo) error {
	now, err := os.Lstat(real)
	if err != nil {
		return err
	}
	if !os.SameFile(now, opened) {
		return errors.New("it was replaced by another file during the call")
	}
	return nil
}

// readBytes reads a file of at most most bytes.
func readBytes(ctx context.Context, h *tool.Host, name string, most int64) ([]byte, error) {
	f, err := openFile(ctx, h, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := files.ReadFrom(ctx, f, most)
	if err != nil {
		return nil, readError(name, err)
	}
	return raw, nil
}

// readText reads a file as text. It refuses files with NUL bytes or invalid UTF-8.
func readText(ctx context.Context, h *tool.Host, name string) (string, error) {
	raw, err := readBytes(ctx, h, name, maxFile)
	if err != nil {
		return "", err
	}
	if bytes.IndexByte(raw, 0) >= 0 || !utf8.Valid(raw) {
		return "", api.Errorf(api.InvalidArgument, "%s is not text (%d bytes)", name, len(raw))
	}
	return string(raw), nil
}

func readFile(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	text, err := readText(ctx, h, a.Str("path"))
	if err != nil {
		return nil, err
	}
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from := min(a.Int("offset")-1, len(lines))
	to := min(from+a.Int("limit"), len(lines))
	var b strings.Builder
	next := to
	for i, l := range lines[from:to] {
		if b.Len() > 0 && b.Len()+len(l) > tool.MaxResult {
			next = from + i
			break
		}
		b.WriteString(tool.Cut(l, tool.MaxResult))
	}
	res := readFileResult{Success: tool.Succeeded, Content: b.String(), Lines: len(lines)}
	if next < len(lines) {
		res.Next = next + 1
	}
	return &tool.Result{Value: res}, nil
}

func writeFile(_ context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	if err := replaceFile(h, a.Str("path"), a.Str("content")); err != nil {
		return nil, err
	}
	return &tool.Result{Value: writeFileResult{tool.Succeeded, a.Str("path"), len(a.Str("content"))}}, nil
}

// replaceFile replaces a file atomically: readers see the old or the new content.
func replaceFile(h *tool.Host, name, content string) error {
	root, rel, err := openRoot(h, name)
	if err != nil {
		return err
	}
	defer closeRoot(root)
	if rel, err = resolveLink(root, rel); err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", name, err)
	}
	dir, err := openParent(h, root, rel)
	if err != nil {
		var known interface {
			Coded() (string, string, string, map[string]any)
		}
		if errors.As(err, &known) {
			return fmt.Errorf("write %w", err)
		}
		return api.Errorf(api.FileWriteFailed, "write %s: %w", name, err)
	}
	defer closeRoot(dir)
	base := filepath.Base(rel)
	mode := fs.FileMode(0o644)
	if info, err := dir.Stat(base); err == nil {
		if !info.Mode().IsRegular() {
			return api.Errorf(api.InvalidArgument, "%s is not a file", name)
		}
		mode = info.Mode().Perm()
	}
	beside := base + "." + rand.Text()[:8] + ".usher-new"
	f, err := dir.OpenFile(beside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", name, err)
	}
	_, err = f.WriteString(content)
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(beside, base)
	}
	if err != nil {
		return api.Errorf(api.FileWriteFailed, "write %s: %w", name, errors.Join(err, dir.Remove(beside)))
	}
	return nil
}

// resolveLink resolves rel if it is a symbolic link, so that the link's target is replaced and the link stays. A link
// out of the root is an error.
func resolveLink(root *os.Root, rel string) (string, error) {
	info, err := root.Lstat(rel)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return rel, nil //nolint:nilerr // what is not there yet is no link; other errors come again when it is written
	}
	if _, err := root.Stat(rel); err != nil {
		return "", fmt.Errorf("it is a link out of %s, or a broken one: %w", root.Name(), err)
	}
	top, err := protect.Resolve(root.Name())
	if err != nil {
		return "", err
	}
	real, err := protect.Resolve(filepath.Join(root.Name(), rel))
	if err != nil {
		return "", err
	}
	return filepath.Rel(top, real)
}

// openParent creates and opens the directory of a file to be written. The write goes through the returned root, so a
// link that replaces the directory meanwhile has no effect.
func openParent(h *tool.Host, root *os.Root, rel string) (dir *os.Root, err error) {
	full, places := filepath.Join(root.Name(), rel), protectedPaths(h)
	if err := places.Write(full); err != nil {
		return nil, err
	}
	up := filepath.Dir(rel)
	if err := root.MkdirAll(up, 0o755); err != nil {
		return nil, err
	}
	if dir, err = root.OpenRoot(up); err != nil {
		return nil, err
	}
	// Check the opened directory by its resolved path.
	real, err := protect.Resolve(filepath.Join(root.Name(), up))
	if err == nil {
		err = places.Write(filepath.Join(real, filepath.Base(rel)))
	}
	var info fs.FileInfo
	if err == nil {
		info, err = dir.Stat(".")
	}
	if err == nil {
		err = checkUnmoved(real, info)
	}
	if err != nil {
		closeRoot(dir)
		return nil, err
	}
	return dir, nil
}

func patchFile(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	name, old := a.Str("path"), a.Str("old_string")
	text, err := readText(ctx, h, name)
	if err != nil {
		return nil, err
	}
	found := strings.Count(text, old)
	switch {
	case old == "":
		return nil, api.Errorf(api.InvalidArgument, "old_string is empty; write_file makes a new file")
	case found == 0:
		return nil, api.Errorf(api.InvalidArgument, "%s does not contain that text; check it with read_file", name)
	case found > 1 && !a.Bool("replace_all"):
		return nil, api.Errorf(api.InvalidArgument, "%s contains that text %d times; include more of its context, or set replace_all", name, found)
	}
	if err := replaceFile(h, name, strings.ReplaceAll(text, old, a.Str("new_string"))); err != nil {
		return nil, err
	}
	return &tool.Result{Value: patchResult{tool.Succeeded, name, found}}, nil
}

// Bounds of a search: files, and depth of directories. Opening a directory costs one lookup per parent.
const (
	maxSearched = 20_000
	maxDepth    = 64
)

func searchFiles(ctx context.Context, h *tool.Host, a tool.Args) (*tool.Result, error) {
	root, rel, err := openRoot(h, a.Str("path"))
	if err != nil {
		return nil, err
	}
	defer closeRoot(root)
	places := protectedPaths(h)
	if err := places.Read(filepath.Join(root.Name(), rel)); err != nil {
		return nil, fmt.Errorf("search %w", err)
	}
	s := search{ctx: ctx, root: root, protected: places, top: root.Name(), limit: a.Int("limit"), glob: a.Str("file_glob")}
	if a.Str("target") == "files" {
		s.glob = a.Str("pattern")
	} else if s.lines, err = regexp.Compile(a.Str("pattern")); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "pattern: %w", err)
	}
	if _, err := path.Match(s.glob, "x"); err != nil {
		return nil, api.Errorf(api.InvalidArgument, "the glob %q is not valid", s.glob)
	}
	if err := fs.WalkDir(root.FS(), filepath.ToSlash(rel), s.visit); err != nil {
		return nil, api.Errorf(api.FileNotFound, "search %s: %w", a.Str("path"), err)
	}
	return &tool.Result{Value: searchFilesResult{tool.Succeeded, s.found, s.more}}, nil
}

// search is the state of one walk through files.
type search struct {
	ctx       context.Context
	root      *os.Root
	protected *protect.Paths
	top       string         // the path of root
	lines     *regexp.Regexp // nil: match names only
	glob      string
	limit     int
	found     []fileMatch
	more      bool
	visited   int
}

func (s *search) visit(name string, d fs.DirEntry, err error) error {
	if cause := s.ctx.Err(); cause != nil {
		return cause
	}
	if err != nil {
		if name == "." || d == nil {
			return err
		}
		return nil // skip directories that cannot be read
	}
	if d.IsDir() && strings.Count(name, "/") > maxDepth {
		s.more = true
		return fs.SkipDir
	}
	if d.IsDir() && s.protected.Read(filepath.Join(s.top, filepath.FromSlash(name))) != nil {
		return fs.SkipDir // skip protected directories
	}
	if d.IsDir() {
		if slices.Contains([]string{".git", "node_modules"}, d.Name()) {
			return fs.SkipDir
		}
		return nil
	}
	if s.glob != "" {
		if ok, _ := path.Match(s.glob, d.Name()); !ok {
			return nil
		}
	}
	if s.visited++; s.visited > maxSearched || len(s.found) >= s.limit {
		s.more = true
		return fs.SkipAll
	}
	if s.lines == nil {
		s.found = append(s.found, fileMatch{File: name})
		return nil
	}
	return s.searchLines(name, d)
}

// searchLines searches the lines of a text file. It skips protected, irregular and binary files.
func (s *search) searchLines(name string, d fs.DirEntry) error {
	if !d.Type().IsRegular() && d.Type() != fs.ModeSymlink {
		return nil
	}
	if s.protected.Read(filepath.Join(s.top, filepath.FromSlash(name))) != nil {
		return nil
	}
	raw, err := files.ReadIn(s.ctx, s.root, filepath.FromSlash(name), maxFile)
	if err != nil || bytes.IndexByte(raw, 0) >= 0 {
		return nil
	}
	number := 0
	for line := range bytes.Lines(raw) {
		number++
		if !s.lines.Match(bytes.TrimRight(line, "\r\n")) {
			continue
		}
		if len(s.found) >= s.limit {
			s.more = true
			return fs.SkipAll
		}
		s.found = append(s.found, fileMatch{name, &lineMatch{number, tool.Cut(strings.TrimSpace(strings.ToValidUTF8(string(line), "\uFFFD")), 300)}})
	}
	return nil
}

// protectedPaths returns the paths that no file tool may touch.
func protectedPaths(h *tool.Host) *protect.Paths {
	if h.Protected != nil {
		return h.Protected(h)
	}
	return protect.New(os.Getenv, protect.Extra{Opened: h.Roots})
}
