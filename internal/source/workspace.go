package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	neturl "net/url"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/usher-browser/usher/internal/files"
)

const (
	// DefaultFiles and MostFiles bound the files of a workspace that are read: those of pi-agent-browser-native.
	DefaultFiles = 2000
	MostFiles    = 5000
	// maxFile bounds a file, and maxRead all of them, in bytes; maxVisited bounds what is walked over.
	maxFile    = 1 << 20
	maxRead    = 64 << 20
	maxVisited = 200_000
)

// Workspace is a directory with a person's source files. Nothing outside of it is read: symbolic links are not followed.
type Workspace struct {
	// Root is the directory.
	Root  string
	root  *os.Root
	files []string
	// Limitations say what was not searched.
	Limitations []string
}

// OpenWorkspace lists the source files below a directory, at most so many. Close it. The error is that of the directory or the context.
func OpenWorkspace(ctx context.Context, dir string, most int) (*Workspace, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Root: dir, root: root}
	links, unreadable, visited, more := 0, 0, 0, false
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if visited++; visited > maxVisited {
			more = true
			return fs.SkipAll
		}
		switch {
		case err != nil:
			unreadable++
			if entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if name != "." && skipped(entry.Name()) {
				return fs.SkipDir
			}
		case !isSource(name):
		case entry.Type()&fs.ModeSymlink != 0:
			links++
		case !entry.Type().IsRegular():
		case len(w.files) == most:
			more = true
			return fs.SkipAll
		default:
			w.files = append(w.files, name)
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	if more {
		w.limit("the workspace has more source files: only %d were searched", len(w.files))
	}
	if links > 0 {
		w.limit("%d symbolic links in the workspace were not followed", links)
	}
	if unreadable > 0 {
		w.limit("%d folders of the workspace could not be read", unreadable)
	}
	return w, nil
}

func (w *Workspace) limit(format string, args ...any) {
	w.Limitations = append(w.Limitations, fmt.Sprintf(format, args...))
}

// Close releases the directory.
func (w *Workspace) Close() error { return w.root.Close() }

// skipped are folders of what is made from sources, or of others' sources.
func skipped(name string) bool {
	switch name {
	case ".git", "node_modules", "dist", "build", "coverage", ".next", "out", "tmp", "temp":
		return true
	}
	return false
}

func isSource(name string) bool {
	switch path.Ext(name) {
	case ".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".css", ".scss", ".less":
		return true
	}
	return false
}

func isStyle(name string) bool {
	switch path.Ext(name) {
	case ".css", ".scss", ".less":
		return true
	}
	return false
}

// Hit is a place in a file of the workspace. Line and Column begin at 1; Column counts bytes.
type Hit struct {
	File         string
	Line, Column int
	// Of is the index of what was found.
	Of int
}

// each calls f with each script of the workspace until it returns false.
func (w *Workspace) each(ctx context.Context, f func(name string, text []byte) bool) error {
	read, large := 0, 0
	for _, name := range w.files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if isStyle(name) {
			continue
		}
		text, err := files.ReadIn(ctx, w.root, name, maxFile)
		var size *files.SizeError
		switch {
		case errors.As(err, &size):
			large++
			continue
		case err != nil: // removed, or replaced by something else meanwhile
			continue
		}
		if read += len(text); read > maxRead {
			w.limit("only the first %d MB of the workspace were searched", maxRead>>20)
			break
		}
		if !f(name, text) {
			break
		}
	}
	if large > 0 {
		w.limit("%d files of the workspace are larger than %d KB and were not searched", large, maxFile>>10)
	}
	return nil
}

// Component returns where a component of that name may be declared, at most so many places.
func (w *Workspace) Component(ctx context.Context, name string, most int) ([]Hit, error) {
	word := regexp.QuoteMeta(name)
	declared := regexp.MustCompile(`(?m)(?:^|[\s;{}(])(?:export\s+default\s+(?:async\s+)?function|function|class|const|let|var)\s+(` + word + `)\b(\s*[:=(<{]|\s+extends\b)`)
	var hits []Hit
	err := w.each(ctx, func(file string, text []byte) bool {
		for _, at := range declared.FindAllSubmatchIndex(text, most) {
			if len(hits) < most {
				line, column := place(text, at[2])
				hits = append(hits, Hit{File: file, Line: line, Column: column})
			}
		}
		return len(hits) < most
	})
	return hits, err
}

// Literals returns where one of the texts is, at most so many places. Of is the index of the first text that a line has.
func (w *Workspace) Literals(ctx context.Context, texts []string, most int) ([]Hit, error) {
	var hits []Hit
	err := w.each(ctx, func(file string, text []byte) bool {
		seen := map[int]bool{}
		for i, literal := range texts {
			for from := 0; len(hits) < most && literal != ""; {
				at := bytes.Index(text[from:], []byte(literal))
				if at < 0 {
					break
				}
				at += from
				from = at + len(literal)
				if line, column := place(text, at); !seen[line] {
					seen[line] = true
					hits = append(hits, Hit{File: file, Line: line, Column: column, Of: i})
				}
			}
		}
		return len(hits) < most
	})
	slices.SortStableFunc(hits, func(a, b Hit) int { return a.Of - b.Of })
	return hits, err
}

func place(text []byte, at int) (line, column int) {
	before := text[:at]
	return bytes.Count(before, []byte("\n")) + 1, at - bytes.LastIndexByte(before, '\n')
}

// Resolve returns the file of the workspace that a source of a map, or an address, is: the one that has the longest end of its path. ok is
// false if there is none, or if several have.
func (w *Workspace) Resolve(name string) (file string, ok bool) {
	if u, err := neturl.Parse(name); err == nil && u.Scheme != "" && len(u.Scheme) > 1 {
		name = u.Path
		if name == "" {
			name = u.Opaque
		}
	}
	name = path.Clean("/" + strings.ReplaceAll(name, `\`, "/"))
	best, same := 0, 0
	for _, candidate := range w.files {
		n := commonEnd(name, "/"+candidate)
		switch {
		case n == 0 || n < best:
		case n == best:
			same++
		default:
			best, same, file = n, 1, candidate
		}
	}
	if same != 1 {
		return "", false
	}
	return file, true
}

// commonEnd is how many parts of two paths are equal, counted from the end.
func commonEnd(a, b string) int {
	n := 0
	for a != "" && b != "" {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			break
		}
		n++
		if i < 0 || j < 0 {
			break
		}
		a, b = a[:i], b[:j]
	}
	return n
}
