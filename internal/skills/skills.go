// Package skills has texts from which agents learn to use the program, one per subject. They are part of the binary, so
// they belong to its version. A directory of the user's can stand in their place.
package skills

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

//go:embed texts
var texts embed.FS

// Skill is one text with its references.
type Skill struct {
	Name        string
	Description string // one sentence or a few: what it is about, and when to read it
	Content     string // the file SKILL.md, its head included
	Files       []File // references, in the order of their paths; empty for most
}

// File is a reference of a skill.
type File struct {
	Path    string `json:"path"` // inside the skill's directory, with slashes: references/commands.md
	Content string `json:"content"`
}

// fileName is the file that makes a directory a skill.
const fileName = "SKILL.md"

// The most that is read of a directory of the user's.
const (
	maxSkills = 500
	maxFile   = 4 << 20
	maxDepth  = 6
)

// BuiltIn returns the skills of the program, in the order of their names.
func BuiltIn() ([]Skill, error) {
	root, err := fs.Sub(texts, "texts")
	if err != nil {
		return nil, err
	}
	return read(root)
}

// In returns the skills of a directory, in the order of their names: its subdirectories that contain SKILL.md.
func In(dir string) ([]Skill, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", dir)
	}
	return read(os.DirFS(dir))
}

func read(root fs.FS) ([]Skill, error) {
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	if len(entries) > maxSkills {
		return nil, fmt.Errorf("there are %d entries; at most %d are read", len(entries), maxSkills)
	}
	var out []Skill
	for _, e := range entries {
		content, err := readFile(root, path.Join(e.Name(), fileName))
		switch {
		case errors.Is(err, fs.ErrNotExist) || !e.IsDir() && err != nil:
			continue
		case err != nil:
			return nil, err
		}
		s := Skill{Name: e.Name(), Content: content, Description: field(content, "description")}
		if name := field(content, "name"); name != "" {
			s.Name = name
		}
		if s.Files, err = references(root, e.Name()); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Skill) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// references reads the files beside SKILL.md.
func references(root fs.FS, dir string) ([]File, error) {
	var out []File
	err := fs.WalkDir(root, dir, func(at string, e fs.DirEntry, err error) error {
		inside := strings.TrimPrefix(at, dir+"/")
		switch {
		case err != nil:
			return err
		case e.IsDir() && strings.Count(inside, "/") >= maxDepth:
			return fs.SkipDir
		case !e.Type().IsRegular() || inside == fileName:
			return nil
		}
		content, err := readFile(root, at)
		out = append(out, File{inside, content})
		return err
	})
	return out, err
}

func readFile(root fs.FS, at string) (string, error) {
	info, err := fs.Stat(root, at)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return "", fmt.Errorf("%s is not a regular file of at most %d bytes", at, maxFile)
	}
	data, err := fs.ReadFile(root, at)
	return string(data), err
}

// field returns a value of the head of a text: lines "name: value" between two lines of three dashes. Further lines of a
// value are indented.
func field(content, name string) string {
	head, ok := strings.CutPrefix(content, "---\n")
	if !ok {
		return ""
	}
	head, _, ok = strings.Cut(head, "\n---")
	if !ok {
		return ""
	}
	var value []string
	found := false
	for line := range strings.SplitSeq(head, "\n") {
		rest, is := strings.CutPrefix(line, name+":")
		switch {
		case is:
			found = true
			value = append(value, strings.Trim(strings.TrimSpace(rest), `"'>|`))
		case found && strings.HasPrefix(line, " "):
			value = append(value, strings.TrimSpace(line))
		case found:
			return strings.TrimSpace(strings.Join(value, " "))
		}
	}
	return strings.TrimSpace(strings.Join(value, " "))
}
